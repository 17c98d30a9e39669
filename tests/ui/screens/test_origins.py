"""What is said of where changes come from."""

from __future__ import annotations

from acp_tui.session.files import FileChange
from acp_tui.session.provenance import Origin
from acp_tui.ui.screens.origins import origin_words


def words(*origins: Origin) -> str:
    file = FileChange("/w/a")
    for origin in origins:
        file.came_from(origin)
    return origin_words(file, lambda turn: f"prompt {turn} {'long ' * 20}" if turn == 3 else f"prompt {turn}")


def test_the_newest_change_is_told_whole_and_earlier_ones_by_their_turns() -> None:
    first, second = Origin(1, "t1", "Edit a", "add the flag"), Origin(2, "t2", "Edit a again")

    assert words(first) == "turn 1, Edit a, plan: add the flag, “prompt 1”"
    assert words(first, second) == "turn 2, Edit a again, “prompt 2”; before in turn 1"
    assert words(first, second, Origin(1)) == "turn 1, “prompt 1”; before in turn 2"


def test_what_came_from_no_turn_is_not_told_and_long_prompts_are_cut() -> None:
    assert words() == ""
    assert words(Origin(0)) == ""
    assert words(Origin(1, "t", "Edit"), Origin(0)) == "turn 1, Edit, “prompt 1”"
    _, _, prompt = words(Origin(3)).partition("“")
    assert len(prompt) == 61
    assert prompt.endswith("…”")
