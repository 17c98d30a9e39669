"""The dialog about a write over a file that has changed since the agent saw it."""

from __future__ import annotations

import pytest

from acp_tui.session.questions import StaleWrite
from acp_tui.ui.screens.questions.stale_write import StaleWriteAnswer, StaleWriteDialog
from tests.ui.screens.dialogs import NOTHING, STYLES, shown
from tests.ui.screens.stage import until


def dialog(
    now: str | None = "mine\n", before: str | None = "one\n", is_there: bool = True
) -> StaleWriteDialog:
    question = StaleWrite("q", "/w/a[/x].py", "theirs\n", now, before, is_there)
    return StaleWriteDialog(question, agent="demo", cwd="/w", styles=STYLES)


@pytest.mark.slow
async def test_both_versions_are_shown_and_no_key_answers_too_early() -> None:
    async with shown(dialog(), (100, 40), turned=False) as (app, pilot):
        await pilot.press("w", "enter")

        assert app.result is NOTHING
        assert "a[/x].py has changed on disk" in app.text
        for line in ("mine", "theirs", "one", "changes that the write would make", "since the agent saw it"):
            assert line in app.text


@pytest.mark.slow
@pytest.mark.parametrize(("key", "choice"), [("w", "write"), ("k", "keep"), ("x", "stop"), ("escape", None)])
async def test_one_key_gives_an_answer_and_escape_gives_none(key: str, choice: str | None) -> None:
    async with shown(dialog()) as (app, pilot):
        await pilot.press("enter")  # nothing is chosen yet
        assert app.result is NOTHING

        await pilot.press(key)

        await until(pilot, lambda: app.result is not NOTHING)
        assert app.result == (StaleWriteAnswer(choice, f"key {key}") if choice is not None else None)  # type: ignore[arg-type]


async def test_an_answer_that_was_moved_to_is_given_by_enter() -> None:
    async with shown(dialog()) as (app, pilot):
        await pilot.press("down", "down", "enter")

        await until(pilot, lambda: app.result is not NOTHING)
        assert app.result == StaleWriteAnswer("keep", "Enter")


@pytest.mark.slow
async def test_a_file_that_was_deleted_or_is_no_text_is_named_as_such() -> None:
    async with shown(dialog(None, None, is_there=False), (100, 30)) as (app, _):
        assert "was deleted since the agent last saw it" in app.text
        assert "new file" in app.text
    async with shown(dialog(None, None), (100, 30)) as (app, _):
        assert "binary content" in app.text


@pytest.mark.slow
async def test_a_write_that_changes_the_encoding_says_so_and_shows_the_text() -> None:
    question = StaleWrite("q", "/w/a", "th\u00ebirs\n", "caf\u00e9\n", None, True, "Windows-1252")
    asked = StaleWriteDialog(question, agent="demo", cwd="/w", styles=STYLES)
    async with shown(asked, (100, 30)) as (app, _):
        assert "It is Windows-1252 now; the agent's version would be UTF-8." in app.text
        assert "café" in app.text


@pytest.mark.slow
async def test_zoomed_the_versions_have_the_keys_and_nothing_is_answered() -> None:
    async with shown(dialog()) as (app, pilot):
        await pilot.press("z", "w", "k")
        assert app.result is NOTHING

        await pilot.press("escape", "k")

        await until(pilot, lambda: app.result is not NOTHING)
        assert app.result == StaleWriteAnswer("keep", "key k")
