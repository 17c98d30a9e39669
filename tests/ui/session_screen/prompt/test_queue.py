"""The queue menu."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.store.agents import demo_launch
from acp_tui.ui.session_screen.prompt.queue import QueueMenu
from tests.conversation.talks import PLAIN
from tests.ui.seats import Seat, seat, told

pytestmark = pytest.mark.slow


def waits(here: Seat) -> list[str]:
    return [prompt.text for prompt in here.conversation.prompts.queue]


async def test_what_waits_is_moved_dropped_and_edited(tmp_path: Path) -> None:
    async with seat(tmp_path, given=demo_launch()) as here:
        await here.press("alt+q")
        assert told(here) == "The queue is empty."
        await here.say("/slow")
        await here.until(lambda: here.conversation.is_busy)
        for text in ("one", "two", "three"):
            await here.say(text)
        await here.until(lambda: waits(here) == ["one", "two", "three"])

        await here.press("alt+q")
        await here.is_before(QueueMenu)
        await here.press("ctrl+up", "ctrl+down")
        assert waits(here) == ["two", "one", "three"]
        await here.press("down", "ctrl+d")
        assert waits(here) == ["two", "one"]
        await here.press("up", "up", "enter")

        await here.until(lambda: here.draft == "two" or here.draft == "one")
        assert len(waits(here)) == 1
        here.conversation.stop()


async def test_a_key_that_was_meant_for_what_is_gone_does_nothing_to_the_next(
    tmp_path: Path,
) -> None:
    async with seat(tmp_path) as here:
        for text in ("wait", "wait 2", "b", "c", "d"):
            await here.say(text)
        await here.until(lambda: here.conversation.is_busy and waits(here) == ["wait 2", "b", "c", "d"])
        await here.press("alt+q")
        await here.is_before(QueueMenu)

        here.conversation.cancel()
        await here.until(lambda: waits(here) == ["b", "c", "d"])
        await here.press("ctrl+d", "enter", "ctrl+down")
        assert waits(here) == ["b", "c", "d"]

        await here.press("down", "down", "ctrl+d")
        assert waits(here) == ["b", "d"]
        await here.press("enter")
        await here.until(lambda: here.draft == "d")


async def test_the_list_goes_away_with_the_last_of_what_waits(tmp_path: Path) -> None:
    async with seat(tmp_path, given=demo_launch()) as here:
        await here.say("/slow")
        await here.until(lambda: here.conversation.is_busy)
        await here.say("one")
        await here.until(lambda: waits(here) == ["one"])
        await here.press("alt+q")
        await here.is_before(QueueMenu)

        await here.press("ctrl+d")

        await here.until(lambda: here.app.screen is here.session)
        assert waits(here) == []
        here.conversation.stop()


async def test_c148_c149_s_gives_what_waits_to_the_turn_and_shows_it_in_the_chat(tmp_path: Path) -> None:
    async with seat(tmp_path, steers=["injected"]) as here:
        for text in ("wait", "shorter", "later"):
            await here.say(text)
        await here.until(lambda: here.conversation.is_busy and waits(here) == ["shorter", "later"])
        await here.sees("Alt+G steer")
        await here.press("alt+q")
        await here.is_before(QueueMenu)

        await here.press("s")

        await here.until(lambda: waits(here) == ["later"])
        await here.press("escape")
        await here.sees("› shorter  steered", "steered by shorter")
        assert here.conversation.is_busy


async def test_c149_a_key_steers_with_the_draft(tmp_path: Path) -> None:
    async with seat(tmp_path, steers=["injected"]) as here:
        await here.say("wait")
        await here.sees("waiting")
        await here.write("shorter")

        await here.press("alt+g")

        await here.sees("› shorter  steered")
        assert (here.draft, here.conversation.is_busy, waits(here)) == ("", True, [])


async def test_c149_the_key_gives_all_that_waits_in_its_order_with_the_draft_last(tmp_path: Path) -> None:
    async with seat(tmp_path, steers=["injected"] * 3) as here:
        await here.say("wait")
        await here.sees("waiting")
        for words in ("one", "two"):
            await here.say(words)
        await here.write("three")

        await here.press("alt+g")

        await here.sees("› three  steered")
        places = [here.text.index(f"› {words}  steered") for words in ("one", "two", "three")]
        assert places == sorted(places)


async def test_c148_while_the_agent_asks_the_words_wait_and_nothing_is_stopped(tmp_path: Path) -> None:
    async with seat(tmp_path, steers=["injected"]) as here:
        await here.asked("build")
        await here.press("escape")
        await here.write("shorter")

        await here.press("alt+g")

        await here.until(lambda: waits(here) == ["shorter"])
        (notice,) = here.notices
        assert notice.message == "Queued: the agent is waiting for your answer."
        assert len(here.conversation.questions) == 1
        assert "Alt+G" not in here.text


async def test_c149_enter_steers_where_the_settings_say_so(tmp_path: Path) -> None:
    settings = PLAIN._replace(busy_enter="steer")
    async with seat(tmp_path, settings, steers=["injected"]) as here:
        await here.say("wait")
        await here.sees("waiting")

        await here.say("shorter")

        await here.sees("› shorter  steered")
        assert here.conversation.is_busy


async def test_c148_a_command_is_not_said_to_be_for_the_turn(tmp_path: Path) -> None:
    settings = PLAIN._replace(busy_enter="steer")
    async with seat(tmp_path, settings, steers=["injected"]) as here:
        await here.say("wait")
        await here.sees("waiting")

        await here.say(" /later")
        await here.sees("queued")

        assert "for this turn" not in here.text
        assert [text.strip() for text in waits(here)] == ["/later"]


async def test_c152_s_marks_what_waits_for_an_agent_that_asks_and_takes_the_mark_back(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        for text in ("wait", "shorter"):
            await here.say(text)
        await here.until(lambda: here.conversation.is_busy and waits(here) == ["shorter"])
        await here.press("alt+q")
        await here.is_before(QueueMenu)

        await here.press("s")
        await here.sees("for the running turn, when the agent asks for it")
        await here.press("s")
        assert not here.conversation.prompts.queue[0].steers

        await here.press("w", "s")
        assert waits(here) == ["shorter"]
