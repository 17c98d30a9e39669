"""A disk that takes so many bytes more, and says then that it is full."""

from __future__ import annotations

import errno
import os
from typing import Final

import pytest

_WRITE: Final = os.write


class Disk:
    """Stands in for `os.write`; more `room` may be made at any time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
        self.room = room
        monkeypatch.setattr(os, "write", self._write)

    def _write(self, descriptor: int, data: bytes) -> int:
        taken = _WRITE(descriptor, data[: self.room]) if self.room else 0
        if not taken:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.room -= taken
        return taken
