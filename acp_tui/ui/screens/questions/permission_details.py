"""Text of permission dialogs: the tool call, and the reasons for the question."""

from __future__ import annotations

import json
import logging
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from acp_tui import formatting
from acp_tui.agent.permissions.authorization import why_asked
from acp_tui.agent.permissions.decision_records import MAX_PRECEDENTS, Precedents, precedents
from acp_tui.agent.permissions.grants import hides_command, shown_command
from acp_tui.agent.permissions.tool_input import env_of, folder_key, folder_of, unknown_fields
from acp_tui.conversation.conversation import Conversation
from acp_tui.formatting import expand_home
from acp_tui.lazy_regex import regex
from acp_tui.protocol.schema import ContentBlock, ContentItem, UnknownItem
from acp_tui.rules.command_explanation import CommandExplanation, CommandPart, explain
from acp_tui.rules.model import WORDS, Rule
from acp_tui.rules.path_rules import is_plain
from acp_tui.rules.protected_files import destination
from acp_tui.rules.shell import parse_line
from acp_tui.session.entries import Diff, Item, Text, ToolCall, absolute
from acp_tui.session.questions import Destination
from acp_tui.session.shell_command import worded_command
from acp_tui.store.settings import Policy
from acp_tui.ui.screens.rules.rule_list import matches
from acp_tui.ui.widgets.markdown.stream import MarkdownBlock
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import cells, exact, exact_line, safe_line, shortened
from acp_tui.ui.widgets.transcript.blocks import Block, TextBlock

WISHES: Final = {
    "read": "wants to read",
    "edit": "wants to change files",
    "delete": "wants to delete",
    "move": "wants to move files",
    "search": "wants to search",
    "execute": "wants to run a command",
    "think": "wants to think",
    "fetch": "wants to fetch from the network",
    "switch_mode": "wants to change its mode",
    "other": "asks for permission",
}
"""Headings by the kind of the tool call."""

_WORDED: Final = "described by the agent: a rule can deny it, but not allow it"
_MARKS: Final = ("read", "search")
_TITLED: Final = "known from its title only"
_UNUSUAL: Final = "may hold a command: a rule can deny it, but not allow it"
_OURS: Final = {"read": "to read a file", "edit": "to write a file", "execute": "to run a command"}

LONG: Final = 20_000
"""Characters after which a text is cut at first, since wrapping takes time."""
BRIEF: Final = 110
"""Cells of a less important text that are shown at first."""
MANY: Final = 100
"""Paths after which a list of them is cut at first."""

_TEXTS: Final = 200
"""Most texts of a call with a block each."""
_FOLLOWED: Final = 1_000
"""Most paths of a list whose links are followed, one by one."""
NOWHERE: Final[Mapping[str, Destination]] = MappingProxyType({})

_READ: Final = 100_000
"""Most characters of an input that are read to count its lines: it may have megabytes."""


class DetailLevel(NamedTuple):
    """Whole or shortened texts."""

    whole: bool = False
    """True to show long texts whole."""
    key: str = "i"
    """Key that shows them whole."""


FOLDED: Final = DetailLevel()

_TOOL: Final = regex(r"[A-Za-z0-9_.:/-]{1,60}")
"""The name of a tool that has room in a heading, and cannot be read as words of the client."""
_USUAL: Final = frozenset(
    {
        *("claudeCode", "toolName", "kind", "provenance", "phase", "qwenTranscript", "timestamp"),
        *("terminal_info", "terminal_exit"),
    }
)
"""Names in the `_meta` of agents that say nothing about what they ask for."""
_AGENT: Final = 30
"""Most cells of an agent's name in a heading, which it must not fill."""
_LABEL: Final = 10
_SECTION: Final = [("faint", " " * _LABEL)]


def kind_of(call: ToolCall) -> str:
    """Return the kind of a call for display: `execute` also if only its texts ask for a command."""
    return call.kind if call.worded_command is None else "execute"


