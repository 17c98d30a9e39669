"""What was seen on disk, as a line of the journal.

A line tells what is news: `{"snapped": [file, …], "gone": [path, …], "session": id}`.
Readers that do not know the word pass over the line, as over any note that they do not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, Final

from acp_tui.session.events import Snapped
from acp_tui.session.files import FileChange, OnDisk
from acp_tui.session.provenance import Origin

Seen = dict[str, OnDisk]
"""What was seen on disk, by path."""

_DEFAULTS: Final = asdict(OnDisk("", "M", ""))


def seen(files: Mapping[str, FileChange]) -> Seen:
    """Return what of the changed files was seen on disk."""
    return {path: file.seen for path, file in files.items() if file.seen is not None}


def row(session_id: str, before: Seen, files: Mapping[str, FileChange]) -> dict[str, Any] | None:
    """Return what is to be written down of the files as they are now; None where there is no news."""
    now = seen(files)
    news = [_file(files[path], file) for path, file in now.items() if before.get(path) != file]
    gone = [path for path in before if path not in now]
    return {"snapped": news, "gone": gone, "session": session_id} if news or gone else None


def event(msg: Mapping[str, Any], before: Seen) -> Snapped:
    """Read a line; what is no file is passed over."""
    now, origins = dict(before), {}
    for path in _list(msg.get("gone")):
        now.pop(str(path), None)
    for item in _list(msg.get("snapped")):
        if isinstance(item, dict) and isinstance(item.get("path"), str):
            file = _on_disk(item)
            now[file.path] = file
            if isinstance(item.get("origin"), dict):
                origins[file.path] = _origin(item["origin"])
    return Snapped(tuple(now.values()), origins)


def _file(change: FileChange, file: OnDisk) -> dict[str, Any]:
    told = {name: value for name, value in asdict(file).items() if value != _DEFAULTS[name]}
    told = {"path": file.path, "status": file.status, **told}
    if change.origins:
        told["origin"] = {name: value for name, value in asdict(change.origins[-1]).items() if value}
    return told


def _on_disk(item: Mapping[str, Any]) -> OnDisk:
    known = {
        field.name: item[field.name]
        for field in fields(OnDisk)
        if type(item.get(field.name)) is type(_DEFAULTS[field.name])
    }
    status = known.get("status")
    if status not in ("A", "M", "D", "R", "T"):
        known["status"] = "M"
    return OnDisk(**{"old_path": item["path"], **known})


def _origin(item: Mapping[str, Any]) -> Origin:
    turn = item.get("turn")
    texts = {name: str(item.get(name, "")) for name in ("tool_call_id", "title", "plan_entry")}
    return Origin(turn if type(turn) is int else 0, **texts)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
