"""What belongs to a file beside its bytes, for the new one that takes its place: mode, owner, attributes."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import Final

_OF_THE_BYTES: Final = frozenset({"security.capability", "security.ima", "security.evm"})
"""Attributes that speak of what stood in the file, as the rights of a program do."""


def copy(name: str, folder: int, before: os.stat_result, new: int) -> None:
    """Give the open file `new` what the file `name` has, as far as the system lets us.

    Access lists are among the attributes. Where attributes do not exist, or not for these files, there is
    nothing to lose.
    """
    with suppress(OSError):
        _copy_attributes(name, folder, new)
    made = os.fstat(new)
    if (made.st_uid, made.st_gid) != (before.st_uid, before.st_gid):
        with suppress(OSError):  # only root may; the file is then ours
            os.fchown(new, before.st_uid, before.st_gid)
    os.fchmod(new, stat.S_IMODE(before.st_mode))


def _copy_attributes(name: str, folder: int, new: int) -> None:
    if not hasattr(os, "listxattr"):  # only Linux has them in Python
        return
    old = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    try:
        for attribute in os.listxattr(old):
            if attribute not in _OF_THE_BYTES:
                with suppress(OSError):
                    os.setxattr(new, attribute, os.getxattr(old, attribute))
    finally:
        os.close(old)
