"""Tests of `conversation/mentions.py`."""

from __future__ import annotations

import pytest

from acp_tui.conversation.mentions import (
    MentionReading,
    TypedMention,
    mention_of,
    mentions,
    typed_mention,
)


@pytest.mark.parametrize(
    ("text", "path", "lines"),
    [
        ("@a.py", "a.py", None),
        ("see @src/a.py and go", "src/a.py", None),
        ("(@a.py", "a.py", None),
        ('@"my file.txt" here', "my file.txt", None),
        ("two\n@a.py", "a.py", None),
        ("@naïve/文.txt", "naïve/文.txt", None),
    ],
)
def test_a_mention_begins_a_word(text: str, path: str, lines: None) -> None:
    assert [readings[0] for readings in mentions(text)] == [MentionReading(path, lines)]


@pytest.mark.parametrize("text", ["me@host", "a@b.c", "@", "@ a", '@""', "`x@y`"])
def test_an_at_sign_inside_a_word_or_alone_mentions_nothing(text: str) -> None:
    assert mentions(text) == []


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("@a.py:10-20", (10, 20)),
        ("@a.py:7", (7, 7)),
        ("@a.py:9-3", (9, 9)),
        ("@a.py:0", (1, 1)),
        ('@"a.py":2-4', (2, 4)),
    ],
)
def test_a_mention_can_name_lines(text: str, lines: tuple[int, int]) -> None:
    (readings,) = mentions(text)

    assert MentionReading("a.py", lines) in readings


def test_what_ends_a_sentence_may_not_belong_to_the_path() -> None:
    (readings,) = mentions("Look at (@a.py:3).")

    assert readings == [
        MentionReading("a.py:3)."),
        MentionReading("a.py:3)"),
        MentionReading("a.py:3"),
        MentionReading("a.py", (3, 3)),
    ]


@pytest.mark.parametrize(
    ("before", "found"),
    [
        ("@", TypedMention(0, "")),
        ("fix @sr", TypedMention(4, "sr")),
        ("@src/", TypedMention(0, "src/")),
        ('in @"my fo', TypedMention(3, "my fo")),
        ("@a b", None),
        ("me@ho", None),
        ("@a.py:", None),
        ("@a.py:1-", None),
        ('@"my file" ', None),
        ("", None),
    ],
)
def test_a_mention_is_typed_as_long_as_its_word_is(before: str, found: TypedMention | None) -> None:
    assert typed_mention(before) == found


@pytest.mark.parametrize("path", ["a.py", "my file.txt", "src/x"])
def test_what_is_written_is_read_again(path: str) -> None:
    assert mentions(f"see {mention_of(path)}")[0][0] == MentionReading(path)


def test_a_written_folder_can_be_gone_on_with() -> None:
    assert typed_mention(mention_of("src/")) == TypedMention(0, "src/")
    assert typed_mention(mention_of("my src/")) == TypedMention(0, "my src/")


def test_a_file_with_a_quote_in_its_name_is_no_mention_of_another_one() -> None:
    assert mentions(mention_of('a" @/etc/passwd')) == []
