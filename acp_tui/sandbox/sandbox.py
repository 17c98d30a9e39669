"""A sandbox: one fence for an agent and all commands that the client runs for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, TypeVar

from acp_tui.platform import process_table
from acp_tui.sandbox import bubblewrap, landlock, seatbelt
from acp_tui.sandbox.fence import Access, Fence, NoFence, Wanted, fence_for, link_of, upwards
from acp_tui.sandbox.machine import Means
from acp_tui.sandbox.places import SSH_AGENT, TEMPORARY, WAYS_OUT
from acp_tui.sandbox.session_folder import SessionFolder
from acp_tui.trusted_programs import expose, own_program
from acp_tui.workspace.enclosure import INPUT, REPORT, Enclosed, Inside

Network = Literal["on", "off", "commands-off"]
"""The network inside; `commands-off`: none for the commands that acp-tui runs."""

_OPENER: Final = Path(__file__).with_name("opener.py")
_STEP: Final = 0.02  # seconds
_PATIENCE: Final = 10.0
"""Most seconds for opening a place."""

T = TypeVar("T")


class CannotOpen(Exception):
    """A place cannot be opened inside; the message is for display."""


class Sandbox:
    """One fence for an agent and all commands that the client runs for it."""

    def __init__(
        self, fence: Fence, means: Means, network: Network, folder: SessionFolder, sockets: Sequence[str] = ()
    ) -> None:
        """Prepare the sandbox; `make` finds the arguments.

        Raises:
            NoFence: the kernel refuses.
        """
        self.fence = fence
        self.means = means
        self.network: Network = network
        self._folder = folder
        self._keeps_agent = SSH_AGENT in sockets
        self._landlocks: dict[bool, landlock.Landlock | None] = {}
        self._retired: list[landlock.Landlock | None] = []
        self._inside: list[Inside] = []
        self.agent = SandboxSide(self, network=network != "off")
        self.commands = SandboxSide(self, network=network == "on")

    @classmethod
    def make(
        cls,
        roots: Sequence[str],
        *,
        means: Means,
        wanted: Wanted,
        network: Network,
        state: Sequence[str],
        others: Sequence[str],
        ours: Sequence[str],
        environment: Mapping[str, str],
        strict: bool = False,
        programs: Sequence[str] = (),
    ) -> Sandbox:
        """Return a sandbox around some folders; see `fence_for`.

        Raises:
            NoFence: it is not possible.
        """
        try:
            folder = SessionFolder()
        except OSError as error:
            raise NoFence(f"No space for temporary files: {error.strerror}.", "Free some space.") from error
        try:
            fence = fence_for(
                roots,
                wanted=wanted,
                state=state,
                others=others,
                ours=ours,
                folder=folder.path,
                home=str(Path.home()),
                environment=environment,
                strict=strict,
                programs=programs,
            )
        except BaseException as error:
            folder.remove()
            if isinstance(error, OSError):
                raise NoFence(
                    f"The sandbox cannot be created: {error}.", "Check the folders it names."
                ) from error
            raise
        return cls(fence, means, network, folder, wanted.sockets)

    def close(self) -> None:
        """Free its resources, including the temporary files of the session."""
        for each in (*self._landlocks.values(), *self._retired):
            if each is not None:
                each.close()
        self._landlocks, self._retired = {}, []
        self._folder.remove()

    def environment(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """Return an environment without variables that lead to programs outside."""
        kept = {name: value for name, value in inherited.items() if self._stays(name)}
        return {**kept, "TMPDIR": "/tmp" if self.has_own_temp else self.fence.temp}

    @property
    def words(self) -> str:
        """The state for the status line, such as `sandboxed, no network`."""
        kind = "partly sandboxed" if self.means.is_partial else "sandboxed"
        kind += ", home hidden" if self.fence.hides_home else ""
        match self.network:
            case "off":
                return f"{kind}, no network"
            case "commands-off":
                return f"{kind}, its commands without network"
            case _:
                return kind

    @property
    def about(self) -> str:
        """The state in one or two sentences, for the details of a session."""
        fence = self.fence
        written = [path for path, access in {**fence.rules, **fence.opened}.items() if access == "write"]
        network = {
            "on": "network: on, also to services of this machine",
            "off": "network: none",
            "commands-off": "network: none for commands that acp-tui runs; the agent's own share its network",
        }
        lines = [
            f"{self.words}, by {self.means.kind}",
            f"writable: {', '.join(written)}",
            network[self.network],
        ]
        opened = [f"{path} ({access})" for path, access in fence.opened.items()]
        return "\n".join([*lines, *([f"allowed by you: {', '.join(opened)}"] if opened else [])])

    def new_unprotected_files(self) -> list[str]:
        """Return new files that a program outside would run, each once.

        A file that did not exist at the start cannot be protected, nor can a link.
        """
        before = self.fence.unprotected
        self.fence.unprotected = {path: link_of(path) for path in before}
        return [path for path, link in self.fence.unprotected.items() if link not in (None, before[path])]

    @property
    def has_own_temp(self) -> bool:
        """True if /tmp inside is not the /tmp outside."""
        return self.means.kind == "bubblewrap"

    def outside(self, path: str) -> str:
        """Translate a path inside to the path outside."""
        return self.fence.outside(path) if self.has_own_temp else path

    def inside(self, path: str) -> str:
        """Translate a path outside to the path inside."""
        return self.fence.inside(path) if self.has_own_temp else path

    def make_visible(self, path: str) -> str:
        """Make an attached file visible to the agent; return the reason why that is not possible, or "".

        Args:
            path: absolute, links followed.
        """
        if self.fence.access(path) == "hide":
            return f"{path} is hidden by the sandbox: the agent cannot open it."
        if not self.has_own_temp or not self.fence.is_private(path):
            return ""
        folder, name = os.path.split(path)
        if folder not in TEMPORARY:
            return f"{path} lies in another {TEMPORARY[0]} than the agent's: copy it into the workspace."
        try:  # the agent may have put a link there, which could lead anywhere
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with (
                open(path, "rb") as old,
                open(os.open(f"{self.fence.temp}/{name}", flags, 0o600), "wb") as new,
            ):
                shutil.copyfileobj(old, new)
        except FileExistsError:
            return ""
        except OSError as error:
            return f"{path} cannot be copied into the agent's {TEMPORARY[0]}: {error.strerror}."
        return ""

    def open(self, path: str, access: Access) -> bool:
        """Open a place for this session; return whether running processes see it.

        Args:
            path: absolute, links followed.
            access: `write` or `read`.

        Raises:
            CannotOpen: it stays closed.
        """
        if any(_touch(path, own) for own in self.fence.ours):
            raise CannotOpen("acp-tui's own folders stay closed.")
        home = self.fence.home
        if access == "write" and (home == path or home.startswith(f"{path.rstrip('/')}/")):
            raise CannotOpen("With your home folder open, the sandbox would keep nothing out.")
        if not os.path.lexists(path):
            raise CannotOpen(f"{path} does not exist.")
        is_seen = self.opens_at_once and not self._is_only_hidden_with_home(path)
        if is_seen:
            self._open_inside(path, access)
        self.fence.opened[path] = access
        if access == "write":
            expose([path])
        if self.means.kind == "landlock":
            self._retired += self._landlocks.values()  # another thread may be starting a command
            self._landlocks = {}
        return is_seen

    def _is_only_hidden_with_home(self, path: str) -> bool:
        """Return whether a place is hidden only with the whole home, which cannot be uncovered."""
        if not self.fence.hides_home or self.fence.access(path) != "hide":
            return False
        above = [place for place in upwards(path) if place.startswith(f"{self.fence.home}/")]
        return all(self.fence.access(place) == "hide" for place in above)

    @property
    def opens_at_once(self) -> bool:
        """True if running processes see a place when it is opened."""
        return self.means == Means("bubblewrap")

    def _open_inside(self, path: str, access: str) -> None:
        # A hidden place does not exist inside, so its cover is opened.
        covered = self.fence.access(path) == "hide"
        place = self._cover(path) if covered else path
        for child in list(self._inside):
            first = _first_process(child)
            words = self._opened(first, "read" if covered else access, place) if first is not None else ""
            if words and child.first_process is not None:
                raise CannotOpen(f"{path} cannot be opened: {words}.")

    def _cover(self, path: str) -> str:
        return next(place for place in upwards(path) if self.fence.rules.get(place) == "hide")

    def _opened(self, pid: int, access: str, path: str) -> str:
        try:
            done = subprocess.run(
                [sys.executable, "-I", "-S", str(_OPENER), str(pid), access, path],
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                timeout=_PATIENCE,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        return "" if done.returncode == 0 else done.stderr.strip().rpartition("\n")[2] or "it failed"

    def _stays(self, name: str) -> bool:
        return name not in WAYS_OUT or (self._keeps_agent and name == "SSH_AUTH_SOCK")

    def _entered(self, child: Inside) -> None:
        self._inside = [each for each in self._inside if not each.is_over]
        self._inside.append(child)

    def _enclosed(
        self, argv: Sequence[str], environment: Mapping[str, str], cwd: str, *, network: bool, terminal: bool
    ) -> Enclosed:
        inside = self.inside(cwd)
        env = self.environment(environment)
        match self.means.kind:
            case "bubblewrap":
                return self._wrapped(argv, env, inside, network=network, terminal=terminal)
            case "seatbelt":
                program = seatbelt.program() or seatbelt.PROGRAM
                # The system takes these variables from the command anyway.
                loads = {name for name in env if name.startswith(_LOADING)} - _own(env).keys()
                env = {name: value for name, value in env.items() if name not in loads}
                return Enclosed([program, "-p", seatbelt.profile(self.fence, network=network), *argv], env)
            case "landlock":
                return Enclosed(argv, env)

    def _wrapped(
        self, argv: Sequence[str], environment: Mapping[str, str], cwd: str, *, network: bool, terminal: bool
    ) -> Enclosed:
        # A process session of its own inside: signals for the command, also those of keys, do not end
        # bubblewrap first, which would end everything at once.
        own = ["--new-session"] if not terminal else []
        given = bubblewrap.arguments(
            self.fence, cwd, network=network, has_proc=self.means.has_proc, info=REPORT
        )
        # The variables of a command act behind the fence only: one of them could load a program.
        outside = _own(environment)
        for name, value in environment.items():
            if name not in outside:
                own += ["--setenv", name, value]
        takes = [own_program("setsid") or "setsid", "-c", "--"] if terminal else []
        program = bubblewrap.program() or bubblewrap.PROGRAM
        return Enclosed(
            [program, "--args", str(INPUT), "--", *takes, *argv],
            outside,
            given=b"".join(os.fsencode(word) + b"\0" for word in [*given, *own]),
            reports=self.means.has_proc,
            is_wrapper=True,
        )

    def _within(self, call: Callable[[], T], *, network: bool) -> T:
        if network not in self._landlocks:
            self._landlocks[network] = self._landlock(network=network)
        own = self._landlocks[network]
        return call() if own is None else own.within(call)

    def _landlock(self, *, network: bool) -> landlock.Landlock | None:
        """Return the restrictions that Landlock adds, or None."""
        if self.means.kind == "landlock":
            return landlock.Landlock(landlock.grants(self.fence), network=network)
        # A network namespace has no abstract sockets of other programs, and its processes cannot signal them.
        is_needed = self.means.kind == "bubblewrap" and (network or not self.means.has_proc)
        if not is_needed or landlock.version() < landlock.SCOPES_SINCE:
            return None
        return landlock.Landlock(None, network=True)


_LOADING: Final = ("DYLD_", "LD_", "BASH_FUNC_")
"""Prefixes of variables that load a program into whatever is started."""


def _own(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that acp-tui itself has, with the same values."""
    return {name: value for name, value in environment.items() if os.environ.get(name) == value}


