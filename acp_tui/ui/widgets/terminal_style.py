"""Colours of terminal output: SGR parameters to the style that is in force after them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from rich.color import Color
from rich.style import Style


class Pen(NamedTuple):
    """How a terminal writes from now on; a colour is a number, (red, green, blue), or None for default."""

    foreground: int | tuple[int, int, int] | None = None
    background: int | tuple[int, int, int] | None = None
    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    reverse: bool = False
    strike: bool = False
    link: str = ""
    """Where the text leads; an address that may be shown, or nothing."""


PLAIN: Final = Pen()
_ADDRESS: Final = re.compile(r"(?:https?://|file://|mailto:)[!-~]{1,2000}")

_ON: Final = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "reverse", 9: "strike", 21: "underline"}
_OFF: Final = {23: "italic", 24: "underline", 27: "reverse", 29: "strike"}


@lru_cache(maxsize=2_000)
def pen_after(pen: Pen, parameters: str) -> Pen:
    """Return the pen after an SGR sequence; what it does not know changes nothing."""
    fields = parameters.split(";")
    while fields:
        field = fields.pop(0)
        code = _number(field.partition(":")[0])
        if code in (38, 48):
            parts = field.split(":")[1:]
            color = _color([part for part in parts if part]) if parts else _color(fields, take=True)
            pen = pen._replace(foreground=color) if code == 38 else pen._replace(background=color)
        else:
            pen = _after_one(pen, 24 if field == "4:0" else code)
    return pen


@lru_cache(maxsize=2_000)
def style_of(pen: Pen) -> Style:
    """Return the style of a pen."""
    if pen == PLAIN:
        return Style.null()
    return Style(
        color=_rich_color(pen.foreground),
        bgcolor=_rich_color(pen.background),
        bold=pen.bold or None,
        dim=pen.dim or None,
        italic=pen.italic or None,
        underline=pen.underline or None,
        reverse=pen.reverse or None,
        strike=pen.strike or None,
        link=pen.link or None,
    )


def linked(pen: Pen, command: str) -> Pen:
    """Return the pen after an operating system command: `8;PARAMETERS;ADDRESS` begins or ends a link.

    Only addresses of the web, of mail and of files are taken, and only in plain characters: they are written
    to the person's own terminal.
    """
    number, _, rest = command.partition(";")
    if number != "8":
        return pen
    address = rest.partition(";")[2]
    return pen._replace(link=address if _ADDRESS.fullmatch(address) else "")


def _with(pen: Pen, name: str, value: bool) -> Pen:
    return Pen(**{**pen._asdict(), name: value})


def _after_one(pen: Pen, code: int) -> Pen:
    if code == 0:
        return Pen(link=pen.link)
    if code in _ON:
        return _with(pen, _ON[code], True)
    if code in _OFF:
        return _with(pen, _OFF[code], False)
    if code == 22:
        return pen._replace(bold=False, dim=False)
    if 30 <= code <= 37 or 90 <= code <= 97:
        return pen._replace(foreground=code - 30 if code < 90 else code - 82)
    if 40 <= code <= 47 or 100 <= code <= 107:
        return pen._replace(background=code - 40 if code < 100 else code - 92)
    if code == 39:
        return pen._replace(foreground=None)
    if code == 49:
        return pen._replace(background=None)
    return pen


def _color(fields: list[str], take: bool = False) -> int | tuple[int, int, int] | None:
    """Read `5;n` or `2;r;g;b`; with `take` the fields that were read are removed."""
    kind = _number(fields[0]) if fields else 0
    length = {5: 2, 2: 4}.get(kind, 1)
    numbers = [min(255, _number(field)) for field in fields[1:length]]
    if take:
        del fields[:length]
    if kind == 5 and len(numbers) == 1:
        return numbers[0]
    if kind == 2 and len(numbers) == 3:
        return (numbers[0], numbers[1], numbers[2])
    return None


def _number(field: str) -> int:
    return int(field) if field.isascii() and field.isdigit() and len(field) < 6 else 0


def _rich_color(color: int | tuple[int, int, int] | None) -> Color | None:
    if color is None:
        return None
    return Color.from_ansi(color) if isinstance(color, int) else Color.from_rgb(*color)
