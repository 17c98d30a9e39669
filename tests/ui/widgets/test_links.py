from __future__ import annotations

import pytest

from acp_tui.ui.widgets.links import addresses, plain


@pytest.mark.parametrize(
    ("printed", "text"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;a title\x07text", "text"),
        ("\x1b]0;a title\x1b\\text", "text"),
        ("one\r\ntwo", "one\ntwo"),
        ("\x1b]8;;https://a/b\x07here\x1b]8;;\x07", " https://a/b here"),
        ("\x1b(B\x1b=text\x07", "text"),
        ("a\tb", "a\tb"),
    ],
)
def test_what_steers_a_terminal_is_left_out_and_addresses_stay(printed: str, text: str) -> None:
    assert plain(printed) == text


@pytest.mark.parametrize(
    ("printed", "found"),
    [
        ("Visit https://a.b/c?d=e&f=g.", ["https://a.b/c?d=e&f=g"]),
        ("(https://a.b/c)\nhttps://d\nhttps://d", ["https://a.b/c", "https://d"]),
        ("\x1b[4mhttps://a.b/\x1b[24mc", ["https://a.b/c"]),
        ("http://localhost:8080/x\x1b[0m", ["http://localhost:8080/x"]),
        ("nothing", []),
    ],
)
def test_addresses_are_found_whatever_stands_around_them(printed: str, found: list[str]) -> None:
    assert addresses(printed) == found