def wish_of(agent: str, kind: str, *, tool: str | None = None, ours: bool = False) -> str:
    """Return the heading.

    Args:
        agent: the name of the agent.
        kind: the kind of the tool call.
        tool: the name of the tool, if the agent sent it; it is added if it is a plain word.
        ours: True for requests to the client that came without a permission request.
    """
    agent = shortened(agent, _AGENT)
    if ours:
        return f"{agent} wants acp-tui {_OURS.get(kind, 'to do something')}"
    named = f" (tool {tool})" if _is_plain_name(tool) else ""
    return f"{agent} {WISHES.get(kind) or f'asks for permission ({kind})'}{named}"


def _is_plain_name(tool: str | None) -> bool:
    return tool is not None and _TOOL.fullmatch(tool) is not None


def diffs_of(call: ToolCall) -> list[Diff]:
    """Return the changes of files in a tool call."""
    return [item for item in call.content if isinstance(item, Diff)]


def details_of(
    call: ToolCall,
    cwd: str,
    inside: Callable[[str], bool],
    styles: Styles,
    level: DetailLevel = FOLDED,
    *,
    reasons: Sequence[TextBlock] = (),
    places: Mapping[str, Destination] = NOWHERE,
) -> list[Block]:
    """Return the text about a tool call: command, folder, paths, title, plan, content, the rest of its input.

    `reasons` are shown between these facts and the content; `places` are the destinations of paths.
    Long texts are cut, and the rest of the input is folded, unless the level of detail is whole.
    """
    command = shown_command(call)

    def is_inside(path: str) -> bool:
        return is_plain(path) and inside(absolute(expand_home(path), cwd))

    rest = rest_of_input(call)
    is_command = rest is not None and hides_command(call)
    facts = _facts(call, command, cwd, is_inside, level, places)
    if is_command:
        facts = [*_input_command(rest, level), *facts]
    title = [_title(call, level, is_alone=not facts)] if _worth_showing(call.title, command) else []
    if title and facts:  # the action comes first: a title is only the agent's claim
        title.insert(0, TextBlock())
    more = _more_of_command(call, level)
    blocks: list[Block] = [*facts, *more, *title, *_unread(call, level), *reasons, *_plan(call, level)]
    texts = _texts(call)
    if texts and diffs_of(call):  # the changes below must be in view
        blocks.append(TextBlock(brief("text", " ".join(texts), level, safe_line), above=1))
    else:
        blocks += [TextBlock(_cut("text", text, level), above=1) for text in texts]
    if rest is not None and not is_command:
        is_alone = not (facts or diffs_of(call))
        blocks.append(_folded("input", rest, styles, level, is_alone, above=bool(texts)))
    for label, extra, is_usual in _extras(call):
        if level.whole or not is_usual:
            blocks.append(_folded(label, extra, styles, level))
    return blocks


def _input_command(value: Any, level: DetailLevel) -> list[TextBlock]:
    """Return an input that may hold the command, unfolded."""
    text, is_all = (pretty(value), True) if level.whole else _beginning(value, _READ)
    shown = labelled("input", _cut("code", text, level, is_all, clean=exact))
    return [shown, labelled("", [("warning", _UNUSUAL)])]


def _extras(call: ToolCall) -> Iterator[tuple[str, Any, bool]]:
    """Yield what was sent beside what the tool is to do: label, value, True if it needs no attention."""
    if call.raw_output is not None:
        yield "output", call.raw_output, False
    if call.meta:
        yield "_meta", call.meta, all(name.rpartition(" ")[2] in _USUAL for name in call.meta)


def places_of(call: ToolCall, cwd: str) -> dict[str, Destination]:
    """Return where the paths of a call and its folder lead. Blocking: call it in a thread."""
    paths = islice(dict.fromkeys([folder_of(call, cwd), *_paths(call, cwd)]), _FOLLOWED)
    return {path: destination(path, cwd) for path in paths}


def asked_in_words(title: str, description: str, level: DetailLevel) -> list[TextBlock]:
    """Return the words of a request, each in about two rows, as the agent's own: they can claim anything."""
    words = (("question", title), ("", description))
    texts = ((label, " ".join(text.split())) for label, text in words)
    return [labelled(label, brief("text", text, level, exact_line)) for label, text in texts if text]


