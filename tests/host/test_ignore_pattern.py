from __future__ import annotations

import pytest

from acp_tui.host.ignore_pattern import IgnorePattern


def _read(line: str) -> IgnorePattern:
    found = IgnorePattern.of(line.encode())
    assert found is not None
    return found


@pytest.mark.parametrize("line", ["", "   ", "# words"])
def test_what_is_no_pattern_is_none(line: str) -> None:
    assert IgnorePattern.of(line.encode()) is None


@pytest.mark.parametrize(
    ("line", "way", "fits"),
    [
        ("*", "a", True),
        ("a", "a", True),
        ("a/", "x/a", True),
        ("/a", "x/a", False),
        ("/a", "a", True),
        ("x/*", "x/a", True),
        ("**/a", "x/y/a", True),
        ("x/**/a", "x/a", True),
        ("x/**/a", "x/y/z/a", True),
        ("[ab]?", "bc", True),
        ("[^ab]", "a", False),
        (r"\*", "a", False),
        (r"\*", "*", True),
        ("a", "a/b", False),
    ],
)
def test_a_pattern_fits_a_folder_as_git_says(line: str, way: str, fits: bool) -> None:
    assert _read(line).fits(way.encode().split(b"/")) is fits


@pytest.mark.parametrize(
    ("line", "below"),
    [
        ("*.o", "*.o"),
        ("!*.o", "!*.o"),
        ("/x/build/", "/build/"),
        ("!/x/build", "!/build"),
        ("x/a/b", "/a/b"),
        ("*/b", "/b"),
        ("/y/build", None),
        ("/x", None),
        ("/x/", None),
        ("**/a/b", "/**/a/b"),
        ("x/**/b", "/**/b"),
    ],
)
def test_a_pattern_means_the_same_from_a_folder_below(line: str, below: str | None) -> None:
    assert _read(line).below([b"x"]) == (below.encode() if below is not None else None)
