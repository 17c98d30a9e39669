"""Stopping the program so that the shell comes back, and `fg` brings it up again."""

from __future__ import annotations

import os


def has_shell() -> bool:
    """Whether a shell started us that notices when we stop; else nobody could bring us back."""
    parent = os.getppid()
    try:
        same_terminal = os.getsid(parent) == os.getsid(0)
        return same_terminal and os.getpgid(parent) != os.getpgrp()
    except OSError:  # the parent is gone, or somebody else's
        return False
