"""Colours of code that grows, worked out when it is painted."""

from __future__ import annotations

import pytest

from acp_tui.ui.widgets import code as highlight
from acp_tui.ui.widgets import code as listing
from acp_tui.ui.widgets.code import GROUPS, STRETCH, CodeLines

PLAIN = [f"x{number} = 1" for number in range(3 * STRETCH)]
STRING = ["s = '''", *["text"] * 20, "'''", *PLAIN]


def listed(lines: list[str], complete: int | None = None) -> CodeLines:
    code = CodeLines("python")
    code.take(0, lines, len(lines) if complete is None else complete)
    return code


def roles(listing: CodeLines, number: int) -> list[str]:
    return [role for _, role in listing.spans(number)[0]]


def test_a_line_is_final_once_its_group_is_complete_and_no_string_goes_on() -> None:
    assert not listed(PLAIN[: GROUPS[0]], complete=GROUPS[0] - 1).spans(0)[1]
    assert listed(PLAIN[: GROUPS[0]]).spans(0)[1]
    assert not listed(STRING[: GROUPS[0]]).spans(0)[1]
    assert listed(STRING[: GROUPS[1]]).spans(0)[1]
    assert listed(["s = '''"] * GROUPS[2]).spans(0)[1]


def test_a_string_over_the_end_of_a_group_keeps_its_colour() -> None:
    assert roles(listed(STRING), GROUPS[0] + 2) == ["syntax-string"]
    assert "syntax-number" in roles(listed(STRING), 25)


def test_lines_are_the_same_in_whatever_order_they_are_painted() -> None:
    forward, backward = listed(STRING), listed(STRING)
    numbers = range(len(STRING))

    assert [forward.spans(n) for n in numbers] == [backward.spans(n) for n in reversed(numbers)][::-1]


def test_the_last_of_many_lines_needs_the_colours_of_its_stretch_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    coloured: list[int] = []
    real = highlight.highlight

    def count(language: str, code: str) -> object:
        coloured.append(code.count("\n") + 1)
        return real(language, code)

    monkeypatch.setattr(listing, "highlight", count)
    listed(PLAIN * 20).spans(len(PLAIN) * 20 - 1)

    assert sum(coloured) <= STRETCH


def test_what_is_taken_again_replaces_all_but_what_is_kept() -> None:
    code = listed(["one", "two", "th"], complete=2)
    code.take(2, ["three"], 1)

    assert code.text == "one\ntwo\nthree\n"
    assert roles(code, 2) == ["syntax-name"]
