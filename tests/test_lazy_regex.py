"""Patterns that are compiled when they are first used."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import pytest

import acp_tui
from acp_tui import lazy_regex
from acp_tui.lazy_regex import regex


def test_a_pattern_does_what_the_compiled_one_does() -> None:
    words = regex(r"(?P<word>[a-z]+)", re.IGNORECASE)

    assert words.findall("One two") == ["One", "two"]
    assert words.sub("x", "One two") == "x x"
    assert (words.pattern, words.groups) == (r"(?P<word>[a-z]+)", 1)


def test_a_pattern_is_compiled_when_it_is_first_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    real = re.compile

    def compile_and_tell(text: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(text)
        return real(text, flags)

    monkeypatch.setattr(re, "compile", compile_and_tell)
    letters = regex("[a-z]+")
    assert compiled == []

    letters.match("a")
    letters.search("b")
    assert compiled == ["[a-z]+"]


def test_a_pattern_of_bytes_is_one_of_bytes() -> None:
    assert regex(rb"\d").split(b"a1b") == [b"a", b"b"]


def test_every_pattern_of_the_program_can_be_compiled() -> None:
    modules = pkgutil.walk_packages(acp_tui.__path__, "acp_tui.")
    names = [module.name for module in modules if not module.name.endswith("__main__")]
    found = [one for name in names for one in _patterns(vars(importlib.import_module(name)))]

    assert len(found) > 200
    assert all(one.pattern is not None for one in found)


def _patterns(values: Any) -> Iterator[re.Pattern[Any]]:
    """Yield the patterns among the constants of a module, also in tables."""
    if isinstance(values, lazy_regex._Compiled):
        yield values  # type: ignore[misc]
    elif isinstance(values, dict):
        for value in values.values():
            yield from _patterns(value)
    elif isinstance(values, list | tuple):
        for value in values:
            yield from _patterns(value)
