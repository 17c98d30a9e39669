"""What a permission dialog shows of a tool call: all that the user needs to decide."""

from __future__ import annotations

import json
import logging
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from acp_tui import readable
from acp_tui.agent.permissions.decision_records import MAX_PRECEDENTS, Precedents
from acp_tui.agent.permissions.grants import titled_command
from acp_tui.agent.permissions.tool_input import env_of, folder_key, folder_of
from acp_tui.rules.explain import CommandExplanation, CommandPart, explain
from acp_tui.rules.protected import Destination, destination
from acp_tui.session.entries import worded_command
from acp_tui.ui.screens.rule_list import matches
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.text import cells, exact, exact_line, safe_line, shortened
from acp_tui.ui.widgets.transcript.blocks import TextBlock

if TYPE_CHECKING:
    from acp_tui.conversation.conversation import Conversation
    from acp_tui.protocol.schema import ContentBlock
    from acp_tui.rules.model import Rule
    from acp_tui.session.entries import Diff, Item, ToolCall
    from acp_tui.store.settings import Policy


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
"""What an agent wants, by the kind of the tool call."""

_WORDED: Final = "in the agent's words: a rule of yours can deny it, none allows it"
_LOOKS: Final = ("read", "search")
_TITLED: Final = "only its title says so"
_OURS: Final = {"read": "to read a file", "edit": "to write a file", "execute": "to run a command"}

LONG: Final = 20_000
"""Characters after which a text is cut at first: to wrap more would make the user wait."""
BRIEF: Final = 110
"""Cells of a text beside what decides that are shown at first."""
MANY: Final = 100
"""Paths after which a list of them is cut at first."""

_FOLLOWED: Final = 1_000
"""Paths of which it is told where they lead."""
NOWHERE: Final[Mapping[str, Destination]] = MappingProxyType({})

_READ: Final = 100_000
"""Characters of an input that are read to tell how long it is: megabytes would make the user wait, too."""


class DetailLevel(NamedTuple):
    """How a question is read."""

    whole: bool = False
    """Whether all of long texts is shown."""
    key: str = "i"
    """The key that shows it."""


FOLDED: Final = DetailLevel()

_LABEL: Final = 10
_SECTION: Final = [("faint", " " * _LABEL)]


def kind_of(call: ToolCall) -> str:
    """Return what a call is to the user who is asked: also words that ask for a command ask for one."""
    return call.kind if call.worded_command is None else "execute"


def command_of(call: ToolCall) -> str | None:
    """Return what a call is shown to run: also what only words or the title tell."""
    return call.command or call.worded_command or titled_command(call)


def wish_of(agent: str, kind: str, *, ours: bool = False) -> str:
    """Return who asks and for what, as a heading; `ours` is what we are to do, without a permission."""
    if ours:
        return f"{agent} asks us {_OURS.get(kind, 'to do something')}"
    return f"{agent} {WISHES.get(kind) or f'asks for permission ({kind})'}"


def diffs_of(call: ToolCall) -> list[Diff]:
    """Return the changed files that a tool call reports."""
    from acp_tui.session.entries import Diff

    return [item for item in call.content if isinstance(item, Diff)]


def details_of(
    call: ToolCall,
    cwd: str,
    inside: Callable[[str], bool],
    look: Look,
    how: DetailLevel = FOLDED,
    *,
    reasons: Sequence[TextBlock] = (),
    places: Mapping[str, Destination] = NOWHERE,
) -> list[TextBlock]:
    """Return the text about a tool call: title, command and folder, paths, content, the rest of its input.

    What explains it (`reasons`) stands between what is done and the rest; `places` tells where paths lead.
    Long texts are cut, and the rest of the input is folded, unless the whole is asked for.
    """
    command = command_of(call)
    facts = _facts(call, command, cwd, inside, how, places)
    title = [_title(call, how, is_alone=not facts)] if _worth_showing(call.title, command) else []
    if title and facts:  # what is done stands first: a title is the agent's word
        title.insert(0, TextBlock())
    blocks = [*facts, *title, *reasons]
    texts = [text for item in call.content if (text := _text_of(item)) and not _only_asks(text, call)]
    if texts and diffs_of(call):  # the changes below have to be in view
        blocks.append(TextBlock(_brief("text", " ".join(texts), how, safe_line), above=1))
    else:
        blocks += [TextBlock(_cut("text", text, how), above=1) for text in texts]
    rest = rest_of_input(call)
    if rest is not None:
        is_alone = not (facts or diffs_of(call))
        blocks.append(_input(rest, look, how, is_alone, above=bool(texts)))
    return blocks


