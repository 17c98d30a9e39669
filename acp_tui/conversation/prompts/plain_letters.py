"""Letters without what stands above and below them: they are found by hands that do not type accents."""

from __future__ import annotations


def plain(text: str) -> str:
    """Return a text with `é` as `e`, however it was composed; a letter of its own, such as `ø`, stays."""
    if text.isascii():
        return text
    from unicodedata import combining, normalize

    return "".join(letter for letter in normalize("NFKD", text) if not combining(letter))
