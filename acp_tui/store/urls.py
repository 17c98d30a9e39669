"""What is secret in addresses: a name and password before the host, and all that stands behind `?` or `#`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final
from urllib.parse import unquote

_ADDRESS: Final = re.compile(
    r"""(?P<scheme>\b[a-z][a-z0-9+.-]*:)//
        (?:(?P<login>[^\s/?\#"'<>]+)@)?
        (?P<place>[^\s?\#"'<>]*)
        (?P<query>\?[^\s\#"'<>]*)?
        (?P<fragment>\#[^\s"'<>]*)?""",
    re.I | re.X,
)
_SHORT: Final = 8
"""A shorter one would be found in ordinary text: it is looked for together with the host."""
_BETWEEN: Final = re.compile("[&;]")


def credentials(text: str) -> list[str]:
    """Return what must not be written down of the addresses in a text.

    Each part as a whole, since a short password by itself would be found in ordinary words, and the values
    by themselves, since an agent may tell one without its address.
    """
    found: list[str] = []
    for address in _ADDRESS.finditer(text):
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
    """Return a text with `mask(what is secret)` in the place of each secret of its addresses."""

    def shown(address: re.Match[str]) -> str:
        login, query, fragment = address["login"], (address["query"] or "?")[1:], address["fragment"] or ""
        login = mask(login) if login else ""
        query = mask(query) if query else ""
        if "=" in fragment:
            fragment = f"#{mask(fragment[1:])}"
        parts = (f"{login}@" if login else "", address["place"], f"?{query}" if query else "", fragment)
        return f"{address['scheme']}//{''.join(parts)}"

    return _ADDRESS.sub(shown, text)
