"""Pasted texts that mean a file: terminals paste the path of what is dropped on them."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from acp_tui.conversation.prompts.attachments import audio_type, image_type
from acp_tui.conversation.prompts.mentions import written
from acp_tui.readable import inside

_LONGEST: Final = 4096


def dropped_media(text: str, cwd: str) -> str | None:
    """Return a mention of the image or sound whose path, quoted or not, is the whole text; else None."""
    try:
        path = _path(text.strip())
        if path is None or not path.is_absolute() or not path.is_file():
            return None
        with path.open("rb") as file:
            head = file.read(16)
    except (OSError, ValueError, RuntimeError):  # no file, a name with a zero in it, nobody's home
        return None
    is_media = image_type(head) is not None or audio_type(head) is not None
    return written(inside(str(path), cwd)) if is_media else None


def _path(text: str) -> Path | None:
    if not text or "\n" in text or len(text) > _LONGEST:
        return None
    if text.startswith("file://"):
        return Path(unquote(urlsplit(text).path))
    if Path(text).is_file():
        return Path(text)
    try:
        words = shlex.split(text)
    except ValueError:  # an open quote
        return None
    return Path(words[0]).expanduser() if len(words) == 1 and words[0][:1] in "/~" else None
