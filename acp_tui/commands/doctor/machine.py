"""The part of `acp-tui doctor` about this machine: what it supports, and what is missing."""

from __future__ import annotations

import asyncio
import os
import platform
import select
import shutil
import sys
import termios
import textwrap
import time
import tty
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any, Final

from acp_tui import __version__
from acp_tui.changes.git import Git
from acp_tui.commands.doctor.findings import HEADING, Finding, summary
from acp_tui.desktop import colors_of_terminal, desktop_clipboard, is_remote, speaks_777
from acp_tui.lazy_regex import regex
from acp_tui.platform import ways
from acp_tui.sandbox import machine as fences
from acp_tui.sandbox.landlock import version as landlock_version
from acp_tui.workspace.folder_events import CannotWatch, FolderEvents, why_unwatchable
from acp_tui.workspace.short_programs import Stalled

_WIDTH: Final = 80
_PATIENCE: Final = 0.5
"""Most seconds to wait for an answer of the terminal."""
_LOOKED_AT: Final = 2_000
"""Most names of a folder that are checked."""
_LIMIT: Final = Path("/proc/sys/fs/inotify/max_user_watches")

Ask = Callable[[], bytes]
"""Returns the answer of a terminal to `QUESTION`, or b""."""


def findings(folder: Path, env: Mapping[str, str], ask: Ask) -> Iterator[Finding]:
    """Yield what this machine supports.

    Args:
        folder: the workspace.
        env: the environment.
        ask: asks the terminal.
    """
    yield watching(folder)
    yield terminals()
    for way in ways():
        if way.subject != "terminals":
            yield Finding(way.subject, "well" if way.is_native else "note", way.used, way.loss)
    yield sandbox()
    yield clipboard(env)
    yield notifications(env)
    yield colors(env)
    yield keyboard(ask())
    yield git(folder)
    yield from file_names(folder)


def watching(folder: Path) -> Finding:
    """Try to watch a folder."""
    check, looks = "watching", "acp-tui checks when a tool call or a turn ends, and in the changes pane"
    why = why_unwatchable(folder)
    if why:
        return Finding(check, "note", f"not possible: {why}", looks)
    events = FolderEvents("", lambda: None)
    try:
        events.watch([str(folder)])
        began = time.monotonic()
        paths = events.read()
        took = (time.monotonic() - began) * 1e3
    except CannotWatch as error:
        advice = f"{looks}; raise fs.inotify.max_user_watches or max_user_instances (sysctl)"
        return Finding(check, "note", f"not possible: {error}", advice)
    finally:
        events.close()
    if paths is None:
        return Finding(check, "note", "not possible: no events arrive", looks)
    limit = ""
    with suppress(OSError, ValueError):
        limit = f", up to {int(_LIMIT.read_text()):,} folders"
    return Finding(check, "well", f"reported by the system in {took:.0f} ms{limit}")


def terminals() -> Finding:
    """Try to open a terminal."""
    check = "terminals"
    try:
        ours, theirs = os.openpty()
        try:
            termios.tcsetwinsize(theirs, (24, 80))
            size = termios.tcgetwinsize(ours)
        finally:
            os.close(ours)
            os.close(theirs)
    except (OSError, termios.error) as error:
        return Finding(check, "broken", f"cannot be opened: {error}", "commands of agents cannot be run")
    return Finding(check, "well", "PTYs" if size == (24, 80) else "PTYs, but without a size")


def sandbox() -> Finding:
    """Try the fences for agents."""
    check, trial = "sandbox", fences.try_fences()
    if trial.means is None:
        return Finding(check, "note", f"none: {trial.why}", fences.advice(trial))
    landlock = f", Landlock {number}" if (number := landlock_version()) else ""
    bubblewrap = f"bubblewrap {fences.bubblewrap_version()}".rstrip()
    match trial.means.kind:
        case "bubblewrap" if shutil.which("setsid") is None:
            advice = "commands with a terminal cannot be started: install util-linux"
            return Finding(check, "note", f"{bubblewrap}{landlock}, without setsid", advice)
        case "bubblewrap" if not trial.means.has_proc:
            advice = "processes outside can be seen, and what clears its environment outlives a session"
            return Finding(check, "note", f"{bubblewrap}{landlock}, without its own process ids", advice)
        case "bubblewrap":
            return Finding(check, "well", f"{bubblewrap}{landlock}: a command ran in it")
        case "landlock":
            return Finding(check, "note", f"Landlock {number} alone: {trial.why}", fences.advice(trial))
        case "seatbelt":
            return Finding(check, "note", "sandbox-exec", "written by its manual, not tried")


def clipboard(env: Mapping[str, str]) -> Finding:
    """Find the ways to the clipboard."""
    check, program = "clipboard", desktop_clipboard(env)
    tmux = "tmux's buffer, then " if env.get("TMUX") and shutil.which("tmux") else ""
    if program is not None:
        return Finding(check, "well", program.name)
    if is_remote(env):
        return Finding(check, "well", f"{tmux}the terminal (OSC 52)", "it must allow OSC 52; most do")
    advice = "install wl-copy (Wayland), xclip or xsel (X11), or allow OSC 52 in the terminal"
    return Finding(check, "note", f"{tmux}the terminal (OSC 52)", advice)


def notifications(env: Mapping[str, str]) -> Finding:
    """Find the way to notify the user."""
    if env.get("TMUX") or env.get("TERM", "").startswith(("tmux", "screen")):
        advice = "tmux and screen pass nothing else; `set -g monitor-bell on` shows it in tmux"
        return Finding("notifications", "note", "the bell", advice)
    return Finding("notifications", "well", f"OSC {'777' if speaks_777(env) else '9'}, and the bell")


