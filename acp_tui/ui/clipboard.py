"""Putting a text on the person's clipboard: by the desktop's program, by tmux, or by way of the terminal."""

from __future__ import annotations

import asyncio
import base64
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

OSC52_LIMIT: Final = 74_994
"""Bytes, as base64, that the terminals with the tightest limit take in one sequence."""

PATIENCE: Final = 3.0
"""Seconds after which a program that does not take the text is left alone."""


class Way(NamedTuple):
    """A program that takes the text on its standard input."""

    name: str
    argv: tuple[str, ...]
    encoding: str = "utf-8"


Finds = Callable[[str], str | None]
"""Returns the path of a program, None if it is not there; as `shutil.which` does."""


def desktop_way(
    env: Mapping[str, str], finds: Finds = shutil.which, platform: str = sys.platform
) -> Way | None:
    """Return the program that reaches the clipboard of the desktop that the person sits at.

    Over SSH that is only an X server that SSH leads to: any other desktop here is not the person's.
    """
    return next((way for way in _desktop_ways(env, platform) if finds(way.argv[0]) is not None), None)


def _desktop_ways(env: Mapping[str, str], platform: str) -> Iterator[Way]:
    is_here = not is_remote(env)
    if is_here and platform == "darwin":
        yield Way("pbcopy", ("pbcopy",))
    if is_here and env.get("WSL_DISTRO_NAME"):
        yield Way("clip.exe", ("clip.exe",), "utf-16")
    if is_here and env.get("WAYLAND_DISPLAY"):
        yield Way("wl-copy", ("wl-copy",))
    if env.get("DISPLAY"):
        yield Way("xclip", ("xclip", "-selection", "clipboard"))
        yield Way("xsel", ("xsel", "--clipboard", "--input"))


def is_remote(env: Mapping[str, str]) -> bool:
    """Whether the person sits at another machine."""
    return bool(env.get("SSH_CONNECTION") or env.get("SSH_TTY"))


class Clipboard:
    """Knows the ways out of one run of the program."""

    def __init__(
        self,
        write: Callable[[str], None],
        env: Mapping[str, str],
        finds: Finds = shutil.which,
        *,
        export: str = "",
    ) -> None:
        """Take the ways out.

        Args:
            write: sends a control sequence to the terminal.
            env: our environment, which tells where the person sits.
            finds: returns the path of a program.
            export: the key that writes the session into a file.
        """
        self._write = write
        self._env = env
        self._finds = finds
        self._export = export
        self._has_told = False

    async def put(self, text: str) -> str:
        """Put a text on the clipboard; return what the person should know of it, most times nothing."""
        way = desktop_way(self._env, self._finds)
        if way is not None and await asyncio.to_thread(takes, way, text):
            return ""
        in_tmux = await self._in_tmux(text)
        sent = self._through_terminal(text)
        if sent:
            return self._told_once(way)
        if in_tmux:
            return "It is too long for the terminal's clipboard, but in tmux's buffer: prefix ] pastes it."
        size = f"{len(text) // 1000} thousand characters"
        return (
            f"It is not on the clipboard: {size} are more than terminals take. "
            f"{self._advice(way)} {self._export} writes the session into a file."
        )

    async def _in_tmux(self, text: str) -> bool:
        """Put a text into tmux's buffer, and have tmux hand it on where it can."""
        if not self._env.get("TMUX") or self._finds("tmux") is None:
            return False
        for option in (("-w",), ()):  # before 3.2 tmux could not hand it on
            if await asyncio.to_thread(takes, Way("tmux", ("tmux", "load-buffer", *option, "-")), text):
                return True
        return False

    def _through_terminal(self, text: str) -> bool:
        if len(text) > OSC52_LIMIT:
            return False  # without a look at all of it
        code = base64.b64encode(text.encode("utf-8", "replace")).decode("ascii")
        if len(code) > OSC52_LIMIT:
            return False
        self._write(f"\x1b]52;c;{code}\x07")
        return True

    def _told_once(self, way: Way | None) -> str:
        """Say once that nobody knows whether the terminal took it."""
        if self._has_told:
            return ""
        self._has_told = True
        return f"The terminal was told to take it (OSC 52). If it does not arrive: {self._advice(way)}"

    def _advice(self, way: Way | None) -> str:
        if way is not None:
            return f"{way.name} failed; see whether it works by itself."
        if is_remote(self._env):
            return "Allow OSC 52 in the settings of your terminal."
        return "Install wl-copy, xclip or xsel, or allow OSC 52 in your terminal."


def takes(way: Way, text: str) -> bool:
    """Give a text to a program and wait for its end; return whether it took it. For a thread."""
    try:
        # What stays behind to hand the text out must not hold our streams.
        done = subprocess.run(
            way.argv,
            input=text.encode(way.encoding, "replace"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE,
            start_new_session=True,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
