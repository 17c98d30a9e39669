"""What is no text stands as a card."""

from __future__ import annotations

import pytest

from acp_tui.acp.content import AudioContent, ContentBlock, ImageContent, ResourceLink
from acp_tui.ui.entries.cards import described
from tests.ui.entries.rows import PICTURE


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (PICTURE, "image image/png 5 B"),
        (ImageContent(data="%%%", mime_type="image/png"), "image image/png that cannot be read"),
        (AudioContent(data="", mime_type="audio/wav"), "audio audio/wav 0 B"),
        (ResourceLink(uri="file:///a", name="a", size=2048), "a file:///a 2 KB"),
    ],
)
def test_what_is_no_text_is_a_card(content: ContentBlock, words: str) -> None:
    assert described(content) == words
