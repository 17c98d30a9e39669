"""Footnotes stand where they are written."""

from __future__ import annotations

from tests.ui.widgets.shown import expected, roles, shown


def test_footnotes_stand_where_they_are_written_each_under_its_mark() -> None:
    assert shown(
        """
        One[^1] and two[^b-2].

        [^1]: The first one, which is longer than a row has room for.
        [^b-2]: https://example.org
        - a list
        """
    ) == expected(
        """
        One[^1] and two[^b-2].

        [^1]: The first one, which is longer
              than a row has room for.

        [^b-2]: https://example.org

        • a list
        """
    )
    found = roles("a[^1] https://a.example\n\n[^1]: b\n")
    assert (found["[^1]"], found["[^1]: "], found["https://a.example"]) == (
        "list-marker",
        "list-marker",
        "link",
    )


def test_what_only_looks_like_a_footnote_is_text() -> None:
    assert shown("[^1] : no, and [^a b]: neither\n\n    [^1]: code\n\nmatches [^abc]* only") == (
        "[^1] : no, and [^a b]: neither\n\n[^1]: code\n\nmatches [^abc]* only"
    )
