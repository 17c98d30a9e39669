"""Effort: the work that one decision may cost, since an agent chooses how long its texts are.

It counts steps and no time, so that a decision is the same on each machine. A step takes less than a
microsecond.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

_MOST: Final = 250_000


class TooMuchEffort(Exception):
    """A decision would take too long; it is left to the user."""


@dataclass(slots=True)
class _Budget:
    left: int


_budget: ContextVar[_Budget | None] = ContextVar("effort", default=None)
"""The budget of the decision; None: nothing is limited."""


@contextmanager
def limited() -> Iterator[None]:
    """Limit the effort of what is inside."""
    token = _budget.set(_Budget(_MOST))
    try:
        yield
    finally:
        _budget.reset(token)


def spend(steps: int) -> None:
    """Spend steps.

    Raises:
        TooMuchEffort: there are none left, now and for the rest of the decision.
    """
    budget = _budget.get()
    if budget is None:
        return
    budget.left -= steps
    if budget.left < 0:
        raise TooMuchEffort
