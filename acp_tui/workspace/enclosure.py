"""Enclosures: the interface between commands and the sandbox in which they run."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol, Self, TypeVar

INPUT: Final = 5
REPORT: Final = 6
"""Descriptors of a program that encloses a command: its input, and the report of its first process."""

_DESCRIPTORS: Final = "/dev/fd"
_LAST_STREAM: Final = 2

T = TypeVar("T")


class Enclosed(NamedTuple):
    """A command line that starts a command inside an enclosure."""

    argv: Sequence[str]
    environment: Mapping[str, str]
    given: bytes | None = None
    """Input for the enclosing program, on `INPUT`."""
    reports: bool = False
    """True if the enclosing program reports the first process of its namespace on `REPORT`, in JSON."""
    is_wrapper: bool = False
    """True if the enclosing program runs as long as the command; a TERM to it would kill the command."""


class Inside(Protocol):
    """A command that runs inside an enclosure."""

    @property
    def first_process(self) -> int | None:
        """The first process of its own process namespace, or None."""

    @property
    def has_ended(self) -> bool:
        """True if the command has ended."""

    @property
    def is_over(self) -> bool:
        """True if every process that it started has ended, too."""


class Enclosure(Protocol):
    """A sandbox of the operating system around commands."""

    @property
    def takes_terminal(self) -> bool:
        """True if a command takes its terminal itself once it is inside."""

    def enclosed(
        self, argv: Sequence[str], environment: Mapping[str, str], cwd: str, *, terminal: bool
    ) -> Enclosed:
        """Return the command line that starts a command inside."""

    def within(self, call: Callable[[], T]) -> T:
        """Make a call that starts a command; return its result."""

    def entered(self, child: Inside) -> None:
        """Note a command that runs inside."""


class Passed:
    """Descriptors for an enclosing program."""

    def __init__(self, enclosed: Enclosed) -> None:
        """Open the descriptors; the end of a `with` closes them.

        Raises:
            OSError: there are none left.
        """
        self._open: list[int] = []
        self._report = -1
        self.file_actions: list[tuple[Any, ...]] = []
        """Spawn actions that pass them to a program."""
        self.file_actions += [(os.POSIX_SPAWN_CLOSE, each) for each in _inherited()]
        try:
            if enclosed.given is not None:
                self._pass(_file_with(enclosed.given), INPUT)
            if enclosed.reports:
                self._report, theirs = os.pipe()
                os.set_blocking(self._report, False)
                self._pass(theirs, REPORT)
        except OSError:
            self.__exit__()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for descriptor in (*self._open, self._report):
            if descriptor >= 0:
                os.close(descriptor)
        self._open, self._report = [], -1

    def keep_report(self) -> int:
        """Return the descriptor that reports the first process; the caller closes it."""
        report, self._report = self._report, -1
        return report

    def _pass(self, descriptor: int, number: int) -> None:
        try:  # above the child's own descriptors, which are assigned one by one
            self._open.append(fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 16))
        finally:
            os.close(descriptor)
        self.file_actions.append((os.POSIX_SPAWN_DUP2, self._open[-1], number))


def _inherited() -> list[int]:
    """Return the descriptors that this program inherited: an open folder would lead out of the sandbox."""
    found = [int(name) for name in os.listdir(_DESCRIPTORS) if name.isdigit()]  # noqa: PTH208 - faster
    return [number for number in found if number > _LAST_STREAM and _is_inherited(number)]


def _is_inherited(number: int) -> bool:
    try:
        return os.get_inheritable(number)
    except OSError:  # the descriptor of the list itself
        return False


def _file_with(content: bytes) -> int:
    """Return a descriptor of a file without a name, to be read from its start."""
    file = os.memfd_create("acp-tui")
    os.write(file, content)
    os.lseek(file, 0, os.SEEK_SET)
    return file
