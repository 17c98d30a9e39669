"""Markdown as plain rows, for tests."""

from __future__ import annotations

import textwrap

from rich.style import Style

from acp_tui.ui.widgets.markdown.stream import MarkdownBlock
from acp_tui.ui.widgets.styles import ROLES, Styles
from acp_tui.ui.widgets.text import row_text

STYLES = Styles()
MARKED = Styles(by_role={role: Style(meta={"role": role}) for role in ROLES})


def shown(text: str, width: int = 40, styles: Styles = STYLES) -> str:
    block = MarkdownBlock(textwrap.dedent(text).strip("\n"))
    block.finish()
    return "\n".join(row_text(row).rstrip() for row in block.rows(width, styles))


def expected(text: str) -> str:
    return textwrap.dedent(text).strip("\n")


def roles(text: str) -> dict[str, str]:
    """Return the role of each piece of text."""
    block = MarkdownBlock(text)
    block.finish()
    return {
        segment.text: str(segment.style.meta.get("role")) if segment.style else ""
        for number, row in enumerate(block.rows(80, MARKED))
        for segment in block.highlighted(number, row)
    }
