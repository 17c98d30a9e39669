"""Which lines of a difference are coloured together, and that it cannot be seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.ui.widgets import diff_colours, highlight
from acp_tui.ui.widgets.diff_colours import FEW, WINDOW, DiffColours, reaches_over

CODE = [
    "def first(left, right):",
    '    """Say what it is for,',
    "    if this is more than one line.",
    '    """',
    "    return left + right  # a comment",
    "",
    "VALUES = [1, 2, 'three']",
    "text = '''",
    "def in a string",
    "'''",
] * 10
SCRIPT = ["const a = 1; /* one", "if two", "*/ let b = `x", "let y`", "function f() { return 'a' }", ""] * 10


@pytest.mark.parametrize(("path", "lines"), [("a.py", CODE), ("a.ts", SCRIPT), ("a.sh", CODE)])
def test_a_line_has_the_colours_that_it_has_in_its_window(path: str, lines: list[str]) -> None:
    language = highlight.language_of_file(path)
    colours = DiffColours([], lines, path)

    for index in range(len(lines)):
        start = index - index % WINDOW
        window = highlight.colour(language, "\n".join(lines[start : start + WINDOW])).lines
        assert colours.line(False, index) == window[index - start]


def test_our_own_code_looks_the_same_in_small_groups() -> None:
    for path in Path(diff_colours.__file__).parent.glob("*.py"):
        lines = path.read_text().splitlines()
        colours = DiffColours(lines, [], path.name)
        for index in range(len(lines)):
            start = index - index % WINDOW
            window = highlight.colour("python", "\n".join(lines[start : start + WINDOW])).lines
            assert colours.line(True, index) == window[index - start], f"{path.name}:{index + 1}"


def test_one_line_of_a_long_file_costs_the_colours_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    coloured: list[int] = []
    colour = highlight.colour

    def counted(language: str, code: str) -> highlight.Coloured:
        coloured.append(code.count("\n") + 1)
        return colour(language, code)

    monkeypatch.setattr(highlight, "colour", counted)
    plain = DiffColours([f"line = {number}" for number in range(1_000)], [], "a.py")

    plain.line(True, 500)
    plain.line(True, 501)

    assert coloured == [FEW]


def test_what_may_go_on_in_the_next_line_is_known() -> None:
    assert reaches_over(["x = 1", 'y = """'])
    assert reaches_over(["a /* b"])
    assert reaches_over(['let a = "over two'])
    assert reaches_over(["a = 1 + \\"])
    assert not reaches_over(["x = 1", 'y = "z"', "# it's", ""])
