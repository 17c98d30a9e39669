"""Amendments: texts that the user wrote in place of changes that an agent asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final, NamedTuple, Protocol

from acp_tui.agent.permissions.access import AgentAccess, NotGranted, OutsideSandbox
from acp_tui.changes import merge as merges
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
    """The copy on disk of the edited text until it is written; None for a merge, which can be made again."""
    before: str | None = None
    """The whole text of the file when it was edited; None if there was none."""


class _Waiting(NamedTuple):
    call: str
    """Id of the tool call in the question, or ""."""
    amendment: Amendment
    real: str
    """The real path of the file when the user answered."""
    is_written: bool = False
    """True once it was written; the agent may still overwrite it by itself."""


_OTHER: Final = "The file has changed meanwhile, and both changes do not fit together."
_ANSWERED_AGAIN: Final = "Your later answer to the same change counts."


class AmendmentDelegate(Protocol):
    """Hears of amended files, by session id."""

    def wrote(self, session_id: str, written: Written) -> None:
        """Called after a file was written."""

    def amended(self, session_id: str, path: str, how: str) -> None:
        """Called when a file has a text that the agent does not know.

        `how`: the user has `edited` or `merged` it, or it is `combined` of the edited and a newer text.
        """

    def not_amended(self, session_id: str, path: str, why: str, kept: str) -> None:
        """Called when the user's text could not be written; the file `kept` has it."""


