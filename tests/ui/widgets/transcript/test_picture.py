from __future__ import annotations

import base64
import io
from typing import Any

import pytest
from PIL import Image
from rich.segment import Segment

from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.transcript import picture
from acp_tui.ui.widgets.transcript.blocks import Block
from acp_tui.ui.widgets.transcript.picture import COLUMNS, ROWS, PictureBlock, decoded
from tests.waiting import until

RED, BLUE, NOTHING = (255, 0, 0, 255), (0, 0, 255, 255), (0, 0, 0, 0)


def encoded(image: Image.Image, kind: str = "PNG", **more: Any) -> str:
    file = io.BytesIO()
    image.save(file, kind, **more)
    return base64.b64encode(file.getvalue()).decode()


def columns_of(*pixels: tuple[int, ...]) -> str:
    """Return an image of one column."""
    image = Image.new("RGBA", (1, len(pixels)))
    for y, pixel in enumerate(pixels):
        image.putpixel((0, y), pixel)
    return encoded(image)


def cells(row: list[Segment]) -> list[tuple[str, str]]:
    return [(segment.text, str(segment.style or "")) for segment in row]


def test_a_cell_shows_two_pixels_and_the_background_where_there_is_none() -> None:
    rows = decoded(columns_of(RED, BLUE, NOTHING, BLUE, RED, NOTHING, NOTHING), 10, 10)

    assert [cells(row) for row in rows] == [
        [("▀", "#ff0000 on #0000ff")],
        [("▄", "#0000ff")],
        [("▀", "#ff0000")],
        [(" ", "")],
    ]


def test_neighbours_of_the_same_colours_are_one_piece() -> None:
    (row,) = decoded(encoded(Image.new("RGB", (30, 2), "red")), 64, 20)

    assert cells(row) == [("▀" * 30, "#ff0000 on #ff0000")]


@pytest.mark.parametrize(
    ("size", "cells"), [((4000, 1000), (40, 5)), ((100, 4000), (1, 20)), ((3, 3), (3, 2))]
)
def test_a_picture_fits_keeps_its_shape_and_is_never_enlarged(
    size: tuple[int, int], cells: tuple[int, int]
) -> None:
    rows = decoded(encoded(Image.new("L", size)), 40, 20)

    assert (sum(segment.cell_length for segment in rows[0]), len(rows)) == cells


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP"])
def test_every_usual_format_is_known(kind: str) -> None:
    assert len(decoded(encoded(Image.new("RGB", (8, 8)), kind), 8, 8)) == 4


def test_broken_images_are_no_pictures() -> None:
    whole = base64.b64decode(encoded(Image.effect_noise((64, 64), 50)))
    broken = [whole[:length] for length in range(0, len(whole) - 20, 97)]
    broken += [b"GIF89a", b"<svg/>", whole[:40] + b"\xff" * 200]

    assert [decoded(base64.b64encode(data).decode(), 8, 8) for data in broken] == [[]] * len(broken)
    assert decoded("no base64 é", 8, 8) == []


def test_an_image_of_too_many_pixels_is_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture, "MAX_PIXELS", 100)

    assert decoded(encoded(Image.new("1", (10, 10))), 8, 8) != []
    assert decoded(encoded(Image.new("1", (10, 11))), 8, 8) == []


async def test_the_caption_stands_alone_until_the_picture_is_decoded_once_for_each_width() -> None:
    told: list[Block] = []
    block = PictureBlock(encoded(Image.new("RGB", (200, 100), "red")), "a picture", told.append, indent=2)
    assert len(block.rows(50, Styles())) == 1

    await until(lambda: told)
    rows = block.rows(50, Styles())
    assert len(rows) == 13
    assert all(sum(segment.cell_length for segment in row) <= 50 for row in rows)
    block.rows(200, Styles())
    await until(lambda: len(told) == 2)
    assert len(block.rows(300, Styles())) == COLUMNS // 4 + 1 <= ROWS
    assert len(told) == 2, "it is as wide as it gets"
    assert block.source() == "[a picture]"


async def test_a_picture_that_was_forgotten_comes_back() -> None:
    told: list[Block] = []
    block = PictureBlock(encoded(Image.new("RGB", (4, 4))), "x", told.append)
    block.rows(50, Styles())
    await until(lambda: told)
    block.forget_rows()
    assert len(block.rows(50, Styles())) == 1

    await until(lambda: len(told) == 2)

    assert len(block.rows(50, Styles())) == 3
