"""The codes of errors, and what an error's data says. Source: ACP, page "error handling"."""

from __future__ import annotations

import html
import re
from typing import Any, Final

LOGIN_REQUIRED: Final = -32000
NOT_FOUND: Final = -32002
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL: Final = -32603
CANCELLED: Final = -32800
"""Means what the stop reason `cancelled` means. Source: ACP, page "cancellation"."""

_TEXTS: Final = ("details", "error", "message", "reason")
"""Where agents put words into an error's data."""


_LOOKED_AT: Final = 2_000
_LONGEST: Final = 200_000
_PAGE: Final = re.compile(r"<(?:!doctype\s+html|html|head|body)\b", re.I)
_UNSEEN: Final = re.compile(r"<!--.*?-->|<(script|style)\b.*?</\1\s*>", re.I | re.S)
_TAG: Final = re.compile(r"<[^<>]*>")
_LOGIN: Final = re.compile(
    r"""\b(?:not|n't|isn't|aren't)\s+(?:been\s+|yet\s+|currently\s+)?(?:logged|signed)[ -]?in\b
    | \b(?:logged|signed)[ -]?out\b
    | \b(?:please|must|need\s+to|have\s+to|required?\s+to)\s+(?:first\s+)?(?:re-?)?
      (?:log|sign|authenticate)(?:[ -]?(?:in|on))?\b
    | \b(?:log|sign)[ -]?in\s+(?:again|first|is\s+(?:required|needed)|required|needed|expired)\b
    | \b(?:run|use|with)\s+\S{0,3}\S*\s?/?(?:log|sign)-?in\b
    | \bauthenti?cation\s+(?:is\s+)?(?:required|needed|failed|missing|expired)\b
    | \b(?:un|not\s+)authenticated\b | \bunauthori[sz]ed\b
    | \b(?:no|missing|invalid|expired)\s+(?:valid\s+)?(?:api[ -]?key|credentials?|access\s+token)\b
    | \b(?:credentials?|tokens?|login)\s+(?:has|have|is|are)\s+(?:expired|missing|invalid)\b""",
    re.I | re.X,
)


def said_in(data: Any) -> str:
    """Return what an error's data says beside its message, which often is all that helps; may be nothing."""
    if isinstance(data, dict):
        return as_text(next((data[key] for key in _TEXTS if isinstance(data.get(key), str)), ""))
    return as_text(data) if isinstance(data, str) else ""


def speaks_of_login(said: str) -> bool:
    """Return whether the words of an error ask for a login."""
    return _LOGIN.search(said[:_LOOKED_AT]) is not None


def as_text(said: str) -> str:
    """Return the words of what may be a page of HTML, as gateways answer with; other text as it is."""
    if not _PAGE.search(said[:_LOOKED_AT]):
        return said
    plain = html.unescape(_TAG.sub(" ", _UNSEEN.sub(" ", said[:_LONGEST])))
    return "\n".join(line for line in (" ".join(row.split()) for row in plain.splitlines()) if line)