class Amendments:
    """The amendments of one connection that still have to be written.

    If the agent writes through the client, the client writes the user's text instead. If the agent writes
    by itself, the client replaces its text afterwards, but only if that is the proposed one, alone or with
    other changes, which stay.
    """

    def __init__(self, access: AgentAccess, delegate: AmendmentDelegate) -> None:
        self._access = access
        self._delegate = delegate
        self._waiting: dict[str, list[_Waiting]] = {}
        self._placed: dict[str, list[_Waiting]] = {}
        """Those of ended tool calls until the end of the turn: some agents write once more after the call."""
        self._tasks: set[asyncio.Task[None]] = set()

    def add(self, session_id: str, call: str, amendments: Iterable[Amendment]) -> None:
        """Add amendments; each replaces an earlier one of the same proposed text.

        `call` is the tool call that was allowed, or "".
        """
        for one in amendments:
            self.withdraw(session_id, one.path, one.proposed)
            real = self._named(session_id, one.path)
            self._waiting.setdefault(session_id, []).append(_Waiting(call, one, real))

    def withdraw(self, session_id: str, path: str, proposed: str) -> None:
        """Drop the amendment of a proposed text, because a later answer is about the same text."""
        named = self._named(session_id, path)
        for waiting in list(self._waiting.get(session_id, ())):
            one, is_open = waiting.amendment, not waiting.is_written
            if is_open and one.proposed == proposed and self._named(session_id, one.path) == named:
                self._remove(session_id, one)
                self._leave(session_id, one, _ANSWERED_AGAIN)
        placed = self._placed.get(session_id, [])
        placed[:] = [
            each
            for each in placed
            if each.amendment.proposed != proposed or self._named(session_id, each.amendment.path) != named
        ]

    def decided(self, session_id: str, call: str, paths: Iterable[str]) -> None:
        """Forget what is placed in files about which another tool call was decided since."""
        placed = self._placed.get(session_id, [])
        if any(one.call != call for one in placed):
            names = {self._named(session_id, path) for path in paths}
            placed[:] = [
                one
                for one in placed
                if one.call == call or self._named(session_id, one.amendment.path) not in names
            ]

    def of(self, session: Session, target: Target, content: str) -> Amendment | None:
        """Return the amendment of a write, until `done` is called."""
        open_ones = [each for each in self._waiting.get(session.id, ()) if not each.is_written]
        for waiting in [*open_ones, *self._placed.get(session.id, [])]:
            one = waiting.amendment
            if one.proposed == content and self._is_at(session, one, target.path, target.real):
                return one
        return None

    def waits_for(self, session: Session, target: Target) -> bool:
        """Return whether a text of the user is not in a file yet."""
        return any(
            not waiting.is_written and self._is_at(session, waiting.amendment, target.path, target.real)
            for waiting in self._waiting.get(session.id, ())
        )

    def overwritten(self, session: Session, written: Written) -> None:
        """Drop the amendments of a file that the client has written since: a later decision counts."""
        for waiting in list(self._waiting.get(session.id, ())):
            one = waiting.amendment
            if waiting.is_written and self._is_at(session, one, written.path, written.real):
                self._remove(session.id, one)
                _drop(one)

    def done(self, session_id: str, amendment: Amendment) -> None:
        """Note that an amendment was written; until its call ends, the agent may still overwrite it."""
        waiting = self._waiting.get(session_id, [])
        for place, one in enumerate(waiting):
            if one.amendment is amendment:
                waiting[place] = one._replace(is_written=True)
                if one.is_written:
                    return
        if any(one.amendment is amendment for one in self._placed.get(session_id, ())):
            return
        self._tell(session_id, amendment)
        if not any(one.amendment is amendment for one in waiting):
            _drop(amendment)

    def look(self, session: Session, *, is_over: bool) -> None:
        """Write the amendments of ended tool calls; those of all calls if the turn is over."""
        waiting = self._waiting.get(session.id)
        if is_over:
            self._placed.pop(session.id, None)
        if not waiting:
            return
        calls = [entry for entry in session.entries if isinstance(entry, ToolCall)]
        ended = {call.tool_call_id for call in calls if call.is_final}
        for one in [one for one in waiting if is_over or one.call in ended]:
            self._remove(session.id, one.amendment)
            if one.amendment.kept is None and not one.is_written:
                continue  # a merge is for a write through the client, which has failed
            if not is_over:
                self._placed.setdefault(session.id, []).append(one)
            task = asyncio.create_task(self._put(session, one))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def end(self) -> None:
        """Drop the amendments that were not written, and tell the user where their texts are."""
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
        """Replace the agent's text in the file with the user's."""
        one = waiting.amendment
        try:
            files = self._access.files(session.id)
            path = self._access.outside(absolute(one.path, session.cwd))
            self._access.check_inside(waiting.real, writes=True)
            written, how = await asyncio.to_thread(_replaced, files, path, waiting), "edited"
            if written is None and not waiting.is_written:
                written, how = await _combined(files, path, waiting), "combined"
            problem = "" if written is not None or waiting.is_written else _OTHER
        except (FileError, NotGranted, OutsideSandbox) as error:
            written, how, problem = None, "edited", str(error)
        if problem and not await self._is_there(session, one):
            self._leave(session.id, one, problem)
            return
        if written is not None:
            self._delegate.wrote(session.id, written)
        if not waiting.is_written:
            self._delegate.amended(session.id, one.path, how)
        _drop(one)

    async def _is_there(self, session: Session, one: Amendment) -> bool:
        """Return whether a file has the user's text: a write of the agent was replaced by it meanwhile."""
        try:
            files, path = (
                self._access.files(session.id),
                self._access.outside(absolute(one.path, session.cwd)),
            )
            there, _ = await asyncio.to_thread(files.compare, path, one.edited)
        except (FileError, NotGranted, OutsideSandbox):
            return False
        return there.now == one.edited and there.encoding == UTF_8

    def _tell(self, session_id: str, one: Amendment) -> None:
        self._delegate.amended(session_id, one.path, "merged" if one.kept is None else "edited")

    def _leave(self, session_id: str, one: Amendment, why: str) -> None:
        if one.kept is not None:
            self._delegate.not_amended(session_id, one.path, why, str(one.kept.leave()))

    def _is_at(self, session: Session, one: Amendment, path: str, real: str) -> bool:
        """Return whether an amendment is for a file, by the requested path or by its real path."""
        named = absolute(one.path, session.cwd)
        if named in (path, real):
            return True
        try:
            return self._access.files(session.id).target(named).real == real
        except (FileError, NotGranted):
            return False

    def _named(self, session_id: str, path: str) -> str:
        """Return the real path of a file, or the path as it is if links cannot be followed."""
        try:
            files = self._access.files(session_id)
            return files.target(self._access.outside(absolute(path, files.roots[0]))).real
        except (FileError, NotGranted):
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
    """Write the user's text if the file holds exactly the proposed one, else return None. Blocking.

    Raises:
        FileError
    """
    one, target = waiting.amendment, files.target(path)
    if target.real != waiting.real:  # it became a link, perhaps to a protected file
        return None
    there, _ = files.compare(target, one.edited)
    if there.now != one.proposed or there.encoding != UTF_8:
        return None
    return files.write_text(target, one.edited, there, believed=one.proposed)


async def _combined(files: Files, path: str, waiting: _Waiting) -> Written | None:
    """Put what the user has edited into a text that has the agent's change and others; None if they meet.

    Raises:
        FileError
    """
    one = waiting.amendment
    target = await asyncio.to_thread(files.target, path)
    there, _ = await asyncio.to_thread(files.compare, target, one.edited)
    if target.real != waiting.real or one.before is None or there.now is None or there.encoding != UTF_8:
        return None
    taken = await merges.merge_texts(one.before, there.now, one.proposed)
    if taken is None or taken.conflicts or taken.text != there.now:
        return None  # it has not the agent's change
    both = await merges.merge_texts(one.proposed, there.now, one.edited)
    if both is None or both.conflicts:
        return None
    return await asyncio.to_thread(files.write_text, target, both.text, there, believed=there.now)
