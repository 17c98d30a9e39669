"""What was allowed through permissions, so that what follows from them is not asked about again."""

from __future__ import annotations

import os
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field

from acp_tui.acp.permissions import PermissionOption
from acp_tui.agent.verdicts import input_paths
from acp_tui.agent.wish import Wish, names_command
from acp_tui.session.entries import ToolCall
from acp_tui.session.items import absolute
from acp_tui.session.questions import Permission
from acp_tui.session.session import Session


@dataclass(slots=True)
class _Allowance:
    """One permission that was given."""

    call: ToolCall
    """As it goes on."""
    shown: ToolCall
    """As the person knew it: what the agent says of it afterwards was not allowed."""
    paths: frozenset[str]
    always: bool


@dataclass(slots=True)
class _Given:
    """What was given in one session."""

    this_turn: list[_Allowance] = field(default_factory=list)
    always: set[str] = field(default_factory=set)
    """Kinds of which something was allowed for good: how far that goes is remembered by the agent."""


class Allowed:
    """The permissions given in the sessions of one connection, and what of them is used up."""

    def __init__(self) -> None:
        self._given: dict[str, _Given] = {}

    def add(self, session: Session, asked: Permission, option: PermissionOption) -> None:
        """A permission was answered with an option; only those that allow something count."""
        if not option.kind.startswith("allow"):
            return
        call = asked.call
        given = self._given.setdefault(session.id, _Given())
        always = option.kind == "allow_always"
        if always and call.kind in ("execute", "edit"):
            given.always.add(call.kind)
        given.this_turn.append(_Allowance(call, copy(call), frozenset(_paths(call, session.cwd)), always))

    def end_turn(self, session_id: str) -> None:
        """What was allowed once was allowed for its turn."""
        if session_id in self._given:
            self._given[session_id].this_turn.clear()

    def forget(self, session_id: str) -> None:
        """The session is closed."""
        self._given.pop(session_id, None)

    def names(self, session: Session, wish: Wish) -> bool:
        """Return whether this very file or command was allowed; one run of a command uses that up."""
        given = self._given.get(session.id)
        found = next((one for one in given.this_turn if _names(one, wish)), None) if given else None
        if given is None or found is None:
            return False
        if found.always:
            given.always.add(wish.kind)
        elif wish.kind == "execute":
            given.this_turn.remove(found)
        return True

    def may_mean(self, session: Session, wish: Wish) -> bool:
        """Return whether it may be what was allowed: for good, or in a call that names no file or command."""
        given = self._given.get(session.id)
        if given is None:
            return False
        return wish.kind in given.always or any(_says_nothing(one, wish.kind) for one in given.this_turn)


def _names(one: _Allowance, wish: Wish) -> bool:
    if wish.kind != "execute":
        return bool(one.paths & {wish.path, _real(wish.path)})
    return names_command(one.shown, wish)


def _says_nothing(one: _Allowance, kind: str) -> bool:
    if one.shown.kind != kind or one.call.is_final:
        return False
    return one.shown.command is None if kind == "execute" else not one.paths


def _paths(call: ToolCall, cwd: str) -> Iterator[str]:
    for path in (*(absolute(path, cwd) for path in call.named_paths), *input_paths(call, cwd)):
        yield path
        yield _real(path)


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except ValueError:  # no path of this machine
        return path
