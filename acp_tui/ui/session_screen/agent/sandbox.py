"""The sandbox of a session's agent: its refusals, and places that the user opens."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from acp_tui.conversation.start_options import Start, sandboxed_workspaces
from acp_tui.formatting import from_home, inside
from acp_tui.safe_text import exact_line
from acp_tui.sandbox import refusals
from acp_tui.sandbox import sandbox as sandboxes
from acp_tui.session.entries import ToolCall
from acp_tui.session.events import Noted
from acp_tui.store.agents import DEMO
from acp_tui.ui.entries import tool_call as call_entry
from acp_tui.ui.panes.chat import ChatPane
from acp_tui.ui.screens.base import menu
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.workspace.real_paths import followed

_ON: Final = "on"
_OFFERED: Final = "offered"
_ONCE, _ALWAYS, _STRICT, _FORGET = "once", "always", "strict", "forget"
_OFFER: Final = (
    ("accent", "\n/sandbox"),
    ("muted", "  runs this agent in a sandbox; without one, it can act unasked with all your rights\n"),
)
_KEPT: Final = 20
"""Number of refusals in the menu, the newest ones."""


class SessionSandbox:
    """Reports refusals of a session's sandbox, and opens places for the user."""

    def __init__(self, screen: ConversationScreen, start: Start) -> None:
        self._screen = screen
        self._start = start
        self._refused: dict[str, refusals.FenceRefusal] = {}
        """Refusals by the place to open, the oldest first."""
        self._at_calls: dict[str, Sequence[refusals.FenceRefusal]] = {}
        """Refusals by the id of the tool call that reports them."""
        self._told: set[str] = set()
        """The agent's own places that were already reported."""

    @property
    def is_on(self) -> bool:
        """True if the agent is in a sandbox."""
        return self._sandbox is not None

    @property
    def _sandbox(self) -> sandboxes.Sandbox | None:
        running = self._screen.conversation.running
        return running.sandbox if running is not None else None

    def refused(self, call: ToolCall, text: str) -> Sequence[str]:
        """Return a line for each refusal in a tool call's result."""
        if (sandbox := self._sandbox) is None or not text:
            return ()
        found = refusals.refusals_in(text, sandbox.fence, self._screen.conversation.cwd)
        self._keep_refusals(found)
        if found:
            self._at_calls[call.tool_call_id] = found
        elif (before := self._at_calls.get(call.tool_call_id)) is not None:
            found = [*before]  # opened since, but the call did meet it
        return [*map(_line, found)]

    def _keep_refusals(self, found: Sequence[refusals.FenceRefusal]) -> None:
        for refusal in found:
            self._refused.pop(refusal.place, None)
            self._refused[refusal.place] = refusal
        while len(self._refused) > _KEPT:
            del self._refused[next(iter(self._refused))]

    def refused_to_agent(self) -> list[str]:
        """Return the places below the home that the agent itself could not write, from its stderr."""
        return [from_home(refusal.place) for refusal in self._refused_to_agent()]

    def _refused_to_agent(self) -> list[refusals.FenceRefusal]:
        sandbox, agent = self._sandbox, self._screen.conversation.agent
        if sandbox is None or agent is None or not agent.stderr_tail:
            return []
        found: dict[str, refusals.FenceRefusal] = {}
        for refusal in refusals.refusals_in(agent.stderr_tail, sandbox.fence, self._start.cwd):
            place = refusals.own_place(refusal.path, sandbox.fence.home)
            if refusal.access == "write" and place and sandbox.fence.access(place) == "read":
                found.setdefault(place, refusals.FenceRefusal(refusal.path, place, "write"))
        return [*found.values()]

    def open_for_agent(self) -> None:
        """Open the places that the agent itself was refused, for its next start."""
        for refusal in self._refused_to_agent():
            place = _existing(refusal)
            if place == followed(refusal.place):  # else more than was shown would be open
                self._start.opened[place] = "write"

    def tell_of_agent(self) -> None:
        """Notify of places that an agent needs for itself, each once."""
        found = [each for each in self._refused_to_agent() if each.place not in self._told]
        if not found:
            return
        self._told.update(each.place for each in found)
        self._keep_refusals(found)
        places = exact_line(", ".join(from_home(each.place) for each in found))
        text = f"The sandbox keeps the agent from writing {places}, perhaps for itself. /sandbox allows it."
        self._screen.conversation.note(Noted(text, "warning"))

    async def look(self) -> None:
        """Notify of new files in the workspace that a program outside runs, each once."""
        sandbox, conversation = self._sandbox, self._screen.conversation
        if sandbox is None:
            return
        names = await asyncio.to_thread(_names_made, sandbox, conversation.cwd)
        if names and conversation.session is not None:
            text = f"New in the workspace: {names}. Something outside the sandbox runs it: look at it first."
            conversation.note(Noted(text, "warning"))

    async def allow_at_call(self) -> None:
        """Open the places that the sandbox has refused to the tool call under the cursor."""
        block, sandbox = self._screen.query_one(ChatPane).block_at_cursor(), self._sandbox
        call = block.entry if isinstance(block, call_entry.ToolCallBlock) else None
        found = self._at_calls.get(call.tool_call_id, ()) if call is not None else ()
        wanted = [
            each for each in found if sandbox is not None and sandbox.fence.access(each.place) != each.access
        ]
        if sandbox is None or not wanted:
            text = "It is allowed by now." if found else "The sandbox has refused nothing to this block."
            self._screen.notify(text, title="Sandbox")
        elif len(wanted) == 1:
            await self._allow(wanted[0], sandbox)
        else:
            items = [_item(each) for each in wanted]
            place = await menu.choose(self._screen, "The sandbox has refused to this call", items)
            for refusal in wanted:
                if refusal.place == place:
                    await self._allow(refusal, sandbox)

    async def _allow(self, refusal: refusals.FenceRefusal, sandbox: sandboxes.Sandbox) -> None:
        if await self._is_meant(refusal, sandbox):
            await self._open(refusal, sandbox)

    async def offer(self) -> None:
        """Offer a sandbox in the welcome, once in each workspace without a decision about it."""
        screen, start = self._screen, self._start
        launch, running = screen.conversation.launch, screen.conversation.running
        if launch is None or launch.name == DEMO or running is None or running.sandbox is not None:
            return
        agent = start.known.get(launch.name)
        if start.sandbox or start.settings.sandbox.use != "off" or (agent and agent.sandbox is not None):
            return
        if await asyncio.to_thread(_is_first_offer, start.cwd):
            screen.query_one(ChatPane).add_to_welcome(_OFFER)

    async def show(self) -> None:
        """Let the user open a refused place; without a sandbox, offer to start one."""
        screen = self._screen
        if (sandbox := self._sandbox) is None:
            await self._show_without()
            return
        refused = reversed(self._refused.values())
        wanted = [each for each in refused if sandbox.fence.access(each.place) != each.access]
        items = [*map(_item, wanted)]
        if sandboxed_workspaces().state(self._start.cwd) == _ON:
            items.append(menu.MenuItem(_FORGET, "Not always in this workspace", "from the next start on"))
        elif self._start.sandbox:
            items.append(menu.MenuItem(_ALWAYS, "Always in this workspace", "from the next start on"))
        place = await menu.choose(screen, f"This agent is {sandbox.words}", items, nothing="Nothing refused.")
        if place in (_ALWAYS, _FORGET):
            self._keep(_ON if place == _ALWAYS else _OFFERED)
        refusal = next((each for each in wanted if each.place == place), None)
        if refusal is not None:
            await self._allow(refusal, sandbox)

    async def _show_without(self) -> None:
        conversation = self._screen.conversation
        if conversation.launch is None or conversation.running is None:
            self._screen.notify("A sandbox needs an agent to be in it.")
            return
        items = [
            menu.MenuItem(_ONCE, "Restart the agent in a sandbox", "this time"),
            menu.MenuItem(_ALWAYS, "Restart it, always in this workspace", "until you say otherwise"),
            menu.MenuItem(_STRICT, "Restart it in a strict sandbox", "this time; your home is hidden, too"),
        ]
        chosen = await menu.choose(self._screen, "This agent has all of your rights", items)
        if chosen is None:
            return
        if chosen == _ALWAYS:
            self._keep(_ON)
        self._start.sandbox = "strict" if chosen == _STRICT else "on"
        await conversation.restart()

    def _keep(self, state: str) -> None:
        if (problem := sandboxed_workspaces().keep(self._start.cwd, state)) is not None:
            self._screen.notify(str(problem), severity="warning")

    async def _is_meant(self, refusal: refusals.FenceRefusal, sandbox: sandboxes.Sandbox) -> bool:
        """Return whether to open a place; ask the user if it is secret, or if more has to be opened."""
        place = exact_line(from_home(refusal.place))
        if refusal.access == "read":
            title = f"{place} may hold secrets"
            no = menu.MenuItem("no", "Keep it hidden")
            yes = menu.MenuItem("yes", f"Let the agent read all of {place}", _sent(sandbox))
        else:
            nearest = await asyncio.to_thread(_nearest, refusal)
            if nearest == refusal.place:
                return True
            title = f"Let the agent write all of {exact_line(from_home(nearest))}?"
            no = menu.MenuItem("no", "Keep it closed")
            yes = menu.MenuItem("yes", "Allow all of it", f"{place} needs that")
        return await menu.choose(self._screen, title, [no, yes], "no") == "yes"

    async def _open(self, refusal: refusals.FenceRefusal, sandbox: sandboxes.Sandbox) -> None:
        try:
            place = await asyncio.to_thread(_existing, refusal)
            is_seen = await asyncio.to_thread(sandbox.open, place, refusal.access)
        except (sandboxes.CannotOpen, OSError) as error:
            self._screen.notify(str(error), title="Sandbox", severity="warning")
            return
        self._start.opened[place] = "write" if refusal.access == "write" else "read"
        later = "" if is_seen else " Running programs do not see it: restart the agent."
        act = "be written" if refusal.access == "write" else "be read"
        name = exact_line(from_home(place))
        text = f"The sandbox lets {name} {act} until this session ends.{later}"
        kept = f"To keep it so, in your settings below [sandbox]: {refusal.access} = [{json.dumps(name)}]"
        self._screen.conversation.note(Noted(text, detail=kept))


