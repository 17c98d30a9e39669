"""Globs of rules over whole paths, of whatever length."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.rules.path_rules import compiled

SIGNS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
PATTERNS = st.lists(st.sampled_from(("a", "b", "/", *SIGNS)), min_size=1, max_size=8).map("".join)


@given(PATTERNS, st.text("ab/", max_size=9))
def test_a_glob_matches_what_each_of_its_signs_stands_for(pattern: str, path: str) -> None:
    pattern = re.sub(r"\*{3,}", "**", pattern)
    whole = pattern if pattern.startswith("/") else f"**/{pattern}"
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", whole)
    plain = re.compile("".join(SIGNS.get(part, re.escape(part)) for part in parts), re.DOTALL)

    assert bool(compiled(pattern).fullmatch(f"/{path}")) == bool(plain.fullmatch(f"/{path}"))


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a*a*a*a*a*a*a*a*b", "/w/" + "a" * 4_000),
        ("**/" * 9 + "b", "/w/" + "a/" * 2_000),
        ("**a**a**a**a**a**a**b", "/w/" + "a" * 4_000),
        ("**/a*a*a*b/**/a*a*c", "/w/" + "aaaa/" * 800),
    ],
)
def test_a_glob_with_many_stars_ends_on_a_long_path(pattern: str, path: str) -> None:
    assert not compiled(pattern).fullmatch(path)
