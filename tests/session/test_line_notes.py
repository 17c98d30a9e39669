"""Notes on lines: where they are after a change of the file, and what the agent reads of them."""

from __future__ import annotations

import json

import pytest

from acp_tui.session.line_notes import (
    LineNote,
    as_text,
    followed,
    followed_to,
    lines_in,
    note_of,
    note_on,
    place_of,
)

LINES = [
    "def first():",
    "    total = 0",
    "    return total",
    "",
    "def second():",
    "    names = []",
    "    return names",
    "",
    "def third():",
    "    total = 1",
    "    return total",
]


def on(first: int, last: int | None = None, lines: list[str] = LINES) -> LineNote:
    """Return a note on lines from 0."""
    return note_on(lines, first, first if last is None else last, "Why?", path="/work/a.py")


def test_a_note_stays_where_its_lines_are() -> None:
    note = followed(on(5), LINES)

    assert (note.first, note.state, note.remark("/work")) == (6, "there", "")


def test_a_note_moves_with_its_lines_and_says_so() -> None:
    note = followed(on(5, 6), ["import os", "", *LINES])

    assert (note.first, note.last, note.state) == (8, 9, "moved")
    assert place_of(note, "/work") == "a.py:8-9 (moved from line 6)"


def test_a_note_that_comes_back_to_its_line_has_not_moved() -> None:
    moved = followed(on(5), ["import os", *LINES])

    assert followed(moved, LINES).remark("/work") == ""


def test_a_note_whose_lines_were_changed_is_gone() -> None:
    note = followed(on(5), [line.replace("names", "words") for line in LINES])

    assert note.state == "gone"
    assert place_of(note, "/work") == "a.py:6 (these lines are gone)"


def test_lines_that_come_back_are_found_again() -> None:
    gone = followed(on(5), ["import os"])

    assert followed(gone, ["import os", *LINES]).remark("/work") == "moved from line 6"


def test_a_note_is_never_on_the_same_words_of_other_code() -> None:
    note = followed(on(2), LINES[4:])

    assert note.state == "gone", "`return total` of the third function is not that of the first"


def test_of_two_places_that_look_alike_neither_is_taken_once_one_is_gone() -> None:
    block = [f"line {number} of a block that is repeated" for number in range(12)]
    note = on(30, lines=block * 4)
    assert (note.twins, note.twin) == (4, 2)

    gone = followed(note, block * 3)

    assert gone.remark("/work") == "these lines occur at several places"


def test_of_several_like_places_the_note_keeps_its_own() -> None:
    block = [f"line {number} of a block that is repeated" for number in range(12)]
    lines = [*block * 3]
    note = on(18, lines=lines)

    assert followed(note, ["import os", *lines]).first == 20


def test_a_function_that_was_moved_as_a_whole_takes_its_note_along() -> None:
    note = followed(on(5), [*LINES[8:], "", *LINES[4:7], "", *LINES[:3]])

    assert (note.first, note.state) == (6, "there")


def test_what_changes_step_by_step_around_a_note_does_not_lose_it() -> None:
    lines, note = [f"line {number} says something" for number in range(40)], on(20, lines=LINES * 4)
    note = on(20, lines=lines)
    for number in (*range(10, 20), *range(21, 30)):
        lines = [*lines[:number], f"{lines[number]} else", *lines[number + 1 :]]
        note = followed(note, lines)

    assert (note.first, note.state) == (21, "there")


def test_of_a_file_that_is_gone_the_note_says_so() -> None:
    note = followed(on(0), None)

    assert place_of(note, "/work") == "a.py:1 (the file is gone)"


def test_a_note_goes_along_with_its_lines_into_a_renamed_file_and_back() -> None:
    note = on(5, 6)

    moved = followed_to(note, "/work/lib/b.py", ["import os", *LINES])
    assert moved is not None
    assert place_of(moved, "/work") == "lib/b.py:7-8 (moved from a.py:6)"
    assert place_of(followed(moved, LINES), "/work") == "lib/b.py:6-7 (moved from a.py:6)"
    assert note_of(json.loads(json.dumps(moved.row()))) == moved

    back = followed_to(moved, "/work/a.py", LINES)
    assert back is not None
    assert place_of(back, "/work") == "a.py:6-7"


def test_a_file_without_the_lines_of_a_note_is_not_the_one_that_is_gone() -> None:
    assert followed_to(on(5), "/work/b.py", ["import os"]) is None


def test_a_file_of_one_line_is_followed_too() -> None:
    note = note_on(["x = 1"], 0, 0, "Why?", path="/work/a.py")

    assert followed(note, ["x = 1"]).state == "there"
    assert followed(note, ["x = 2"]).state == "gone"


def test_line_ends_do_not_matter() -> None:
    assert followed(on(5), [f"{line}\r" for line in LINES]).state == "there"


def test_a_note_on_a_proposed_edit_is_on_the_file_once_it_is_written() -> None:
    note = note_on(LINES, 5, 5, "Why?", path="/work/a.py", subject="proposed")
    assert place_of(followed(note, None), "/work") == "a.py:6 (proposed)"
    assert place_of(followed(note, ["else"]), "/work") == "a.py:6 (proposed)"
    assert "a.py:6 (in the edit that you proposed)\n" in as_text([note], "/work")

    written = followed(note, ["import os", *LINES])

    assert place_of(written, "/work") == "a.py:7"


def test_notes_on_answers_and_on_removed_lines_stay_as_they_are() -> None:
    answer = note_on(["I would delete it."], 0, 0, "No.", subject="answer", first_line=None)
    removed = note_on(LINES, 5, 5, "Keep it.", path="/work/a.py", subject="removed")

    assert [followed(note, ["else"]) for note in (answer, removed)] == [answer, removed]
    assert place_of(removed, "/work") == "a.py:6 (removed)"
    assert "a.py:6 (removed by your change)\n" in as_text([removed], "/work")


def test_the_agent_reads_place_lines_and_words_of_each_note() -> None:
    answer = note_on(["I would delete it."], 0, 0, "No.", subject="answer", first_line=None)

    text = as_text([on(5, 6), answer], "/work")

    assert text.strip().split("\n") == [
        "My notes on lines:",
        "",
        "a.py:6-7",
        ">     names = []",
        ">     return names",
        "Why?",
        "",
        "your answer",
        "> I would delete it.",
        "No.",
    ]


def test_a_file_elsewhere_is_named_in_full() -> None:
    assert place_of(on(0), "/other") == "/work/a.py:1"


def test_a_note_comes_back_from_the_disk_as_it_was() -> None:
    note = followed(on(5, 6), ["import os", *LINES])

    assert note_of(json.loads(json.dumps(note.row()))) == note


@pytest.mark.parametrize(
    "row", [None, [], {}, {"subject": "file"}, {**on(1).row(), "first": "1"}, {**on(1).row(), "above": [1]}]
)
def test_what_is_no_note_is_not_read_as_one(row: object) -> None:
    assert note_of(row) is None


def test_lines_are_counted_like_those_of_a_difference() -> None:
    assert lines_in("\ufeffa\x0cb\nc\n") == ["a\x0cb", "c"]
    assert lines_in("") == []


def test_a_line_that_is_everywhere_is_found_nowhere() -> None:
    many = ["x"] * 5_000
    note = note_on(many, 4_000, 4_000, "Why?", path="/work/a.py")

    assert followed(note, [*many, "x"]).state == "gone"
