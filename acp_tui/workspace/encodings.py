"""Lossless decoding of text files in any encoding, detected automatically."""

from __future__ import annotations

import codecs
import unicodedata
from typing import Final, NamedTuple

from acp_tui.lazy_regex import regex

UTF_8: Final = ""
"""Name of the default encoding."""
BROKEN: Final = "UTF-8 with broken bytes"
BINARY: Final = "binary"

_MARKS: Final = {
    codecs.BOM_UTF32_LE: "utf-32-le",  # before UTF-16, whose mark is a prefix of it
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_WIDE_NAMES: Final = {
    "utf-32-le": "UTF-32 LE", "utf-32-be": "UTF-32 BE", "utf-16-le": "UTF-16 LE", "utf-16-be": "UTF-16 BE",
}  # fmt: skip
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
"""Candidate encodings with display names; in all of them a newline is the byte 10."""
_LIKELIEST: Final = "cp1252"
_HIGH_LINE: Final = regex(rb"(?m)^[^\n\x80-\xff]*+[\x80-\xff][^\n]*")
_HIGH_BYTE: Final = regex(rb"[\x80-\xff]")
_HIGH: Final = regex("[\x80-\U0010ffff]")
_STRAY: Final = regex("[\udc80-\udcff]")
_SAMPLE: Final = 32 << 10
"""Bytes of non-ASCII lines used to guess an encoding."""
_START: Final = 8_000
"""Bytes checked for NUL to detect binary data, as in git."""
_SHORT: Final = 16
"""Minimum size, in bytes, for UTF-16 without a byte order mark."""
_ODD: Final = frozenset({"Cc", "Cn", "Co", "Cs"})
"""Unicode categories never found in text: control, unassigned, private, surrogate."""
_FINE: Final = frozenset("\t\n\v\f\r\x1b\x1a")
_EASTERN: Final = frozenset({"cp932", "euc_jp", "gb18030", "big5", "cp949"})
"""Encodings in which isolated non-ASCII letters are rare."""
_FEW: Final = 2
"""Valid characters per invalid byte from which on a text counts as broken UTF-8."""


_CONTROL: Final = regex("[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def is_data(text: str) -> bool:
    """Return whether a text is binary data: a third of the characters near its start are control characters.

    A NUL or two do not make it data, since data is not shown.
    """
    start = text[:_START]
    return len(_CONTROL.findall(start)) * 3 > len(start)


class Decoded(NamedTuple):
    """A decoded text and its encoding."""

    text: str
    r"""The text; undecodable bytes appear as `\\xe9`."""
    encoding: str
    """Display name, or "" for UTF-8."""


def decode(content: bytes, like: bytes = b"") -> Decoded:
    """Decode a file; `like` is another version of it, whose encoding is preferred.

    Guessing may take tens of milliseconds.
    """
    if codec := wide_codec(content) or wide_codec(like, content):
        return Decoded(content.decode(codec, "backslashreplace"), _WIDE_NAMES[codec])
    if b"\0" in content[:_START]:
        return Decoded(content.decode("latin-1"), BINARY)
    try:
        return Decoded(content.decode(), UTF_8)
    except UnicodeDecodeError:
        pass
    sample = _sample(content)
    if _is_nearly_utf_8(sample):
        return Decoded(content.decode("utf-8", "backslashreplace"), BROKEN)
    codec = _guess(sample + _sample(like)) or _guess(sample) or "latin_1"
    return Decoded(content.decode(codec, "backslashreplace"), _NAMES[codec])


def decode_pair(old: bytes | None, new: bytes | None) -> tuple[Decoded | None, Decoded | None]:
    """Decode two versions of a file; None stands for no file."""
    return (
        decode(old, new or b"") if old is not None else None,
        decode(new, old or b"") if new is not None else None,
    )


def wide_codec(*states: bytes) -> str:
    """Return the UTF-16 or UTF-32 codec common to all versions of a file, or ""."""
    found = {codec for each in states if (codec := _by_mark(each) or _without_mark(each))}
    if len(found) != 1:
        return ""
    codec = found.pop()
    return codec if all(_can_be(codec, each) for each in states) else ""


def have_lines(old: bytes, new: bytes) -> bool:
    """Return whether two versions are text in one encoding, so that their lines are interchangeable."""
    if _is_wide(old) or _is_wide(new):
        codec = wide_codec(old, new)
        return bool(codec) and all(to_utf_8(each, codec) is not None for each in (old, new))
    return b"\0" not in old[:_START] + new[:_START]


def to_utf_8(content: bytes, codec: str) -> bytes | None:
    """Convert UTF-16 or UTF-32 to UTF-8, or return None if that is not reversible."""
    try:
        text = content.decode(codec, "surrogatepass")
        return (
            text.encode("utf-8", "surrogatepass") if text.encode(codec, "surrogatepass") == content else None
        )
    except UnicodeError:
        return None


def from_utf_8(content: bytes, codec: str) -> bytes:
    """Reverse `narrow`."""
    return content.decode("utf-8", "surrogatepass").encode(codec, "surrogatepass")


def _is_wide(content: bytes) -> bool:
    return bool(_by_mark(content) or _without_mark(content))


def _by_mark(content: bytes) -> str:
    return next((codec for mark, codec in _MARKS.items() if content.startswith(mark)), "")


def _can_be(codec: str, content: bytes) -> bool:
    """Return whether a content may be in this encoding; short ones fit any."""
    own = _by_mark(content) or _without_mark(content)
    if own or not content:
        return own in ("", codec)
    is_short = len(content) < _SHORT and b"\0" in content
    return is_short and to_utf_8(content, codec) is not None and not _odd(content, codec)


def _without_mark(content: bytes) -> str:
    """Return the codec of wide text without a byte order mark, or ""."""
    start = content[:_START]
    if len(content) < _SHORT or b"\0" not in start:
        return ""
    possible = [codec for codec in _WIDE_NAMES if len(content) % (4 if "32" in codec else 2) == 0]
    fitting = {codec: _plain(start, codec) for codec in possible if not _odd(start, codec)}
    best = max(fitting, key=lambda codec: fitting[codec], default="")
    return best if best and fitting[best] else ""


def _odd(start: bytes, codec: str) -> bool:
    """Return whether the decoded start contains characters never found in text."""
    try:
        text = codecs.getincrementaldecoder(codec)().decode(start)
    except UnicodeDecodeError:
        return True
    return any(unicodedata.category(each) in _ODD and each not in _FINE for each in set(text))


def _plain(start: bytes, codec: str) -> int:
    """Return the number of ASCII characters at the start."""
    return sum(each.isascii() for each in codecs.getincrementaldecoder(codec)().decode(start))


def _sample(content: bytes) -> bytes:
    """Return the non-ASCII lines that reveal the encoding."""
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
    """Return the most likely codec, or ""."""
    from charset_normalizer import from_bytes  # few files need it, and it would slow down every start

    found = [match.encoding for match in from_bytes(sample, cp_isolation=list(_NAMES))]
    if not found:
        return ""
    best = found[0]
    high = len(_HIGH_BYTE.findall(sample))
    if best in _EASTERN and high * 3 > len(sample):
        return best
    try:
        likeliest = sample.decode(_LIKELIEST)
    except UnicodeDecodeError:
        return best
    is_as_likely = _LIKELIEST in found or likeliest == sample.decode(best, "replace")
    return _LIKELIEST if is_as_likely or best in _EASTERN else best
