"""The fences that work on this machine, found by trying them."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal, NamedTuple

from acp_tui.platform import has_folder_descriptors
from acp_tui.sandbox import bubblewrap, landlock, seatbelt
from acp_tui.sandbox.fence import NoFence

Kind = Literal["bubblewrap", "landlock", "seatbelt"]

_PATIENCE: Final = 10.0
"""Most seconds of a trial."""
_FACTS: Final = (
    "kernel/apparmor_restrict_unprivileged_userns",
    "kernel/unprivileged_userns_clone",
    "user/max_user_namespaces",
)
"""Kernel settings that may forbid user namespaces."""


class Means(NamedTuple):
    """The best fence of a machine."""

    kind: Kind
    has_proc: bool = True
    """True if it can use a process namespace; most containers forbid that."""

    @property
    def is_partial(self) -> bool:
        """True if it leaves known ways out open."""
        return self.kind == "landlock"


class Trial(NamedTuple):
    """The result of trying the fences of a machine."""

    means: Means | None
    """The best one, or None."""
    why: str
    """The system's reason why it is not bubblewrap, or ""."""


def try_fences() -> Trial:
    """Try the fences of this machine, the best one first."""
    if sys.platform == "darwin":
        return Trial(Means("seatbelt"), "") if seatbelt.program() else Trial(None, "sandbox-exec is missing")
    if not has_folder_descriptors():  # else a program gets its terminal too early
        return Trial(None, "this system cannot start programs in a sandbox")
    why = "bubblewrap is not installed"
    if (program := bubblewrap.program()) is not None:
        for has_proc in (True, False):
            why = _error_of(program, has_proc=has_proc)
            if not why:
                return Trial(Means("bubblewrap", has_proc), "")
    found = Means("landlock") if landlock.version() >= landlock.FILES_SINCE else None
    return Trial(found, why)


_WHERE: Final = (
    "/proc/sys/kernel/random/boot_id",
    "/proc/self/ns/user",
    "/proc/self/ns/mnt",
    "/proc/self/ns/pid",
)
"""Files that identify this boot of the system and the container in it."""


# A trial takes as long as the start of an agent. So a good result is kept until the next boot of the
# system. If bubblewrap fails anyway, the agent does not start, and the error is shown.
def best_means(memory: Path, *, partial: bool) -> Means:
    """Return the best means of a fence on this machine.

    Args:
        memory: the file that records which fence worked.
        partial: accept Landlock alone if there is nothing better.

    Raises:
        NoFence: there is none, or only a partial one.
    """
    here = _machine_key()
    with suppress(OSError, ValueError):
        if here and memory.read_text("utf-8") == here:
            return Means("bubblewrap")
    trial = try_fences()
    if here and trial.means == Means("bubblewrap"):
        with suppress(OSError):
            memory.write_text(here, "utf-8")
    if trial.means is not None and (partial or not trial.means.is_partial):
        return trial.means
    raise NoFence(f"This machine has no sandbox: {trial.why}.", advice(trial))


def _machine_key() -> str:
    """Return a key of the machine, boot and bubblewrap of a trial; "" without bubblewrap."""
    program = bubblewrap.program()
    if program is None:
        return ""
    try:
        facts = [program, str(os.stat(program).st_mtime_ns), str(os.geteuid())]  # noqa: PTH116 - text
        facts += [os.readlink(path) if "/ns/" in path else Path(path).read_text() for path in _WHERE]  # noqa: PTH115
    except OSError:
        return ""
    return "\n".join(facts)


def advice(trial: Trial) -> str:
    """Return advice for a machine without a complete fence."""
    if sys.platform == "darwin":
        return "Start without the sandbox."
    installed = "Install bubblewrap" if bubblewrap.program() is None else "Allow user namespaces"
    why = "".join(f" ({text})" for text in facts() if text.startswith("apparmor"))
    if trial.means is not None:
        return f"{installed}{why}, or accept a partial sandbox, which leaves sockets open: --sandbox=partial"
    return f"{installed}{why}, or start in a container."


def facts() -> list[str]:
    """Return the kernel settings that may forbid user namespaces, as `name = value`."""
    found: list[str] = []
    for name in _FACTS:
        try:
            value = Path("/proc/sys", name).read_text("ascii").strip()
        except (OSError, ValueError):
            continue
        if name != "user/max_user_namespaces" or value == "0":
            found.append(f"{name.rpartition('/')[2]} = {value}")
    harmless = ("unprivileged_userns_clone = 1", "apparmor_restrict_unprivileged_userns = 0")
    return [fact for fact in found if fact not in harmless]


def bubblewrap_version() -> str:
    """Return the version that bubblewrap prints, or ""."""
    program = bubblewrap.program()
    if program is None:
        return ""
    try:
        done = subprocess.run(
            [program, "--version"],
            check=False,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip().rpartition(" ")[2][:20] if done.returncode == 0 else ""


def _error_of(program: str, *, has_proc: bool) -> str:
    """Return the error of bubblewrap, or "" if it can run."""
    inside = ["--unshare-user", "--unshare-net", "--ro-bind", "/", "/", "--cap-drop", "ALL"]
    inside += ["--unshare-pid", "--proc", "/proc"] if has_proc else []
    try:
        done = subprocess.run(
            [program, *inside, "--", "/bin/true"],
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap cannot be run: {error}"
    last = done.stderr.strip().rpartition("\n")[2].removeprefix("bwrap: ")
    return "" if done.returncode == 0 else last or f"bubblewrap exits with code {done.returncode}"
