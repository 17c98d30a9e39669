"""What a person should know about an address before it is opened; nothing is fetched or looked up.

Source: ACP, page "elicitation", URL mode.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, urlsplit

OPENED: Final = ("https", "http")
"""Schemes that are ever opened."""

_STRANGE: Final = re.compile(
    r"[\s\x00-\x20\x7f-\xa0\\\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ud800-\udfff]"
)
"""What no address contains, and browsers and programs read in different ways."""
_NUMERIC: Final = re.compile(r"[\d.]+|0x[0-9a-f.x]+|\[.*\]|.*:.*", re.IGNORECASE)


@dataclass(frozen=True)
class Address:
    """An address cut into what stands before its host, the host, and what follows."""

    url: str
    before: str
    host: str
    after: str
    warnings: tuple[str, ...]
    can_open: bool
    """Whether it may go to a browser."""


def read_address(url: str) -> Address:
    """Return an address with all there is to say about it."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return Address(url, url, "", "", ("It is not a proper address, and will not be opened.",), False)
    if _STRANGE.search(url):
        warning = "It contains characters that do not belong in an address, and will not be opened."
        return Address(url, url, "", "", (warning,), False)
    if parts.scheme not in OPENED or not host:
        warning = "It is not a web address (http or https), and will not be opened."
        return Address(url, url, "", "", (warning,), False)
    start = _host_start(url, parts)
    shown = url[start : start + len(host)]
    return Address(url, url[:start], shown, url[start + len(host) :], tuple(_warnings(parts, host)), True)


def _host_start(url: str, parts: SplitResult) -> int:
    start = len(parts.scheme) + 3
    return start + parts.netloc.rfind("@") + 1 + parts.netloc.rpartition("@")[2].startswith("[")


def _warnings(parts: SplitResult, host: str) -> Iterator[str]:
    if parts.scheme != "https":
        yield "It is not encrypted (http): others on the way can read and change it."
    if "@" in parts.netloc:
        yield f"It has a name before an @ sign. The page is on {host}, whatever stands before."
    readable = _readable(host)
    if "xn--" in host:
        yield f"Its host is written in punycode; it reads “{readable}”. Letters may imitate others."
    elif not host.isascii():
        yield "Its host has letters beyond ASCII, which may imitate others."
    for label in readable.split("."):
        scripts = sorted(_scripts(label))
        if len(scripts) > 1:
            yield f"“{label}” mixes letters of several scripts: {', '.join(scripts)}."
    if _NUMERIC.fullmatch(host):
        yield "Its host is a number, not a name."


def _readable(host: str) -> str:
    """Return a host with its punycode labels decoded, as far as that is possible."""
    return ".".join(_decoded(label) for label in host.split("."))


def _decoded(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except (UnicodeError, ValueError):
        return label


def _scripts(label: str) -> set[str]:
    """Return the scripts of a label's letters; Chinese and Japanese ones go together by custom."""
    names = {unicodedata.name(letter, "UNKNOWN").split()[0].title() for letter in label if letter.isalpha()}
    east = {"Cjk", "Hiragana", "Katakana", "Katakana-Hiragana", "Ideographic"}
    return (names - east) | ({"East Asian"} if names & east else set())
