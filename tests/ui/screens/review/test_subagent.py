"""The chat of a subagent over its session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acp_tui.protocol.validation import read_update
from acp_tui.ui.screens.base.menu import Menu
from acp_tui.ui.screens.questions.permission import PermissionDialog
from acp_tui.ui.screens.review.subagent import SubagentScreen
from tests.ui.seats import Seat, seat, told

pytestmark = pytest.mark.slow

ANNOUNCED: dict[str, Any] = {
    "kind": "subagent_update",
    "sessionId": "k1",
    "title": "Explorer",
    "capabilities": {"cancel": {}},
    "state": {"state": "running"},
}


def comes(here: Seat, session_id: str, name: str, **fields: Any) -> None:
    """Have an update come as if from the agent."""
    agent = here.conversation.agent
    assert agent is not None
    agent.note(session_id, read_update({"sessionUpdate": name, **fields}))


def says(here: Seat, session_id: str, text: str) -> None:
    comes(here, session_id, "agent_message_chunk", content={"type": "text", "text": text})


async def test_c134_c135_enter_opens_the_chat_of_a_subagent_which_goes_on_growing(tmp_path: Path) -> None:
    async with seat(tmp_path, updates=[ANNOUNCED]) as here:
        await here.sees("▸ Explorer", "running")
        says(here, "k1", "I look around")
        await here.press("f2", "shift+up", "enter")
        await here.is_before(SubagentScreen)
        await here.sees("I look around")

        says(here, "k1", " and find it")
        await here.sees("I look around and find it")
        comes(here, "k1", "subagent_update", sessionId="k2", title="Helper")
        await here.sees("▸ Helper")
        await here.press("shift+up", "enter")
        await here.until(lambda: here.app.screen.session.id == "k2")  # type: ignore[attr-defined]
        await here.press("escape", "escape")
        await here.until(lambda: here.app.screen is here.session)
        assert "I look around" not in here.text


async def test_c138_a_key_stops_a_subagent_where_that_is_offered(tmp_path: Path) -> None:
    async with seat(tmp_path, updates=[ANNOUNCED]) as here:
        await here.sees("▸ Explorer")
        await here.press("f2", "shift+up", "enter")
        await here.is_before(SubagentScreen)

        await here.press("X")
        assert told(here) == "It was asked to stop."
        comes(
            here, "s1", "subagent_update", sessionId="k1", state={"state": "idle", "stopReason": "cancelled"}
        )
        await here.sees("stopped")
        await here.press("X")
        assert len(here.notices) == 1


async def test_c136_a_question_says_which_subagent_asks(tmp_path: Path) -> None:
    async with seat(tmp_path, updates=[ANNOUNCED], session="s1", asks_as="k1") as here:
        await here.say("ask t1")
        await here.is_before(PermissionDialog)
        await here.sees("Explorer of Plain agent wants")

        await here.press("y")
        await here.sees("yes:1")


async def test_c146_a_tool_call_leads_to_the_subagent_that_it_links(tmp_path: Path) -> None:
    async with seat(tmp_path, updates=[ANNOUNCED]) as here:
        await here.sees("▸ Explorer")
        for name, session in (("c1", "k1"), ("c2", "nobody")):
            content = [{"type": "session", "sessionId": session}]
            comes(here, "s1", "tool_call", toolCallId=name, title=f"Delegate {name}", content=content)
        await here.sees("agent Explorer", "agent another agent")

        await here.press("f2", "shift+up", "shift+up", "enter")
        await here.is_before(SubagentScreen)


@pytest.mark.parametrize("way", ["escape", "menu"])
async def test_c155_what_the_agent_does_by_itself_is_stopped(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with seat(tmp_path) as here:
        stopped: list[str] = []
        await here.say("hello")
        await here.sees("heard hello")
        says(here, "s1", "One more thing")
        await here.sees("One more thing", "works on its own")
        monkeypatch.setattr(here.conversation.agent, "cancel", stopped.append)

        if way == "menu":
            await here.press("alt+j")
            await here.is_before(Menu)
            await here.sees("What the agent does on its own")
            await here.press("enter")
        else:
            await here.press("escape")

        await here.until(lambda: stopped == ["s1"])


async def test_c155_what_works_in_the_background_is_counted_listed_and_stopped(tmp_path: Path) -> None:
    async with seat(tmp_path, updates=[ANNOUNCED]) as here:
        await here.say("hello")
        await here.sees("heard hello")
        await here.sees("works in the background (1)")
        assert "ready" not in here.text
        fields = {"kind": "execute", "status": "in_progress", "title": "make all"}
        comes(here, "s1", "tool_call", toolCallId="c1", **fields)
        assert here.conversation.is_active
        await here.say("again")
        await here.sees("heard again", "in the background", "works in the background (2)")

        await here.press("alt+j")
        await here.is_before(Menu)
        await here.sees("Explorer", "make all", "run by the agent")
        await here.press("enter")
        comes(
            here, "s1", "subagent_update", sessionId="k1", state={"state": "idle", "stopReason": "cancelled"}
        )
        await here.sees("works in the background (1)")
        comes(here, "s1", "tool_call_update", toolCallId="c1", status="completed")
        await here.until(lambda: not here.conversation.background_work)
        await here.sees("ready")
