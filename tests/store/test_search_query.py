"""Tests of `store/search_query.py`."""

from __future__ import annotations

from datetime import datetime

import pytest

from acp_tui.store.search_documents import Document
from acp_tui.store.search_query import Excerpt, InvalidQuery, Query, Term, excerpt, parse
from tests.tables import each


def document(**texts: str) -> Document:
    made = Document(0, 1, 0.0, "s1")
    for column, text in texts.items():
        made.add(column, text)  # type: ignore[arg-type]
    return made


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("parser", [Term(("parser",), is_prefix=True)]),
        ("two words", [Term(("two",)), Term(("words",), is_prefix=True)]),
        ('"two words"', [Term(("two", "words"))]),
        ("snake_case-name", [Term(("snake", "case", "name"), is_prefix=True)]),
        ("good -bad", [Term(("good",)), Term(("bad",), is_unwanted=True)]),
        ("it's", [Term(("it", "s"))]),
        ("http://x.org", [Term(("http", "x", "org"), is_prefix=True)]),
        ("字典", [Term(("字", "典"))]),
        ("-> !", []),
        ("", []),
    ],
)
def test_words_and_phrases_become_terms(text: str, terms: list[Term]) -> None:
    assert parse(text).terms == tuple(terms)


def test_filters_limit_the_search() -> None:
    query = parse("agent:gemini folder:/work file:src/a.py in:prompt in:ans since:2026-03-01 word")

    assert query == Query(
        (Term(("word",), is_prefix=True),),
        ("prompt", "answer"),
        "gemini",
        "/work",
        ("src", "a", "py"),
        datetime(2026, 3, 1).astimezone().timestamp(),
    )
    assert parse("until:2026-03-01").until == datetime(2026, 3, 2).astimezone().timestamp()
    assert not parse("file:a.py").is_empty
    assert parse("agent:gemini -word").is_empty


def test_what_looks_like_a_filter_and_is_none_is_told() -> None:
    assert parse("parser after:2026-03-01 -before:x").advice == "after: is not a filter."
    assert parse("parser from:me to:you").advice == "from:, to: are not filters."
    assert parse("agent:claude").advice == "There are no words to look for."
    for text in ("http://x.org", "std::vector", "c:\\temp", "word: word", '"after:x"', "in:prompt word"):
        assert parse(text).advice == "", text


@pytest.mark.parametrize("text", ["since:soon", "until:", "in:nothing", "since:2026-99-01"])
def test_a_filter_that_cannot_be_read_is_named(text: str) -> None:
    with pytest.raises(InvalidQuery, match=text.split(":")[0]):
        parse(f"{text}" if not text.endswith(":") else f"{text}x")


@each(
    ("text", "fits"),
    [
        ("MEND", True),
        ("mend parser", True),
        ('"flaky parser"', True),
        ('"parser flaky"', False),
        ("pars", True),
        ("par flaky", False),
        ("cafe", True),
        ("café", True),
        ("mend -parser", False),
        ("mend -lexer", True),
        ("字典", True),
        ("典字", False),
        ("in:answer mend", False),
        ("in:prompt mend", True),
        ("file:lib/x.py", True),
        ("file:y.py mend", False),
    ],
)
def test_a_document_is_searched_without_an_index_in_the_same_way(text: str, fits: bool) -> None:
    made = document(prompt="Mend the flaky_parser at the Café, 大字典", answer="done", file="/app/lib/x.py")

    assert parse(text).fits(made) is fits


def test_the_excerpt_shows_the_words_and_their_part() -> None:
    made = document(prompt="go", output="x " * 300 + "the needle\nis here " + "y " * 300)

    found = excerpt(made, parse("needle"))

    assert found.column == "output"
    assert "the needle is here" in found.text
    assert len(found.text) <= 200
    assert excerpt(made, parse("absent")) == Excerpt("prompt", "go")
    long = document(tool="Exit plan mode " + "word " * 9 + "needle")
    assert excerpt(long, parse("needle")).text == "mode " + "word " * 9 + "needle"
    assert excerpt(document(tool="x" * 90 + "needle"), parse("needle")).text == "x" * 50 + "needle"
    assert excerpt(document(), parse("absent")).text == ""
