"""Colours of code."""

from __future__ import annotations

from acp_tui.ui.widgets.highlight import colour, language_of_file


def role_of(language: str, code: str, text: str) -> str:
    return next(role for line in colour(language, code).lines for part, role in line if part == text)


def test_code_is_coloured_by_the_label_of_its_language() -> None:
    assert role_of("python", "def f(): return 1", "def") == "syntax-keyword"
    assert role_of("python", "def f(): return 1", "1") == "syntax-number"
    assert role_of("js", "// hi", "// hi") == "syntax-comment"
    assert role_of("php", "echo 'x';", "echo") == "syntax-keyword"


def test_an_unknown_language_and_overlong_lines_stay_plain() -> None:
    assert colour("no-such", "def x").lines == ((("def x", ""),),)
    assert colour("", "a\n\nb").lines == ((("a", ""),), (), (("b", ""),))
    assert colour("python", "x = 1" * 200).lines == ((("x = 1" * 200, ""),),)


def test_every_line_stays_a_line() -> None:
    code = "a = '''\n\nb\n'''\n\n\nc"
    assert ["".join(text for text, _ in line) for line in colour("python", code).lines] == code.split("\n")


def test_languages_are_known_by_the_names_of_files() -> None:
    assert language_of_file("a/b.py") == "python"
    assert language_of_file("Makefile") == "make"
    assert language_of_file("what.is-this") == ""