def colors(env: Mapping[str, str]) -> Finding:
    """Find the number of colours of the terminal."""
    found, term = colors_of_terminal(env), env.get("TERM", "")
    if found == "many":
        exact = env.get("COLORTERM", "") in ("truecolor", "24bit")
        return Finding("colours", "well", "all" if exact else f"256 (TERM={term})")
    if found == "sixteen":
        advice = "if it supports more, set TERM=xterm-256color or COLORTERM=truecolor"
        return Finding("colours", "note", f"16 (TERM={term})", advice)
    why = "NO_COLOR is set" if env.get("NO_COLOR") else f"TERM={term}"
    return Finding("colours", "note", f"none: {why}", "bold, underline and reverse are used instead")


QUESTION: Final = b"\x1b[?u\x1b[c"
"""Asks a terminal for its keyboard protocol, then for its attributes, which every terminal reports."""
_KITTY: Final = regex(rb"\x1b\[\?\d+u")
_ATTRIBUTES: Final = regex(rb"\x1b\[\?[\d;]*c")


def keyboard(answer: bytes) -> Finding:
    """Read the answer of a terminal about its keyboard protocol."""
    check = "keyboard protocol"
    if _KITTY.search(answer):
        return Finding(check, "well", "Kitty's: every key and modifier")
    if not answer:
        return Finding(
            check, "note", "unknown: the terminal does not answer", "run doctor in a terminal, without pipes"
        )
    advice = "Shift+Enter and some Ctrl keys do not arrive; Ctrl+J inserts a newline"
    return Finding(check, "note", "legacy", advice)


def ask_terminal() -> bytes:
    """Ask the terminal; return its answer, b"" without a terminal or an answer."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        if not sys.stdout.isatty() or os.tcgetpgrp(terminal) != os.getpgrp():
            return b""
        before = termios.tcgetattr(terminal)
        try:
            tty.setcbreak(terminal, termios.TCSANOW)
            os.write(terminal, QUESTION)
            return _answer_of(terminal)
        finally:
            termios.tcsetattr(terminal, termios.TCSAFLUSH, before)
    except (OSError, termios.error):
        return b""
    finally:
        os.close(terminal)


def _answer_of(terminal: int) -> bytes:
    answer, end = b"", time.monotonic() + _PATIENCE
    while not _ATTRIBUTES.search(answer):
        ready, _, _ = select.select([terminal], [], [], max(0.0, end - time.monotonic()))
        if not ready:
            break
        answer += os.read(terminal, 1024)
    return answer


def git(folder: Path) -> Finding:
    """Find git."""
    check, advice = (
        "snapshots by git",
        "only changes that agents report are shown, without undo: install git",
    )
    try:
        done = asyncio.run(Git(folder, folder).run("--version"))
    except (OSError, Stalled) as error:
        return Finding(check, "broken", f"cannot be run: {error}", advice)
    if done.code:
        return Finding(check, "broken", f"fails with {done.code}", advice)
    return Finding(check, "well", done.out.decode("utf-8", "replace").strip().removeprefix("git version "))


def file_names(folder: Path) -> Iterator[Finding]:
    """Find how the file system compares names, without writing to it."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in islice(entries, _LOOKED_AT)]
    except OSError:
        names = []
    paths = [folder / name for name in names] + [folder, *folder.parents]
    cases = {_is_same(path, path.name.swapcase()) for path in paths if path.name.swapcase() != path.name}
    if cases:
        found = "does not count" if True in cases else "counts"
        yield Finding("case of file names", "well", f"{found}; protected names are protected in any case")
    others = [(path, _other_form(path.name)) for path in paths]
    forms = {_is_same(path, other) for path, other in others if other != path.name}
    if forms:
        found = "one name" if True in forms else "two names"
        yield Finding("accents in file names", "well", f"“é” and “e” with an accent are {found}")


def _other_form(name: str) -> str:
    """Return a name with its accents composed or, if they are composed, decomposed."""
    composed = unicodedata.normalize("NFC", name)
    return composed if composed != name else unicodedata.normalize("NFD", name)


def _is_same(path: Path, name: str) -> bool:
    """Return whether another name finds the same file."""
    try:
        return path.with_name(name).samefile(path)
    except (OSError, ValueError):
        return False


def words(found: list[Finding]) -> str:
    """Return a report of at most 80 columns."""
    lines = [f"acp-tui {__version__}, Python {platform.python_version()}, {_system()}"[:_WIDTH], ""]
    for finding in found:
        lines += _wrapped(finding.heading, finding.text)
        if finding.fallback:
            lines += _wrapped(" " * HEADING, f"→ {finding.fallback}", indent=2)
    lines += ["", summary(found), "acp-tui doctor --agent NAME checks an agent."]
    return "\n".join(lines)


def _system() -> str:
    return f"{platform.system()} {platform.release()}"


def _wrapped(start: str, text: str, indent: int = 0) -> list[str]:
    after = " " * (HEADING + indent)
    return textwrap.wrap(text, _WIDTH, initial_indent=start, subsequent_indent=after, break_on_hyphens=False)


def plain(found: list[Finding]) -> dict[str, Any]:
    """Return the report for JSON."""
    return {
        "machine": {
            "acp-tui": __version__,
            "python": platform.python_version(),
            "system": _system(),
        },
        "ok": all(finding.verdict != "broken" for finding in found),
        "findings": [asdict(finding) for finding in found],
    }
