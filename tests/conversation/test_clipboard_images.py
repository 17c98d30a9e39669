"""Images that come from the clipboard."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from acp_tui.conversation import clipboard_images
from acp_tui.conversation.clipboard_images import take_image

PNG = b"\x89PNG\r\n\x1a\n and more"


def printing(data: bytes, *, code: int = 0) -> tuple[str, ...]:
    """Return a program that prints some bytes."""
    return sys.executable, "-S", "-c", f"import sys; sys.stdout.buffer.write({data!r}); sys.exit({code})"


def test_an_image_is_kept_in_a_file_of_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "clipboard"

    image = take_image([printing(PNG)], folder)

    assert image is not None
    assert image.read_bytes() == PNG
    assert image.parent == folder
    assert (folder.stat().st_mode & 0o777, image.stat().st_mode & 0o777) == (0o700, 0o600)


@pytest.mark.parametrize(
    "program", [printing(b"text"), printing(b""), printing(PNG, code=1), ("/not/there",)]
)
def test_without_an_image_nothing_is_left_and_the_next_program_is_tried(
    tmp_path: Path, program: tuple[str, ...]
) -> None:
    assert take_image([program], tmp_path) is None
    assert list(tmp_path.iterdir()) == []

    assert take_image([program, printing(PNG)], tmp_path) is not None


def test_a_program_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clipboard_images, "PATIENCE", 0.05)

    assert take_image([(sys.executable, "-S", "-c", "import time; time.sleep(60)")], tmp_path) is None


def test_only_the_newest_images_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clipboard_images, "KEPT", 1)
    (tmp_path / "20200101-000000-old.png").write_bytes(PNG)

    image = take_image([printing(PNG)], tmp_path)

    assert list(tmp_path.iterdir()) == [image]