def places_of(call: ToolCall, cwd: str) -> dict[str, Destination]:
    """Return where the paths of a call lead, as far as they do not say it. Blocking: call it in a thread."""
    paths = islice(dict.fromkeys([folder_of(call, cwd), *_paths(call, cwd)]), _FOLLOWED)
    found = {path: destination(path, cwd) for path in paths}
    return {path: there for path, there in found.items() if there != Destination()}


def has_more(call: ToolCall) -> bool:
    """Return whether `details_of` shows more when asked for the whole."""
    paths = _paths(call, "")
    content = [*map(_text_of, call.content)]
    is_long = len(paths) > MANY or any(
        len(text) > LONG for text in (command_of(call) or "", *content, *paths)
    )
    is_long = is_long or cells(call.title[:LONG]) > BRIEF or (any(content) and bool(diffs_of(call)))
    return is_long or rest_of_input(call) is not None


def rest_of_input(call: ToolCall) -> Any:
    """Return the raw input without what is shown anyway; None when nothing is left."""
    raw, said = call.raw_input, call.said_command
    if isinstance(raw, dict) and said is not None:
        shown = {*said.keys, folder_key(raw)}
        raw = {key: value for key, value in raw.items() if key not in shown}
    return None if raw in (None, {}, [], "") else raw


def pretty(value: Any) -> str:
    """Return a value as JSON for people to read; what JSON lacks is shown as Python shows it."""
    if isinstance(value, str):
        return value
    return json.dumps(value, indent=2, ensure_ascii=False, default=repr)


def _beginning(value: Any, most: int) -> tuple[str, bool]:
    """Return as `pretty` does, of a long value `most` characters or some more, and whether that is all."""
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
    how: DetailLevel,
    places: Mapping[str, Destination],
) -> list[TextBlock]:
    """Return what is done and where, each fact with its label."""
    blocks: list[TextBlock] = []
    if command is not None:
        folder = folder_of(call, cwd)
        blocks.append(labelled("command", _cut("code", command, how, clean=exact)))
        if call.command is None:
            blocks.append(labelled("", [("muted", _TITLED if call.worded_command is None else _WORDED)]))
        blocks.append(
            labelled(
                "in",
                [
                    ("text", _path_line(folder)),
                    *_leads(places.get(folder), "read"),
                    *_outside(folder, inside),
                ],
            )
        )
        settings = [f"{name}={shlex.quote(value)}" for name, value in env_of(call).items()]
        if not command.startswith(" ".join(settings)):  # our own questions have them before the command
            blocks.append(labelled("with", [("warning", exact("\n".join(settings)))]))
    paths = _paths(call, cwd)
    for number, (path, shown) in enumerate(islice(paths.items(), None if how.whole else MANY)):
        label = "" if number else "path" if len(paths) == 1 else "paths"
        text = _cut("text", shown, how, clean=_path_line)
        there = _leads(places.get(path), call.kind)
        blocks.append(labelled(label, [*text, *there, *_outside(path, inside)]))
    if not how.whole and len(paths) > MANY:
        blocks.append(labelled("", [("warning", _more_paths(list(paths)[MANY:], inside, how))]))
    return blocks


def _more_paths(paths: Sequence[str], inside: Callable[[str], bool], how: DetailLevel) -> str:
    """Return how many paths are not listed, and how many of them a user has to know of."""
    outside = sum(not inside(path) for path in paths)
    told = f", {outside:,} of them outside the workspace" if outside else ""
    return f"{len(paths):,} more{told} ({how.key} shows them)"


def _title(call: ToolCall, how: DetailLevel, *, is_alone: bool) -> TextBlock:
    """Return a title on one line; that of a command most times is one."""
    one_line = exact_line if kind_of(call) == "execute" else safe_line
    if is_alone:
        return TextBlock(_cut("strong", call.title, how, clean=one_line))
    return TextBlock(_brief("strong", call.title, how, one_line))


def _brief(role: str, text: str, how: DetailLevel, one_line: Callable[[str], str]) -> list[tuple[str, str]]:
    """Return a text that must not push away what decides: about two rows of it, unless all is asked for."""
    shown = shortened(one_line(text[:LONG]), BRIEF)
    if how.whole or (len(text) <= LONG and shown == one_line(text)):
        return [(role, one_line(text))]
    return [(role, shown), ("warning", f" ({how.key} shows all {len(text):,} characters)")]


def _worth_showing(title: str, command: str | None) -> bool:
    """A title that only repeats the command says nothing, nor one that names the tool before it."""
    words = title.strip().strip("`")
    tool, _, rest = words.partition(": ")
    return bool(title) and words != command and (command is None or " " in tool or rest != command)


