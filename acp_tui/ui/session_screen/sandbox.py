"""The sandbox of a session's agent: what it has refused, and places that the user opens."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from acp_tui.conversation.agent_start import sandboxed_workspaces
from acp_tui.conversation.start import Start
from acp_tui.formatting import from_home
from acp_tui.safe_text import exact_line
from acp_tui.session.entries import ToolCall
from acp_tui.session.events import Noted
from acp_tui.ui.panes.chat import ChatPane
from acp_tui.ui.screens.menu import MenuItem, choose
from acp_tui.ui.session_screen.conversation_screen import ConversationScreen

if TYPE_CHECKING:  # loaded for those who use it
    from acp_tui.sandbox.refusals import FenceRefusal
    from acp_tui.sandbox.sandbox import Sandbox

_ON: Final = "on"
_OFFERED: Final = "offered"
_ONCE, _ALWAYS, _FORGET = "once", "always", "forget"
_DEMO: Final = "demo"
_OFFER: Final = (
    ("accent", "\n/sandbox"),
    ("muted", "  puts this agent into a fence: it can act without asking, with all of your rights\n"),
)
_KEPT: Final = 20
"""Refusals that the menu offers, the newest ones."""


class SessionSandbox:
    """Tells of what the sandbox of a session has refused, and opens it for the user."""

    def __init__(self, screen: ConversationScreen, start: Start) -> None:
        self._screen = screen
        self._start = start
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

    async def offer(self) -> None:
        """Offer a sandbox in the welcome, once in a workspace where nobody has decided about it."""
        screen, start = self._screen, self._start
        launch, running = screen.conversation.launch, screen.conversation.running
        if launch is None or launch.name == _DEMO or running is None or running.sandbox is not None:
            return
        agent = start.known.get(launch.name)
        if start.sandbox or start.settings.sandbox.use == "on" or (agent and agent.sandbox is not None):
            return
        if await asyncio.to_thread(_is_first_offer, start.cwd):
            screen.query_one(ChatPane).add_to_welcome(_OFFER)

    async def show(self) -> None:
        """Let the user open a place that was refused; without a sandbox, start one."""
        screen = self._screen
        if (sandbox := self._sandbox) is None:
            await self._show_without()
            return
        refused = reversed(self._refused.values())
        wanted = [each for each in refused if sandbox.fence.way(each.place) != each.way]
        items = [MenuItem(each.place, f"Allow {_act(each)}", "until this session ends") for each in wanted]
        if sandboxed_workspaces().state(self._start.cwd) == _ON:
            items.append(MenuItem(_FORGET, "Not always in this workspace", "from the next start on"))
        elif self._start.sandbox:
            items.append(MenuItem(_ALWAYS, "Always in this workspace", "from the next start on"))
        place = await choose(screen, f"This agent is {sandbox.words}", items, nothing="Nothing refused.")
        if place in (_ALWAYS, _FORGET):
            self._keep(_ON if place == _ALWAYS else _OFFERED)
        refusal = next((each for each in wanted if each.place == place), None)
        if refusal is not None and await self._is_meant(refusal, sandbox):
            await self._open(refusal, sandbox)

    async def _show_without(self) -> None:
        conversation = self._screen.conversation
        if conversation.launch is None or conversation.running is None:
            self._screen.notify("A sandbox needs an agent to be in it.")
            return
        items = [
            MenuItem(_ONCE, "Restart the agent in a sandbox", "this time"),
            MenuItem(_ALWAYS, "Restart it so, and always in this workspace", "until you say otherwise"),
        ]
        chosen = await choose(self._screen, "This agent has all of your rights", items)
        if chosen is None:
            return
        if chosen == _ALWAYS:
            self._keep(_ON)
        self._start.sandbox = _ON
        await conversation.restart()

    def _keep(self, state: str) -> None:
        if (problem := sandboxed_workspaces().keep(self._start.cwd, state)) is not None:
            self._screen.notify(str(problem), severity="warning")

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
        later = "" if sandbox.opens_at_once else " Running programs do not see it: restart the agent."
        act = "be written" if refusal.way == "write" else "be read"
        text = f"The sandbox lets {from_home(place)} {act} until this session ends.{later}"
        self._screen.conversation.note(Noted(text))


def _is_first_offer(workspace: str) -> bool:
    """Return whether to offer a sandbox in a workspace; it is not offered there again."""
    known = sandboxed_workspaces()
    if known.state(workspace) or shutil.which("bwrap") is None:
        return False
    return known.keep(workspace, _OFFERED) is None


def _existing(path: str) -> str:
    """Return a path, or the nearest folder above it that is there, with links followed."""
    place = Path(path)
    while not os.path.lexists(place):
        place = place.parent
    return os.path.realpath(place)


def _line(refusal: FenceRefusal) -> str:
    path = exact_line(from_home(refusal.path))
    return (
        f"outside the sandbox: {path} (write)" if refusal.way == "write" else f"hidden by the sandbox: {path}"
    )


def _act(refusal: FenceRefusal) -> str:
    place = exact_line(from_home(refusal.place))
    return f"writing {place}" if refusal.way == "write" else f"reading {place}"


def _sent(sandbox: Sandbox) -> str:
    return "it has a network, and can send what it reads" if sandbox.agent.network else ""
