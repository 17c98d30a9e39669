"""A picture of the screen as files: SVG as Textual exports it, and PNG."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from textual.app import App

_WEB_FONT: Final = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
"""Fetched from the network by whoever shows the SVG, if it were left in."""

_FAMILIES: Final = {
    "DejaVu Sans Mono": "DejaVuSansMono.ttf",
    "Liberation Mono": "LiberationMono-Regular.ttf",
    "Noto Sans Mono": "NotoSansMono-Regular.ttf",
}
"""Families that PNGs are drawn in, the best first, by a file that says that one is installed."""

_FONT_FOLDERS: Final = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path("/Library/Fonts"))


class NoFont(Exception):
    """None of the families is installed."""


def family() -> str:
    """Return the family to draw in.

    Raises:
        NoFont: none is installed; PNGs would hold no text.
    """
    for name, file in _FAMILIES.items():
        if any(next(folder.rglob(file), None) for folder in _FONT_FOLDERS if folder.is_dir()):
            return name
    raise NoFont(f"no PNG can be drawn: install one of {', '.join(_FAMILIES)}")


def save(app: App[Any], name: str, folder: Path) -> None:
    """Write `name`.svg and `name`.png of what the app shows."""
    from resvg_py import svg_to_bytes

    font = family()
    svg = _WEB_FONT.sub("", app.export_screenshot(title="acp-tui"))
    (folder / f"{name}.svg").write_text(svg, "utf-8")
    drawn = svg_to_bytes(
        svg_string=svg.replace("Fira Code", font),
        font_family=font,
        monospace_family=font,
        font_dirs=[str(place) for place in _FONT_FOLDERS if place.is_dir()],
    )
    (folder / f"{name}.png").write_bytes(bytes(drawn))
