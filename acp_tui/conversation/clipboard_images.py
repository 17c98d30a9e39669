"""Images from the clipboard, saved to files that a prompt mentions."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from acp_tui.conversation.attachments import image_type
from acp_tui.store.folders import private_folder
from acp_tui.trusted_programs import own_program

KEPT: Final = 50
"""Number of images that are kept, the newest ones."""
PATIENCE: Final = 3.0
"""Most seconds for a program to write the image."""
_HEAD: Final = 16
"""Bytes at the start of an image that identify its type."""


def take_image(programs: Sequence[Sequence[str]], folder: Path) -> Path | None:
    """Write the image on the clipboard into a new file of a folder; return None if there is no image.

    Blocking: call it in a thread.

    Args:
        programs: the programs that write it to their standard output, tried one after the other.
        folder: the folder, which is created.

    Raises:
        OSError: the file cannot be written.
    """
    private_folder(folder)
    for argv in programs:
        descriptor, name = tempfile.mkstemp(".png", f"{time.strftime('%Y%m%d-%H%M%S')}-", folder)
        with open(descriptor, "wb") as file:
            has_ended_well = _run(argv, file.fileno())
        path = Path(name)
        if has_ended_well and _is_image(path):
            for old in sorted(folder.glob("*.png"))[:-KEPT]:
                old.unlink(missing_ok=True)
            return path
        path.unlink(missing_ok=True)
    return None


def _run(argv: Sequence[str], output: int) -> bool:
    program = own_program(argv[0])
    if program is None:
        return False
    try:
        done = subprocess.run(
            [program, *argv[1:]],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE,
            start_new_session=True,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _is_image(path: Path) -> bool:
    with path.open("rb") as file:
        return image_type(file.read(_HEAD)) is not None
