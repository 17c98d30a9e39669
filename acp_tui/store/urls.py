"""Secrets in URLs: user and password before the host, query and fragment."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final
from urllib.parse import unquote

from acp_tui.lazy_regex import regex

_ADDRESS: Final = regex(
    r"""(?P<scheme>[a-z][a-z0-9+.-]{0,40}:)//
        (?:(?P<login>[^\s/?\#"'<>]+)@)?
        (?P<place>[^\s?\#"'<>]*)
        (?P<query>\?[^\s\#"'<>]*)?
        (?P<fragment>\#[^\s"'<>]*)?""",
    re.I | re.X,
)
_SHORT: Final = 8
"""Minimum length of a secret that is masked on its own; a shorter one includes the host."""
_BETWEEN: Final = regex("[&;]")


def credentials(text: str) -> list[str]:
    """Return the secrets in the URLs of a text.

    Each part is returned as a whole, because a short password alone would match ordinary words, and each
    value by itself, because an agent may repeat it without its URL.
    """
    found: list[str] = []
    for address in _ADDRESS.finditer(text) if "://" in text else ():  # to compile the pattern takes 1 ms
        login, query, fragment = address["login"] or "", address["query"] or "", address["fragment"] or ""
        values = [login.partition(":")[2] or login]
        values += [pair.partition("=")[2] or pair for pair in _BETWEEN.split(query[1:])]
        values += [pair.partition("=")[2] for pair in _BETWEEN.split(fragment[1:])]
        place, rest = address["place"], f"{query}{fragment if '=' in fragment else ''}"
        wholes = [f"//{login}@{place if len(login) + 3 < _SHORT else ''}" if login else "", rest]
        if 1 < len(rest) < _SHORT:
            wholes.append(f"{place}{rest}")
        found += [*wholes, *values, *map(unquote, values)]
    return [value for value in dict.fromkeys(found) if value not in ("", "?")]


def masked(text: str, mask: Callable[[str], str] = lambda _: "•••") -> str:
    """Return a text with each secret in its URLs replaced by `mask(secret)`."""

    def shown(address: re.Match[str]) -> str:
        login, query, fragment = address["login"], (address["query"] or "?")[1:], address["fragment"] or ""
        login = mask(login) if login else ""
        query = mask(query) if query else ""
        if "=" in fragment:
            fragment = f"#{mask(fragment[1:])}"
        parts = (f"{login}@" if login else "", address["place"], f"?{query}" if query else "", fragment)
        return f"{address['scheme']}//{''.join(parts)}"

    return _ADDRESS.sub(shown, text)
