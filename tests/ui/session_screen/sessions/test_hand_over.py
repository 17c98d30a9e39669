"""The hand-over of a session to an agent."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from acp_tui.protocol.schema import AgentMessageChunk, TextContent
from acp_tui.session.events import Prompted, TurnEnded
from acp_tui.session.session import Session
from acp_tui.store.settings import Settings
from acp_tui.ui.screens.base.menu import Menu
from acp_tui.ui.session_screen.sessions.hand_over import MOST, handed_over
from tests.recordings import recording
from tests.ui.seats import seat
from tests.ui.test_changed_files import demo_in, run

AGENT = Path(__file__).parents[1] / "review" / "review_agent.py"
REVIEWER = shlex.join((sys.executable, "-S", "-E", str(AGENT)))


def talk(*turns: tuple[str, str]) -> Session:
    session = Session("s", "/w")
    for prompt, answer in turns:
        session.apply(Prompted([TextContent(text=prompt)]))
        session.apply(AgentMessageChunk(content=TextContent(text=answer)))
        session.apply(TurnEnded("end_turn"))
    return session


def test_what_both_sides_said_is_told() -> None:
    text = handed_over(talk(("What is 2 + 2?", "It is 4."), ("And 3 + 3?", "6.")))

    assert (
        "> What is 2 + 2?\n\n## Answer\n\n> It is 4.\n\n## Prompt\n\n> And 3 + 3?\n\n## Answer\n\n> 6.\n"
        in text
    )
    assert text.startswith("This is an earlier conversation")


def test_a_long_session_is_cut_at_the_start_of_a_line() -> None:
    line = f"a line{' of many words' * 99}\n"

    text = handed_over(talk(("first", line * (MOST // len(line) + 1)), ("last", "the end")))

    assert text.endswith("> last\n\n## Answer\n\n> the end\n")
    assert f"left out …]\n\n> {line}" in text
    assert "first" not in text
    assert len(text) < MOST + 200


@pytest.mark.slow
async def test_a_recorded_session_is_handed_over_where_the_agent_cannot_take_it_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))
    async with seat(tmp_path, Settings()) as here:
        await here.say("hello")
        await here.sees("heard hello")
    (journal,) = (tmp_path / "home" / "data" / "journals").iterdir()
    async with seat(tmp_path) as here:
        assert here.session.check_action("run", ("session.hand-over",)) is False
        await here.tabs.open(recorded=recording(journal))
        await here.sees("heard hello", "recorded, F12 resumes it")

        await here.say("go on")
        await here.sees("heard hello", "has no memory of the conversation", "› go on")
        await here.press("home", "alt+h")
        assert here.draft.startswith("[earlier conversation, 1 turn #")
        await here.press("enter")

        await here.sees("heard This is an earlier conversation", "> hello", "Continue from here")


@pytest.mark.slow
async def test_a_brief_for_another_agent_is_in_the_prompt_of_a_new_tab(tmp_path: Path) -> None:
    async with demo_in(tmp_path) as here:
        first = here.session
        await run(here, "echo four >> old.txt")
        await here.sees("M old.txt")
        first.conversation.rejections.add("rejected your change in a.py", "undid it")
        await here.say(f"/handoff {REVIEWER}")

        await here.until(lambda: here.session is not first and "Continue this work" in here.draft)
        assert "> /run echo four >> old.txt" in here.draft
        assert "- old.txt (changed)" in here.draft
        assert "I rejected:\n\n- rejected your change in a.py" in here.draft
        session = here.conversation.session
        assert session is None or not session.turns, "the user sends it"
        assert first in here.tabs.screens


@pytest.mark.slow
async def test_the_agent_to_hand_off_to_is_chosen_from_a_menu(tmp_path: Path) -> None:
    async with demo_in(tmp_path) as here:
        first = here.session
        await run(here, "echo four >> old.txt")
        await here.sees("M old.txt")
        await here.say("/handoff ")
        await here.is_before(Menu)
        await here.sees("Hand off to", "Demo agent  bundled")
        await here.press("D", "e", "m", "o", "enter")

        await here.until(lambda: here.session is not first and "Continue this work" in here.draft)
