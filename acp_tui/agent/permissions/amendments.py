"""Amendments: what the user wrote in place of changes that an agent asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final, NamedTuple, Protocol

from acp_tui.agent.host import Host, NotLent, OutsideSandbox
from acp_tui.session.entries import ToolCall, absolute
from acp_tui.session.session import Session
from acp_tui.store.edited_texts import EditedText
from acp_tui.workspace.encodings import UTF_8
from acp_tui.workspace.files import FileError, Files, Target, Written


class Amendment(NamedTuple):
    """A file as the user wants it, in place of what the agent proposed."""

    path: str
    """As the agent names it."""
    proposed: str
    """The whole text that the file would get from the agent."""
    edited: str
    kept: EditedText | None = None
    """Holds the edited text on disk until it is written; None for a merge, which is made again."""


class _Waiting(NamedTuple):
    call: str
    """Id of the tool call that was asked about, or ""."""
    amendment: Amendment
    real: str
    """The file that its path led to when the user answered."""
    is_written: bool = False
    """True once it was written in place of the agent's text, which the agent may yet write by itself, too."""


_OTHER: Final = "The file does not hold what was proposed."
_ANSWERED_AGAIN: Final = "Your later answer to the same change counts."


class AmendmentDelegate(Protocol):
    """The object that hears of amended files, by session id."""

    def wrote(self, session_id: str, written: Written) -> None:
        """A file was written."""

    def amended(self, session_id: str, path: str, how: str) -> None:
        """Hear that a file has the text that the user `edited` or `merged`, which the agent does not know."""

    def not_amended(self, session_id: str, path: str, why: str, kept: str) -> None:
        """Hear that the user's text could not be put into a file; it is in another one, `kept`."""


