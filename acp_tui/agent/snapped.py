"""What was seen on disk, as a line of the journal.

A line tells what is news: `{"snapped": [file, …], "gone": [path, …], "session": id}`.
Readers that do not know the word pass over the line, as over any note that they do not know.
Other lines tell which snapshots there are, and what the user has undone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, Final

from acp_tui.session.events import Snapped
from acp_tui.session.files import FileChange, OnDisk
from acp_tui.session.past import Kept, Redone, Undid
from acp_tui.session.provenance import Origin

Seen = dict[str, OnDisk]
"""What was seen on disk, by path."""

_ID: Final = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_LATEST: Final = 4e9
"""Seconds since the epoch that any clock can tell."""
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


def kept_row(session_id: str, told: Kept | Undid | Redone) -> dict[str, Any]:
    """Return what is to be written down of a snapshot, or of what the user has undone."""
    match told:
        case Kept():
            row = {"kept": told.id, "turn": told.turn, "at": told.at, "cwd": told.cwd}
            row |= {"late": True} if told.late else {}
            row |= {"since": told.since} if told.since else {}
        case Undid():
            row = {"undid": told.back, "after": told.after, "paths": list(told.paths)}
        case Redone():
            row = {"redone": told.place}
    return {**row, "session": session_id}


def kept_event(msg: Mapping[str, Any]) -> Kept | Undid | Redone | None:
    """Read such a line; None for any other, and for one that cannot be true."""
    turn, at, place = msg.get("turn"), msg.get("at"), msg.get("redone")
    if _is_id(msg.get("kept")) and type(turn) is int and turn >= 0 and isinstance(at, int | float):
        late, cwd, since = msg.get("late") is True, str(msg.get("cwd", "")), msg.get("since")
        since = since if type(since) is int else 0
        return Kept(turn, msg["kept"], min(max(0.0, float(at)), _LATEST), late, cwd, since)
    if _is_id(msg.get("undid")) and _is_id(msg.get("after")):
        return Undid(msg["undid"], msg["after"], tuple(map(str, _list(msg.get("paths")))))
    return Redone(place) if type(place) is int else None


def _is_id(value: object) -> bool:
    return isinstance(value, str) and _ID.fullmatch(value) is not None


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