def has_more(call: ToolCall) -> bool:
    """Return whether a whole `details_of` shows more."""
    paths = _paths(call, "")
    texts = [*map(_text_of, call.content)]
    content = [*texts, folder_of(call, ""), *env_of(call).values()]
    is_long = len(paths) > MANY or any(
        len(text) > LONG for text in (shown_command(call) or "", *content, *paths)
    )
    is_long = (
        is_long
        or len(call.plan) > LONG
        or cells(call.title[:LONG]) > BRIEF
        or (any(texts) and bool(diffs_of(call)))
    )
    return is_long or bool(call.unread) or rest_of_input(call) is not None or any(True for _ in _extras(call))


def rest_of_input(call: ToolCall) -> Any:
    """Return the raw input without the facts shown above; None when nothing is left."""
    raw, said = call.raw_input, call.stated_command
    if isinstance(raw, dict) and said is not None:
        shown = {*said.keys, folder_key(raw), *unknown_fields(raw, said.keys)}
        raw = {key: value for key, value in raw.items() if key not in shown}
    if isinstance(raw, dict) and call.plan and raw.get("plan") == call.plan:
        raw = {key: value for key, value in raw.items() if key != "plan"}
    return None if raw in (None, {}, [], "") else raw


def pretty(value: Any) -> str:
    """Format a value as indented JSON; values that JSON lacks are shown as Python shows them."""
    if isinstance(value, str):
        return value
    return json.dumps(value, indent=2, ensure_ascii=False, default=repr)


def _beginning(value: Any, most: int) -> tuple[str, bool]:
    """Return (about `most` characters of `pretty`, whether that is all)."""
    if isinstance(value, str):
        return value, True
    found: list[str] = []
    length = 0
    for piece in json.JSONEncoder(indent=2, ensure_ascii=False, default=repr).iterencode(value):
        if length >= most:
            return "".join(found), False
        found.append(piece)
        length += len(piece)
    return "".join(found), True


def _facts(
    call: ToolCall,
    command: str | None,
    cwd: str,
    inside: Callable[[str], bool],
    level: DetailLevel,
    places: Mapping[str, Destination],
) -> list[TextBlock]:
    """Return command, folder and paths, each with its label."""
    blocks: list[TextBlock] = []
    if command is not None:
        folder = folder_of(call, cwd)
        blocks.append(labelled("command", _cut("code", command, level, clean=exact)))
        if call.command is None:
            blocks.append(labelled("", [("muted", _TITLED if call.worded_command is None else _WORDED)]))
        blocks.append(
            labelled(
                "in",
                [
                    *_cut("text", folder, level, clean=_path_line),
                    *_leads(places.get(folder), "read"),
                    *_outside(folder, inside),
                ],
            )
        )
        settings = [f"{name}={shlex.quote(value)}" for name, value in env_of(call).items()]
        # The client's own questions have all variables before one command; with several commands, before
        # the first.
        is_said = command.startswith(" ".join([*settings, ""])) and len(parse_line(command).commands) == 1
        if settings and not is_said:
            blocks.append(labelled("with", _cut("warning", "\n".join(settings), level, clean=exact)))
    if call.name and not _is_plain_name(call.name):
        blocks.append(labelled("tool", brief("text", call.name, level, exact_line)))
    paths = _paths(call, cwd)
    for number, (path, shown) in enumerate(islice(paths.items(), None if level.whole else MANY)):
        label = "" if number else "path" if len(paths) == 1 else "paths"
        text = _cut("text", shown, level, clean=_path_line)
        there = _leads(places.get(path), call.kind)
        blocks.append(labelled(label, [*text, *there, *_outside(path, inside)]))
    if not level.whole and len(paths) > MANY:
        blocks.append(labelled("", [("warning", _more_paths(list(paths)[MANY:], inside, level))]))
    return blocks


def _more_paths(paths: Sequence[str], inside: Callable[[str], bool], level: DetailLevel) -> str:
    """Return the number of paths that are not listed, and of those outside the workspace."""
    outside = sum(not inside(path) for path in paths[:_FOLLOWED])
    least = "at least " if outside and len(paths) > _FOLLOWED else ""
    told = f", {least}{outside:,} of them outside the workspace" if outside else ""
    return f"{len(paths):,} more{told} ({level.key} shows them)"


def _title(call: ToolCall, level: DetailLevel, *, is_alone: bool) -> TextBlock:
    """Return a title on one line; a command is shown exactly."""
    one_line = exact_line if kind_of(call) == "execute" else safe_line
    if is_alone:
        return TextBlock(_cut("strong", call.title, level, clean=one_line))
    return TextBlock(brief("strong", call.title, level, one_line))


