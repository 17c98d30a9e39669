"""Draws the pictures in screenshots/ from the real application.

python -m tests.pictures [--into FOLDER] [NAME …]
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from tests.pictures.files import family, save
from tests.pictures.scenes import PICTURES, Picture
from tests.pictures.stage import performance, surroundings

_FOLDER = Path(__file__).parents[2] / "screenshots"


async def draw(picture: Picture, folder: Path) -> None:
    """Play one scene and save what it shows."""
    with surroundings() as workspace:
        async with performance(
            workspace, size=picture.size, theme=picture.theme, agent=picture.agent
        ) as play:
            await picture.scene(play)
            await play.drawn()
            save(play.app, picture.name, folder)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.pictures", description="Draws screenshots/.")
    parser.add_argument("--into", type=Path, default=_FOLDER)
    parser.add_argument("names", nargs="*", metavar="NAME", help="all by default")
    options = parser.parse_args()
    family()  # else all would be played for nothing
    options.into.mkdir(exist_ok=True)
    for picture in PICTURES:
        if not options.names or picture.name in options.names:
            asyncio.run(draw(picture, options.into))
            print(options.into / f"{picture.name}.svg")


if __name__ == "__main__":
    main()
