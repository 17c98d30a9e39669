"""The output of a command, kept in bounds: the newest bytes, as text that starts and ends at a character."""

from __future__ import annotations

import codecs


class Tail:
    """The newest `limit` bytes of a stream, for the agent and for views.

    Source: ACP, page "terminals", output byte limit.
    """

    def __init__(self, limit: int) -> None:
        self.limit = max(0, limit)
        self.ended = False
        """Whether the stream is over: only then half a character at its end is shown, as U+FFFD."""
        self._bytes = bytearray()
        self._truncated = False

    def append(self, data: bytes) -> None:
        """Take in what came next. Costs a copy of `data`, whatever was there before."""
        if len(data) >= self.limit:
            self._truncated |= len(self._bytes) + len(data) > self.limit
            self._bytes = bytearray(data[len(data) - self.limit :])
            return
        self._bytes += data
        if len(self._bytes) > self.limit:
            del self._bytes[: -self.limit]  # moves no bytes: a bytearray can start late
            self._truncated = True

    def kept(self) -> bytes:
        """Return the bytes kept, from the start of a character on."""
        data = bytes(self._bytes)
        return data[_continuation(data) :] if self._truncated else data

    def read(self) -> tuple[str, bool]:
        """Return the text and whether anything is missing at its beginning."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        text = decoder.decode(self.kept(), final=self.ended)
        encoded = text.encode()
        if len(encoded) <= self.limit:
            return text, self._truncated
        # A byte that is no text became three, so the text has to be cut once more.
        encoded = encoded[len(encoded) - self.limit :]
        return encoded[_continuation(encoded) :].decode(), True

    def text(self) -> str:
        """Return the text kept; its UTF-8 form is never longer than the limit."""
        return self.read()[0]

    @property
    def truncated(self) -> bool:
        """Whether anything is missing at the beginning of the text."""
        return self.read()[1]


def _continuation(data: bytes) -> int:
    """Return how many bytes at the front belong to a character that began before (at most 3)."""
    skip = 0
    while skip < min(3, len(data)) and data[skip] & 0xC0 == 0x80:
        skip += 1
    return skip


class LineEnds:
    """Turns the line ends of a terminal (CR LF) back into what the command wrote (LF), piece by piece."""

    def __init__(self) -> None:
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """Return `data` with the line ends undone; a CR at the end is held until what follows it is known."""
        data = self._held + data
        self._held = b"\r" if data.endswith(b"\r") else b""
        return data[: len(data) - len(self._held)].replace(b"\r\n", b"\n")

    def rest(self) -> bytes:
        """Return the CR still held, once the stream is over."""
        held, self._held = self._held, b""
        return held
