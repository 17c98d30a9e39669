"""Contrast of colours, and colours that are adjusted until they are readable."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from rich.style import Style
from textual.color import Color

LEAST: Final = 4.5
"""Minimum contrast of text (WCAG 2, level AA)."""
LEAST_OF_DECORATION: Final = 3.0
"""Minimum contrast of lines and marks without a meaning of their own."""


def contrast(one: str, other: str) -> float:
    """Return the WCAG contrast ratio of two colours, from 1 (equal) to 21 (black on white)."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@lru_cache(maxsize=1_024)  # a theme asks for the same pairs over and over
def legible(color: str, background: str, foreground: str, least: float = LEAST) -> str:
    """Return a colour moved towards the foreground, and beyond it, until it has the minimum contrast."""
    farthest = max("#000000", "#ffffff", key=lambda end: contrast(end, background))
    for end in (foreground, farthest):  # in a pale theme, not even the text colour is enough on a bar
        for step in range(11):
            nearer = mix(color, end, step / 10)
            if contrast(nearer, background) >= least:
                return nearer
    return farthest


@lru_cache(maxsize=1_024)
def mix(one: str, other: str, amount: float) -> str:
    """Return a colour blended with another one, from `one` (0) to `other` (1)."""
    return Color.parse(one).blend(Color.parse(other), amount).hex6.lower()


@lru_cache(maxsize=1_024)  # a theme has some fifty roles on a few grounds
def readable_on(style: Style, ground: Style, base: Style) -> Style:
    """Return a style on the background of `ground`, with its text adjusted until it is readable.

    `base` has the foreground towards which the colour is moved.
    """
    together = base + style + ground
    if together.color is None or together.bgcolor is None or together.bgcolor.is_default:
        return together
    shown, below = (Color.from_rich_color(color).hex6 for color in (together.color, together.bgcolor))
    text = Color.from_rich_color(base.color).hex6 if base.color is not None else shown
    read = legible(shown, below, text)
    return together if read.lower() == shown.lower() else together + Style(color=read)


@lru_cache(maxsize=1_024)
def _luminance(color: str) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in Color.parse(color).normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
