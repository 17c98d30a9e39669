"""Recordings of real agents, all the way to the screen: nothing of them is lost, and nothing is obeyed."""

from __future__ import annotations

import unicodedata
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from textual.pilot import Pilot

from acp_tui.agent.replay import replay
from acp_tui.session.entries import AgentMessage, ToolCall
from acp_tui.session.events import Field, SessionChange
from acp_tui.session.session import Session
from acp_tui.ui.application.app import AcpApp
from acp_tui.ui.entries.entry import EntryBlock
from acp_tui.ui.panes.chat import ChatPane
from acp_tui.ui.panes.tool_calls import CallLine, ToolCallsPane
from acp_tui.ui.screens.start import StartScreen
from acp_tui.ui.session_screen.screen import SessionScreen
from acp_tui.ui.widgets.styles import Styles
from tests import recordings
from tests.conversation.talks import start
from tests.ui.screens.stage import screen_text, until
from tests.ui.seats import tabs_of

pytestmark = pytest.mark.slow

WIDTH = 80
EVERYTHING: tuple[Field, ...] = get_args(Field)


@asynccontextmanager
async def showing(name: str, folder: Path) -> AsyncIterator[tuple[SessionScreen, Pilot[int]]]:
    """The interface with a tab that shows a recording."""
    given = start(folder)
    app = AcpApp(replace(given, launch=None))
    try:
        async with app.run_test(size=(120, 40)) as pilot:
            await until(pilot, lambda: isinstance(app.screen, StartScreen))
            await tabs_of(app).open(recorded=recordings.recording(recordings.FOLDER / f"{name}.ndjson"))
            await until(pilot, lambda: tabs_of(app).current.conversation.phase == "recorded")
            yield tabs_of(app).current, pilot
    finally:
        given.guard.close()


def told(blocks: list[EntryBlock]) -> list[EntryBlock]:
    """Return what the agent has told; a fork may begin with what was recorded here."""
    ends = [n for n, block in enumerate(blocks) if "was recorded here" in getattr(block.entry, "text", "")]
    return blocks[ends[0] :] if ends else blocks


NOT_SAID = ("[MODE_UPDATE] ", "[Function Call: ")
"""Beginnings of messages that gemini sends and nobody said."""


def said(name: str, session: Session) -> str:
    """Return what the agent said in a session by the rows alone, without blanks; a load begins anew."""
    text = ""
    for row in recordings.rows(name):
        params = row.msg.get("params") if isinstance(row.msg, dict) else None
        if not isinstance(params, dict) or params.get("sessionId") != session.id:
            continue
        if row.direction == "out" and row.msg["method"] == "session/load":
            text = ""
        update = params.get("update", {})
        if row.direction == "in" and update.get("sessionUpdate") == "agent_message_chunk":
            chunk = update["content"].get("text", "")
            text += "" if chunk.startswith(NOT_SAID) else chunk
    return squeezed(text)


def squeezed(text: str) -> str:
    return "".join(text.split())


def blocks_of(screen: SessionScreen, session: Session) -> list[EntryBlock]:
    """Return what the chat shows of a session."""
    entries = {id(entry) for entry in session.entries}
    blocks = screen.query_one(ChatPane).blocks
    return [block for block in blocks if isinstance(block, EntryBlock) and id(block.entry) in entries]


def drawn(block: EntryBlock) -> str:
    """Return an entry as text; its block is left alone, which the screen draws in another width."""
    own = type(block)(block.entry, block.context)
    return "\n".join("".join(segment.text for segment in row) for row in own.rows(WIDTH, Styles()))


async def is_drawn(screen: SessionScreen, session: Session, pilot: Pilot[int]) -> None:
    await until(pilot, lambda: len(blocks_of(screen, session)) == len(session.entries))


async def test_c30_every_recording_is_shown_whole_and_none_of_it_is_obeyed(tmp_path: Path) -> None:
    async with showing("gemini-basic", tmp_path) as (screen, pilot):
        for name in recordings.NAMES:
            for session in replay(recordings.rows(name)).sessions.values():
                screen.conversation.session = session
                screen.view.session_changed(SessionChange(tuple(range(len(session.entries))), EVERYTHING))
                await is_drawn(screen, session, pilot)
                blocks = blocks_of(screen, session)
                assert [block.entry for block in blocks] == session.entries
                words = [block.source() for block in told(blocks) if isinstance(block.entry, AgentMessage)]
                assert squeezed("".join(words)) == said(name, session), name
                calls = [entry for entry in session.entries if isinstance(entry, ToolCall)]
                lines = screen.query_one(ToolCallsPane).blocks
                assert [line.call for line in lines if isinstance(line, CallLine)] == [
                    call for call in calls if not call.is_empty
                ]
                rows = "".join(drawn(block) for block in blocks)
                assert {c for c in rows if unicodedata.category(c) in ("Cc", "Cs")} <= {"\n"}, name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "gemini-basic",
            ["β wide 漢字 │    22", "› markdown", "A new.txt", "recorded, F12"],
        ),
        ("claude-full", ["− beta", "+ BETA", "Yes (you)", "▌ tick 3", "Stub: no tool for 'plan'."]),
        ("codex-cancel", ["· Cancelled.", "⊘ run", "▌ tick 3", "after the cancels", "none yet"]),
        ("kimi-reject", ["Reject (you)", "cancelled (you)", "⊘ tool   StrReplaceFile", "› say still alive"]),
        ("opencode-basic", ["✓ tool   2 todos", "plan done", "• nested", "End 🎉."]),
    ],
)
async def test_the_end_of_a_recording_is_on_the_screen(name: str, words: list[str], tmp_path: Path) -> None:
    async with showing(name, tmp_path) as (_, pilot):
        await until(pilot, lambda: all(word in screen_text(pilot.app) for word in words))
