"""Decided tool calls, compared with what they say afterwards."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from acp_tui.session.entries import Diff, ToolCall

_FOLDERS: Final = ("cwd", "workdir", "workingdirectory", "workingdir", "directory", "folder", "dir")
_SURROUNDINGS: Final = frozenset(
    (
        *(*_FOLDERS, "env", "environment"),
        *("shell", "interpreter", "stdin", "input", "args", "argv", "arguments", "script", "user"),
    )
)
"""Fields, folded, that change what a command does though the question did not have them."""
_OUTPUT: Final = frozenset(
    """
    aggregatedoutput at callid completedatms duration durationms elapsed endedat endedatms error exitcode
    exitstatus formattedoutput id output parsedcmd processid result results startedat startedatms status
    stderr stdout success time timestamp toolcallid turnid
    """.split()  # noqa: SIM905
)
"""Fields, folded, that tell of a call without a part in what it does."""
_BY_AGENT: Final = (("source", "agent"), ("source", "unified_exec_startup"))
"""Fields and values that name who runs a command."""
_MANY: Final = 200
"""Most edits of a call whose texts are compared in parts."""
_WORDS: Final = 200
"""Most characters of a value that is named."""
_EDITING: Final = frozenset(("edit", "write", "patch", "update"))
"""Titles of edits that name no file."""


def asked_about(call: ToolCall, asked: ToolCall, cwd: str) -> str:
    """Return what the user was asked about if the call says something else by now, else "".

    Many agents repeat a call in other words: an edit with more or less text around it, titled by its file;
    the folder of the workspace; ids and times in the input. These are no difference; the transcripts of real
    agents hold this rule.

    Args:
        call: the call as it is now.
        asked: the call as it was in the question.
        cwd: the session's folder.
    """
    about = asked.command or asked.title
    if asked.command != call.command or asked.kind != call.kind or call.unread != asked.unread:
        return about
    if asked.name and call.name and asked.name != call.name:
        return f"{about} (tool {asked.name[:_WORDS]})"
    if call.kind == "switch_mode":
        is_other = asked.plan != call.plan or not _is_same_switch(call, asked)
        return about if is_other else _with_fields(about, _changed_fields(asked, call, cwd))
    then, now = _diffs_of(asked), _diffs_of(call)
    if now and not _explain(then, now):
        return f"{about}: {_first_change(then[0])}" if then else about
    if not set(call.named_paths) <= {*asked.named_paths, cwd} or not _is_same_title(call, asked):
        return about
    return _with_fields(about, _changed_fields(asked, call, cwd))


def asked_about_run(command: str, folder: str, asked: ToolCall, cwd: str) -> str:
    """Return what the user was asked about if a terminal of the agent runs something else, else "".

    Args:
        command: as the agent reports it; "" if it does not.
        folder: the same.
        asked: the call as it was in the question. Without a command, its title must hold what runs.
        cwd: the session's folder.
    """
    about = asked.command or asked.title
    is_same = command.strip() == about.strip() if asked.command else command.strip() in about
    if not is_same and command:
        return about
    named = [
        value
        for name, value in (asked.raw_input.items() if isinstance(asked.raw_input, Mapping) else ())
        if _folded(name) in _FOLDERS and isinstance(value, str)
    ]
    folders = {posixpath.normpath(posixpath.join(cwd, value)) for value in named or [cwd]}
    if folder and posixpath.normpath(folder) not in folders:
        return f"{about} (in {(named or [cwd])[0][:_WORDS]})"
    return ""


def _is_same_title(call: ToolCall, asked: ToolCall) -> bool:
    if call.title == asked.title or not asked.title:
        return True
    if call.kind != "edit":
        return False
    names = (*asked.named_paths, *filter(None, (asked.name, call.name)))
    return call.title in _EDITING or any(f"/{name}".endswith(f"/{call.title}") for name in names)


def _is_same_switch(call: ToolCall, asked: ToolCall) -> bool:
    """Return whether a title is the old one or of the plan: agents rename the end of a plan behind it."""
    return call.title in (asked.title, "") or "plan" in call.title.casefold()


def _with_fields(about: str, fields: Iterator[tuple[str, Any]]) -> str:
    """Return the words for a call with the first field that was another, or ""."""
    for name, value in fields:
        was = f"without {name}" if value is None else f"{name}: {str(value)[:_WORDS]}"
        return f"{about} ({was})"
    return ""


def _changed_fields(asked: ToolCall, call: ToolCall, cwd: str) -> Iterator[tuple[str, Any]]:
    """Yield the fields of the input with other values than in the question, with those values."""
    then, now = asked.raw_input, call.raw_input
    is_new_edit = then is None and call.kind == "edit"  # its changes were shown; agents tell its texts later
    if then is None and isinstance(now, Mapping):
        then = {}
    if not isinstance(then, Mapping) or not isinstance(now, Mapping):
        if then is not None and now is not None and then != now:
            yield "input", then
        return
    for name, value in now.items():
        is_told_of = _folded(name) in _OUTPUT and (name not in then or call.command is not None)
        if is_told_of or (name, value) in _BY_AGENT:
            continue
        if name in then and value != then[name]:
            yield name, then[name]
        is_new = name not in then and value and value != cwd and not _is_told(value, asked)
        if is_new and (not is_new_edit or _is_other_file(name, value, asked)):
            yield name, None
    if call.kind == "edit":  # agents tell an edit first by its patch, and then by its texts
        return
    for name, value in then.items():
        counts = not call.command or _surrounds(name) or isinstance(value, bool)
        if name not in now and value and counts:
            yield name, value


def _is_told(value: Any, asked: ToolCall) -> bool:
    """Return whether the question about an edit had a value as the name of a file, or in its texts."""
    texts = [text for diff in _diffs_of(asked) for text in (diff.old_text or "", diff.new_text)]
    return isinstance(value, str) and (
        value in asked.named_paths or (asked.kind == "edit" and any(value in text for text in texts))
    )


def _is_other_file(name: str, value: Any, asked: ToolCall) -> bool:
    """Return whether a field names a file that the question did not have."""
    is_file = _folded(name).endswith(("path", "file", "filename", "uri"))
    return (
        isinstance(value, str)
        and (is_file or value.startswith(("/", "~", "../")))
        and not any(f"/{known}".endswith(f"/{value.removeprefix('file://')}") for known in asked.named_paths)
    )


def _surrounds(name: str) -> bool:
    return _folded(name) in _SURROUNDINGS


def _folded(name: str) -> str:
    return name.replace("_", "").casefold()


def _diffs_of(call: ToolCall) -> Sequence[Diff]:
    return [item for item in call.content if isinstance(item, Diff)]


def _explain(asked: Sequence[Diff], now: Sequence[Diff]) -> bool:
    """Return whether edits are those that were asked about, each with more or less of the text around it.

    Very many must be the same, since this is compared at each update of the call.
    """
    if len(asked) > _MANY or len(now) > _MANY:
        return {*map(_all_of, now)} <= {*map(_all_of, asked)}
    by_file: dict[tuple[str, str, str], list[Diff]] = {}
    for one in asked:
        by_file.setdefault(_file_of(one), []).append(one)
    return all(_explains(by_file.get(_file_of(one), ()), one) for one in now)


def _explains(of_file: Sequence[Diff], now: Diff) -> bool:
    return (
        now in of_file
        or _applied(of_file, now.old_text or "") == now.new_text
        or any(_applied([now], one.old_text or "") == one.new_text for one in of_file)
    )


def _all_of(diff: Diff) -> tuple[object, ...]:
    return *_file_of(diff), diff.old_text, diff.new_text


def _file_of(diff: Diff) -> tuple[str, str, str]:
    return diff.path, diff.old_path, diff.operation


def _applied(edits: Sequence[Diff], text: str) -> str | None:
    """Return a text with edits applied where their old text is; None if it is nowhere, or in two places."""
    found = False
    for edit in edits:
        old = edit.old_text or ""
        if old and (at := text.find(old)) >= 0:
            if at != text.rfind(old):
                return None
            found = True
            text = text[:at] + edit.new_text + text[at + len(old) :]
        elif not old and not text:
            return edit.new_text
    return text if found else None


def _first_change(diff: Diff) -> str:
    """Return the first line that an edit adds, or else removes, with its sign."""
    old, new = (diff.old_text or "").splitlines(), diff.new_text.splitlines()
    for sign, lines, others in (("+", new, set(old)), ("-", old, set(new))):
        for line in lines:
            if line not in others:
                return f"{sign} {line.strip()[:_WORDS]}"
    return "no change"
