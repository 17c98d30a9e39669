"""Search in the chat."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acp_tui.ui.entries.thought import ThoughtBlock
from acp_tui.ui.panes.chat import ChatPane
from acp_tui.ui.screens.review.tool_call import ToolCallScreen
from tests.ui.seats import seat

pytestmark = pytest.mark.slow


def words(kind: str, text: str) -> dict[str, object]:
    return {"kind": kind, "content": {"type": "text", "text": text}}


TURN: list[dict[str, object]] = [
    words("agent_thought_chunk", "the needle may be in the hay"),
    words("agent_message_chunk", "A needle here.\n\n" + "hay\n\n" * 60 + "Another **needle**."),
    {
        "kind": "tool_call",
        "toolCallId": "t:1",
        "title": "Read hay",
        "status": "completed",
        "content": [{"type": "content", "content": {"type": "text", "text": "a needle nobody sees"}}],
    },
]
UPDATES = json.dumps(TURN)


async def test_hits_are_counted_and_stepped_through_and_what_is_folded_is_opened_for_them(
    tmp_path: Path,
) -> None:
    async with seat(tmp_path, size=(120, 24)) as here:
        await here.say(f"updates {UPDATES}")
        await here.until(lambda: not here.conversation.is_busy)
        await here.write("a draft")
        chat = here.session.query_one(ChatPane)
        await here.sees("Another needle.", "Read hay")
        thought = next(block for block in chat.blocks if isinstance(block, ThoughtBlock))
        await here.press("ctrl+f", *"nobody sees")
        await here.sees("1/2", "Read hay")

        await here.press("ctrl+o")
        assert isinstance(here.app.screen, ToolCallScreen)
        await here.press("escape", *["backspace"] * 11, *"may be", "enter")
        await here.sees("2/2", "the needle may be in the hay")
        assert not thought.is_folded

        await here.press("enter")
        await here.until(lambda: thought.is_folded)
        assert "1/2" in here.text

        await here.press("escape")
        await here.until(lambda: not here.session.query("#find"))
        assert here.session.focused is here.session.prompt
        assert here.draft == "a draft"


async def test_a_search_without_hits_says_so(tmp_path: Path) -> None:
    async with seat(tmp_path, size=(80, 24)) as here:
        await here.say("hello")
        await here.sees("heard hello")

        await here.press("ctrl+f", "z", "q")
        await here.sees("nothing found")

        await here.press("enter", "backspace", "backspace")
        await here.until(lambda: "nothing found" not in here.text)
