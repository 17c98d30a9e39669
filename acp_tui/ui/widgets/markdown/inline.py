"""Inline Markdown (emphasis, code, links, images) as styled spans."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from markdown_it.token import Token
from rich.style import Style
from textual.message import Message

from acp_tui.patterns import regex
from acp_tui.ui.widgets.markdown.parser import REFERENCE
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import Span, safe

_OPENS: Final = {"strong_open": "strong", "em_open": "emphasis", "s_open": "strike", "link_open": "link"}
_CLOSES: Final = {"strong_close", "em_close", "s_close", "link_close"}
_MARKED: Final = regex(rf"(https?://[^\s<>\"'`]*[^\s<>\"'`.,;:!?)\]}}]|{REFERENCE})")
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


def bare_links(text: str) -> list[str]:
    """Return the bare web addresses in a text."""
    return [part for part in _MARKED.findall(text) if part.startswith("http")] if "://" in text else []


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


_LINK: Final = regex(r"\x1b\]8;[^;\x07\x1b]*;([^\x07\x1b]*)(?:\x07|\x1b\\)")
"""The start of an OSC 8 link, or its end, which has no address."""
_SEQUENCE: Final = regex(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\|\Z)"  # commands for the terminal itself, such as a title
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|\x1b[ -/]*[0-~]"
    r"|\r(?=\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
)


class LinksWanted(Message):
    """The user wants to see links: their names by address."""

    def __init__(self, links: dict[str, str]) -> None:
        super().__init__()
        self.links = links


def plain(text: str) -> str:
    """Return printed text without escape sequences, with the address of a link after its name."""
    linked = _LINK.sub(lambda found: f" {found[1]} " if found[1] else "", text)
    return _SEQUENCE.sub("", linked)


def addresses(text: str) -> list[str]:
    """Return the distinct web addresses in printed text, in order."""
    return list(dict.fromkeys(bare_links(plain(text))))
