"""What is chosen for a session at its beginning."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acp_tui.agent.replay import replay
from acp_tui.session.entries import Entry, Notice
from acp_tui.session.events import Noted
from acp_tui.store.settings import Settings
from tests.conversation.talks import said, start, talk
from tests.journals import Line


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


async def test_whatever_stands_in_the_chat_stands_in_the_journal(tmp_path: Path) -> None:
    async with talk(start(tmp_path, Settings())) as (conversation, _):
        await conversation.begin()
        conversation.choosing.set_policy("ask-edits-and-commands")
        conversation.choosing.set_policy("allow-everything")
        conversation.note(Noted("It did not work.", "error", "why", is_act=True))
        assert conversation.session is not None
        assert conversation.journal is not None
        assert conversation.journal.path is not None
        live, path = conversation.session, conversation.journal.path

    rows = map(json.loads, path.read_text().splitlines())
    told = replay(Line(row["t"], row["dir"], row["msg"]) for row in rows if "t" in row).sessions[live.id]
    assert [one for one in map(_notice, told.entries) if one] == [
        ("From now on this session asks for edits and commands.", "info", ""),
        ("From now on this session allows everything.", "warning", ""),
        ("It did not work.", "error", "why"),
    ]
    assert list(map(_notice, told.entries)) == list(map(_notice, live.entries))


def _notice(entry: Entry) -> tuple[str, str, str] | None:
    return (entry.text, entry.severity, entry.detail) if isinstance(entry, Notice) else None


async def test_a_mode_that_the_agent_does_not_have_is_told(tmp_path: Path) -> None:
    async with talk(start(tmp_path, modes=["ask"]), mode="yolo") as (conversation, _):
        await conversation.begin()

        assert said(conversation) == ["This agent has no mode yolo."]
