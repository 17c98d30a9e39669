"""What stands within a paragraph: emphasis, code, links and images, as styled spans."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from rich.style import Style

from acp_tui.ui.widgets.footnotes import REFERENCE
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.text import safe
from acp_tui.ui.widgets.wrap import Span

if TYPE_CHECKING:
    from markdown_it.token import Token

_OPENS: Final = {"strong_open": "strong", "em_open": "emphasis", "s_open": "strike", "link_open": "link"}
_CLOSES: Final = {"strong_close", "em_close", "s_close", "link_close"}
_MARKED: Final = re.compile(rf"(https?://[^\s<>\"'`]*[^\s<>\"'`.,;:!?)\]}}]|{REFERENCE})")
"""A bare web address, or what points to a footnote."""
_CLICKABLE: Final = re.compile(r"(?:https?|file|mailto):[!-~]+", re.IGNORECASE)


@lru_cache(1024)
def blend(look: Look, roles: tuple[str, ...]) -> Style:
    """Return the style of several roles laid over each other, the last one on top."""
    return Style.combine([look[role] for role in roles])


@lru_cache(256)
def _linked(style: Style, target: str) -> Style:
    """Return a style that links to a target: the same one whenever a growing text is read again."""
    return style + Style(link=target)


def inline_spans(children: Sequence[Token], look: Look, roles: tuple[str, ...]) -> list[Span]:
    """Turn the children of an inline token into spans, over the `roles` of their surroundings."""
    spans: list[Span] = []
    stack = [(roles, "")]
    for token in children:
        kind = token.type
        roles, target = stack[-1]
        if kind == "text":
            if token.content:
                _add_text(safe(token.content), look, roles, target, spans)
        elif kind == "softbreak":
            spans.append((" ", _style(look, roles, target)))
        elif kind == "hardbreak":
            spans.append(("\n", _style(look, roles, target)))
        elif kind == "code_inline":
            spans.append((safe(token.content), _style(look, (*roles, "code"), target)))
        elif kind in _OPENS:
            stack.append(((*roles, _OPENS[kind]), str(token.attrs.get("href") or target)))
        elif kind in _CLOSES:
            stack.pop()
        elif kind == "image":
            card = f"[image: {safe(token.content) or safe(str(token.attrs.get('src', '')))}]"
            spans.append((card, _style(look, (*roles, "link"), target or str(token.attrs.get("src", "")))))
        else:
            spans.append((safe(token.content), _style(look, roles, target)))
    return spans


def bare_links(text: str) -> list[str]:
    """Return the web addresses that stand in a text as they are."""
    return [part for part in _MARKED.findall(text) if part.startswith("http")] if "://" in text else []


def _add_text(text: str, look: Look, roles: tuple[str, ...], target: str, spans: list[Span]) -> None:
    """Add text, in which a bare web address is a link as well, and what points to a footnote is marked."""
    if target or ("://" not in text and "[^" not in text):
        spans.append((text, _style(look, roles, target)))
        return
    for number, part in enumerate(_MARKED.split(text)):
        if not part:
            continue
        is_link = part.startswith("http")
        if number % 2:
            marked = (*roles, "link" if is_link else "list-marker")
            spans.append((part, _style(look, marked, part if is_link else "")))
        else:
            spans.append((part, _style(look, roles, "")))


def _style(look: Look, roles: tuple[str, ...], target: str) -> Style:
    style = blend(look, roles)
    if target and _CLICKABLE.fullmatch(target):
        return _linked(style, target)
    return style
