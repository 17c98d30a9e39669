"""The codes of errors, and what an error's data says. Source: ACP, page "error handling"."""

from __future__ import annotations

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


def said_in(data: Any) -> str:
    """Return what an error's data says beside its message, which often is all that helps; may be nothing."""
    if isinstance(data, dict):
        return next((data[key] for key in _TEXTS if isinstance(data.get(key), str)), "")
    return data if isinstance(data, str) else ""
