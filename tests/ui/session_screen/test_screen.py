"""The session screen: Ctrl+C on it, and its end."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.dom import DOMNode

from acp_tui.session.events import SessionChange
from acp_tui.ui.application.app import AcpApp
from acp_tui.ui.panes.status_line import StatusLine
from acp_tui.ui.screens.base.menu import Menu
from acp_tui.ui.screens.help import HelpScreen
from acp_tui.ui.session_screen.review.go_back import GoBackDialog
from acp_tui.ui.session_screen.screen import SessionScreen
from tests.ui.seats import seat, told

pytestmark = pytest.mark.slow


async def test_ctrl_c_empties_the_prompt_then_stops_the_turn_then_quits(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.say("wait")
        await here.until(lambda: here.conversation.is_busy)
        await here.write("a draft")

        await here.press("ctrl+c")
        assert here.draft == ""
        assert here.conversation.is_busy
        await here.press("ctrl+z")
        assert here.draft == "a draft"

        await here.press("ctrl+c", "ctrl+c")
        await here.until(lambda: not here.conversation.is_busy)
        await here.press("ctrl+c")
        assert "Ctrl+C again quits." in told(here)
        assert here.conversation.phase == "ready"
        await here.press("x", "ctrl+c", "ctrl+c")
        assert here.conversation.phase == "ready"

        await here.press("ctrl+c")
        await here.until(lambda: not here.app.is_running)


async def test_ctrl_c_says_what_it_did_once_however_often_it_does_it(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        for _ in range(3):
            await here.write("a draft")
            await here.press("ctrl+c")

        assert [one.message for one in here.notices].count(told(here)) == 1


async def test_a_key_in_the_prompt_asks_no_command_whether_it_can_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def can_run(screen: SessionScreen, name: str) -> bool:
        asked.append(name)
        return True

    async with seat(tmp_path) as here:
        monkeypatch.setattr(SessionScreen, "can_run", can_run)
        await here.press("a")

        assert here.draft == "a"
        assert asked == []


async def test_ctrl_d_leaves_from_an_empty_prompt_and_not_when_it_is_held_down_to_delete(
    tmp_path: Path,
) -> None:
    async with seat(tmp_path) as here:
        await here.write("ab")
        await here.press("home", "ctrl+d", "ctrl+d", "ctrl+d")
        assert here.draft == ""
        assert here.conversation.phase == "ready"

        await here.press("x", "backspace", "ctrl+d")
        await here.until(lambda: not here.app.is_running)


@pytest.mark.parametrize("words", ["/exit", "/quit", "exit", "quit", ":q"])
async def test_words_that_end_other_programs_end_this_one(tmp_path: Path, words: str) -> None:
    async with seat(tmp_path) as here:
        await here.say(words)

        await here.until(lambda: not here.app.is_running)


async def test_a_question_mark_in_an_empty_prompt_opens_the_help(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.press("?")

        await here.is_before(HelpScreen)


async def test_escape_twice_goes_back_to_an_earlier_prompt(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.press("escape", "escape")
        assert here.app.screen is here.session

        for words in ("first words", "second words"):
            await here.say(words)
            await here.sees(f"heard {words}")
            await here.until(lambda: not here.conversation.is_busy)
        await here.press("escape")
        assert "Esc again goes back to an earlier prompt." in told(here)
        await here.press("escape")
        await here.is_before(Menu)
        await here.sees("second words", "first words")
        await here.press("2")
        await here.is_before(GoBackDialog)
        await here.sees("Go back to “first words”", "Only the text of the prompt")
        await here.press("p")

        await here.until(lambda: here.draft == "first words")
        assert here.session.focused is here.session.prompt


async def test_ctrl_c_copies_what_is_selected_in_the_prompt_and_leaves_it(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.write("a draft")
        here.session.prompt.select_all()

        await here.press("ctrl+c")

        await here.until(lambda: here.app.clipboard == "a draft")
        assert here.draft == "a draft"


async def test_ctrl_c_in_a_pane_leaves_the_draft_and_stops_the_turn(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.say("wait")
        await here.until(lambda: here.conversation.is_busy)
        await here.write("a draft")
        await here.press("f3", "ctrl+c")

        await here.until(lambda: not here.conversation.is_busy)
        assert here.draft == "a draft"


async def test_a_change_that_comes_when_the_parts_of_a_screen_are_gone_is_not_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))
    async with seat(tmp_path) as here:
        screen, session = here.app.screen, here.conversation.session
        assert isinstance(screen, SessionScreen)
        assert session is not None
        await here.pilot.pause()
        with monkeypatch.context() as gone:
            gone.setattr(screen.query_one(StatusLine), "_pruning", True)
            gone.setattr(screen, "query_one", lambda *_: pytest.fail("nothing is there to draw on"))
            screen.view.draw(session, SessionChange((), ("turn",)))


async def test_the_widgets_of_a_new_session_get_their_styles_when_they_are_mounted_and_not_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    again: list[DOMNode] = []
    update = AcpApp.update_styles

    def noted(app: AcpApp, node: DOMNode, animate: bool = True) -> None:
        again.append(node)
        update(app, node, animate)

    monkeypatch.setattr(AcpApp, "update_styles", noted)
    async with seat(tmp_path) as here:
        assert here.session.is_running
        assert not [node for node in again if isinstance(node, SessionScreen)]
