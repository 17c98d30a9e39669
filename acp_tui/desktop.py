"""Facts about the terminal and the desktop, read from the environment."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Final, Literal, NamedTuple

from rich.console import Console

from acp_tui.trusted_programs import own_program

Colors = Literal["many", "sixteen", "none"]

_COLORLESS: Final = ("vt1", "vt2", "vt3", "vt4")
"""Prefixes of the names of monochrome terminals."""


def colors_of_terminal(env: Mapping[str, str]) -> Colors:
    """Return the number of colours to use; none with NO_COLOR."""
    term = env.get("TERM", "")
    if env.get("NO_COLOR") or term.startswith(_COLORLESS) or term.endswith(("-m", "-mono")):
        return "none"
    found = Console(force_terminal=True, _environ=env).color_system
    return "many" if found in ("256", "truecolor") else "sixteen"


def speaks_777(environment: Mapping[str, str]) -> bool:
    """Return True for a terminal with notifications by OSC 777: rxvt, foot, and those built on VTE.

    All others get OSC 9. A terminal that knows both would show everything twice.
    """
    return environment.get("TERM", "").startswith(("rxvt", "foot")) or "VTE_VERSION" in environment


class ClipboardProgram(NamedTuple):
    """A clipboard program, which reads the text from its standard input."""

    name: str
    argv: tuple[str, ...]
    encoding: str = "utf-8"


FindProgram = Callable[[str], str | None]
"""A function like `shutil.which`."""


def desktop_clipboard(
    env: Mapping[str, str], finds: FindProgram = own_program, platform: str = sys.platform
) -> ClipboardProgram | None:
    """Return the clipboard program of the user's desktop.

    Over SSH that is only a forwarded X server: any other desktop on this machine is not the user's.
    """
    return next(
        (program for program in _desktop_clipboards(env, platform) if finds(program.argv[0]) is not None),
        None,
    )


def _desktop_clipboards(env: Mapping[str, str], platform: str) -> Iterator[ClipboardProgram]:
    is_here = not is_remote(env)
    if is_here and platform == "darwin":
        yield ClipboardProgram("pbcopy", ("pbcopy",))
    if is_here and env.get("WSL_DISTRO_NAME"):
        yield ClipboardProgram("clip.exe", ("clip.exe",), "utf-16")
    if is_here and env.get("WAYLAND_DISPLAY"):
        yield ClipboardProgram("wl-copy", ("wl-copy",))
    if env.get("DISPLAY"):
        yield ClipboardProgram("xclip", ("xclip", "-selection", "clipboard"))
        yield ClipboardProgram("xsel", ("xsel", "--clipboard", "--input"))


def image_programs(
    env: Mapping[str, str], finds: FindProgram = own_program, platform: str = sys.platform
) -> list[tuple[str, ...]]:
    """Return the programs that write the image on the user's clipboard to their standard output, as PNG."""
    return [argv for argv in _image_programs(env, platform) if finds(argv[0]) is not None]


def _image_programs(env: Mapping[str, str], platform: str) -> Iterator[tuple[str, ...]]:
    is_here = not is_remote(env)
    if is_here and platform == "darwin":
        yield ("pngpaste", "-")
    if is_here and env.get("WAYLAND_DISPLAY"):
        yield ("wl-paste", "--no-newline", "--type", "image/png")
    if env.get("DISPLAY"):
        yield ("xclip", "-selection", "clipboard", "-target", "image/png", "-out")


def is_remote(env: Mapping[str, str]) -> bool:
    """Return True within an SSH session."""
    return bool(env.get("SSH_CONNECTION") or env.get("SSH_TTY"))
