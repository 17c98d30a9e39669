"""The panes in view, with much room and with little."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.color import Color
from textual.events import Paste

from acp_tui.ui.panes.chat import ChatPane
from acp_tui.ui.panes.pane import Pane
from acp_tui.ui.screens.help import HelpScreen
from tests.conversation.talks import TRACKED
from tests.ui.seats import seat


@pytest.mark.slow
async def test_where_there_is_no_room_one_pane_is_shown_at_a_time(tmp_path: Path) -> None:
    async with seat(tmp_path, TRACKED, size=(80, 24)) as here:
        await here.sees("chat F2", "plan F3", "tool calls F4", "changes F5")
        assert "No changes yet" not in here.text

        await here.press("f5")
        await here.sees("No changes yet")
        assert here.session.focused is here.session.query_one("#changes")
        await here.press("f5")

        await here.until(lambda: "No changes yet" not in here.text)
        assert here.session.focused is here.session.prompt
        assert here.text.splitlines()[-1].startswith(" Plain agent")


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_keys_right_after_that_of_a_pane_are_for_the_pane(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with seat(tmp_path, size=size) as here:
        for number, key in enumerate(("f2", "f3", "f4", "f5"), 1):
            here.press_together("a", key, "j", "ctrl+l", "b")

            await here.until(lambda: here.draft.count("b") == number)  # noqa: B023 - waited for at once
            assert here.draft == "ab" * number


@pytest.mark.slow
async def test_what_has_the_keys_is_framed_in_the_accent(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        row, chat = here.session.query_one("#prompt-row"), here.session.query_one("#chat-box")
        accent = Color.parse(here.app.theme_variables["accent"])
        assert (row.styles.border_top[1] == accent, chat.styles.border_left[0]) == (True, "blank")

        await here.press("f2")

        assert (row.styles.border_top[1] == accent, chat.styles.border_left) == (False, ("outer", accent))


@pytest.mark.slow
async def test_hidden_panes_stay_hidden_in_the_next_run(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.press("f3", "h")
        assert here.session.focused is here.session.prompt
        await here.until(lambda: "─ plan ─" not in here.text)

    async with seat(tmp_path) as here:
        assert "─ plan ─" not in here.text
        await here.press("f3")
        await here.sees("No plan yet")
        await here.press("f9")
        await here.until(lambda: "─ changes ─" not in here.text)
        assert here.session.focused is here.session.prompt

    async with seat(tmp_path) as here:
        assert "─ changes ─" not in here.text
        await here.press("f9")
        await here.sees("─ plan ─", "─ changes ─")


@pytest.mark.slow
async def test_a_pane_is_zoomed_and_given_back(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.press("f5", "f11")
        await here.until(lambda: "─ plan ─" not in here.text)
        assert here.session.maximized is here.session.query_one("#changes", Pane)

        await here.press("escape")

        await here.sees("─ plan ─", "─ changes ─")
        assert here.session.focused is here.session.prompt


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_key_that_leads_to_a_pane_leads_back(tmp_path: Path, size: tuple[int, int]) -> None:
    async with seat(tmp_path, size=size) as here:
        for key in ("f2", "f3", "f4", "f5"):
            await here.press(key)
            assert here.session.focused is not here.session.prompt, key
            await here.sees("Esc prompt")
            await here.press(key)

            assert here.session.focused is here.session.prompt, key
            await here.until(lambda: "Esc prompt" not in here.text)


@pytest.mark.slow
async def test_text_that_is_no_command_of_a_pane_goes_to_the_prompt_all_of_it(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        text = ""
        for key in ("f2", "f3", "f4", "f5", "f11"):
            text += "what-now"
            here.press_together(key, *"what-now")

            await here.until(lambda: here.draft == text)  # noqa: B023 - waited for at once
            assert here.session.focused is here.session.prompt, key
            assert here.session.maximized is None, key


@pytest.mark.slow
async def test_a_key_of_the_prompt_that_no_pane_uses_works_from_a_pane(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.write("a draft")
        for key in ("f2", "f3", "f4", "f5"):
            await here.press(key, "ctrl+s")  # stashes the draft, and restores it

            await here.until(lambda: not here.draft)
            assert here.session.focused is here.session.prompt, key
            await here.press("ctrl+s")
            await here.until(lambda: here.draft == "a draft")

        await here.press("f2", "ctrl+d")
        assert here.session.focused is not here.session.prompt


@pytest.mark.slow
async def test_a_paste_over_a_pane_goes_to_the_prompt(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.press("f5")
        here.app.post_message(Paste("h for hidden"))

        await here.until(lambda: here.draft == "h for hidden")


@pytest.mark.slow
async def test_a_pane_names_its_keys_and_escape_leads_back_before_it_stops_anything(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.say("wait")
        await here.until(lambda: here.conversation.is_busy)
        await here.press("f2")
        await here.sees("c copy", "v source", "Esc prompt")
        assert "Esc stops" not in here.text

        await here.press("escape")
        assert here.session.focused is here.session.prompt
        assert here.conversation.is_busy
        await here.press("escape")
        await here.until(lambda: not here.conversation.is_busy)


@pytest.mark.slow
async def test_shift_up_in_an_empty_prompt_marks_the_last_block_of_the_chat(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.say("hello")
        await here.sees("heard hello")
        chat = here.session.query_one(ChatPane)
        await here.press("shift+up")
        await here.until(lambda: chat.has_focus and chat.cursor is chat.blocks[-1])
        await here.press("shift+up")
        assert chat.cursor is not chat.blocks[-1]

        await here.write("ab")
        await here.press("escape", "shift+up")
        assert here.session.focused is here.session.prompt


@pytest.mark.slow
async def test_a_click_and_a_selection_in_the_chat_leave_the_keys_in_the_prompt(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.say("hello there")
        await here.sees("heard hello there")
        chat = here.session.query_one(ChatPane)
        await here.write("yes")
        row = next(at for at, line in enumerate(here.text.splitlines()) if "heard hello" in line)
        await here.pilot.mouse_down(offset=(6, row))
        await here.pilot.hover(offset=(14, row))
        await here.pilot.mouse_up(offset=(14, row))
        await here.until(here.session.get_selected_text)
        assert not chat.has_focus

        await here.press("ctrl+c")
        await here.until(lambda: here.app.clipboard)
        assert here.draft == "yes"
        await here.press("y", "c")
        assert here.draft == "yesyc"

        await here.press("ctrl+c")
        assert here.draft == ""


@pytest.mark.slow
async def test_leaving_a_screen_leads_back_to_where_keys_led(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.press("f1")
        await here.is_before(HelpScreen)
        await here.press("escape", "a")
        await here.until(lambda: here.draft == "a")

        await here.press("f5", "f1")
        await here.is_before(HelpScreen)
        await here.press("escape")
        assert here.session.focused is here.session.query_one("#changes")