def _only_asks(text: str, call: ToolCall) -> bool:
    """Whether a text only asks for the command that is shown anyway."""
    return call.worded_command is not None and worded_command([text]) == call.worded_command


def _paths(call: ToolCall, cwd: str) -> dict[str, str]:
    """Return the paths that a call names, each with how to show it."""
    found: dict[str, str] = {}
    for location in call.locations:
        line = f":{location.line}" if location.line is not None else ""
        found.setdefault(location.path, readable.inside(location.path, cwd) + line)
    for diff in diffs_of(call):
        found.setdefault(diff.path, readable.inside(diff.path, cwd))
    return found


def _path_line(path: str) -> str:
    """Return a path on one line; a line end in it is no space."""
    return exact(path).replace("\n", "␊").replace("\t", "␉")


def _leads(found: Destination | None, kind: str) -> list[tuple[str, str]]:
    """Return where a path leads that does not say it, and why what is there is protected from changes."""
    if found is None:
        return []
    spans = [("warning", f" → {_path_line(found.at)}")] if found.at else []
    if kind in _LOOKS:
        return spans
    if found.names > 1:
        spans.append(("warning" if found.why else "muted", f"  a file with {found.names:,} names"))
    return [*spans, ("warning", f"  protected: {found.why}")] if found.why else spans


def _outside(path: str, inside: Callable[[str], bool]) -> list[tuple[str, str]]:
    return [] if inside(path) else [("warning", "  outside the workspace")]


def labelled(label: str, spans: list[tuple[str, str]], above: int = 0) -> TextBlock:
    """Return a fact behind its label."""
    return TextBlock(spans, first=[("muted", label.ljust(_LABEL))], rest=_SECTION, above=above)


def _input(rest: Any, look: Look, how: DetailLevel, is_alone: bool, above: int) -> TextBlock:
    text, is_all = (pretty(rest), True) if how.whole else _beginning(rest, _READ)
    if how.whole or is_alone:
        return labelled("input", _cut("muted", text, how, is_all), above)
    count = text.count("\n") + 1
    lines = "1 line" if count == 1 else f"{count} lines" if is_all else f"more than {count:,} lines"
    return labelled("input", [("muted", f"{look.glyph('folded')} {lines} ({how.key} opens)")], above)


def _cut(
    role: str, text: str, how: DetailLevel, is_all: bool = True, clean: Callable[[str], str] = str
) -> list[tuple[str, str]]:
    """Return a text with its role; of a very long one the start, with how much is left, as far as known.

    `clean` has only what is shown.
    """
    if how.whole or len(text) <= LONG:
        return [(role, clean(text))]
    left = f"{'' if is_all else 'more than '}{len(text) - LONG:,} more characters"
    return [(role, clean(text[:LONG])), ("warning", f"\n{left} ({how.key} shows them)")]


def _text_of(item: Item) -> str:
    from acp_tui.protocol.schema import ContentItem, UnknownItem
    from acp_tui.session.entries import Text

    match item:
        case Text():
            return item.text.strip("\n")
        case ContentItem():
            return "\n".join(_block_text(item.content))
        case UnknownItem():
            return pretty(item.raw)
        case _:  # a diff has its view, a terminal has no output before it may run
            return ""


def _block_text(block: ContentBlock) -> Iterator[str]:
    match block.type:
        case "image" | "audio":
            yield f"[{block.type}, {block.mime_type}]"
        case "resource_link":
            yield f"{block.title or block.name}: {block.uri}"
        case "resource":
            yield block.resource.uri
            if block.resource.text:
                yield block.resource.text
        case "?":
            yield pretty(block.raw)


PARTS: Final = 6
"""Parts of a command that are listed at first."""
_PART: Final = 160
"""Characters of a part that are shown: the whole command stands above."""


def reasons(
    command: str | None,
    cwd: str,
    inside: Callable[[str], bool],
    background: Background,
    look: Look,
    how: DetailLevel = FOLDED,
) -> list[TextBlock]:
    """Return what explains a question; nothing where there is nothing to say.

    Args:
        command: the command, if the call runs one.
        cwd: the folder that it runs in.
        inside: whether a path lies in the workspace.
        background: the rule that asks, and what was decided before.
        look: the marks.
        how: whether all parts of a long command are listed, and the key for it.
    """
    blocks: list[TextBlock] = []
    if command is not None:
        blocks += _parts(explain(command, cwd, inside), look, how)
    if background.why:
        blocks.append(labelled("asked", [("muted", background.why)]))
    if background.rule is not None:
        blocks.append(labelled("rule", [("text", rule_words(background.rule))]))
    if background.before is not None:
        blocks.append(labelled("before", [("muted", before_words(background.before))]))
    return blocks


