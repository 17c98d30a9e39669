"""The options of a permission that say one thing and mean another, or nothing that is known."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from acp_tui.acp.permissions import PermissionOption

KINDS: Final = {
    "allow_once": "allows it once",
    "allow_always": "allows it always",
    "reject_once": "rejects it once",
    "reject_always": "rejects it always",
}
"""What an option does, by its kind."""

_ALLOWS: Final = frozenset(
    {
        *("allow", "accept", "approve", "yes", "ok", "okay", "proceed"),
        *("continue", "run", "permit", "grant", "confirm"),
    }
)
_REJECTS: Final = frozenset(
    {
        *("reject", "deny", "no", "never", "cancel", "decline", "refuse"),
        *("disallow", "disapprove", "block", "abort", "forbid"),
    }
)
_FIRST: Final = re.compile(r"[^\W_]+")
_DO_NOT: Final = re.compile(r"(?:do\s+not|don['’]?t|not)\b", re.I)
_BEFORE: Final = frozenset(["always", "please"])
"""Words that may stand before the one that says it."""

_TOLD_APART: Final = 1_000
"""Characters by which names are told apart: a user is shown no more of them."""


def doubt_of(option: PermissionOption, options: Sequence[PermissionOption]) -> str:
    """Return what is odd about an option among those that are offered; empty if nothing is.

    An odd option has no key, and allows nothing by itself.
    """
    others = [other for other in options if other is not option]
    has_id = any(other.option_id == option.option_id for other in others)
    return _doubt(option, has_id, any(_plain(other.name) == _plain(option.name) for other in others))


def doubts_of(options: Sequence[PermissionOption]) -> list[str]:
    """Return what is odd about each of the options that are offered."""
    ids = Counter(option.option_id for option in options)
    names = Counter(_plain(option.name) for option in options)
    return [_doubt(one, ids[one.option_id] > 1, names[_plain(one.name)] > 1) for one in options]


def _doubt(option: PermissionOption, has_id: bool, has_name: bool) -> str:
    """Return what is odd about an option; another one `has_id` or `has_name` of it, or not."""
    if option.kind not in KINDS:
        return f"of a kind that is not known: {option.kind or 'none'}"
    if not option.name.strip():
        return f"without a name; it {KINDS[option.kind]}"
    says = _says(option.name)
    if says and says != option.kind.partition("_")[0]:
        return f"its name contradicts its kind: it {KINDS[option.kind]}"
    if has_id:
        return f"another option is the same to the agent; this one {KINDS[option.kind]}"
    if has_name:
        return f"another option has this name; this one {KINDS[option.kind]}"
    return ""


def _says(name: str) -> str:
    """Return `allow` or `reject` for a name that begins by saying so; empty for any other."""
    if _DO_NOT.match(name.strip()):
        return "reject"
    words = (word[0].lower() for word in _FIRST.finditer(name))
    first = next((word for word in words if len(word) > 1 and word not in _BEFORE and not word.isdigit()), "")
    return "allow" if first in _ALLOWS else "reject" if first in _REJECTS else ""


def _plain(name: str) -> str:
    return " ".join(name[:_TOLD_APART].split()).casefold()
