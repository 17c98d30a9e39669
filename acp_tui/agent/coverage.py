"""What one permission covers: what was shown when it was given, and nothing else."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from types import MappingProxyType
from typing import Any, Final

from acp_tui.agent.input_paths import named_in
from acp_tui.agent.wish import Wish, mattering
from acp_tui.session.entries import Diff, ToolCall, absolute, is_shell
from acp_tui.session.questions import OldText
from acp_tui.session.session import Session

NO_OLD_TEXTS: Final[Mapping[str, OldText]] = MappingProxyType({})
_FOLDER_KEYS: Final = ("cwd", "workdir", "working_directory", "directory")
_RUNS: Final = ("execute", "other")
"""Kinds of call whose command is a command: the others are not asked for to run one."""
_WRITES: Final = ("edit", "other")
_CONTROLS: Final = "();<>|&"
_END: Final = "\n"
_MOST_READ: Final = 128 << 20
"""Characters of a file that are gone through for all of its changes; for more the user is asked again."""
_LOOKED_AT: Final = 200
"""Entries in which the tool call is looked for that a wish belongs to: the newest."""


@dataclass(slots=True)
class Shown:
    """What the user was shown of a call that they allowed; each part is used up by one act."""

    commands: tuple[str, ...] = ()
    """The ways to say the one command that it may run."""
    folder: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    writes: dict[str, list[Diff]] = field(default_factory=dict)
    """The changes of each file."""
    old_texts: dict[str, str] = field(default_factory=dict)
    """The text of each file that was shown although the agent did not tell it."""
    reads: set[str] = field(default_factory=set)
    by_user: bool = True
    """The user has seen it; else a rule or the policy has answered for them."""
    entry: ToolCall | None = None
    """The call of a permission that was given while no turn ran: it lasts until the call is over."""


def shown_of(call: ToolCall, cwd: str, old_texts: Mapping[str, OldText] = NO_OLD_TEXTS) -> Shown:
    """Return what a question about a call shows; links are followed.

    Args:
        call: as it was asked about.
        cwd: the folder of the session.
        old_texts: what was shown of files whose old text the agent does not tell.
    """
    shown = Shown(folder=real(absolute(folder_of(call, cwd), cwd)), env=env_of(call))
    if call.kind in _RUNS:
        shown.commands = tuple(commands_of(call))
    if call.kind in _WRITES:
        for item in call.content:
            if isinstance(item, Diff):
                path = real(absolute(item.path, cwd))
                shown.writes.setdefault(path, []).append(item)
                old = old_texts.get(item.path) if item.before is None else None
                if old is not None and old.text is not None:
                    shown.old_texts[path] = old.text
    if call.kind == "read":
        # Not what its input names: the dialog folds that.
        paths = (os.path.expanduser(path) for path in call.named_paths)  # noqa: PTH111 - text
        shown.reads = {real(absolute(path, cwd)) for path in paths}
    return shown


def covers(
    shown: Shown, wish: Wish, path: str, cwd: str, before: str | None, *, is_read: bool = True
) -> bool:
    """Return whether a wish is what was shown, in all that the two can differ in.

    Args:
        shown: what is left of it.
        wish: what the agent has us do.
        path: of the wish, links followed.
        cwd: the folder of the session.
        before: the text of the file that is to be written; None where there is none.
        is_read: False where a file is there whose text is not known: then no change of it is covered.
    """
    if wish.kind == "read":
        return path in shown.reads
    if wish.kind == "edit":
        changes = shown.writes.get(path, ())
        if not is_read or wish.content is None:
            return False
        if any(change.before is None for change in changes) and (before or "") != shown.old_texts.get(
            path, ""
        ):
            return False  # what the write would lose was not shown
        return _makes(before, changes, wish.content)
    is_here = real(absolute(wish.cwd or cwd, cwd)) == shown.folder
    return is_here and mattering(wish.env) == shown.env and any(runs(text, wish) for text in shown.commands)


def concerns(shown: Shown, wish: Wish, path: str) -> bool:
    """Return whether a wish is for the file or the command that was shown, if not for the same act."""
    if wish.kind == "execute":
        return any(runs(text, wish) for text in shown.commands)
    return path in (shown.writes if wish.kind == "edit" else shown.reads)


def use_up(shown: Shown, wish: Wish, path: str) -> None:
    """Take away what a wish has used."""
    shown.commands = () if wish.kind == "execute" else shown.commands
    if wish.kind == "edit":
        shown.writes.pop(path, None)
    elif wish.kind == "read":
        shown.reads.discard(path)


def is_about(call: ToolCall, wish: Wish, cwd: str) -> bool:
    """Return whether a tool call names the file, or the command, of a wish."""
    if wish.kind == "execute":
        return any(runs(text, wish) for text in commands_of(call))
    named = (*call.named_paths, *named_in(call.raw_input, narrow=call.command is not None))
    return wish.path in {absolute(path, cwd) for path in named}


def behind(session: Session, wish: Wish) -> ToolCall | None:
    """Return the open tool call that a wish belongs to, as far as it names the same file or command."""
    newest = (entry for entry in islice(reversed(session.entries), _LOOKED_AT) if isinstance(entry, ToolCall))
    return next((call for call in newest if not call.is_final and is_about(call, wish, session.cwd)), None)


def folder_of(call: ToolCall, cwd: str) -> str:
    """Return the folder that a command runs in, as its input says."""
    key = folder_key(call.raw_input)
    return cwd if key is None else str(call.raw_input[key])


def folder_key(raw: Any) -> str | None:
    """Return which field of an input names the folder of a command."""
    if not isinstance(raw, dict):
        return None
    return next((key for key in _FOLDER_KEYS if isinstance(raw.get(key), str)), None)


def env_of(call: ToolCall) -> dict[str, str]:
    """Return the variables of a command that its input names, without those that change nothing."""
    raw = call.raw_input.get("env") if isinstance(call.raw_input, dict) else None
    if isinstance(raw, dict):
        return mattering([(str(name), str(value)) for name, value in raw.items()])
    if isinstance(raw, list):
        pairs = [(one.get("name"), one.get("value")) for one in raw if isinstance(one, dict)]
        return mattering([(str(name), str(value)) for name, value in pairs])
    return {}


def commands_of(call: ToolCall) -> Iterator[str]:
    """Yield the ways to read the command that a call shows; its title tells it where nothing else does."""
    command = call.command or call.worded_command
    if command is not None:
        yield command
    elif call.kind == "execute":
        yield from _readings(call.title)


def titled_command(call: ToolCall) -> str | None:
    """Return the command that a title tells where nothing else does, to be shown: all of it counts as one."""
    if call.kind != "execute" or call.command is not None or call.worded_command is not None:
        return None
    return next(iter([*_readings(call.title, any_space=True)][-1:]), None)


def _readings(title: str, *, any_space: bool = False) -> Iterator[str]:
    """Yield the ways to read a title as a command; none where one space may be taken for another."""
    title = title.strip()
    is_plain = all(one == " " or not one.isspace() for one in title)
    if not title or not (any_space or is_plain):
        return
    yield title
    if len(title) > 2 and title.startswith("`") and title.endswith("`"):
        yield title[1:-1]
    tool, colon, rest = title.partition(": ")
    if colon and " " not in tool:
        yield rest


def runs(text: str, wish: Wish) -> bool:
    """Return whether a command line that was shown is what a wish runs."""
    text, words = text.strip(), [wish.command, *wish.args]
    if not text or not wish.command.strip():
        return False
    if not wish.args:
        return text == wish.command.strip()
    if len(words) == 3 and words[1] in ("-c", "-lc") and is_shell(words[0]) and words[2].strip() == text:
        return True
    return _words(text) == words


def real(path: str) -> str:
    """Return where a path leads."""
    try:
        return os.path.realpath(path)
    except ValueError:  # no path of this machine
        return path


def _words(text: str) -> list[str] | None:
    """Return the words of one plain command; None where a shell would do more than start it."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=_CONTROLS)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words, plain = list(lexer), shlex.split(text)
    except ValueError:
        return None
    return plain if words == plain and all(word.strip(_CONTROLS) or not word for word in plain) else None


