"""What is remembered of a conversation, in the order in which it was first seen."""

from __future__ import annotations

import json
import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, Literal, NamedTuple

from acp_tui.protocol import schema as tools
from acp_tui.protocol.schema import ContentBlock, TextContent
from acp_tui.session.text_buffer import TextBuffer


@dataclass(slots=True)
class Text:
    """A text that a tool produced: Markdown, or what a program printed."""

    text: str


@dataclass(slots=True)
class Diff:
    """A report of one changed file; never a request to write it."""

    path: str
    new_text: str
    old_text: str | None = None

    @property
    def before(self) -> str | None:
        """The text before the change; None for a new file, however the agent says it."""
        return self.old_text or None


@dataclass(slots=True)
class Location:
    """A place that a tool call works on."""

    path: str
    line: int | None = None


Item = Text | Diff | tools.ContentItem | tools.TerminalItem | tools.UnknownItem
"""A piece of what a tool call brought; a `ContentItem` is anything but text."""

NO_ITEMS: Final[tuple[Item, ...]] = ()
NO_PLACES: Final[tuple[Location, ...]] = ()


def absolute(path: str, cwd: str) -> str:
    """Return a path that an agent names as it is meant in a folder."""
    return path if path.startswith("/") else f"{cwd.rstrip('/')}/{path}"


def items_of(content: Iterable[tools.ToolCallContent]) -> tuple[Item, ...]:
    """Return the content of a tool call as it is kept."""
    return tuple([_item(word) for word in content])


def places_of(locations: Iterable[tools.ToolCallLocation]) -> tuple[Location, ...]:
    """Return the locations of a tool call as they are kept."""
    return tuple([Location(place.path, place.line) for place in locations])


def _item(word: tools.ToolCallContent) -> Item:
    if isinstance(word, tools.DiffItem):
        return Diff(word.path, word.new_text, word.old_text)
    if isinstance(word, tools.ContentItem) and isinstance(word.content, TextContent):
        return Text(word.content.text)
    return word


_SCRIPT_OPTIONS: Final = ("-c", "-lc")
_SHELLS: Final = frozenset({"sh", "bash", "dash"})
"""Shells that read a text as our parser does; what another one makes of it is not told by the text."""
_FOLDERS: Final = frozenset({"", "/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"})
"""Where a program of that name is that shell; the first stands for the search path."""

_OPERATION: Final = re.compile(r"[a-z][a-z_]*")
_LONGEST: Final = 10_000
"""Characters of a text up to which a command is looked for in it."""
_ABOUT_RUNNING: Final = frozenset(
    {
        *("command", "cmd", "commands", "args", "cwd", "workdir", "working_directory", "directory", "env"),
        *("description", "justification", "timeout", "timeout_ms", "is_background", "run_in_background"),
    }
)
"""What the input of a tool that runs commands holds beside the command."""

_IN_WORDS: Final = re.compile(r"(?:[^`\n]{0,80}: )?Run (?:the )?(?:shell )?command:? `(.+)`\.?", re.DOTALL)
"""A sentence in which an agent asks for a command, in all that it says."""

_TELLING: Final = re.compile(
    r"(?:.*_)?(?:commands?|cmds?|cmd_?line|argv|args|arguments|scripts?|code|shell|bash|sh|exec|execute|run|program"
    r"|executable|snippet|line|input)"
)
"""Fields that may hold what a tool runs."""
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_DEEPEST: Final = 8
_MOST: Final = 200

_HIDES: Final = ("\\", "$", "`", "<<")


class StatedCommand(NamedTuple):
    """A command, and the keys of the input that say it."""

    text: str
    keys: frozenset[str] = frozenset()


def shell_command(kind: str, raw_input: Any) -> StatedCommand | None:
    """Return what a tool call of a kind runs or wants to run, if its input says so."""
    if not isinstance(raw_input, dict) or _is_operation(kind, raw_input):
        return None
    return _in_input(raw_input)


def worded_command(texts: Iterable[str]) -> str | None:
    """Return the command that the words of a call ask for, where one of its texts says nothing else.

    Nothing holds an agent to its words: such a command may be shown and forbidden, and allows nothing.
    """
    found = (_IN_WORDS.fullmatch(text.strip()) for text in texts if len(text) < _LONGEST)
    return next((said[1] for said in found if said is not None), None)


def unusual_commands(raw_input: Any, without: Set[str] = frozenset()) -> list[str]:
    """Return what the input of a tool may run, in fields that no agent we know uses for that.

    Likewise: they can be forbidden, and allow nothing.
    """
    if isinstance(raw_input, dict):
        raw_input = {key: value for key, value in raw_input.items() if key not in without}
    return list(dict.fromkeys(islice(_told(raw_input), _MOST)))


