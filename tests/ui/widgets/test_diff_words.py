"""Which words of two lines are marked as changed."""

from acp_tui.ui.widgets.diff_words import changed_words


def test_changed_words_are_marked_on_both_lines() -> None:
    old, new = "return the old value", "return the new value here"

    removed, added = changed_words(old, new)

    assert [old[start:stop] for start, stop in removed] == ["old"]
    assert [new[start:stop] for start, stop in added] == ["new", " here"]


def test_lines_with_little_in_common_get_no_marks() -> None:
    assert changed_words("import os", "class Reader(Protocol):") == ((), ())


def test_a_very_long_line_gets_no_marks() -> None:
    assert changed_words("a " * 5_000, "b " * 5_000) == ((), ())
