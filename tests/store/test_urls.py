from __future__ import annotations

import pytest

from acp_tui.store.urls import credentials, masked


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://example.com/mcp", "https://example.com/mcp"),
        ("https://example.com/mcp#part", "https://example.com/mcp#part"),
        ("https://example.com/mcp?k=v&n=2", "https://example.com/mcp?•••"),
        ("https://me:pw@example.com:8080/mcp", "https://•••@example.com:8080/mcp"),
        ("https://token@example.com", "https://•••@example.com"),
        ("https://e.com/#access_token=abc", "https://e.com/#•••"),
        ("wss://a:b@c@d.com/?x", "wss://•••@d.com/?•••"),
        ("run npx remote 'https://e.com?key=1' now", "run npx remote 'https://e.com?•••' now"),
        ("mail me@example.com, why? #1=2", "mail me@example.com, why? #1=2"),
    ],
)
def test_a_login_and_what_stands_behind_the_question_mark_are_masked(text: str, shown: str) -> None:
    assert masked(text) == shown
    assert masked(shown) == shown


def test_credentials_are_known_as_they_stand_there_by_themselves_and_decoded() -> None:
    assert credentials("https://me:p%40ss@example.com/a?key=s%2Fx&n=2") == [
        "//me:p%40ss@",
        "?key=s%2Fx&n=2",
        "p%40ss",
        "s%2Fx",
        "2",
        "p@ss",
        "s/x",
    ]
    assert credentials("https://example.com/a#part and me@example.com") == []


def test_a_short_secret_is_looked_for_together_with_its_host() -> None:
    assert "//a:b@example.com/x" in credentials("https://a:b@example.com/x")
    assert "example.com/x?k=v" in credentials("https://example.com/x?k=v")
