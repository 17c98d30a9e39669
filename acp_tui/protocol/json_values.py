"""Parts of JSON values that may have any form."""

from __future__ import annotations

from typing import Any


def member(value: Any, *names: str) -> Any:
    """Return the member with this name, or at the end of these names; None without one."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def as_object(value: Any) -> dict[str, Any]:
    """Return an object; anything else counts as an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """Return a list; anything else counts as an empty one."""
    return value if isinstance(value, list) else []