class Amendments:
    """The amendments of one connection that are not in their files yet.

    An agent that writes through the client gets the user's text written instead of its own. One that writes
    by itself is let, and its text is replaced afterwards: only if it is what was proposed.
    """

    def __init__(self, host: Host, delegate: AmendmentDelegate) -> None:
        self._host = host
        self._delegate = delegate
        self._waiting: dict[str, list[_Waiting]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def add(self, session_id: str, call: str, amendments: Iterable[Amendment]) -> None:
        """Expect the agent's writes of these, in place of earlier ones of the same texts.

        `call` is the tool call that was allowed, or "".
        """
        for one in amendments:
            self.withdraw(session_id, one.path, one.proposed)
            real = self._named(session_id, one.path)
            self._waiting.setdefault(session_id, []).append(_Waiting(call, one, real))

    def withdraw(self, session_id: str, path: str, proposed: str) -> None:
        """Leave to the user what was to be written in place of a text: a later answer is about that text."""
        named = self._named(session_id, path)
        for waiting in list(self._waiting.get(session_id, ())):
            one, is_open = waiting.amendment, not waiting.is_written
            if is_open and one.proposed == proposed and self._named(session_id, one.path) == named:
                self._remove(session_id, one)
                self._leave(session_id, one, _ANSWERED_AGAIN)

    def of(self, session: Session, target: Target, content: str) -> Amendment | None:
        """Return what is to be written instead of a content, until `done`."""
        for waiting in self._waiting.get(session.id, ()):
            one = waiting.amendment
            is_it = one.proposed == content and not waiting.is_written
            if is_it and self._is_at(session, one, target.path, target.real):
                return one
        return None

    def overwritten(self, session: Session, written: Written) -> None:
        """Forget amendments of a file that the client has written anew: by a later decision of the user."""
        for waiting in list(self._waiting.get(session.id, ())):
            one = waiting.amendment
            if waiting.is_written and self._is_at(session, one, written.path, written.real):
                self._remove(session.id, one)
                _drop(one)

    def done(self, session_id: str, amendment: Amendment) -> None:
        """Note that an amendment is in its file; until its call is over, the agent may write over it."""
        waiting = self._waiting.get(session_id, [])
        for place, one in enumerate(waiting):
            if one.amendment is amendment:
                waiting[place] = one._replace(is_written=True)
                if one.is_written:
                    return
        self._tell(session_id, amendment)
        if not any(one.amendment is amendment for one in waiting):
            _drop(amendment)

    def look(self, session: Session, *, is_over: bool) -> None:
        """Put the amendments of ended tool calls into their files; of all calls if the turn is over."""
        waiting = self._waiting.get(session.id)
        if not waiting:
            return
        calls = [entry for entry in session.entries if isinstance(entry, ToolCall)]
        ended = {call.tool_call_id for call in calls if call.is_final}
        for one in [one for one in waiting if is_over or one.call in ended]:
            self._remove(session.id, one.amendment)
            if one.amendment.kept is None and not one.is_written:
                continue  # a merge is for a write through the client, which has failed
            task = asyncio.create_task(self._put(session, one))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def end(self) -> None:
        """Leave to the user what is not in its file yet."""
        if self._tasks:
            await asyncio.wait(self._tasks)
        for waiting in self._waiting.values():
            for one in waiting:
                if one.is_written:
                    _drop(one.amendment)
                elif one.amendment.kept is not None:
                    one.amendment.kept.leave()
        self._waiting.clear()

    async def _put(self, session: Session, waiting: _Waiting) -> None:
        """Replace what the agent has written by the user's text."""
        one = waiting.amendment
        try:
            files = self._host.files(session.id)
            path = self._host.outside(absolute(one.path, session.cwd))
            self._host.check_inside(waiting.real, writes=True)
            written = await asyncio.to_thread(_replaced, files, path, waiting)
            problem = "" if written is not None or waiting.is_written else _OTHER
        except (FileError, NotLent, OutsideSandbox) as error:
            written, problem = None, str(error)
        if problem:
            self._leave(session.id, one, problem)
            return
        if written is not None:
            self._delegate.wrote(session.id, written)
        if not waiting.is_written:
            self._tell(session.id, one)
        _drop(one)

    def _tell(self, session_id: str, one: Amendment) -> None:
        self._delegate.amended(session_id, one.path, "merged" if one.kept is None else "edited")

    def _leave(self, session_id: str, one: Amendment, why: str) -> None:
        if one.kept is not None:
            self._delegate.not_amended(session_id, one.path, why, str(one.kept.leave()))

    def _is_at(self, session: Session, one: Amendment, path: str, real: str) -> bool:
        """Return whether an amendment is for a file: as it was requested, and with its links followed."""
        named = absolute(one.path, session.cwd)
        if named in (path, real):
            return True
        try:
            return self._host.files(session.id).target(named).real == real
        except (FileError, NotLent):
            return False

    def _named(self, session_id: str, path: str) -> str:
        """Return the file that a path names, with its links followed where it can be."""
        try:
            files = self._host.files(session_id)
            return files.target(self._host.outside(absolute(path, files.roots[0]))).real
        except (FileError, NotLent):
            return path

    def _remove(self, session_id: str, amendment: Amendment) -> None:
        left = [one for one in self._waiting.get(session_id, ()) if one.amendment is not amendment]
        if left:
            self._waiting[session_id] = left
        else:
            self._waiting.pop(session_id, None)


def _drop(one: Amendment) -> None:
    if one.kept is not None:
        one.kept.drop()


def _replaced(files: Files, path: str, waiting: _Waiting) -> Written | None:
    """Write the user's text over exactly what was proposed; None if something else is there. Blocking.

    Raises:
        FileError
    """
    one, target = waiting.amendment, files.target(path)
    if target.real != waiting.real:  # a link was put there, perhaps to a protected file
        return None
    there, _ = files.compare(target, one.edited)
    if there.now != one.proposed or there.encoding != UTF_8:
        return None
    return files.write_text(target, one.edited, there, believed=one.proposed)
