"""Pasted paths of images and sounds become mentions."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from acp_tui.conversation.attachments import dropped_media

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize(
    "quote", [str, shlex.quote, lambda path: path.replace(" ", "\\ "), lambda p: p + "\n"]
)
def test_the_path_of_an_image_is_a_mention_however_it_is_quoted(tmp_path: Path, quote: object) -> None:
    assert callable(quote)
    (tmp_path / "my shot.png").write_bytes(PNG)

    assert dropped_media(quote(f"{tmp_path}/my shot.png"), str(tmp_path)) == '@"my shot.png"'


def test_an_address_of_a_file_and_a_place_elsewhere_count_too(tmp_path: Path) -> None:
    (tmp_path / "a b.png").write_bytes(PNG)

    assert dropped_media(f"{tmp_path.as_uri()}/a%20b.png", "/elsewhere") == f'@"{tmp_path}/a b.png"'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "shot.png",
        "/no/such.png",
        "/etc",
        "/a'b",
        "a\0b",
        "~nobody/x.png",
        "x" * 5000,
        "/dev/zero",
    ],
)
def test_other_texts_are_no_images(text: str) -> None:
    assert dropped_media(text, "/") is None


def test_a_text_file_is_pasted_as_its_path(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_text("no picture")

    assert dropped_media(f"{tmp_path}/a.png", str(tmp_path)) is None


def test_the_path_of_a_sound_is_a_mention_too(tmp_path: Path) -> None:
    (tmp_path / "song.wav").write_bytes(b"RIFF\0\0\0\0WAVEfmt ")

    assert dropped_media(f"{tmp_path}/song.wav", str(tmp_path)) == "@song.wav"
