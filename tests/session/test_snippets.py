"""Edits that tell only a part of a file, in the text of the file."""

from __future__ import annotations

from acp_tui.session.snippets import PlacedEdit, placed, whole_text

TEXT = "".join(f"line {number}\n" for number in range(1, 21))


def test_a_part_of_a_line_is_shown_as_its_whole_line_with_three_around_it_and_their_numbers() -> None:
    found = placed("ne 10", "NE TEN", TEXT)

    assert found.first_line == 7
    assert found.old.splitlines() == [f"line {number}" for number in range(7, 14)]
    assert found.new.splitlines() == [
        "line 7",
        "line 8",
        "line 9",
        "liNE TEN",
        "line 11",
        "line 12",
        "line 13",
    ]


def test_the_first_and_the_last_line_have_fewer_around_them() -> None:
    first, last = placed("line 1\n", "zero\nline 1\n", "line 1\nline 2\n"), placed("line 20", "end", TEXT)

    assert first == PlacedEdit("line 1\nline 2\n", "zero\nline 1\nline 2\n", 1)
    assert (last.first_line, last.new) == (17, "line 17\nline 18\nline 19\nend\n")


def test_the_last_line_without_an_end_stays_without() -> None:
    assert placed("b", "c", "a\nb") == PlacedEdit("a\nb", "a\nc", 1)


def test_lines_with_their_ends_take_no_line_behind_them_in() -> None:
    found = placed("line 10\n", "", TEXT)

    assert found.first_line == 7
    assert [line for line in found.old.splitlines() if line not in found.new.splitlines()] == ["line 10"]


def test_a_whole_file_begins_with_line_one() -> None:
    assert placed(TEXT, "new\n", TEXT) == PlacedEdit(TEXT, "new\n", 1)
    assert placed("old\n", TEXT, TEXT, may_be_done=True) == PlacedEdit("old\n", TEXT, 1)


def test_what_stands_there_more_than_once_or_not_at_all_has_no_place() -> None:
    assert placed("line", "word", "line\nline line\n") == PlacedEdit(
        "line", "word", None, "found 3 times in the file"
    )
    assert placed("aa", "b", "aaa") == PlacedEdit("aa", "b", None, "found 2 times in the file")
    assert placed("gone", "b", TEXT) == PlacedEdit("gone", "b", None, "not found in the file")
    assert placed("x", "b", "x" * 1000).note == "found at least 100 times in the file"


def test_the_new_part_has_a_place_only_where_the_edit_may_be_made() -> None:
    made = TEXT.replace("line 10", "the tenth")

    assert placed("line 10", "the tenth", made).note == "not found in the file"
    found = placed("line 10", "the tenth", made, may_be_done=True)
    assert (found.first_line, found.old.splitlines()[3], found.new.splitlines()[3]) == (
        7,
        "line 10",
        "the tenth",
    )


def test_lines_put_in_and_lines_taken_out_are_found_before_and_after() -> None:
    put_in = TEXT.replace("line 10\n", "line 10\nmore\n")
    for text in (TEXT, put_in):
        found = placed("line 10\n", "line 10\nmore\n", text, may_be_done=True)
        assert found.first_line == 7
        assert "more" in found.new
        assert "more" not in found.old
        taken_out = placed("line 10\nmore\n", "line 10\n", text, may_be_done=True)
        assert (taken_out.first_line, "more" in taken_out.old, "more" in taken_out.new) == (7, True, False)


def test_a_file_with_other_line_ends_than_the_agent_tells_is_searched_too() -> None:
    found = placed("line 2\nline 3", "both", "line 1\r\nline 2\r\nline 3\r\n")

    assert found == PlacedEdit("line 1\nline 2\nline 3\n", "line 1\nboth\n", 1)


def test_what_is_shown_says_the_same_as_what_is_covered() -> None:
    """The lines around an edit are those of the file, and the edit between them is the agent's, unchanged."""
    for old, new in (("line 10", "x"), ("10\nline 11\n", ""), ("e 3", "e 3\n\n"), ("line 20\n", "line 20")):
        found = placed(old, new, TEXT)
        assert found.old in TEXT
        assert TEXT.replace(old, new, 1) == TEXT.replace(found.old, found.new, 1)


def test_a_large_file_is_searched() -> None:
    text = "\n".join(f"row {number}" for number in range(400_000))

    found = placed("row 399999", "row", text)

    assert found == PlacedEdit(
        "row 399996\nrow 399997\nrow 399998\nrow 399999", "row 399996\nrow 399997\nrow 399998\nrow", 399_997
    )


def test_the_whole_text_follows_from_snippets_in_their_order() -> None:
    now = "one\ntwo\nthree\n"

    assert whole_text([("two", "2"), ("2\nthree", "2\n3")], now) == ("one\n2\n3\n", "")
    assert whole_text([(None, "new\n")], now) == ("new\n", "")
    assert whole_text([(now, "all\n")], now) == ("all\n", "")
    assert whole_text([(None, "new\n")], None) == ("new\n", "")


def test_the_whole_text_is_not_known_where_the_place_is_not() -> None:
    assert whole_text([("a", "b")], "a a") == ("", "its old text is found 2 times in the file")
    assert whole_text([("x", "b")], "a") == ("", "its old text is not in the file")


def test_the_whole_text_keeps_the_line_ends_of_the_file() -> None:
    assert whole_text([("one\ntwo", "1\n2")], "one\r\ntwo\r\n") == ("1\r\n2\r\n", "")
    assert whole_text([("one\r\n", "1\n")], "one\r\ntwo\r\n") == ("1\ntwo\r\n", "")
