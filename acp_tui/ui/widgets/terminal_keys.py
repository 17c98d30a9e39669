"""The bytes that a key sends to a program in a terminal."""

from __future__ import annotations

from typing import Final

from textual.keys import key_to_character

_NAMED: Final = {
    "enter": "\r",
    "tab": "\t",
    "shift+tab": "\x1b[Z",
    "escape": "\x1b",
    "backspace": "\x7f",
    "delete": "\x1b[3~",
    "insert": "\x1b[2~",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "space": " ",
    "ctrl+space": "\0",
    "ctrl+at": "\0",
    "ctrl+backslash": "\x1c",
    "ctrl+circumflex_accent": "\x1e",
    "ctrl+underscore": "\x1f",
    "f1": "\x1bOP",
    "f2": "\x1bOQ",
    "f3": "\x1bOR",
    "f4": "\x1bOS",
    "f5": "\x1b[15~",
    "f6": "\x1b[17~",
    "f7": "\x1b[18~",
    "f8": "\x1b[19~",
    "f9": "\x1b[20~",
    "f10": "\x1b[21~",
    "f11": "\x1b[23~",
    "f12": "\x1b[24~",
}
_CURSOR: Final = {"up": "A", "down": "B", "right": "C", "left": "D", "home": "H", "end": "F"}
_MODIFIERS: Final = {"shift": 1, "alt": 2, "ctrl": 4}


def bytes_of_key(key: str, character: str | None, application: bool = False) -> bytes:
    """Return what a key of Textual's names sends; nothing for a key that terminals do not know.

    `application` is the form of the arrow keys that full-screen programs ask for.
    """
    if key in _NAMED:
        return _NAMED[key].encode()
    *modifiers, name = key.split("+")
    if name in _CURSOR:
        return _cursor_key(_CURSOR[name], modifiers, application)
    if modifiers == ["ctrl"] and len(name) == 1 and name.isascii() and name.isalpha():
        return bytes([ord(name.lower()) - 96])
    if modifiers == ["alt"]:
        last = name if len(name) == 1 else key_to_character(name)
        return f"\x1b{last}".encode() if last is not None else b""
    return character.encode() if character and character.isprintable() else b""


def _cursor_key(letter: str, modifiers: list[str], application: bool) -> bytes:
    number = 1 + sum(_MODIFIERS.get(modifier, 0) for modifier in modifiers)
    if number > 1:
        return f"\x1b[1;{number}{letter}".encode()
    return f"\x1b{'O' if application else '['}{letter}".encode()