# bubblewrap reports its first process before the mounts are done, and that process starts the command after
# them; a place opened in between would be hidden again.
def _first_process(child: Inside) -> int | None:
    """Wait until a command runs; return the first process around it, or None if it has ended."""
    table, end = process_table(), time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        first = child.first_process
        if first is None and child.has_ended:
            return None
        everything = (table.facts(pid) for pid in table.ids())
        if first is not None and any(each.parent == first for each in everything if each is not None):
            return first
        time.sleep(_STEP)
    return None


def _touch(one: str, other: str) -> bool:
    """Return whether one of two places is in the other."""
    one, other = f"{one.rstrip('/')}/", f"{other.rstrip('/')}/"
    return one.startswith(other) or other.startswith(one)


class SandboxSide:
    """One side of a sandbox: for the agent, or for the commands that the client runs for it."""

    def __init__(self, sandbox: Sandbox, *, network: bool) -> None:
        self._sandbox = sandbox
        self.network = network
        """True if there is a network inside."""

    @property
    def takes_terminal(self) -> bool:
        """True if a command takes its terminal itself once it is inside."""
        return self._sandbox.means.kind == "bubblewrap"

    def enclosed(
        self, argv: Sequence[str], environment: Mapping[str, str], cwd: str, *, terminal: bool
    ) -> Enclosed:
        """Return the command that starts a command inside."""
        return self._sandbox._enclosed(argv, environment, cwd, network=self.network, terminal=terminal)

    def within(self, call: Callable[[], T]) -> T:
        """Make a call that starts a command; return its result.

        Raises:
            OSError: the kernel refuses.
        """
        return self._sandbox._within(call, network=self.network)

    def entered(self, child: Inside) -> None:
        """Note a command that runs inside."""
        self._sandbox._entered(child)
