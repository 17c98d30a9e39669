"""Recorded sessions: one that was taken up again is told in several journals, and is still one session."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Final

from acp_tui.store.recorded import Recorded, Row, read, recent, sessions_in

_LOOKED_AT: Final = 200
"""Journals at most among which the parts of one session are looked for, the newest."""


def recent_sessions(folder: Path, limit: int) -> list[Recorded]:
    """Return the sessions of the latest journals in which something was said, newest first.

    Blocking: it takes a second where journals are very long. A journal may tell several sessions. Each
    stands for its newest journal, with the title that it had first.


    Args:
        folder: of the journals.
        limit: journals that are looked at, at most.
    """
    return [replace(parts[-1], title=_title(parts)) for parts in _sessions(folder, limit)]


def rows_of(recorded: Recorded) -> Iterator[Row]:
    """Return the rows of the journals that tell a session, from the one in which it was begun.

    Raises:
        OSError: the file cannot be opened.
    """
    newest = read(recorded.path)
    if not recorded.is_taken_up:
        return newest
    same = (recorded.path, recorded.session_id)
    sessions = _sessions(recorded.path.parent, _LOOKED_AT)
    whole = next((parts for parts in sessions if (parts[-1].path, parts[-1].session_id) == same), [])
    return chain(*(read(part.path) for part in whole[:-1]), newest)


def rows_about(folder: Path, agent: str, session_id: str) -> Iterator[Row]:
    """Return the rows of all journals that tell a session, also of those in which nothing was said.

    Blocking.

    Raises:
        OSError: a file cannot be opened.
    """
    parts: list[Recorded] = []
    for journal in recent(folder, _LOOKED_AT):
        if journal.agent != agent:
            continue
        found = next((one for one in sessions_in(journal) if one.session_id == session_id), None)
        if found is not None:
            parts.insert(0, found)
            if not found.is_taken_up:
                break
    return chain.from_iterable(read(part.path) for part in parts)


def _sessions(folder: Path, limit: int) -> list[list[Recorded]]:
    """Return the journals of each session, oldest first; the newest session first."""
    sessions: list[list[Recorded]] = []
    unfinished: dict[tuple[str, str], list[Recorded]] = {}
    for journal in recent(folder, limit):
        for session in sessions_in(journal):
            if session.is_silent:
                continue
            name = (session.agent, session.session_id)
            parts = unfinished.pop(name, None)
            if parts is None:
                sessions.append(parts := [])
            parts.insert(0, session)
            if session.is_taken_up:
                unfinished[name] = parts
    return sessions


def _title(parts: list[Recorded]) -> str:
    return next((part.title for part in parts if part.title), "")
