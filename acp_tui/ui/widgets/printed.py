"""Text that a program has printed: without control sequences, and the addresses in it."""

from __future__ import annotations

import re
from typing import Final

from textual.message import Message

from acp_tui.ui.widgets.inline import bare_links

_LINK: Final = re.compile(r"\x1b\]8;[^;\x07\x1b]*;([^\x07\x1b]*)(?:\x07|\x1b\\)")
"""The beginning of a link as terminals know them, or its end, which has no address."""
_SEQUENCE: Final = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\|\Z)"  # to the terminal itself, such as a title
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|\x1b[ -/]*[0-~]"
    r"|\r(?=\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
)


class LinksWanted(Message):
    """The user wants to see where links lead: their names by address."""

    def __init__(self, links: dict[str, str]) -> None:
        super().__init__()
        self.links = links


def plain(text: str) -> str:
    """Return what was printed without what steers a terminal; an address behind a name stands after it."""
    linked = _LINK.sub(lambda found: f" {found[1]} " if found[1] else "", text)
    return _SEQUENCE.sub("", linked)


def addresses(text: str) -> list[str]:
    """Return the web addresses that were printed, the oldest first, each once."""
    return list(dict.fromkeys(bare_links(plain(text))))