def _told(raw: Any) -> Iterator[str]:
    waiting: list[tuple[Any, bool, int]] = [(raw, False, _DEEPEST)]
    while waiting:
        value, is_told, depth = waiting.pop()
        if not depth:
            continue
        if isinstance(value, str):
            inner = _parsed(value)
            if inner is not None:
                waiting.append((inner, is_told, depth - 1))
            elif is_told and len(value) < _LONGEST:
                yield value
        elif isinstance(value, list):
            words = value[:_MOST]
            if is_told and words and all(isinstance(word, str) for word in words):
                yield _of_words(words)
                yield "\n".join(words)
            waiting += [(item, is_told, depth - 1) for item in words]
        elif isinstance(value, dict):
            yield from _joined(value)
            for key, item in islice(value.items(), _MOST):
                waiting.append(
                    (item, _TELLING.fullmatch(_HUMP.sub("_", str(key)).lower()) is not None, depth - 1)
                )


def _joined(raw: Mapping[Any, Any]) -> Iterator[str]:
    """Yield a program and its arguments that stand in two fields."""
    for key in ("command", "cmd", "program", "executable", "name", "file", "path"):
        for rest in ("args", "arguments", "argv", "params", "parameters"):
            program, words = raw.get(key), raw.get(rest)
            if isinstance(program, str) and isinstance(words, list):
                yield f"{program} {shlex.join(map(str, words[:_MOST]))}"
            elif isinstance(program, str) and isinstance(words, str):
                yield f"{program} {words}"


def _parsed(text: str) -> Any:
    if text.lstrip()[:1] not in ("{", "[") or len(text) > _LONGEST * 10:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _in_input(raw: Mapping[str, Any]) -> StatedCommand | None:
    key = "command" if raw.get("command") is not None else "cmd"
    command, arguments, several = raw.get(key), raw.get("args"), raw.get("commands")
    if isinstance(command, str):
        if isinstance(arguments, list) and arguments:  # in the words of `terminal/create`
            return StatedCommand(f"{command} {shlex.join(map(str, arguments))}", frozenset({key, "args"}))
        keys = {key, "commands"} if several == [command] else {key}
        return StatedCommand(command, frozenset(keys))
    if isinstance(command, list):
        return StatedCommand(_of_words([str(word) for word in command]), frozenset({key}))
    if isinstance(several, list) and several and all(isinstance(one, str) for one in several):
        return StatedCommand(_in_turn(several), frozenset({"commands"}))
    return None


def _of_words(words: Sequence[str]) -> str:
    """Return what a list of words runs: a script for a shell that is named with it, else the words."""
    if len(words) == 3 and is_shell(words[0]) and words[1] in _SCRIPT_OPTIONS:
        return words[2]
    return shlex.join(words)


def is_shell(program: str) -> bool:
    """Return whether a program is a shell that we read, and no other program of that name."""
    folder, name = posixpath.split(program)
    return name in _SHELLS and folder in _FOLDERS


def _in_turn(commands: Sequence[str]) -> str:
    """Return commands that are run one by one as lines; none may swallow the next, as an open quote would."""
    if len(commands) == 1:
        return commands[0]
    return "\n".join(one if _stands_alone(one) else shlex.join(("sh", "-c", one)) for one in commands)


def _stands_alone(command: str) -> bool:
    try:
        shlex.split(command)
    except ValueError:  # a quote is left open
        return False
    return not any(mark in command for mark in _HIDES)


def _is_operation(kind: str, raw: Mapping[str, Any]) -> bool:
    """Whether `command` only names what a tool does with the rest of its input, as editors' tools have it."""
    command = raw.get("command")
    return (
        kind != "execute"
        and isinstance(command, str)
        and _OPERATION.fullmatch(command) is not None
        and any(value is not None for key, value in raw.items() if key not in _ABOUT_RUNNING)
    )


Part = TextBuffer | ContentBlock
"""A piece of a message: text that may still grow, or a block of another kind."""

Severity = Literal["info", "warning", "error"]

NOTE: Final = "\n\nSince your last turn I have changed files on disk:"
"""How a block of a prompt begins that is a note of ours and not the user's own words."""

FINAL: Final = frozenset(("completed", "failed", "cancelled", "rejected", "interrupted"))
"""Statuses after which nothing more is expected of a tool call; the last three are ours, not the agent's."""


