"""The entries of a session's transcript, in the order of their first appearance."""

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
    """Text produced by a tool: Markdown or program output."""

    text: str


@dataclass(slots=True)
class Diff:
    """A report of one changed file; never a request to write it."""

    path: str
    new_text: str
    old_text: str | None = None

    @property
    def before(self) -> str | None:
        """The old text, or None for a new file."""
        return self.old_text or None


@dataclass(slots=True)
class Location:
    """A file location that a tool call works on."""

    path: str
    line: int | None = None


Item = Text | Diff | tools.ContentItem | tools.TerminalItem | tools.UnknownItem
"""A part of a tool call's content; a `ContentItem` is never text."""

NO_ITEMS: Final[tuple[Item, ...]] = ()
NO_PLACES: Final[tuple[Location, ...]] = ()


def absolute(path: str, cwd: str) -> str:
    """Return an agent's path as an absolute one, read against `cwd`."""
    return path if path.startswith("/") else f"{cwd.rstrip('/')}/{path}"


def items_of(content: Iterable[tools.ToolCallContent]) -> tuple[Item, ...]:
    """Return the content of a tool call as stored items."""
    return tuple([_item(word) for word in content])


def places_of(locations: Iterable[tools.ToolCallLocation]) -> tuple[Location, ...]:
    """Return the locations of a tool call as stored ones."""
    return tuple([Location(place.path, place.line) for place in locations])


def _item(word: tools.ToolCallContent) -> Item:
    if isinstance(word, tools.DiffItem):
        return Diff(word.path, word.new_text, word.old_text)
    if isinstance(word, tools.ContentItem) and isinstance(word.content, TextContent):
        return Text(word.content.text)
    return word


_SCRIPT_OPTIONS: Final = ("-c", "-lc")
_SHELLS: Final = frozenset({"sh", "bash", "dash"})
"""Shells that read a text as our parser does."""
_FOLDERS: Final = frozenset({"", "/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"})
"""Folders where a program of that name is that shell; "" means the search path."""

_OPERATION: Final = re.compile(r"[a-z][a-z_]*")
_LONGEST: Final = 10_000
"""Longest text, in characters, searched for a command."""
_ABOUT_RUNNING: Final = frozenset(
    {
        *("command", "cmd", "commands", "args", "cwd", "workdir", "working_directory", "directory", "env"),
        *("description", "justification", "timeout", "timeout_ms", "is_background", "run_in_background"),
    }
)
"""Input fields of command tools, apart from the command."""

_IN_WORDS: Final = re.compile(r"(?:[^`\n]{0,80}: )?Run (?:the )?(?:shell )?command:? `(.+)`\.?", re.DOTALL)
"""A text that consists of a request to run one command."""

_TELLING: Final = re.compile(
    r"(?:.*_)?(?:commands?|cmds?|cmd_?line|argv|args|arguments|scripts?|code|shell|bash|sh|exec|execute|run|program"
    r"|executable|snippet|line|input)"
)
"""Names of fields that may hold something a tool runs."""
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_DEEPEST: Final = 8
_MOST: Final = 200

_HIDES: Final = ("\\", "$", "`", "<<")


class StatedCommand(NamedTuple):
    """A command, and the input keys that state it."""

    text: str
    keys: frozenset[str] = frozenset()


def shell_command(kind: str, raw_input: Any) -> StatedCommand | None:
    """Return the command a tool call runs according to its input, or None."""
    if not isinstance(raw_input, dict) or _is_operation(kind, raw_input):
        return None
    return _in_input(raw_input)


def worded_command(texts: Iterable[str]) -> str | None:
    """Return the command in the texts of a call, if one of them states nothing else.

    The agent is not bound by its texts: such a command may be shown and denied, but never allowed by a rule.
    """
    found = (_IN_WORDS.fullmatch(text.strip()) for text in texts if len(text) < _LONGEST)
    return next((said[1] for said in found if said is not None), None)


def unusual_commands(raw_input: Any, without: Set[str] = frozenset()) -> list[str]:
    """Return possible commands in unusual input fields.

    They may be denied, but never allowed by a rule.
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
    """Yield a program and its arguments from two fields."""
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
        if isinstance(arguments, list) and arguments:  # the form of `terminal/create`
            return StatedCommand(f"{command} {shlex.join(map(str, arguments))}", frozenset({key, "args"}))
        keys = {key, "commands"} if several == [command] else {key}
        return StatedCommand(command, frozenset(keys))
    if isinstance(command, list):
        return StatedCommand(_of_words([str(word) for word in command]), frozenset({key}))
    if isinstance(several, list) and several and all(isinstance(one, str) for one in several):
        return StatedCommand(_in_turn(several), frozenset({"commands"}))
    return None


def _of_words(words: Sequence[str]) -> str:
    """Return the command of a list of words: the script of a shell, else the words."""
    if len(words) == 3 and is_shell(words[0]) and words[1] in _SCRIPT_OPTIONS:
        return words[2]
    return shlex.join(words)


def is_shell(program: str) -> bool:
    """Return whether a program is one of the shells we can read."""
    folder, name = posixpath.split(program)
    return name in _SHELLS and folder in _FOLDERS


def _in_turn(commands: Sequence[str]) -> str:
    """Return a sequence of commands as lines, each unable to swallow the next."""
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
    """Return whether `command` names an operation of the tool, as in editor tools."""
    command = raw.get("command")
    return (
        kind != "execute"
        and isinstance(command, str)
        and _OPERATION.fullmatch(command) is not None
        and any(value is not None for key, value in raw.items() if key not in _ABOUT_RUNNING)
    )


Part = TextBuffer | ContentBlock
"""A part of a message: growing text, or a block of another kind."""

Severity = Literal["info", "warning", "error"]

NOTE: Final = "\n\nSince your last turn I have changed files on disk:"
"""Start of the client's own note in a prompt."""

