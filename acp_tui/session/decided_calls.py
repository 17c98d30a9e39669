"""Decided tool calls: the call in the question compared with its later updates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from acp_tui.session.entries import Diff, ToolCall

_SURROUNDINGS: Final = frozenset(
    ("cwd", "workdir", "workingdirectory", "directory", "folder", "dir", "env", "environment")
)
"""Input fields, in lower case, that change what a command does even if they come after the answer."""
_WORDS: Final = 200
"""Maximum characters of a value that is shown."""


def asked_about(call: ToolCall, asked: ToolCall, cwd: str) -> str:
    """Return the call that the user was asked about, for display, if it differs by now, else "".

    Many agents repeat a call with other texts: a title with the result, the context around an edit, the
    folder of the workspace. Those do not count; transcripts of real agents test this rule.

    Args:
        call: the call as it is now.
        asked: the call in the question.
        cwd: the session's folder.
    """
    about = asked.command or asked.title
    if asked.command or call.command:
        if asked.command != call.command:
            return about
        return _with_fields(about, _changed_fields(asked.raw_input, call.raw_input, cwd, is_command=True))
    if asked.kind != call.kind:
        return about
    if call.kind == "switch_mode":
        return about if asked.plan != call.plan else ""
    then, now = _diffs_of(asked), _diffs_of(call)
    if then and now:
        return "" if all(_explains(then, one) for one in now) else f"{about}: {_first_change(then[0])}"
    if not set(call.named_paths) <= set(asked.named_paths):
        return about
    if call.kind == "edit" and asked.named_paths:
        return ""
    if asked.title != call.title:
        return about
    return _with_fields(about, _changed_fields(asked.raw_input, call.raw_input, cwd, is_command=False))


def _with_fields(about: str, fields: Iterator[tuple[str, Any]]) -> str:
    """Return the text for a call with its first changed field, or ""."""
    for name, value in fields:
        was = f"without {name}" if value is None else f"{name}: {str(value)[:_WORDS]}"
        return f"{about} ({was})"
    return ""


def _changed_fields(then: Any, now: Any, cwd: str, *, is_command: bool) -> Iterator[tuple[str, Any]]:
    """Yield (field, value in the question) of each changed field of an input.

    Agents add to the input of a command, such as its run time: there only texts are compared, and the fields
    that change what it does.
    """
    if not isinstance(then, Mapping) or not isinstance(now, Mapping):
        if then is not None and now is not None and then != now:
            yield "input", then
        return
    for name, value in now.items():
        known = then.get(name)
        if value == known:
            continue
        if name in then:
            if not is_command or not isinstance(value, int | float):
                yield name, known
        elif name.replace("_", "").casefold() in _SURROUNDINGS and value and value != cwd:
            yield name, None


def _diffs_of(call: ToolCall) -> Sequence[Diff]:
    return [item for item in call.content if isinstance(item, Diff)]


def _explains(asked: Sequence[Diff], now: Diff) -> bool:
    """Return whether an edit was in the question, even with more or less text around it."""
    of_file = [one for one in asked if one.path == now.path]
    return (
        any(one == now for one in of_file)
        or _applied(of_file, now.old_text or "") == now.new_text
        or any(_applied([now], one.old_text or "") == one.new_text for one in of_file)
    )


def _applied(edits: Sequence[Diff], text: str) -> str | None:
    """Return a text with edits applied wherever their old text occurs, or None if it does not."""
    found = False
    for edit in edits:
        old = edit.old_text or ""
        if old and old in text:
            found = True
            text = text.replace(old, edit.new_text)
        elif not old and not text:
            return edit.new_text
    return text if found else None


def _first_change(diff: Diff) -> str:
    """Return the first line that an edit adds, or else removes, with `+` or `-`."""
    old, new = (diff.old_text or "").splitlines(), diff.new_text.splitlines()
    for sign, lines, others in (("+", new, set(old)), ("-", old, set(new))):
        for line in lines:
            if line not in others:
                return f"{sign} {line.strip()[:_WORDS]}"
    return "no change"
