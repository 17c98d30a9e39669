"""Untrusted text made safe to draw: no escape sequences, control characters or lone surrogates."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from acp_tui.lazy_regex import regex

PER_CELL: Final = 8
"""Characters a cell may hold: a letter with its marks, a family of emoji."""

_OBEYED: Final = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls except tab and newline
    "\u2028\u2029"  # line separators that only some programs know
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # marks that change the direction of text
    "\ud800-\udfff"  # lone surrogates
)
_JOINERS: Final = "\u180b-\u180f\u200b-\u200d\ufe00-\ufe0f\U000e0000-\U000e0fff"
"""Invisible parts of some scripts and emoji: zero-width spaces and joiners, variation selectors, tags."""
_FILLERS: Final = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u2060-\u2065\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
)
"""Invisible characters that no text needs."""
_FLAG: Final = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,6}\U000e007f"
"""A subdivision flag, whose letters are tags."""

_UNSAFE = regex(f"{_FLAG}|[{_OBEYED}{_JOINERS}{_FILLERS}]")
_BLANKS: Final = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000"
"""Characters that look like a space but are none for a shell."""
_FORMATS: Final = (
    "\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd\U00013430-\U00013455\U00016fe4\U0001d159"
)
"""Marks of some scripts and notes that many fonts do not draw."""
_INEXACT = regex(f"[{_OBEYED}{_JOINERS}{_FILLERS}{_FORMATS}{_BLANKS}]")
_UNSEEN = regex(f"[{_OBEYED}{_FILLERS}\u180e\u200b\U000e0000-\U000e0fff]")
_OPEN_END = regex(f"(?:\U0001f3f4[{_JOINERS}]{{0,7}}|[{_JOINERS}]{{1,8}}|\r)\\Z")

_NEEDS_JOINERS: Final = ((0x0600, 0x1CFF), (0xA800, 0xABFF), (0xFB50, 0xFEFE), (0x10A00, 0x11FFF))
"""Ranges of the scripts whose letters change form beside a joiner."""
_WITHOUT_SPACES: Final = ((0x0E00, 0x0FFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x1A20, 0x1AAF))
"""Ranges of the scripts without spaces between words."""
_MONGOLIAN: Final = ((0x1800, 0x18AF),)
_HAN: Final = ((0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))
_KEYCAPS: Final = frozenset("#*0123456789")
_EMOJI_BY_FORM: Final = frozenset("\u203c\u2049\u2139\u3030")


def safe(text: str, before: str = "") -> str:
    """Return `text` with control and invisible characters made visible.

    For any string from an agent. C0 controls become control pictures (ESC is `␛`), the other unsafe
    characters U+FFFD. Tabs and newlines stay, for the caller to lay out. Emoji sequences and the joiners of
    scripts that need them stay, too.

    Args:
        text: the untrusted text.
        before: the character before the text.
    """
    if _is_plain(text) or _UNSAFE.search(text) is None:
        return text
    return _UNSAFE.sub(lambda match: _visible_alone(match, before), text)


def exact(text: str) -> str:
    """Return a command or path with every invisible character and unusual space shown, even inside emoji.

    Two results that look the same are the same.
    """
    return text if _is_plain(text) else _INEXACT.sub(_visible, text)


def exact_line(text: str) -> str:
    """Return `text` exact and on one line: newlines and tabs become spaces."""
    return exact(text).replace("\n", " ").replace("\t", " ")


def seen(text: str) -> str:
    """Return the user's own text as drawn, one character for each of its characters."""
    return text if _is_plain(text) else _UNSEEN.sub(_visible, text)


def plain(text: str) -> tuple[str, int]:
    """Return a text for the clipboard or a terminal, and the number of characters removed.

    Tabs, newlines, emoji and joined letters stay; control and invisible characters are removed.
    """
    text = text.replace("\r\n", "\n")
    if _UNSAFE.search(text) is None:
        return text, 0
    kept = _UNSAFE.sub(
        lambda match: "" if _visible_alone(match, "") != match.group() else match.group(), text
    )
    return kept, len(text) - len(kept)


def is_exact(text: str) -> bool:
    """Return whether a name can be shown and typed as it is."""
    return exact(text) == text and "\n" not in text and "\t" not in text


def open_end(text: str) -> int:
    """Return the index of a trailing sequence that the next piece may continue."""
    if _is_plain(text[-1:]):
        return len(text)
    found = _OPEN_END.search(text, max(0, len(text) - 9))
    return found.start() if found else len(text)


def start_of(text: str, width: int) -> str:
    """Return a prefix that fills `width` cells, so that huge texts are not scanned.

    It is longer than `width`, so that cutting it still shows an ellipsis.
    """
    return text[: PER_CELL * (width + 1)]


def safe_line(text: str) -> str:
    """Return `text` safe and on one line: newlines and tabs become spaces."""
    return safe(text).replace("\n", " ").replace("\t", " ")


def _is_plain(text: str) -> bool:
    """Return whether a text is printable ASCII, which needs no pattern: to compile one takes 1 ms."""
    return text.isascii() and text.isprintable()


def _visible(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def _visible_alone(match: re.Match[str], before: str) -> str:
    """Return the replacement of an unsafe character, or the character itself inside emoji and words."""
    one, at = match.group(), match.start()
    left, right = match.string[at - 1 : at] or before[-1:], match.string[at + 1 : at + 2]
    return one if len(one) > 1 or (left and _belongs(left, one, right)) else _visible(match)


def _belongs(left: str, one: str, right: str) -> bool:
    """Return whether an invisible character has a meaning between its neighbours."""
    match one:
        case "\u200d":  # joins
            is_emoji = (left == "\ufe0f" or _is_emoji(left)) and _is_emoji(right)
            return is_emoji or _is_of(left, _NEEDS_JOINERS)
        case "\u200c":  # keeps apart
            return _is_of(left, _NEEDS_JOINERS) and _is_of(right, _NEEDS_JOINERS)
        case "\u200b":  # ends a word
            return _is_of(left, _WITHOUT_SPACES) and _is_of(right, _WITHOUT_SPACES)
        case "\ufe0e" | "\ufe0f":  # as text, as emoji
            return _is_emoji(left) or left in _EMOJI_BY_FORM or (left in _KEYCAPS and right == "\u20e3")
    if "\ufe00" <= one <= "\ufe02" or "\U000e0100" <= one <= "\U000e01ef":
        return _is_of(left, _HAN)
    return "\u180b" <= one <= "\u180f" and _is_of(left, _MONGOLIAN)


def _is_emoji(one: str) -> bool:
    return one > "\u00a8" and unicodedata.category(one) in ("So", "Sm", "Sk")


def _is_of(one: str, ranges: tuple[tuple[int, int], ...]) -> bool:
    """Return whether a character is a letter or mark in some ranges."""
    return (
        bool(one)
        and unicodedata.category(one)[0] in "LM"
        and any(first <= ord(one) <= last for first, last in ranges)
    )