@dataclass(slots=True)
class UserMessage:
    """What the person said."""

    parts: list[Part] = field(default_factory=list)
    message_id: str | None = None
    at: float = 0.0
    """Seconds, on the clock of the session's events."""
    dropped: bool = False
    """The agent refused, and does not keep this in its context."""


@dataclass(slots=True)
class AgentMessage:
    """What the agent said: Markdown, and blocks of other kinds."""

    parts: list[Part] = field(default_factory=list)
    message_id: str | None = None
    at: float = 0.0
    finished: bool = False
    """No more of it is expected. It may still grow if the agent thinks otherwise."""
    dropped: bool = False


@dataclass(slots=True)
class Thought:
    """The agent's reasoning."""

    parts: list[Part] = field(default_factory=list)
    message_id: str | None = None
    at: float = 0.0
    last: float = 0.0
    """When the newest piece came."""
    finished: bool = False
    dropped: bool = False


@dataclass(slots=True)
class ToolCall:
    """Something the agent does, or wants to do."""

    tool_call_id: str
    title: str = ""
    """Empty until the agent gives one."""
    kind: str = "other"
    status: str = "pending"
    """The agent's word, or ours: cancelled, rejected (by the person), interrupted (no result reported)."""
    content: Sequence[Item] = NO_ITEMS
    locations: Sequence[Location] = NO_PLACES
    raw_input: Any = None
    raw_output: Any = None
    name: str | None = None
    meta: Mapping[str, Any] | None = None
    """The `_meta` of all its updates, merged key by key."""
    output: TextBuffer | None = None
    """What a command printed that the agent runs by itself: the newest of it."""
    exit_code: int | None = None
    exit_signal: str | None = None
    """How that command ended, once it has."""
    started: float = 0.0
    """When it came, or was allowed."""
    ended: float | None = None
    decision: str = ""
    """How its permission was answered, for people."""
    waits: bool = False
    """It has not begun: the agent says so, or has asked for permission."""
    title_is_command: bool = field(default=False, compare=False)
    """Whether its agent tells the command by the title alone, when it is going to `execute` one."""
    dropped: bool = False

    @property
    def is_final(self) -> bool:
        """Whether nothing more is expected."""
        return self.status in FINAL

    @property
    def named_paths(self) -> list[str]:
        """The paths that it names, as written, each once: where it works, and what it changes."""
        changed = (item.path for item in self.content if isinstance(item, Diff))
        return list(dict.fromkeys([*(place.path for place in self.locations), *changed]))

    @property
    def command(self) -> str | None:
        """The command that it runs or wants to run, if it says so."""
        said = self.said_command
        return said.text if said is not None else None

    @property
    def said_command(self) -> StatedCommand | None:
        """The command, and where its input says it."""
        if self.raw_input is None and self.title_is_command and self.kind == "execute":
            return StatedCommand(self.title) if self.title else None
        return shell_command(self.kind, self.raw_input)

    @property
    def worded_command(self) -> str | None:
        """The command that only its words ask for, which nothing holds its agent to."""
        if self.kind not in ("execute", "other") or self.command is not None:
            return None
        return worded_command((self.title, *(item.text for item in self.content if isinstance(item, Text))))

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known but the id: not worth a line."""
        told = self.title or self.content or self.locations or self.decision or self.output is not None
        return not told and self.raw_input is None and self.raw_output is None and self.kind == "other"


@dataclass(slots=True)
class Notice:
    """A fact about the session itself: a mode changed, a turn stopped early, the agent died."""

    text: str
    severity: Severity = "info"
    detail: str = ""
    at: float = 0.0
    dropped: bool = False


@dataclass(slots=True)
class UserCommand:
    """A command that the person ran beside the conversation."""

    terminal_id: str
    command: str
    at: float = 0.0
    ended: float | None = None
    exit_code: int | None = None
    """None while it runs, and when a signal has ended it."""
    output: TextBuffer | None = None
    """The newest of what it printed, once it has ended."""
    dropped: bool = False


Message = UserMessage | AgentMessage | Thought
Entry = UserMessage | AgentMessage | Thought | ToolCall | Notice | UserCommand


def line_of(message: Message) -> str:
    """Return a message's text on one line, without a note of ours."""
    said = (part for part in message.parts if isinstance(part, TextBuffer))
    return " ".join("".join(text for text in map(str, said) if not text.startswith(NOTE)).split())


def text_of(message: Message) -> str:
    """Return a message's text without its other blocks."""
    return "".join(str(part) for part in message.parts if isinstance(part, TextBuffer))