FINAL: Final = frozenset(("completed", "failed", "cancelled", "rejected", "interrupted"))
"""Final statuses of a tool call; the last three are the client's, not the agent's."""


@dataclass(slots=True)
class UserMessage:
    """A message of the user."""

    parts: list[Part] = field(default_factory=list)
    message_id: str | None = None
    at: float = 0.0
    """Seconds, on the clock of the session's events."""
    dropped: bool = False
    """True if the agent refused, and does not keep this in its context."""


@dataclass(slots=True)
class AscribedMessage:
    """A message that the agent ascribes to the user outside a replay: the user did not send it."""

    parts: list[Part] = field(default_factory=list)
    message_id: str | None = None
    at: float = 0.0
    finished: bool = False
    dropped: bool = False


@dataclass(slots=True)
class AgentMessage:
    """A message of the agent: Markdown and blocks of other kinds."""

    parts: list[Part] = field(default_factory=list)
    message_id: str | None = None
    at: float = 0.0
    finished: bool = False
    """True once complete; a late chunk may still extend it."""
    dropped: bool = False


@dataclass(slots=True)
class Thought:
    """The agent's reasoning."""

    parts: list[Part] = field(default_factory=list)
    message_id: str | None = None
    at: float = 0.0
    last: float = 0.0
    """Time of the latest chunk."""
    finished: bool = False
    dropped: bool = False


@dataclass(slots=True)
class ToolCall:
    """A tool call, pending, running or final."""

    tool_call_id: str
    title: str = ""
    """Empty until the agent gives one."""
    kind: str = "other"
    status: str = "pending"
    """The agent's status, or the client's: cancelled, rejected (by the user), interrupted (no result)."""
    content: Sequence[Item] = NO_ITEMS
    locations: Sequence[Location] = NO_PLACES
    raw_input: Any = None
    raw_output: Any = None
    name: str | None = None
    meta: Mapping[str, Any] | None = None
    """The `_meta` of all updates, merged key by key."""
    output: TextBuffer | None = None
    """Latest output of a command run by the agent itself."""
    exit_code: int | None = None
    exit_signal: str | None = None
    """Name of the signal that ended that command."""
    started: float = 0.0
    """Time of its announcement or permission."""
    ended: float | None = None
    decision: str = ""
    """The answer to its permission request, for display."""
    waits: bool = False
    """True until it starts: pending, or awaiting permission."""
    title_is_command: bool = field(default=False, compare=False)
    """True if the agent states commands in the title alone."""
    dropped: bool = False

    @property
    def is_final(self) -> bool:
        """True once no result is expected."""
        return self.status in FINAL

    @property
    def named_paths(self) -> list[str]:
        """The paths of its locations and diffs, as written, each once."""
        changed = (item.path for item in self.content if isinstance(item, Diff))
        return list(dict.fromkeys([*(place.path for place in self.locations), *changed]))

    @property
    def command(self) -> str | None:
        """The command it runs, or None."""
        said = self.stated_command
        return said.text if said is not None else None

    @property
    def stated_command(self) -> StatedCommand | None:
        """The command with the input keys that state it, or None."""
        if self.raw_input is None and self.title_is_command and self.kind == "execute":
            return StatedCommand(self.title) if self.title else None
        return shell_command(self.kind, self.raw_input)

    @property
    def worded_command(self) -> str | None:
        """The command stated only in its texts, which do not bind the agent; or None."""
        if self.kind not in ("execute", "other") or self.command is not None:
            return None
        return worded_command((self.title, *(item.text for item in self.content if isinstance(item, Text))))

    @property
    def is_empty(self) -> bool:
        """True if only the id is known."""
        told = self.title or self.content or self.locations or self.decision or self.output is not None
        return not told and self.raw_input is None and self.raw_output is None and self.kind == "other"


@dataclass(slots=True)
class Notice:
    """A notice about the session: a mode change, an early end, a dead agent."""

    text: str
    severity: Severity = "info"
    detail: str = ""
    at: float = 0.0
    dropped: bool = False


@dataclass(slots=True)
class UserCommand:
    """A shell command of the user, unseen by the agent."""

    terminal_id: str
    command: str
    at: float = 0.0
    ended: float | None = None
    exit_code: int | None = None
    """None while it runs, and after a signal."""
    output: TextBuffer | None = None
    """Latest output."""
    dropped: bool = False


Message = UserMessage | AscribedMessage | AgentMessage | Thought
Entry = UserMessage | AscribedMessage | AgentMessage | Thought | ToolCall | Notice | UserCommand


def line_of(message: Message) -> str:
    """Return a message's text on one line, without the client's note."""
    said = (part for part in message.parts if isinstance(part, TextBuffer))
    return " ".join("".join(text for text in map(str, said) if not text.startswith(NOTE)).split())


def text_of(message: Message) -> str:
    """Return a message's text without its other blocks."""
    return "".join(str(part) for part in message.parts if isinstance(part, TextBuffer))