def brief(role: str, text: str, level: DetailLevel, one_line: Callable[[str], str]) -> list[tuple[str, str]]:
    """Return about two rows of a less important text, unless the level of detail is whole."""
    shown = shortened(one_line(text[:LONG]), BRIEF)
    if level.whole or (len(text) <= LONG and shown == one_line(text)):
        return [(role, one_line(text))]
    return [(role, shown), ("warning", f" ({level.key} shows all {len(text):,} characters)")]


def _worth_showing(title: str, command: str | None) -> bool:
    """Return whether a title says more than the command and the name of the tool."""
    words = title.strip().strip("`")
    tool, _, rest = words.partition(": ")
    return bool(title) and words != command and (command is None or " " in tool or rest != command)


def _more_of_command(call: ToolCall, level: DetailLevel) -> Iterator[Block]:
    """Yield the fields beside a command that may change what it does, such as words or a standard input."""
    said, raw = call.stated_command, call.raw_input
    if said is None or not isinstance(raw, dict):
        return
    for name in unknown_fields(raw, said.keys):
        text, is_all = (pretty(raw.get(name)), True) if level.whole else _beginning(raw.get(name), _READ)
        label = ("warning", f"{exact_line(shortened(name, BRIEF))}: ")
        yield labelled("and", [label, *_cut("text", text, level, is_all)])


def _unread(call: ToolCall, level: DetailLevel) -> Iterator[Block]:
    """Yield a warning about the parts of a call that are not understood, and those parts."""
    if call.unread:
        names = exact_line(shortened(", ".join(call.unread), BRIEF))
        yield TextBlock([("warning", f"Caution: parts of this request are not understood: {names}.")])
        text, is_all = (pretty(call.unread), True) if level.whole else _beginning(dict(call.unread), _READ)
        yield labelled("unknown", _cut("text", text, level, is_all))


def _plan(call: ToolCall, level: DetailLevel) -> Iterator[Block]:
    """Yield the plan that a call asks to carry out, as Markdown."""
    if not call.plan:
        return
    shown = call.plan if level.whole else call.plan[:LONG]
    block = MarkdownBlock(shown, above=1)
    block.finish()
    yield block
    if len(shown) < len(call.plan):
        left = f"{len(call.plan) - len(shown):,} more characters ({level.key} shows them)"
        yield TextBlock([("warning", left)])


def _texts(call: ToolCall) -> list[str]:
    """Return the texts of a call that are not shown above; very many are joined at the end."""
    plan, command = call.plan.strip(), shown_command(call) if call.command is None else None
    told = filter(None, map(_text_of, call.content))
    found = [
        text
        for text in told
        if not (plan and text.strip() == plan) and (command is None or worded_command([text]) != command)
    ]
    return found if len(found) <= _TEXTS else [*found[:_TEXTS], "\n".join(found[_TEXTS:])]


def _paths(call: ToolCall, cwd: str) -> dict[str, str]:
    """Return the paths of a call, each with its text."""
    found: dict[str, str] = {}
    for location in call.locations:
        line = f":{location.line}" if location.line is not None else ""
        found.setdefault(location.path, formatting.inside(location.path, cwd) + line)
    for diff in diffs_of(call):
        found.setdefault(diff.path, formatting.inside(diff.path, cwd))
    return found


def _path_line(path: str) -> str:
    """Return a path on one line, with marks for line ends and tabs."""
    return exact(path).replace("\n", "␊").replace("\t", "␉")


def _leads(found: Destination | None, kind: str) -> list[tuple[str, str]]:
    """Return the destination of a path that is a link, and the reason for its protection."""
    if found is None:
        return []
    spans = [("warning", f" → {_path_line(found.at)}")] if found.at else []
    if kind in _MARKS:
        return spans
    if found.names > 1:
        spans.append(("warning" if found.why else "muted", f"  a file with {found.names:,} names"))
    return [*spans, ("warning", f"  protected: {found.why}")] if found.why else spans


def _outside(path: str, inside: Callable[[str], bool]) -> list[tuple[str, str]]:
    return [] if inside(path) else [("warning", "  outside the workspace")]


