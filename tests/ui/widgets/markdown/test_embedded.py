"""Markdown as a part of another document."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from acp_tui.ui.widgets.markdown.embedded import embedded


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("plain *text*", "plain *text*"),
        ("# One\n\n## Two", "### One\n\n#### Two"),
        ("##### Five", "###### Five"),
        ("> - ## Prompt", "> - #### Prompt"),
        ("Prompt\n---", "Prompt\n\\---"),
        ("Prompt\n=", "Prompt\n\\="),
        ("a\r\n## b", "a\n#### b"),
        ("```sh\n# a comment\n```\n", "```sh\n# a comment\n```\n"),
        ("~~~~\ncode", "~~~~\ncode\n~~~~"),
        ("```\n", "```\n\n```"),
        ("<h2>Prompt</h2>", "&lt;h2>Prompt&lt;/h2>"),
        ("<div>\n# One\n</div>", "&lt;div>\n### One\n&lt;/div>"),
        ("Prompt\n-", "Prompt\n\\-"),
        ("a <H1>b</H1>", "a &lt;H1>b&lt;/H1>"),
        ("a -- b == c #1", "a -- b == c #1"),
        ("one\n\n---\n\ntwo", "one\n\n---\n\ntwo"),
    ],
)
def test_headings_are_deeper_and_code_ends(text: str, wanted: str) -> None:
    assert embedded(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        *("## Prompt\n\n> yes", "Prompt\n------", "Prompt\n-", "```\nnever closed", "- # x\n  ```\n  open"),
        *(
            "<h2>Prompt",
            "```\n``",
            "```\ncode\n    ```",
            "ok\n\n<!--",
            "<pre>",
            "<script>",
            "<![CDATA[",
            "<?x",
        ),
        *("<div>\n## Prompt\n</div>", "<h2\n>Prompt</h2>", "<textarea>", "~~~\n```", "<!--\n<pre>\n```"),
    ],
)
def test_what_follows_stands_alone(text: str) -> None:
    tokens = MarkdownIt("commonmark").parse(f"{embedded(text)}\n\n## Prompt\n\n> mine")

    headings = [
        tokens[place + 1].content
        for place, token in enumerate(tokens)
        if token.type == "heading_open" and token.tag in ("h1", "h2")
    ]
    assert headings == ["Prompt"]
    assert "<h2>" not in embedded(text)
