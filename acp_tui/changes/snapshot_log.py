"""Journal rows of the changed files, kept snapshots and undo steps of a session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, Final

from acp_tui.lazy_regex import regex
from acp_tui.protocol.json_values import as_list
from acp_tui.session.earlier_runs import KeptSnapshot, UndoStep, UndoStepRemoved
from acp_tui.session.events import Hunk, LineStep, WorkspaceCompared
from acp_tui.session.file_changes import DiskState, FileChange, Origin

DiskStates = dict[str, DiskState]
"""States of files on disk, by path."""

_ID: Final = regex(r"[0-9a-f]{40}([0-9a-f]{24})?")
_LATEST: Final = 4e9
"""Largest accepted time, in seconds since the epoch."""
_DEFAULTS: Final = asdict(DiskState("", "M", ""))


def on_disk(files: Mapping[str, FileChange]) -> DiskStates:
    """Return the disk states of the changed files."""
    return {path: file.seen for path, file in files.items() if file.seen is not None}


def files_row(
    session_id: str,
    before: DiskStates,
    files: Mapping[str, FileChange],
    steps: Mapping[str, LineStep] | None = None,
) -> dict[str, Any] | None:
    """Return the row for the changes since `before`, with the replaced lines; None without changes."""
    now, steps = on_disk(files), steps or {}
    news = [
        _file(files[path], file) | _step(steps.get(path), file)
        for path, file in now.items()
        if before.get(path) != file
    ]
    gone = [path for path in before if path not in now]
    return {"snapped": news, "gone": gone, "session": session_id} if news or gone else None


def files_event(msg: Mapping[str, Any], before: DiskStates) -> WorkspaceCompared:
    """Return the event of a row; malformed parts are skipped."""
    now, origins = dict(before), {}
    for path in as_list(msg.get("gone")):
        now.pop(str(path), None)
    for item in as_list(msg.get("snapped")):
        if isinstance(item, dict) and isinstance(item.get("path"), str):
            file = _on_disk(item)
            now[file.path] = file
            if isinstance(item.get("origin"), dict):
                origins[file.path] = _origin(item["origin"])
    return WorkspaceCompared(tuple(now.values()), origins)


def snapshot_row(session_id: str, event: KeptSnapshot | UndoStep | UndoStepRemoved) -> dict[str, Any]:
    """Return the row of a kept snapshot or an undo step."""
    match event:
        case KeptSnapshot():
            row = {"kept": event.id, "turn": event.turn, "at": event.at, "cwd": event.cwd}
            row |= {"late": True} if event.late else {}
            row |= {"since": event.since} if event.since else {}
        case UndoStep():
            row = {"undid": event.back, "after": event.after, "paths": list(event.paths)}
        case UndoStepRemoved():
            row = {"redone": event.place}  # this key in the journals of all versions
    return {**row, "session": session_id}


def snapshot_event(msg: Mapping[str, Any]) -> KeptSnapshot | UndoStep | UndoStepRemoved | None:
    """Return the event of such a row, or None for any other or an invalid one."""
    turn, at, place = msg.get("turn"), msg.get("at"), msg.get("redone")
    if _is_id(msg.get("kept")) and type(turn) is int and turn >= 0 and isinstance(at, int | float):
        late, cwd, since = msg.get("late") is True, str(msg.get("cwd", "")), msg.get("since")
        since = since if type(since) is int else 0
        return KeptSnapshot(turn, msg["kept"], min(max(0.0, float(at)), _LATEST), late, cwd, since)
    if _is_id(msg.get("undid")) and _is_id(msg.get("after")):
        return UndoStep(msg["undid"], msg["after"], tuple(map(str, as_list(msg.get("paths")))))
    return UndoStepRemoved(place) if type(place) is int else None


def _is_id(value: object) -> bool:
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def _file(change: FileChange, file: DiskState) -> dict[str, Any]:
    row = {name: value for name, value in asdict(file).items() if value != _DEFAULTS[name]}
    row = {"path": file.path, "status": file.status, **row}
    if change.origins:
        row["origin"] = {name: value for name, value in asdict(change.origins[-1]).items() if value}
    return row


def _step(step: LineStep | None, file: DiskState) -> dict[str, Any]:
    if step is None or step.id != file.id:
        return {}
    row: dict[str, Any] = {"was": step.was}
    row |= {"hunks": [list(hunk) for hunk in step.hunks]} if step.hunks is not None else {}
    return row | ({"moved_from": step.moved_from} if step.moved_from else {})


def line_step(item: Mapping[str, Any]) -> LineStep | None:
    """Return the step of a file in a row; None for one of a version that wrote none, or a malformed one."""
    was, now, moved_from = item.get("was"), item.get("id", ""), item.get("moved_from", "")
    if not isinstance(was, str) or not isinstance(now, str) or not isinstance(moved_from, str):
        return None
    return LineStep(was, now, _hunks(item.get("hunks")), moved_from)


def _hunks(value: Any) -> tuple[Hunk, ...] | None:
    """Return hunks in the order of their lines, or None."""
    found: list[Hunk] = []
    old_end = new_end = 0
    for hunk in value if isinstance(value, list) else [None]:
        if not isinstance(hunk, list) or len(hunk) != 4 or not all(type(number) is int for number in hunk):
            return None
        old_start, old_stop, new_start, new_stop = hunk
        if not (old_end <= old_start <= old_stop and new_end <= new_start <= new_stop):
            return None
        if old_start - old_end != new_start - new_end:
            return None
        old_end, new_end = old_stop, new_stop
        found.append((old_start, old_stop, new_start, new_stop))
    return tuple(found)


def _on_disk(item: Mapping[str, Any]) -> DiskState:
    known = {
        field.name: item[field.name]
        for field in fields(DiskState)
        if type(item.get(field.name)) is type(_DEFAULTS[field.name])
    }
    status = known.get("status")
    if status not in ("A", "M", "D", "R", "T"):
        known["status"] = "M"
    return DiskState(**{"old_path": item["path"], **known})


def _origin(item: Mapping[str, Any]) -> Origin:
    turn = item.get("turn")
    texts = {name: str(item.get(name, "")) for name in ("tool_call_id", "title", "plan_entry", "agent")}
    return Origin(turn if type(turn) is int else 0, **texts)
