"""Growing text, such as a streamed message."""

from __future__ import annotations

from typing import Final

_TOGETHER: Final = 256
"""Number of small pieces joined at a time: small strings cost more than their text."""


class TextBuffer:
    """Append-only text with O(1) append and reads from an offset.

    Agents written in JavaScript may split a surrogate pair between two chunks: the first half waits for the
    second, and a half left alone becomes U+FFFD.
    """

    __slots__ = ("_half", "_limit", "_loose", "_pieces", "dropped", "length")

    def __init__(self, text: str = "", limit: int | None = None) -> None:
        self._pieces: list[str] | str = ""
        """Pieces, or one string once the text is complete (most texts are)."""
        self._loose = 0
        """Number of trailing pieces that are not yet joined."""
        self._half = ""
        self._limit = limit
        """Minimum number of characters kept; up to twice as many may be."""
        self.dropped = 0
        """Characters dropped from the beginning."""
        self.length = 0
        """Total characters, including dropped ones."""
        if text:
            self.append(text)

    @classmethod
    def complete(cls, text: str) -> TextBuffer:
        """Return a buffer with a text that is complete."""
        buffer = cls(text)
        buffer.finish()
        return buffer

    def append(self, piece: str) -> None:
        """Append a piece."""
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
        """Return the text after the first `offset` characters, up to `most` characters.

        The cost is proportional to the text returned.
        """
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
        """Complete the text: replace a lone half and store one string."""
        if self._half:
            self._half = ""
            self._to_grow().append("\ufffd")
            self.length += 1
        self._pieces = str(self)

    def __str__(self) -> str:
        """Return the kept text."""
        if not isinstance(self._pieces, str):
            self._pieces, self._loose = "".join(self._pieces), 0
        return self._pieces

    def __eq__(self, other: object) -> bool:
        """Compare by text."""
        return str(self) == str(other) if isinstance(other, TextBuffer | str) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # it grows

    def __repr__(self) -> str:
        return f"TextBuffer({str(self)!r})"

    def _to_grow(self) -> list[str]:
        if isinstance(self._pieces, str):
            self._pieces = [self._pieces] if self._pieces else []
        return self._pieces

    def _whole(self, piece: str) -> str:
        """Join surrogate halves and hold back a trailing first half."""
        self._half = ""
        try:
            piece.encode()  # ten times as fast as a regular expression
            return piece
        except UnicodeEncodeError:
            pass
        if "\ud800" <= piece[-1] <= "\udbff":
            self._half, piece = piece[-1], piece[:-1]
        return piece.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
