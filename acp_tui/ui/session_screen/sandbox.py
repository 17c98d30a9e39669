"""The sandbox of a session's agent: what it has refused, and places that the user opens."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from acp_tui.formatting import from_home
from acp_tui.safe_text import exact_line
from acp_tui.session.entries import ToolCall
from acp_tui.session.events import Noted
from acp_tui.ui.screens.menu import MenuItem, choose
from acp_tui.ui.session_screen.conversation_screen import ConversationScreen

if TYPE_CHECKING:  # loaded for those who use it
    from acp_tui.sandbox.refusals import FenceRefusal
    from acp_tui.sandbox.sandbox import Sandbox

_KEPT: Final = 20
"""Refusals that the menu offers, the newest ones."""


class SessionSandbox:
    """Tells of what the sandbox of a session has refused, and opens it for the user."""

    def __init__(self, screen: ConversationScreen) -> None:
        self._screen = screen
        self._refused: dict[str, FenceRefusal] = {}
        """By the place that would have to be opened, the oldest first."""

    @property
    def _sandbox(self) -> Sandbox | None:
        running = self._screen.conversation.running
        return running.sandbox if running is not None else None

    def refused(self, call: ToolCall, text: str) -> Sequence[str]:
        """Return a line for each refusal that a tool call's result tells."""
        if (sandbox := self._sandbox) is None or not text:
            return ()
        from acp_tui.sandbox.refusals import refusals_in  # for those who use it

        lines: list[str] = []
        for refusal in refusals_in(text, sandbox.fence, self._screen.conversation.cwd):
            self._refused.pop(refusal.place, None)
            self._refused[refusal.place] = refusal
            lines.append(_line(refusal))
        while len(self._refused) > _KEPT:
            del self._refused[next(iter(self._refused))]
        return lines

    async def show(self) -> None:
        """Let the user open a place that was refused."""
        screen = self._screen
        if (sandbox := self._sandbox) is None:
            advice = "acp-tui --sandbox starts one in it; docs/sandbox.md says more."
            screen.notify(f"This agent runs without a sandbox. {advice}")
            return
        wanted = [
            each for each in reversed(self._refused.values()) if sandbox.fence.way(each.place) != each.way
        ]
        items = [MenuItem(each.place, f"Allow {_act(each)}", "until this session ends") for each in wanted]
        place = await choose(screen, f"This agent is {sandbox.words}", items, nothing="Nothing was refused.")
        refusal = next((each for each in wanted if each.place == place), None)
        if refusal is not None and await self._is_meant(refusal, sandbox):
            await self._open(refusal, sandbox)

    async def _is_meant(self, refusal: FenceRefusal, sandbox: Sandbox) -> bool:
        """Return whether to open a place; what is hidden for good reason is asked again, by no rule."""
        if refusal.way != "read":
            return True
        place = exact_line(from_home(refusal.place))
        items = [
            MenuItem("no", "Keep it hidden"),
            MenuItem("yes", f"Let the agent read all of {place}", _sent(sandbox)),
        ]
        return await choose(self._screen, f"{place} may hold secrets", items, "no") == "yes"

    async def _open(self, refusal: FenceRefusal, sandbox: Sandbox) -> None:
        from acp_tui.sandbox.sandbox import CannotOpen  # loaded by now

        place = await asyncio.to_thread(_existing, refusal.place)
        try:
            await asyncio.to_thread(sandbox.open, place, refusal.way)
        except CannotOpen as error:
            self._screen.notify(str(error), title="Sandbox", severity="warning")
            return
        later = "" if sandbox.opens_at_once else " What runs already does not see it: restart the agent."
        act = "be written" if refusal.way == "write" else "be read"
        text = f"The sandbox lets {from_home(place)} {act} until this session ends.{later}"
        self._screen.conversation.note(Noted(text))


def _existing(path: str) -> str:
    """Return a path, or the nearest folder above it that is there, with links followed."""
    place = Path(path)
    while not os.path.lexists(place):
        place = place.parent
    return os.path.realpath(place)


def _line(refusal: FenceRefusal) -> str:
    path = exact_line(from_home(refusal.path))
    return f"outside the fence: {path} (write)" if refusal.way == "write" else f"hidden by the fence: {path}"


def _act(refusal: FenceRefusal) -> str:
    place = exact_line(from_home(refusal.place))
    return f"writing {place}" if refusal.way == "write" else f"reading {place}"


def _sent(sandbox: Sandbox) -> str:
    return "it has a network, and can send what it reads" if sandbox.agent.network else ""
