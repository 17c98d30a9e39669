"""The questions that wait, in a few rows."""

from acp_tui.ui.screens.waiting_list import waiting_list
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.wrap import row_text

LOOK = Look()


def rows(waiting: list[str], place: int, most: int) -> list[str]:
    return [
        row_text(row).strip()
        for block in waiting_list(waiting, place, most, LOOK)
        for row in block.rows(100, LOOK)
    ]


def test_one_question_alone_has_no_list() -> None:
    assert rows(["only"], 0, 5) == []


def test_the_one_that_is_asked_is_marked_and_always_among_those_shown() -> None:
    mark = LOOK.glyph("current")
    waiting = [f"ask {number}" for number in range(1, 8)]

    assert rows(waiting, 0, 3) == [f"{mark} 1 ask 1", "2 ask 2", "3 ask 3", "and 4 more", ""]
    assert rows(waiting, 6, 3) == ["5 ask 5", "6 ask 6", f"{mark} 7 ask 7", "and 4 more", ""]
    assert rows(waiting[:2], 1, 3) == ["1 ask 1", f"{mark} 2 ask 2", ""]


def test_a_long_question_is_cut_and_its_control_characters_are_shown() -> None:
    first = rows(["x" * 99, "\x1b[2J"], 1, 3)

    assert first[0] == f"1 {'x' * 59}…"
    assert "\x1b" not in first[1]
