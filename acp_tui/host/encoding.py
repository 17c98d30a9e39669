"""The text of a file whatever its encoding, which is found out; nothing is lost or made up."""

from __future__ import annotations

import codecs
import re
from typing import Final, NamedTuple

UTF_8: Final = ""
"""The name of the encoding that needs none."""
BROKEN: Final = "UTF-8 with broken bytes"
BINARY: Final = "binary"

_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32 LE"),  # before that of UTF-16, which it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32 BE"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16 LE"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16 BE"),
)
_NAMES: Final = {
    "cp1252": "Windows-1252",
    "latin_1": "Latin-1",
    "cp1250": "Windows-1250",
    "cp1251": "Windows-1251",
    "cp1253": "Windows-1253",
    "cp1254": "Windows-1254",
    "cp1255": "Windows-1255",
    "cp1256": "Windows-1256",
    "iso8859_2": "Latin-2",
    "koi8_r": "KOI8-R",
    "cp932": "Shift-JIS",
    "euc_jp": "EUC-JP",
    "gb18030": "GB18030",
    "big5": "Big5",
    "cp949": "EUC-KR",
}
"""Encodings that are thought of, as people call them: in all of them a newline is the byte 10 only."""
_LIKELIEST: Final = "cp1252"
_HIGH_LINE: Final = re.compile(rb"[^\n]*[\x80-\xff][^\n]*")
_HIGH_BYTE: Final = re.compile(rb"[\x80-\xff]")
_HIGH: Final = re.compile("[\x80-\U0010ffff]")
_STRAY: Final = re.compile("[\udc80-\udcff]")
_SAMPLE: Final = 32 << 10
"""Bytes of lines with other characters than ASCII by which an encoding is guessed."""
_START: Final = 8_000
"""Bytes that tell text from data, as git does it."""
_SHORT: Final = 16
"""Bytes up to which a text without a mark is not taken for UTF-16."""
_WIDE: Final = frozenset({"cp932", "euc_jp", "gb18030", "big5", "cp949"})
"""Encodings whose texts hardly have single letters that are not ASCII."""
_FEW: Final = 2
"""Good characters to a bad one from which a text is UTF-8 with mistakes in it."""


class Decoded(NamedTuple):
    """A text, and how it was read."""

    text: str
    """Bytes that are no characters stand in it as `\\xe9`."""
    encoding: str
    """For people; empty for UTF-8."""

    @property
    def is_by_lines(self) -> bool:
        """Whether lines of the text are lines of the bytes."""
        return self.encoding != BINARY and not self.encoding.startswith(("UTF-16", "UTF-32"))


def decoded(content: bytes, like: bytes = b"") -> Decoded:
    """Read the bytes of a file; `like` is another state of it, which is in the same encoding if it can be.

    May take some tens of milliseconds where it has to guess.
    """
    for mark, codec, name in _MARKS:
        if content.startswith(mark):
            return Decoded(content.decode(codec, "backslashreplace"), name)
    if b"\0" in content[:_START]:
        return _without_mark(content) or Decoded(content.decode("latin-1"), BINARY)
    try:
        return Decoded(content.decode(), UTF_8)
    except UnicodeDecodeError:
        pass
    sample = _sample(content)
    if _is_nearly_utf_8(sample):
        return Decoded(content.decode("utf-8", "backslashreplace"), BROKEN)
    codec = _guess(sample + _sample(like)) or _guess(sample) or "latin_1"
    return Decoded(content.decode(codec, "backslashreplace"), _NAMES[codec])


def pair(old: bytes | None, new: bytes | None) -> tuple[Decoded | None, Decoded | None]:
    """Read two states of a file; None where there is none."""
    return (
        decoded(old, new or b"") if old is not None else None,
        decoded(new, old or b"") if new is not None else None,
    )


def _without_mark(content: bytes) -> Decoded | None:
    """Read UTF-16 without a byte order mark, which is known by the zeros of its plain letters."""
    start = content[:_START]
    zeros = start[1::2].count(0), start[::2].count(0)
    if len(content) < _SHORT or len(content) % 2 or min(zeros) > 0 or max(zeros) * 5 < len(start):
        return None
    codec, name = ("utf-16-le", "UTF-16 LE") if zeros[0] else ("utf-16-be", "UTF-16 BE")
    try:
        return Decoded(content.decode(codec), name)
    except UnicodeDecodeError:
        return None


def _sample(content: bytes) -> bytes:
    """Return lines that tell how they are encoded."""
    sample = bytearray()
    for line in _HIGH_LINE.finditer(content):
        sample += line[0][: _SAMPLE - len(sample)] + b"\n"
        if len(sample) >= _SAMPLE:
            break
    return bytes(sample)


def _is_nearly_utf_8(sample: bytes) -> bool:
    text = sample.decode("utf-8", "surrogateescape")
    stray = len(_STRAY.findall(text))
    return len(_HIGH.findall(text)) - stray >= _FEW * stray


def _guess(sample: bytes) -> str:
    """Return the codec that a text is in most likely; nothing where none fits."""
    from charset_normalizer import from_bytes

    found = [match.encoding for match in from_bytes(sample, cp_isolation=list(_NAMES))]
    if not found:
        return ""
    best = found[0]
    high = len(_HIGH_BYTE.findall(sample))
    if best in _WIDE and high * 3 > len(sample):
        return best
    try:
        likeliest = sample.decode(_LIKELIEST)
    except UnicodeDecodeError:
        return best
    is_as_likely = _LIKELIEST in found or likeliest == sample.decode(best, "replace")
    return _LIKELIEST if is_as_likely or best in _WIDE else best
