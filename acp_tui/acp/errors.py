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


def said_in(data: Any) -> str:
    """Return what an error's data says beside its message, which often is all that helps; may be nothing."""
    if isinstance(data, dict):
        return as_text(next((data[key] for key in _TEXTS if isinstance(data.get(key), str)), ""))
    return as_text(data) if isinstance(data, str) else ""


def as_text(said: str) -> str:
    """Return the words of what may be a page of HTML, as gateways answer with; other text as it is."""
    if not _PAGE.search(said[:_LOOKED_AT]):
        return said
    plain = html.unescape(_TAG.sub(" ", _UNSEEN.sub(" ", said[:_LONGEST])))
    return "\n".join(line for line in (" ".join(row.split()) for row in plain.splitlines()) if line)
