"""Tests of `ui/widgets/markdown/links.py`."""

from __future__ import annotations

from acp_tui.ui.widgets.markdown.links import codes


def test_every_block_of_code_is_found_without_fences_and_indentation() -> None:
    text = "say\n\n```py\none = 1\n\ttwo\n```\n\n- item\n\n  ~~~\n  in a list\n  ~~~\n\nend\n\n    more"

    assert codes(text) == ["one = 1\n\ttwo\n", "in a list\n", "more\n"]


def test_an_open_fence_is_code_already() -> None:
    assert codes("```\nhalf") == ["half"]


def test_there_may_be_none() -> None:
    assert codes("just `inline`") == []
