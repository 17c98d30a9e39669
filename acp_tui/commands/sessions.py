"""`acp-tui sessions`: list recorded sessions, keep some, delete others."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from acp_tui import formatting
from acp_tui.commands.log import print_lines, printable
from acp_tui.store.disk_space import (
    NAME,
    JournalFile,
    KeptJournals,
    beyond_budget,
    delete,
    journal_files,
    oldest,
)

_TITLE: Final = 60


def run(data: Path, options: dict[str, Any]) -> int:
    """Run the requested action on a data folder and return the exit code."""
    marks, as_json = KeptJournals(data / NAME), bool(options["json"])
    try:
        files = journal_files(data / "journals", marks.read())
    except OSError as error:
        return _failed(f"{data / NAME} cannot be read: {error.strerror or error}")
    ids = options["keep"] or options["forget"] or options["delete"] or []
    named, unknown = _named(files, ids)
    if unknown:
        return _failed("; ".join(unknown))
    if options["keep"] or options["forget"]:
        try:
            marks.change([one.id for one in named], keep=bool(options["keep"]))
        except OSError as error:
            return _failed(f"{data / NAME} cannot be written: {error.strerror or error}")
        _say(f"{_sessions(named)} {'protected' if options['keep'] else 'no longer protected'}")
        return 0
    if options["delete"]:
        return _delete(named, options["yes"], as_json)
    if options["free"] is not None:
        return _delete(oldest(files, options["free"]), options["yes"], as_json)
    if options["older_than"] is not None:
        return _delete(beyond_budget(files, 0, options["older_than"]), options["yes"], as_json)
    _show(files, as_json)
    if not as_json:
        _say(f"{_sessions(files)}, {_total(files)}")
    return 0


def _named(files: Sequence[JournalFile], ids: Iterable[str]) -> tuple[list[JournalFile], list[str]]:
    """Return (the journals named, the problems with names)."""
    named: dict[str, JournalFile] = {}
    wrong: list[str] = []
    for name in ids:
        same = [one for one in files if name in (one.id, one.recorded.session_id)]
        found = same or [one for one in files if name and one.id.startswith(name)]
        if not found:
            wrong.append(f"no recorded session {printable(name)}")
        elif not same and len(found) > 1:
            wrong.append(f"{printable(name)} matches {len(found)} sessions")
        named |= {one.id: one for one in found}
    return list(named.values()), wrong


def _delete(files: Sequence[JournalFile], yes: bool, as_json: bool) -> int:
    going = [one for one in files if one.is_deletable]
    staying = [one for one in files if not one.is_deletable]
    for one in staying:
        _say(f"{one.id} stays: it is {'open' if one.is_open else 'kept'}")
    if not yes:
        _show(going, as_json)
        _say(f"{_sessions(going)}, {_total(going)}, would be deleted. Add --yes to delete them")
        return 0
    deletion = delete(going)
    for one, why in deletion.left:
        _say(f"{one.id} stays: {why}")
    _show(deletion.deleted, as_json)
    _say(f"{_sessions(deletion.deleted)}, {_total(deletion.deleted)}, deleted")
    return 1 if deletion.left or staying else 0


def _show(files: Iterable[JournalFile], as_json: bool) -> None:
    print_lines(map(_as_json if as_json else _line, files))


def _line(one: JournalFile) -> str:
    when = f"{datetime.fromtimestamp(one.used):%Y-%m-%d %H:%M}"
    mark = "open" if one.is_open else "kept" if one.is_kept else ""
    recorded = one.recorded
    words = (one.id, recorded.agent, recorded.cwd, recorded.title[:_TITLE])
    return "  ".join([when, f"{formatting.size(one.size):>8}", f"{mark:4}", *map(printable, words)]).rstrip()


def _as_json(one: JournalFile) -> str:
    recorded = one.recorded
    return json.dumps(
        {
            "id": one.id,
            "session": recorded.session_id,
            "agent": recorded.agent,
            "cwd": recorded.cwd,
            "title": recorded.title,
            "started": recorded.started.isoformat() if recorded.started is not None else None,
            "used": datetime.fromtimestamp(one.used).astimezone().isoformat(timespec="seconds"),
            "size": one.size,
            "open": one.is_open,
            "kept": one.is_kept,
            "path": str(recorded.path),
        }
    )


def _sessions(files: Sequence[JournalFile]) -> str:
    return f"{len(files):,} recorded session{'' if len(files) == 1 else 's'}"


def _total(files: Iterable[JournalFile]) -> str:
    return formatting.size(sum(one.size for one in files))


def _say(text: str) -> None:
    print(f"acp-tui: {text}", file=sys.stderr)


def _failed(text: str) -> int:
    _say(text)
    return 1