def _is_first_offer(workspace: str) -> bool:
    """Return whether to offer a sandbox in a workspace; it is not offered there again."""
    known = sandboxed_workspaces()
    if known.state(workspace) or shutil.which("bwrap") is None:
        return False
    return known.keep(workspace, _OFFERED) is None


def _nearest(refusal: refusals.FenceRefusal) -> str:
    """Return the place to open: the path or the nearest folder above it, with links followed.

    If that would be the whole home, it is the missing folder of the program below it.
    """
    place, home = Path(refusal.place), Path(followed(Path.home()))
    while not os.path.lexists(place):
        place = place.parent
    own = refusals.own_place(refusal.place, str(home))
    if refusal.access == "write" and home.is_relative_to(place) and own and not _is_file_name(own):
        place = Path(own)
    return followed(place)


def _existing(refusal: refusals.FenceRefusal) -> str:
    """Return the place to open; create the folder of a program that is missing.

    Raises:
        OSError: it cannot be created.
    """
    place = Path(_nearest(refusal))
    if not place.exists():
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    return str(place)


def _names_made(sandbox: sandboxes.Sandbox, cwd: str) -> str:
    """Return the names of new files that a program outside runs, "" for none."""
    folder = followed(cwd)
    return exact_line(", ".join(inside(path, folder) for path in sandbox.new_unprotected_files()))


def _is_file_name(path: str) -> bool:
    return "." in Path(path).name.removeprefix(".")


def _item(refusal: refusals.FenceRefusal) -> menu.MenuItem:
    return menu.MenuItem(refusal.place, f"Allow {_act(refusal)}", "until this session ends")


def _line(refusal: refusals.FenceRefusal) -> str:
    path = exact_line(from_home(refusal.path))
    return (
        f"outside the sandbox: {path} (write)"
        if refusal.access == "write"
        else f"hidden by the sandbox: {path}"
    )


def _act(refusal: refusals.FenceRefusal) -> str:
    place = exact_line(from_home(refusal.place))
    return f"writing {place}" if refusal.access == "write" else f"reading {place}"


def _sent(sandbox: sandboxes.Sandbox) -> str:
    return "it has a network, and can send what it reads" if sandbox.agent.network else ""
