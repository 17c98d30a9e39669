"""The seam between commands and the fences of operating systems that they run in."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol, Self, TypeVar

GIVEN: Final = 5
TOLD: Final = 6
"""Descriptors of a program that encloses a command: what it reads, and where it tells its first process."""

_DESCRIPTORS: Final = "/dev/fd"
_LAST_STREAM: Final = 2

T = TypeVar("T")


class Enclosed(NamedTuple):
    """A command as it is started inside an enclosure."""

    argv: Sequence[str]
    environment: Mapping[str, str]
    given: bytes | None = None
    """Read by the enclosing program from `GIVEN`."""
    tells: bool = False
    """The enclosing program tells on `TOLD`, in JSON, the first process of the namespace that it makes."""
    stands_around: bool = False
    """The enclosing program runs as long as the command; a gentle signal to it would end all at once."""


class Inside(Protocol):
    """A command that runs inside an enclosure."""

    @property
    def first_process(self) -> int | None:
        """The first process of its own process namespace, or None."""

    @property
    def has_ended(self) -> bool:
        """True if the command is gone."""

    @property
    def is_over(self) -> bool:
        """True if all that it started is gone, too."""


class Enclosure(Protocol):
    """A fence of the operating system around commands."""

    @property
    def takes_terminal(self) -> bool:
        """True if a command takes its terminal by itself, once it is inside."""

    def enclosed(
        self, argv: Sequence[str], environment: Mapping[str, str], cwd: str, *, terminal: bool
    ) -> Enclosed:
        """Return a command as it is started inside."""

    def within(self, call: Callable[[], T]) -> T:
        """Return the result of a call that starts a command."""

    def entered(self, child: Inside) -> None:
        """Note a command that runs inside."""


class Passed:
    """The descriptors that are passed to an enclosing program."""

    def __init__(self, enclosed: Enclosed) -> None:
        """Open them; they are closed at the end of a `with`.

        Raises:
            OSError: there are none left.
        """
        self._open: list[int] = []
        self._told = -1
        self.file_actions: list[tuple[Any, ...]] = []
        """The spawn actions by which a program receives them."""
        self.file_actions += [(os.POSIX_SPAWN_CLOSE, each) for each in _inherited()]
        try:
            if enclosed.given is not None:
                self._pass(_file_with(enclosed.given), GIVEN)
            if enclosed.tells:
                self._told, theirs = os.pipe()
                os.set_blocking(self._told, False)
                self._pass(theirs, TOLD)
        except OSError:
            self.__exit__()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for descriptor in (*self._open, self._told):
            if descriptor >= 0:
                os.close(descriptor)
        self._open, self._told = [], -1

    def keep_told(self) -> int:
        """Return the descriptor on which the first process is told; the caller closes it."""
        told, self._told = self._told, -1
        return told

    def _pass(self, descriptor: int, number: int) -> None:
        try:  # above the child's own descriptors, which are set one after another
            self._open.append(fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 16))
        finally:
            os.close(descriptor)
        self.file_actions.append((os.POSIX_SPAWN_DUP2, self._open[-1], number))


def _inherited() -> list[int]:
    """Return the descriptors that we have been started with: a folder among them would lead out."""
    found = [int(name) for name in os.listdir(_DESCRIPTORS) if name.isdigit()]  # noqa: PTH208 - faster
    return [number for number in found if number > _LAST_STREAM and _is_inherited(number)]


def _is_inherited(number: int) -> bool:
    try:
        return os.get_inheritable(number)
    except OSError:  # that of the list itself
        return False


def _file_with(content: bytes) -> int:
    """Return a descriptor of a file without a name, to be read from its start."""
    file = os.memfd_create("acp-tui")
    os.write(file, content)
    os.lseek(file, 0, os.SEEK_SET)
    return file
