from __future__ import annotations

import json
from pathlib import Path

from acp_tui.ui.screens.menu import Menu
from acp_tui.ui.screens.source import SourceScreen
from tests.ui.seats import Seat, seat

ANSWER = "Two **codes**:\n\n```sh\nls\n```\n\n```py\na = 1\nb = 2\n```\n"
UPDATES = json.dumps([{"kind": "agent_message_chunk", "content": {"type": "text", "text": ANSWER}}])


def told(here: Seat) -> str:
    """Return the newest notice, but for what there is to say of the clipboard outside; nothing before one."""
    notices = [notice for notice in here.app._notifications if notice.title != "Clipboard"]
    return notices[-1].message if notices else ""


async def test_an_answer_its_code_and_a_block_are_copied_as_they_came(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.press("alt+c")
        assert told(here) == "There is no answer yet."
        await here.say(f"updates {UPDATES}")
        await here.sees("Two codes:")
        await here.until(lambda: not here.conversation.is_busy)

        await here.press("alt+c")
        assert here.app.clipboard == ANSWER
        assert told(here) == "Copied the last answer: 10 lines."

        await here.press("f2", "y")
        await here.is_before(Menu)
        await here.press("up", "enter")
        assert here.app.clipboard == "ls\n"

        await here.press("v")
        await here.is_before(SourceScreen)
        await here.sees("Two **codes**:", "```py")
        await here.press("escape", "left_square_bracket", "c")
        assert here.app.clipboard == f"updates {UPDATES}"

        await here.press("y")
        assert told(here) == "There is no code in this block."


async def test_what_the_mouse_selects_is_copied_from_over_the_prompt_too(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.say("hello")
        await here.sees("heard hello")
        await here.write("a draft")
        rows = here.text.split("\n")
        row = next(place for place, text in enumerate(rows) if "heard hello" in text)
        column = rows[row].index("heard")

        await here.pilot.mouse_down(offset=(column, row))
        await here.pilot.hover(offset=(column + 5, row))
        await here.pilot.mouse_up(offset=(column + 5, row))
        await here.press("ctrl+c")

        assert here.app.clipboard.startswith("heard")
        assert told(here) == "Copied the selection: 1 line."