def _makes(before: str | None, changes: Sequence[Diff], wanted: str) -> bool:
    """Return whether a file that is changed as shown holds a text."""
    if _gives(before, changes, wanted):
        return True
    if not before or not (_ends_in_crlf(before) and _ends_in_crlf(wanted)):
        return False
    # Agents show such files with the line ends that they work with.
    return _gives(before.replace("\r\n", "\n"), changes, wanted.replace("\r\n", "\n"))


def _ends_in_crlf(text: str) -> bool:
    return "\r\n" in text and text.count("\n") == text.count("\r\n")


def _gives(before: str | None, changes: Sequence[Diff], wanted: str) -> bool:
    """Return whether changes make a text, each at the one place where its old part stands."""
    if not changes or not _may_give(before, changes, wanted):
        return False
    text = before
    for change in changes:
        old, new = change.before, change.new_text
        if old is None:
            text = new
            continue
        at = text.find(old) if text is not None else -1
        if text is None or at < 0 or text.find(old, at + 1) >= 0:  # of several places none was shown
            return False
        text = f"{text[:at]}{new}{text[at + len(old) :]}"
    # Some agents show a new file without its last line end.
    return text == wanted or (
        not before and text is not None and f"{text.removesuffix(_END)}{_END}" == wanted
    )


def _may_give(before: str | None, changes: Sequence[Diff], wanted: str) -> bool:
    """Return whether the lengths fit, so that texts which an agent sizes are made only where they do."""
    length = longest = len(before or "")
    for change in changes:
        old, new = change.before, change.new_text
        length = len(new) if old is None else length + len(new) - len(old)
        longest = max(longest, length)
    if longest * len(changes) > _MOST_READ:
        return False
    return length == len(wanted) or (not before and length + 1 == len(wanted))
