"""What is chosen for a session at its beginning."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conversation.talks import said, start, talk


@pytest.mark.parametrize(("asked", "became"), [("plan", "plan"), ("PLAN", "plan")])
async def test_the_mode_of_the_command_line_is_set_before_anything_is_said(
    tmp_path: Path, asked: str, became: str
) -> None:
    async with talk(start(tmp_path, modes=["ask", "plan"]), mode=asked) as (conversation, _):
        await conversation.begin()

        assert conversation.session is not None
        option = conversation.session.option("mode")
        assert option is not None
        assert option.config.current_value == became
        assert conversation.choosing.pending_value(option) == became


async def test_a_mode_that_the_agent_does_not_have_is_told(tmp_path: Path) -> None:
    async with talk(start(tmp_path, modes=["ask"]), mode="yolo") as (conversation, _):
        await conversation.begin()

        assert said(conversation) == ["This agent has no mode yolo."]
