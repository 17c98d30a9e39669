"""Durations, sizes, counts and paths formatted for display, and times as the user writes them."""

from __future__ import annotations

import os
import signal
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from acp_tui.lazy_regex import regex

_AGO: Final = regex(r"(\d{1,6})([dhm])")
_UNITS: Final = {"d": "days", "h": "hours", "m": "minutes"}


def moment(text: str) -> datetime:
    """Parse a time: an age such as `7d`, or a date with or without a time.

    Raises:
        ValueError: it is neither.
    """
    ago = _AGO.fullmatch(text)
    try:
        if ago is not None:
            return datetime.now(UTC) - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        raise ValueError(f"must be like 7d, 12h, 30m or 2026-03-01, not {text}") from None


def seconds(duration: float) -> str:
    """Return a duration such as `0.3 s`, `12 s`, `2:05` or `1:02:03`."""
    if duration < 10:
        return f"{duration:.1f} s"
    if duration < 60:
        return f"{duration:.0f} s"
    return clock(duration)


_SIGNAL: Final = 128
"""Shells and the sandbox report a signal as an exit code: its number plus this."""
_DEADLY: Final = frozenset(
    {
        *("SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL"),
        *("SIGSEGV", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGXCPU", "SIGXFSZ", "SIGSYS"),
    }
)


def exit_words(code: int) -> str:
    """Return an exit code such as `exit code 3`, or `exit code 139 (SIGSEGV)` for a signal."""
    try:
        name = signal.Signals(code - _SIGNAL).name
    except ValueError:
        name = ""
    return f"exit code {code} ({name})" if name in _DEADLY else f"exit code {code}"


def clock(duration: float) -> str:
    """Return a running time such as `0:07` or `1:02:03`."""
    minutes, rest = divmod(int(duration), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def size(count: int) -> str:
    """Return a size in bytes, kilobytes or megabytes."""
    if count < 1024:
        return f"{count} B"
    return f"{count / 1024:.0f} KB" if count < 1024 * 1024 else f"{count / 1024 / 1024:.1f} MB"


def tokens(count: int) -> str:
    """Return a number of tokens, in thousands from 1,000 on."""
    return str(count) if count < 1000 else f"{count / 1000:.0f}k"


def expand_home(path: str) -> str:
    """Return a path with a leading `~` or `~name` replaced by the home folder, if there is one."""
    try:
        return os.path.expanduser(path)  # noqa: PTH111 - text, not yet a path
    except ValueError:  # no user name has such a character
        return path


def inside(path: str, cwd: str) -> str:
    """Return a path relative to the workspace; other paths stay unchanged."""
    prefix = cwd.rstrip("/") + "/"
    return path[len(prefix) :] if path.startswith(prefix) and ".." not in path.split("/") else path


def from_home(path: str) -> str:
    """Return a path with `~` for the user's home."""
    home = str(Path.home())
    is_inside = home != "/" and (path == home or path.startswith(f"{home}/"))
    return f"~{path[len(home) :]}" if is_inside else path


def lines(count: int) -> str:
    """Return a count such as `1 line` or `3 lines`."""
    return f"{count} line{'' if count == 1 else 's'}"