def labelled(label: str, spans: list[tuple[str, str]], above: int = 0) -> TextBlock:
    """Return a block with a label."""
    return TextBlock(spans, first=[("muted", label.ljust(_LABEL))], rest=_SECTION, above=above)


def _folded(
    label: str, value: Any, styles: Styles, level: DetailLevel, is_open: bool = False, above: int = 0
) -> TextBlock:
    text, is_all = (pretty(value), True) if level.whole else _beginning(value, _READ)
    if level.whole or is_open:
        return labelled(label, _cut("muted", text, level, is_all), above)
    count = text.count("\n") + 1
    lines = "1 line" if count == 1 else f"{count} lines" if is_all else f"more than {count:,} lines"
    return labelled(label, [("muted", f"{styles.symbol('folded')} {lines} ({level.key} opens)")], above)


def _cut(
    role: str, text: str, level: DetailLevel, is_all: bool = True, clean: Callable[[str], str] = str
) -> list[tuple[str, str]]:
    """Return a text with its role; a very long one is cut, with the number of remaining characters.

    `clean` is called with the shown part only.
    """
    if level.whole or len(text) <= LONG:
        return [(role, clean(text))]
    left = f"{'' if is_all else 'more than '}{len(text) - LONG:,} more characters"
    return [(role, clean(text[:LONG])), ("warning", f"\n{left} ({level.key} shows them)")]


def _text_of(item: Item) -> str:
    match item:
        case Text():
            return item.text.strip("\n")
        case ContentItem():
            return "\n".join(_block_text(item.content))
        case UnknownItem():
            return pretty(item.raw)
        case _:  # diffs are shown in a view of their own; a terminal has no output before it may run
            return ""


def _block_text(block: ContentBlock) -> Iterator[str]:
    match block.type:
        case "image" | "audio":
            yield f"[{block.type}, {block.mime_type}]"
            yield from filter(None, [block.uri if block.type == "image" else None])
        case "resource_link":
            yield f"{block.title or block.name}: {block.uri}"
            yield from filter(None, [block.description])
        case "resource":
            yield block.resource.uri
            if block.resource.text:
                yield block.resource.text
        case "?":
            yield pretty(block.raw)


PARTS: Final = 6
"""Parts of a command that are listed at first."""
_PART: Final = 160
"""Most characters of a part: the whole command is shown above."""


def reasons(
    command: str | None,
    cwd: str,
    inside: Callable[[str], bool],
    background: Background,
    styles: Styles,
    level: DetailLevel = FOLDED,
) -> list[TextBlock]:
    """Return the reasons for a question: parts of the command, the rule that asks, earlier decisions.

    Args:
        command: the command, if the call runs one.
        cwd: the folder that it runs in.
        inside: returns whether a path is in the workspace.
        background: the rule that asks, and earlier decisions.
        styles: the theme's styles.
        level: the level of detail.
    """
    blocks: list[TextBlock] = []
    if command is not None:
        blocks += _parts(explain(command, cwd, inside), styles, level)
    if background.why:
        blocks.append(labelled("why", [("muted", background.why)]))
    if background.rule is not None:
        blocks.append(labelled("rule", [("text", rule_words(background.rule))]))
    if background.before is not None:
        blocks.append(labelled("history", [("muted", before_words(background.before))]))
    return blocks


def has_more_parts(command: str | None, cwd: str, inside: Callable[[str], bool]) -> bool:
    """Return whether a command has more parts than are listed at first."""
    return command is not None and len(explain(command, cwd, inside).parts) > PARTS


_LONGEST_OF_RULE: Final = 160
"""Most cells of a rule's note or conditions: a workspace's rules must not fill a question."""


def rule_words(rule: Rule) -> str:
    """Describe a rule in one line: decision, matches, note, place."""
    does = {"ask": "asks:", "deny": "denies what this may do:", "allow": "allows:"}[rule.decision]
    what, note = (shortened(safe_line(text), _LONGEST_OF_RULE) for text in (matches(rule), rule.note))
    said = f", “{note}”" if note else ""
    return f"{does} {what}{said}{f' ({rule.where})' if rule.where else ''}"