def has_more_parts(command: str | None, cwd: str, inside: Callable[[str], bool]) -> bool:
    """Return whether some parts are not listed at first."""
    return command is not None and len(explain(command, cwd, inside).parts) > PARTS


def rule_words(rule: Rule) -> str:
    """Return a rule in a line: what it does, what it speaks of, where it stands."""
    does = {"ask": "asks:", "deny": "denies what this may turn out to be:", "allow": "allows:"}[rule.decision]
    note = f", “{rule.note}”" if rule.note else ""
    return f"{does} {matches(rule)}{note}{f' ({rule.where})' if rule.where else ''}"


def before_words(before: Precedents) -> str:
    """Return what was decided before, in a line."""
    what = f"“{before.beginning} …” " if before.beginning else ""
    if before.allowed + before.rejected >= MAX_PRECEDENTS:
        what += "at least "  # no more are looked at
    counts = ", ".join(f"{verb} {_times(count)}" for verb, count in _counts(before) if count)
    last = before.last.astimezone()
    day = "today" if last.date() == datetime.now().astimezone().date() else f"{last:%Y-%m-%d}"
    return f"{what}{counts} in this workspace, last {day} {last:%H:%M}"


def _counts(before: Precedents) -> Iterator[tuple[str, int]]:
    yield "allowed", before.allowed
    yield "rejected", before.rejected


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _parts(explanation: CommandExplanation, look: Look, how: DetailLevel) -> Iterator[TextBlock]:
    parts = explanation.parts
    if not explanation.understood:
        text = (
            "too long to be read"
            if explanation.too_long
            else "not all of it could be read as a shell command"
        )
        yield labelled("caution", [("warning", text)])
    if len(parts) == 1 and parts[0].notes:
        yield labelled("notes", _notes(parts[0])[1:])
    elif len(parts) > 1:
        shown = parts if how.whole else parts[:PARTS]
        for number, part in enumerate(shown):
            yield labelled("" if number else "parts", [("text", _text(part, look)), *_notes(part)])
        if len(shown) < len(parts):
            yield labelled("", [("warning", f"{len(parts) - len(shown)} more parts ({how.key} shows them)")])


def _text(part: CommandPart, look: Look) -> str:
    inside = "  " * part.depth + (f"{look.glyph('folded')} " if part.depth else "")
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
    """What a dialog tells beside the call itself."""

    rule: Rule | None = None
    """The user's rule because of which they are asked."""
    before: Precedents | None = None
    why: str = ""
    """Why the user is asked although the agent did not ask; empty if it did."""


NOTHING_KNOWN: Final = Background()


def background_of(conversation: Conversation, call: ToolCall, *, unasked: bool = False) -> Background:
    """Return what is known of a call of the conversation's session; `unasked`: the agent asks for none."""
    from acp_tui.agent.permissions.authorization import asking_rule

    running, session = conversation.running, conversation.session
    if running is None or session is None:
        return Background()
    rule = asking_rule(running.host, call, session, running.agent.name)
    why = _why(rule, running.host.policy_of(session.id)) if unasked else ""
    return Background(rule, _before(conversation, call), why)


def _why(rule: Rule | None, policy: Policy) -> str:
    from acp_tui.rules.model import WORDS

    because = "a rule of yours asks" if rule is not None else f"this session {WORDS[policy]}"
    return f"The agent did not ask for permission; {because}."


def _before(conversation: Conversation, call: ToolCall) -> Precedents | None:
    from acp_tui.agent.permissions.decision_records import precedents

    assert conversation.running is not None
    assert conversation.session is not None
    decisions, command = conversation.running.decisions, call.command
    if decisions.path is None:
        return None
    hidden = decisions.hidden(command) if command is not None else None
    beginning = _start_of_input(command) if command is not None else ""
    try:
        return precedents(
            decisions.path, conversation.session.cwd, call.kind, hidden, call.named_paths, beginning
        )
    except OSError as error:
        log.warning("the decision log: %s", error)
        return None


def _start_of_input(command: str) -> str:
    """Return the first two words of a single command; nothing of a chain, whose parts say more."""
    from acp_tui.rules.shell import parse_line

    commands = parse_line(command).commands
    words = [word.source for word in commands[0].words[:2]] if len(commands) == 1 else []
    beginning = " ".join(words)
    return beginning if len(words) == 2 and command.startswith(beginning) else ""


class AlwaysScope(NamedTuple):
    """One way to mean "always"."""

    words: str
    rule: Rule | None = None
    """What then counts in the session; None: nothing of ours."""


AGENT_ONLY: Final = AlwaysScope("only what the agent itself remembers")
