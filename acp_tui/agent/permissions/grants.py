"""Grants: acts that permissions have allowed in the running turn.

After a permission an agent may act through the client: write a file, read one, run a command. That
request needs no second question if it is exactly what the question showed: the same command, folder and
variables, or the same file with the same new text. Each part of a grant covers one act.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from types import MappingProxyType
from typing import Final

from acp_tui.agent.permissions.tool_input import (
    effective_env,
    env_of,
    folder_of,
    is_searched,
    named_in,
    unknown_fields,
)
from acp_tui.formatting import expand_home
from acp_tui.lazy_regex import regex
from acp_tui.protocol.schema import PermissionOption
from acp_tui.rules import shell
from acp_tui.session.entries import Diff, Location, ToolCall, absolute
from acp_tui.session.questions import Destination, OldText, Permission, flaw_of, option_kind
from acp_tui.session.session import Session
from acp_tui.session.shell_command import is_shell, named_commands, shell_command, unusual_commands
from acp_tui.workspace.encodings import is_data
from acp_tui.workspace.files import Target, link_target
from acp_tui.workspace.processes import WorkingFolder
from acp_tui.workspace.real_paths import is_deep, real_path

NO_OLD_TEXTS: Final[Mapping[str, OldText]] = MappingProxyType({})
NO_PLACES: Final[Mapping[str, Destination]] = MappingProxyType({})
_COMMAND_KINDS: Final = ("execute", "other")
"""Kinds of tool call whose permission allows a command."""
_WRITE_KINDS: Final = ("edit", "other")
_TOOL_AND_COMMAND: Final = regex(r"[A-Za-z][\w-]*: (.*)", re.DOTALL)
"""A title that names the tool before the command."""
_ODD_BLANK: Final = regex(r"[^\S ]")
"""White space in a title that looks like a plain space."""
_WORD: Final = (
    r"""(?![#~])(?:[^\s'"\\$`;&|<>()*?\[{~]|(?<![=:])~|\{\w{0,40}\}"""
    r"""|\\[^\n]|'[^']*'|"(?:[^"\\$`]|\\[^\n$`])*")++"""
)
_PLAIN_COMMAND: Final = regex(rf"(?!\w+=){_WORD}(?:[ \t]+{_WORD})*+")
"""A command of plain words: nothing that a shell expands, no comment, no second line."""
_RESERVED: Final = frozenset(
    {
        *("!", "{", "}", "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done"),
        "case",
        "esac",
    }
)
"""Reserved words: a command that begins with one is not plain."""
_END: Final = "\n"
_MAX_COMPARED: Final = 128 << 20
"""Most characters that are compared for the changes of one file; beyond that, the user is asked again."""
_MAX_PLACES: Final = 1_000
"""Most paths of one question whose links are followed."""
_MAX_ENTRIES: Final = 200
"""Number of newest entries that are searched for the tool call of a request."""


@dataclass(frozen=True, slots=True)
class ImplicitRequest:
    """A file or terminal request, which an agent may send without a permission request."""

    kind: str
    """`read`, `edit` or `execute`, as the kind of a tool call."""
    path: str = ""
    content: str | None = None
    """The new text of the file."""
    command: str = ""
    args: Sequence[str] = ()
    cwd: str | None = None
    env: Sequence[tuple[str, str]] = ()
    """Environment variables, which may change the effect of the command."""
    target: Target | WorkingFolder | None = None
    """The file or folder behind the path when it was last resolved; None before that."""
    again: bool = False
    """True if it was decided before, and its path has led elsewhere since."""

    @property
    def leads_to(self) -> str:
        """The real path of the file, or of the folder if one is named."""
        path = self.path or self.cwd or ""
        return self.target.real if self.target is not None else real(path) if path else ""

    @property
    def line(self) -> str:
        """The command line without its variables; a single shell string stays as it is."""
        words = [self.command, *self.args] if self.args else self.command
        said = shell_command("execute", {"command": words})
        return said.text if said is not None else ""

    def as_call(self, before: str | None = None) -> ToolCall:
        """Return this request as a tool call; `before` is the current text of the file."""
        call = ToolCall("", kind=self.kind)
        if self.path:
            call.locations = (Location(self.path),)
        if self.content is not None:
            call.content = (Diff(self.path, self.content, before),)
        if self.kind == "execute":
            call.raw_input = {"command": self._command()}
            if self.cwd:
                call.raw_input["cwd"] = self.cwd
            if self.env:
                call.raw_input["env"] = dict(self.env)
        return call

    def _command(self) -> str | list[str]:
        """Return the command with its effective variables in front, as one would type it."""
        setting = [f"{name}={shlex.quote(value)}" for name, value in effective_env(self.env).items()]
        words = [self.command, *self.args]
        if not setting:
            return words if self.args else self.command
        if not self.args and not all(map(str.isalnum, self.command)):
            words = ["sh", "-c", self.command]
        return " ".join([*setting, shlex.join(words)])


@dataclass(slots=True)
class Grant:
    """The unused parts of one permission: each act uses up the part that covers it."""

    commands: tuple[str, ...] = ()
    """Spellings of the one command that may run."""
    folder: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    writes: dict[str, list[Diff]] = field(default_factory=dict)
    """The changes of each file."""
    old_texts: dict[str, str] = field(default_factory=dict)
    """The old text of each file that the client read and showed, because the agent sent none."""
    places: dict[str, Destination] = field(default_factory=dict)
    """The shown destination of each file, by its real path; `why` is None where none was known yet."""
    reads: set[str] = field(default_factory=set)
    by_user: bool = True
    """The user has seen the question; otherwise a rule or the policy has answered."""
    entry: ToolCall | None = None
    """The tool call of a permission given outside a turn: the grant lasts until that call ends."""

    def covers(
        self,
        request: ImplicitRequest,
        path: str,
        cwd: str,
        before: str | None,
        *,
        is_read: bool = True,
        is_protected: bool = False,
    ) -> bool:
        """Return whether a request is the one that was shown.

        Args:
            request: the request of the agent.
            path: its path, links followed.
            cwd: the folder of the session.
            before: the current text of the file; None if there is no file.
            is_read: False for a file whose text is unknown: then no change of it is covered.
            is_protected: whether the file is protected now; it may not have been when it was shown.
        """
        if not self._is_same_file(request, path, is_protected=is_protected):
            return False
        if request.kind == "read":
            return path in self.reads
        if request.kind == "edit":
            changes = self.writes.get(path, ())
            if not is_read or request.content is None or any(map(_is_hidden, changes)):
                return False
            if any(change.before is None for change in changes) and (before or "") != self.old_texts.get(
                path, ""
            ):
                return False  # what the write would lose was not shown
            return _makes(before, changes, request.content)
        is_here = (request.leads_to or real(cwd)) == self.folder
        return (
            is_here
            and effective_env(request.env) == self.env
            and any(runs(text, request) for text in self.commands)
        )

    def _is_same_file(self, request: ImplicitRequest, path: str, *, is_protected: bool) -> bool:
        """Return whether a file is still the one that was shown, apart from its path."""
        shown, now = self.places.get(path), request.target
        if shown is None or not isinstance(now, Target):
            return True
        is_protected = is_protected and request.kind == "edit"
        if shown.why is None:  # it was answered before the client knew where the path leads
            return not (self.by_user and (shown.at or now.linked or is_protected))
        return shown.linked == now.linked and (request.kind != "edit" or bool(shown.why) == is_protected)

    def concerns(self, request: ImplicitRequest, path: str) -> bool:
        """Return whether a request is for the shown file or command, even with another text."""
        if request.kind == "execute":
            return any(runs(text, request) for text in self.commands)
        return path in (self.writes if request.kind == "edit" else self.reads)

    def use_up(self, request: ImplicitRequest, path: str) -> None:
        """Remove the part that covers a request."""
        self.commands = () if request.kind == "execute" else self.commands
        if request.kind == "edit":
            self.writes.pop(path, None)
        elif request.kind == "read":
            self.reads.discard(path)


def grant_of(
    call: ToolCall,
    cwd: str,
    old_texts: Mapping[str, OldText] = NO_OLD_TEXTS,
    places: Mapping[str, Destination] = NO_PLACES,
) -> Grant:
    """Return the grant of a permission for a call.

    Args:
        call: the call as the question showed it.
        cwd: the folder of the session.
        old_texts: the texts that were shown of files whose old text the agent had not sent.
        places: real paths at the time of the question; missing ones are resolved now.
    """

    def led_to(path: str) -> str:
        there = places.get(path) or Destination(why=None, real=_followed(path, cwd))
        if there.why is None:
            there = there._replace(at=link_target(path, there.real, cwd))
        if there.why is None or there.real not in grant.places:
            grant.places[there.real] = there
        return there.real

    grant = Grant(env=env_of(call))
    grant.folder = led_to(folder_of(call, cwd))
    if call.unread:  # the user has not seen all of it
        return grant
    if call.kind in _COMMAND_KINDS:
        said = call.stated_command
        # An unknown field may change the effect of the command that is compared.
        is_known = not unknown_fields(call.raw_input, said.keys if said is not None else frozenset())
        grant.commands = tuple(commands_of(call)) if is_known else ()
    if call.kind in _WRITE_KINDS:
        for item in islice((item for item in call.content if isinstance(item, Diff)), _MAX_PLACES):
            path = led_to(item.path)
            grant.writes.setdefault(path, []).append(item)
            old = old_texts.get(item.path) if item.before is None else None
            if old is not None and old.text is not None:
                grant.old_texts[path] = old.text
    if call.kind == "read":
        # Paths of the input do not count: the dialog folds the input.
        grant.reads = {led_to(path) for path in islice(call.named_paths, _MAX_PLACES)}
    return grant


def destinations_of(call: ToolCall, cwd: str) -> dict[str, Destination]:
    """Return where the paths and folder of a call lead now, without opening them."""
    paths = dict.fromkeys([folder_of(call, cwd), *call.named_paths])
    return {path: Destination(why=None, real=_followed(path, cwd)) for path in islice(paths, _MAX_PLACES)}


def _followed(path: str, cwd: str) -> str:
    return real(absolute(expand_home(path), cwd))


class Grants:
    """The grants in the sessions of one connection."""

    def __init__(self) -> None:
        self._grants: dict[str, list[Grant]] = {}
        """By session, the oldest first."""

    def add(
        self, session: Session, asked: Permission, option: PermissionOption, *, by_user: bool = True
    ) -> None:
        """Add the grant of an answered permission if the option allows it.

        An answer of a rule or the policy grants no command with variables or in another folder: rules do not
        cover those, so the command is decided again when it comes.
        """
        kind = option_kind(option)
        if kind is None or not kind.allows or flaw_of(option, asked.options):
            return
        grant = grant_of(asked.call, session.cwd, asked.old_texts, asked.places)
        grant.by_user = by_user
        if session.turn_state == "idle":
            entry = session.entries[asked.place] if asked.place is not None else None
            grant.entry = entry if isinstance(entry, ToolCall) else asked.call
        if not by_user and (grant.env or grant.folder != real(session.cwd)):
            grant.commands = ()
        self._grants.setdefault(session.id, []).append(grant)

    def end_turn(self, session_id: str) -> None:
        """Drop the grants of a session: a permission lasts for one turn."""
        self._grants.pop(session_id, None)

    def has_change_of(self, session: Session, request: ImplicitRequest) -> bool:
        """Return whether a change of the requested file was granted, so its text must be compared."""
        path = request.leads_to
        return any(path in grant.writes for grant in self._left(session))

    def use(
        self,
        session: Session,
        request: ImplicitRequest,
        before: str | None = None,
        *,
        is_read: bool = True,
        is_protected: bool = False,
    ) -> bool:
        """Return whether a grant covers a request, and use that grant up.

        A request for the same file or command that no grant covers also uses one up: the agent has had
        its one act.

        Args:
            session: the session of the request.
            request: the request of the agent.
            before: the current text of the file; None if there is no file.
            is_read: False for a file whose text is unknown.
            is_protected: the file is protected: only a grant whose question said so counts.
        """
        path = request.leads_to if request.path else ""
        grants = [one for one in self._left(session) if one.by_user or not is_protected]
        covering = (
            one
            for one in grants
            if one.covers(request, path, session.cwd, before, is_read=is_read, is_protected=is_protected)
        )
        found = next(covering, None)
        spent = found or next((one for one in grants if one.concerns(request, path)), None)
        if spent is not None:
            spent.use_up(request, path)
        return found is not None

    def _left(self, session: Session) -> list[Grant]:
        """Return the grants in force, and drop those whose call has ended."""
        grants = self._grants.get(session.id, [])
        grants[:] = [one for one in grants if one.entry is None or not one.entry.is_final]
        return grants


def is_about(call: ToolCall, request: ImplicitRequest, cwd: str) -> bool:
    """Return whether a tool call names the file or command of a request."""
    if request.kind == "execute":
        return any(runs(text, request) for text in commands_of(call))
    named = (*call.named_paths, *named_in(call.raw_input, narrow=call.command is not None))
    return request.path in {absolute(path, cwd) for path in named}


def call_behind(session: Session, request: ImplicitRequest) -> ToolCall | None:
    """Return the open tool call that names the file or command of a request."""
    newest = islice(reversed(session.entries), _MAX_ENTRIES)
    calls = (entry for entry in newest if isinstance(entry, ToolCall))
    return next((call for call in calls if not call.is_final and is_about(call, request, session.cwd)), None)


def commands_of(call: ToolCall) -> Iterator[str]:
    """Yield spellings of the command that a call shows; its title counts if no field names one."""
    command = shown_command(call)
    is_titled = call.command is None and call.worded_command is None
    if command is not None and not (is_titled and _ODD_BLANK.search(command)):
        yield command


def shown_command(call: ToolCall) -> str | None:
    """Return the command to show for a call; its words count only if its input holds no other one."""
    return call.command or (None if hides_command(call) else _command_in_words(call))


def hides_command(call: ToolCall) -> bool:
    """Return whether the input of a call that states no command may hold another one than its words."""
    raw, said = call.raw_input, _command_in_words(call)
    if call.command is not None:
        return False
    if call.kind != "execute" and said is None:
        return bool(named_commands(raw))
    texts = [*unusual_commands(raw), *(raw.get(name) for name in unknown_fields(raw))]
    return not is_searched(raw) or any(not isinstance(text, str) or text.strip() != said for text in texts)


def _command_in_words(call: ToolCall) -> str | None:
    """Return the command that only the texts or the title of a call have."""
    if call.kind != "execute" or call.command is not None or call.worded_command is not None:
        return call.worded_command
    title = call.title.strip()
    if len(title) > 2 and title.startswith("`") and title.endswith("`") and title.count("`") == 2:
        return title[1:-1]
    named = _TOOL_AND_COMMAND.fullmatch(title)
    return (named[1] if named is not None else title) or None


def runs(text: str, request: ImplicitRequest) -> bool:
    """Return whether a request runs the command line that was shown."""
    text, words = shell.trimmed(text), [request.command, *request.args]
    if not text or not request.command.strip():
        return False
    if not request.args:
        return text == shell.trimmed(request.command)
    is_script = len(words) == 3 and words[1] in ("-c", "-lc") and is_shell(words[0])
    return (is_script and shell.trimmed(words[2]) == text) or _words(text) == words


def real(path: str) -> str:
    """Return a path with its links followed, but for a very deep one."""
    try:
        return path if is_deep(path) else real_path(path)
    except ValueError:  # no valid path on this machine
        return path


def _words(text: str) -> list[str] | None:
    """Return the words of a plain command; None if a shell would split it differently or do more."""
    if _PLAIN_COMMAND.fullmatch(text) is None:
        return None
    words = shlex.split(text)
    return words if words[0] not in _RESERVED else None


def _is_hidden(change: Diff) -> bool:
    """Return whether a change is binary data, which a question does not show."""
    return is_data(change.new_text) or is_data(change.before or "")


def _makes(before: str | None, changes: Sequence[Diff], wanted: str) -> bool:
    """Return whether changes turn one text into the other, with either kind of line end."""
    if _gives(before, changes, wanted):
        return True
    if not before or not (_ends_in_crlf(before) and _ends_in_crlf(wanted)):
        return False
    # Agents show CRLF files with the line ends that they use internally.
    return _gives(before.replace("\r\n", "\n"), changes, wanted.replace("\r\n", "\n"))


def _ends_in_crlf(text: str) -> bool:
    return "\r\n" in text and text.count("\n") == text.count("\r\n")


def _gives(before: str | None, changes: Sequence[Diff], wanted: str) -> bool:
    """Return whether changes turn one text into the other; each old part must occur exactly once."""
    if not changes or not _may_give(before, changes, wanted):
        return False
    text = before
    for change in changes:
        old, new = change.before, change.new_text
        if old is None:
            text = new
            continue
        at = text.find(old) if text is not None else -1
        if text is None or at < 0 or text.find(old, at + 1) >= 0:  # which of several was not shown
            return False
        text = f"{text[:at]}{new}{text[at + len(old) :]}"
    # Some agents show a new file without its last line end.
    return text == wanted or (
        not before and text is not None and f"{text.removesuffix(_END)}{_END}" == wanted
    )


def _may_give(before: str | None, changes: Sequence[Diff], wanted: str) -> bool:
    """Return whether the lengths fit: a cheap check first, since the agent chooses the size of the texts."""
    length = longest = len(before or "")
    for change in changes:
        old, new = change.before, change.new_text
        length = len(new) if old is None else length + len(new) - len(old)
        longest = max(longest, length)
    if longest * len(changes) > _MAX_COMPARED:
        return False
    return length == len(wanted) or (not before and length + 1 == len(wanted))