def before_words(before: Precedents) -> str:
    """Describe earlier decisions in one line."""
    what = f"“{before.beginning} …” " if before.beginning else ""
    if before.allowed + before.rejected >= MAX_PRECEDENTS:
        what += "at least "  # no more are searched
    counts = ", ".join(f"{verb} {_times(count)}" for verb, count in _counts(before) if count)
    last = before.last.astimezone()
    day = "today" if last.date() == datetime.now().astimezone().date() else f"{last:%Y-%m-%d}"
    return f"{what}{counts} here, last {day} {last:%H:%M}"


def _counts(before: Precedents) -> Iterator[tuple[str, int]]:
    yield "allowed", before.allowed
    yield "rejected", before.rejected


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _parts(explanation: CommandExplanation, styles: Styles, level: DetailLevel) -> Iterator[TextBlock]:
    parts = explanation.parts
    if not explanation.understood:
        text = (
            "too long to analyse"
            if explanation.too_long
            else "parts of it could not be parsed as a shell command"
        )
        yield labelled("caution", [("warning", text)])
    if len(parts) == 1 and parts[0].notes:
        yield labelled("notes", _notes(parts[0])[1:])
    elif len(parts) > 1:
        shown = parts if level.whole else parts[:PARTS]
        for number, part in enumerate(shown):
            yield labelled("" if number else "parts", [("text", _text(part, styles)), *_notes(part)])
        if len(shown) < len(parts):
            yield labelled(
                "", [("warning", f"{len(parts) - len(shown)} more parts ({level.key} shows them)")]
            )


def _text(part: CommandPart, styles: Styles) -> str:
    inside = "  " * part.depth + (f"{styles.symbol('folded')} " if part.depth else "")
    text = part.text if len(part.text) <= _PART else f"{part.text[:_PART]}…"
    return f"{inside}{text}"


def _notes(part: CommandPart) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for note in part.notes:
        found += [
            ("muted", ", " if len(found) > 1 else "  "),
            ("warning" if note.grave else "muted", note.text),
        ]
    return found


log = logging.getLogger(__name__)


class Background(NamedTuple):
    """The context of a question, apart from its tool call."""

    rule: Rule | None = None
    """The rule that asks."""
    before: Precedents | None = None
    why: str = ""
    """Reason for a question that the agent did not ask, or that a rule nearly allows; else ""."""


NOTHING_KNOWN: Final = Background()


def background_of(conversation: Conversation, call: ToolCall, *, unasked: bool = False) -> Background:
    """Return the context of a call; `unasked` if it came without a permission request."""
    running, session = conversation.running, conversation.session
    if running is None or session is None:
        return Background()
    said = why_asked(running.access, call, session, running.agent.name)
    why = [_why(said.rule, running.access.policy_of(session.id))] if unasked else []
    why += [f"{said.why[0].upper()}{said.why[1:]}."] if said.why else []
    return Background(said.rule, _before(conversation, call), " ".join(why))


def _why(rule: Rule | None, policy: Policy) -> str:
    because = "a rule of yours asks" if rule is not None else f"this session {WORDS[policy]}"
    return f"The agent did not ask; {because}."


def _before(conversation: Conversation, call: ToolCall) -> Precedents | None:
    assert conversation.running is not None
    assert conversation.session is not None
    decisions, command = conversation.running.decisions, call.command
    if decisions.path is None:
        return None
    hidden = decisions.masked(command) if command is not None else None
    beginning = _start_of_input(command) if command is not None else ""
    try:
        return precedents(
            decisions.path, conversation.session.cwd, call.kind, hidden, call.named_paths, beginning
        )
    except OSError as error:
        log.warning("the decision log: %s", error)
        return None


def _start_of_input(command: str) -> str:
    """Return the first two words of a single command; "" for a chain."""
    commands = parse_line(command).commands
    words = [word.source for word in commands[0].words[:2]] if len(commands) == 1 else []
    beginning = " ".join(words)
    return beginning if len(words) == 2 and command.startswith(beginning) else ""


class AlwaysScope(NamedTuple):
    """A scope of an answer "always"."""

    words: str
    rule: Rule | None = None
    """Rule for the rest of the session; None if only the agent remembers the answer."""


AGENT_ONLY: Final = AlwaysScope("the agent remembers it; acp-tui adds nothing")
