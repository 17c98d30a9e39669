"""Links in plain text: web addresses, and the links that programs print."""

from __future__ import annotations

from typing import Final

from textual.message import Message

from acp_tui.lazy_regex import regex

WEB_ADDRESS: Final = r"https?://[^\s<>\"'`]*[^\s<>\"'`.,;:!?)\]}]"
"""The pattern of a bare web address."""
_ADDRESS: Final = regex(WEB_ADDRESS)
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


def bare_links(text: str) -> list[str]:
    """Return the bare web addresses in a text."""
    return _ADDRESS.findall(text) if "://" in text else []


def plain(text: str) -> str:
    """Return printed text without escape sequences, with the address of a link after its name."""
    linked = _LINK.sub(lambda found: f" {found[1]} " if found[1] else "", text)
    return _SEQUENCE.sub("", linked)


def addresses(text: str) -> list[str]:
    """Return the distinct web addresses in printed text, in order."""
    return list(dict.fromkeys(bare_links(plain(text))))
