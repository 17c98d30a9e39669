"""Taking one hunk of a change back out of a file, also when the file has changed again since."""

from __future__ import annotations

from typing import NamedTuple

from acp_tui.host.encoding import narrow, wide, wide_codec


class Hunk(NamedTuple):
    """A run of lines that changed: lines `start` to `stop` (from 0, the last not included) of both texts."""

    old_start: int
    old_stop: int
    new_start: int
    new_stop: int


def without(old: bytes, new: bytes, hunk: Hunk) -> bytes:
    """Return the new text with the old lines in the place of the hunk's.

    Lines end at a newline, in UTF-16 and UTF-32 too. Old lines get the line ends of the new text where all
    of both are of one kind.
    """
    codec = wide_codec(old, new)
    texts = [narrow(each, codec) for each in (old, new)] if codec else []
    before, after = texts or (None, None)
    if before is not None and after is not None:
        return wide(_without(before, after, hunk), codec)
    return _without(old, new, hunk)


def _without(old: bytes, new: bytes, hunk: Hunk) -> bytes:
    before, after = _lines(old), _lines(new)
    lines = before[hunk.old_start : hunk.old_stop]
    if _is_crlf(new) and not _is_crlf(old) and b"\r\n" not in old:
        lines = [line.replace(b"\n", b"\r\n") for line in lines]
    elif _is_crlf(old) and b"\r\n" not in new and b"\n" in new:
        lines = [line.replace(b"\r\n", b"\n") for line in lines]
    end = b"\r\n" if _is_crlf(new) else b"\n"
    return _joined([*after[: hunk.new_start], *lines, *after[hunk.new_stop :]], end)


def _lines(text: bytes) -> list[bytes]:
    lines = [line + b"\n" for line in text.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _is_crlf(text: bytes) -> bool:
    """Whether every line ends with CR and LF, and there is one."""
    return 0 < text.count(b"\n") == text.count(b"\r\n")


def _joined(lines: list[bytes], end: bytes) -> bytes:
    """Join lines; one that had no end because it was the last gets one if it is not the last any more."""
    return b"".join([*(line if line.endswith(b"\n") else line + end for line in lines[:-1]), *lines[-1:]])
