"""Inline Markdown (emphasis, code, links, images) as styled spans."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from rich.style import Style

from acp_tui.lazy_regex import regex
from acp_tui.ui.widgets.links import WEB_ADDRESS
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import Span, safe

if TYPE_CHECKING:  # for annotations only: a line without marks needs no parser
    from markdown_it.token import Token

_OPENS: Final = {"strong_open": "strong", "em_open": "emphasis", "s_open": "strike", "link_open": "link"}
_CLOSES: Final = {"strong_close", "em_close", "s_close", "link_close"}
_REFERENCE: Final = r"\[\^[\w-]{1,40}\]"
"""A footnote reference. It is shown as written, since it may be part of a regular expression."""
_MARKED: Final = regex(rf"({WEB_ADDRESS}|{_REFERENCE})")
"""A bare web address, or a footnote reference."""
_CLICKABLE: Final = regex(r"(?:https?|file|mailto):[!-~]+", re.IGNORECASE)


@lru_cache(256)
def _linked(style: Style, target: str) -> Style:
    """Return a style that links to a target; cached, so that rows of a growing text stay equal."""
    return style + Style(link=target)


def inline_spans(children: Sequence[Token], styles: Styles, roles: tuple[str, ...]) -> list[Span]:
    """Return the children of an inline token as spans, in the `roles` of their surroundings."""
    spans: list[Span] = []
    stack = [(roles, "")]
    for token in children:
        kind = token.type
        roles, target = stack[-1]
        if kind == "text":
            if token.content:
                _add_text(safe(token.content), styles, roles, target, spans)
        elif kind == "softbreak":
            spans.append((" ", _style(styles, roles, target)))
        elif kind == "hardbreak":
            spans.append(("\n", _style(styles, roles, target)))
        elif kind == "code_inline":
            spans.append((safe(token.content), _style(styles, (*roles, "code"), target)))
        elif kind in _OPENS:
            stack.append(((*roles, _OPENS[kind]), str(token.attrs.get("href") or target)))
        elif kind in _CLOSES:
            stack.pop()
        elif kind == "image":
            card = f"[image: {safe(token.content) or safe(str(token.attrs.get('src', '')))}]"
            spans.append((card, _style(styles, (*roles, "link"), target or str(token.attrs.get("src", "")))))
        else:
            spans.append((safe(token.content), _style(styles, roles, target)))
    return spans


def _add_text(text: str, styles: Styles, roles: tuple[str, ...], target: str, spans: list[Span]) -> None:
    """Add text with links for bare web addresses and marks for footnote references."""
    if target or ("://" not in text and "[^" not in text):
        spans.append((text, _style(styles, roles, target)))
        return
    for number, part in enumerate(_MARKED.split(text)):
        if not part:
            continue
        is_link = part.startswith("http")
        if number % 2:
            marked = (*roles, "link" if is_link else "list-marker")
            spans.append((part, _style(styles, marked, part if is_link else "")))
        else:
            spans.append((part, _style(styles, roles, "")))


def _style(styles: Styles, roles: tuple[str, ...], target: str) -> Style:
    style = styles.blend(roles)
    if target and _CLICKABLE.fullmatch(target):
        return _linked(style, target)
    return style
