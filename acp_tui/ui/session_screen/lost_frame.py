"""Drawings that fail: each costs a frame and a line in the log, and never the program."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec

if TYPE_CHECKING:
    from textual.app import App

log = logging.getLogger(__name__)

_MOST: Final = 100
"""Different mistakes that are told; one that comes back with each frame is told once."""
_told: set[str] = set()


@contextmanager
def lost_frame(app: App[Any]) -> Iterator[None]:
    """Go on after a mistake in what is drawn for an agent; without a terminal, as in tests, raise it."""
    try:
        yield
    except Exception as error:
        if app.is_headless:
            raise
        what = f"{type(error).__name__}: {error}"
        if what not in _told and len(_told) < _MOST:
            _told.add(what)
            log.error("a drawing failed", exc_info=error)


Given = ParamSpec("Given")


def draws_for_agent(
    method: Callable[Concatenate[Any, Given], None],
) -> Callable[Concatenate[Any, Given], None]:
    """Have a method of what holds a `_screen` cost a frame at most."""

    @functools.wraps(method)
    def spared(self: Any, /, *args: Given.args, **given: Given.kwargs) -> None:
        with lost_frame(self._screen.app):
            method(self, *args, **given)

    return spared
