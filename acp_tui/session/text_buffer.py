"""Text that arrives in pieces."""

from __future__ import annotations

from typing import Final

_TOGETHER: Final = 256
"""Pieces that become one when there are so many: small ones take more room than their text."""


class TextBuffer:
    """Appending costs what the piece costs; a view reads what is new since the offset where it stopped.

    Agents written in JavaScript cut text between the two halves of a character: the first half waits for the
    second one, and what stays alone is U+FFFD.
    """

    __slots__ = ("_half", "_limit", "_loose", "_pieces", "dropped", "length")

    def __init__(self, text: str = "", limit: int | None = None) -> None:
        self._pieces: list[str] | str = ""
        """What came, until it is one text: there are thousands that do not grow any more."""
        self._loose = 0
        """How many of the last pieces are as they came."""
        self._half = ""
        self._limit = limit
        """Characters that are kept at least; a few more may be."""
        self.dropped = 0
        """Characters that are gone from the beginning."""
        self.length = 0
        """Characters so far, also those that are no longer kept."""
        if text:
            self.append(text)

    def append(self, piece: str) -> None:
        """Add a piece at the end."""
        if not piece:
            return
        if not piece.isascii() or self._half:
            piece = self._whole(self._half + piece)
        pieces = self._to_grow()
        pieces.append(piece)
        self.length += len(piece)
        self._loose += 1
        if self._loose == _TOGETHER:
            pieces[-_TOGETHER:] = ["".join(pieces[-_TOGETHER:])]
            self._loose = 0
        if self._limit is not None and self.length - self.dropped > 2 * self._limit:
            self._pieces, self._loose = str(self)[-self._limit :], 0
            self.dropped = self.length - self._limit

    def since(self, offset: int, most: int | None = None) -> str:
        """Return what is kept after the first `offset` characters, at most `most`: costs what is there."""
        missing = self.length - offset
        if missing <= 0:
            return ""
        if isinstance(self._pieces, str):
            text, start = self._pieces, max(0, len(self._pieces) - missing)
        else:
            found: list[str] = []
            for piece in reversed(self._pieces):
                found.append(piece)
                missing -= len(piece)
                if missing <= 0:
                    break
            text, start = "".join(reversed(found)), max(0, -missing)
        return text[start : None if most is None else start + most]

    def finish(self) -> None:
        """No more pieces come: give up on a half character, and keep the text in one piece."""
        if self._half:
            self._half = ""
            self._to_grow().append("\ufffd")
            self.length += 1
        self._pieces = str(self)

    def __str__(self) -> str:
        """Return the whole text, as far as it is kept."""
        if not isinstance(self._pieces, str):
            self._pieces, self._loose = "".join(self._pieces), 0
        return self._pieces

    def __eq__(self, other: object) -> bool:
        """Equal texts are equal, however they came."""
        return str(self) == str(other) if isinstance(other, TextBuffer | str) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # it grows

    def __repr__(self) -> str:
        return f"TextBuffer({str(self)!r})"

    def _to_grow(self) -> list[str]:
        if isinstance(self._pieces, str):
            self._pieces = [self._pieces] if self._pieces else []
        return self._pieces

    def _whole(self, piece: str) -> str:
        """Join halves of characters and hold back a first half at the end."""
        self._half = ""
        try:
            piece.encode()  # finds halves ten times as fast as a pattern
            return piece
        except UnicodeEncodeError:
            pass
        if "\ud800" <= piece[-1] <= "\udbff":
            self._half, piece = piece[-1], piece[:-1]
        return piece.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def whole(text: str) -> TextBuffer:
    """Return a text that grows no more."""
    grown = TextBuffer()
    grown.append(text)
    grown.finish()
    return grown
