"""Text from outside made safe to draw: no escape sequence, no control character, no half of a character."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

PER_CELL: Final = 8
"""Characters that a cell may hold: a letter with its marks, a family of emoji."""

_OBEYED: Final = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, but for tab and newline
    "\u2028\u2029"  # line ends that only some programs know
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # marks that turn the direction of text around them
    "\ud800-\udfff"  # half a character
)
_JOINERS: Final = "\u180b-\u180f\u200b-\u200d\ufe00-\ufe0f\U000e0000-\U000e0fff"
"""Invisible, and part of some scripts and emoji: spaces and joiners without a width, variations, tags."""
_FILLERS: Final = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u2060-\u2065\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
)
"""Invisible, and nothing that a text needs."""
_FLAG: Final = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,6}\U000e007f"
"""The flag of a part of a country: its letters are tags."""

_UNSAFE = re.compile(f"{_FLAG}|[{_OBEYED}{_JOINERS}{_FILLERS}]")
_INEXACT = re.compile(f"[{_OBEYED}{_JOINERS}{_FILLERS}\u2800]")
_UNSEEN = re.compile(f"[{_OBEYED}{_FILLERS}\u180e\u200b\U000e0000-\U000e0fff]")
_OPEN_END = re.compile(f"(?:\U0001f3f4[{_JOINERS}]{{0,7}}|[{_JOINERS}]{{1,8}}|\r)\\Z")

_NEEDS_JOINERS: Final = ((0x0600, 0x1CFF), (0xA800, 0xABFF), (0xFB50, 0xFEFE), (0x10A00, 0x11FFF))
"""Where the scripts are whose letters take another form beside a joiner."""
_WITHOUT_SPACES: Final = ((0x0E00, 0x0FFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x1A20, 0x1AAF))
"""Where the scripts are that have no spaces between words."""
_MONGOLIAN: Final = ((0x1800, 0x18AF),)
_HAN: Final = ((0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))
_KEYCAPS: Final = frozenset("#*0123456789")
_EMOJI_BY_FORM: Final = frozenset("\u203c\u2049\u2139\u3030")


def safe(text: str, before: str = "") -> str:
    """Return `text` with everything a terminal might obey or nobody could see made visible.

    For any string of an agent. C0 controls become their control pictures (ESC is `␛`), the other unsafe
    characters U+FFFD. Tabs and newlines stay: whoever draws the text lays them out. Emoji of several
    characters and scripts that need joiners stay as they are.

    Args:
        text: from outside.
        before: the character that stood before the text.
    """
    if _UNSAFE.search(text) is None:
        return text
    return _UNSAFE.sub(lambda match: _visible_alone(match, before), text)


def exact(text: str) -> str:
    """Return a command or a path with everything made visible that is not seen, also parts of emoji.

    Two that look the same are the same.
    """
    return _INEXACT.sub(_visible, text)


def exact_line(text: str) -> str:
    """Return `text` exact and on one line: line ends and tabs become single spaces."""
    return exact(text).replace("\n", " ").replace("\t", " ")


def seen(text: str) -> str:
    """Return what the user has written as it is drawn: one character for each, and none that is not seen."""
    return _UNSEEN.sub(_visible, text)


def plain(text: str) -> tuple[str, int]:
    """Return a text as it may leave for a clipboard or a terminal, and how many characters it is without.

    Tabs, line ends, emoji and joined letters stay; what would act, or nobody could see, does not go along.
    """
    text = text.replace("\r\n", "\n")
    if _UNSAFE.search(text) is None:
        return text, 0
    kept = _UNSAFE.sub(
        lambda match: "" if _visible_alone(match, "") != match.group() else match.group(), text
    )
    return kept, len(text) - len(kept)


def is_exact(text: str) -> bool:
    """Whether a name can be written and read as it is: there is nothing in it that is not seen."""
    return exact(text) == text and "\n" not in text and "\t" not in text


def open_end(text: str) -> int:
    """Return where the end of a text begins that may be the first part of something longer."""
    found = _OPEN_END.search(text, max(0, len(text) - 9))
    return found.start() if found else len(text)


def start_of(text: str, width: int) -> str:
    """Return what `width` cells can show of a text, and some more: whoever cuts it sees that it is longer.

    An agent may send a megabyte where a title belongs: what is drawn often must not read all of it.
    """
    return text[: PER_CELL * (width + 1)]


def safe_line(text: str) -> str:
    """Return `text` safe and on one line: line ends and tabs become single spaces."""
    return safe(text).replace("\n", " ").replace("\t", " ")


def _visible(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def _visible_alone(match: re.Match[str], before: str) -> str:
    """Return what stands for an unsafe character; itself, if it is part of an emoji or of a word."""
    one, at = match.group(), match.start()
    left, right = match.string[at - 1 : at] or before[-1:], match.string[at + 1 : at + 2]
    return one if len(one) > 1 or (left and _belongs(left, one, right)) else _visible(match)


def _belongs(left: str, one: str, right: str) -> bool:
    """Whether an invisible character has a meaning between two others."""
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
    """Whether a character is a letter, or a mark on one, of some ranges."""
    return (
        bool(one)
        and unicodedata.category(one)[0] in "LM"
        and any(first <= ord(one) <= last for first, last in ranges)
    )
