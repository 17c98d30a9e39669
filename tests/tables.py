"""Tests that hold for every row of a table, and run once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any


def each(
    names: str | Sequence[str], rows: Iterable[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test with each row, as `parametrize` does, and name all rows that fail.

    A test of its own for a row costs more than most rows do. Rows share the fixtures of their test.
    """
    table = list(rows)
    assert table

    def decorated(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def run(**fixtures: Any) -> None:
            failures = []
            for row in table:
                values = {names: row} if isinstance(names, str) else dict(zip(names, row, strict=True))
                try:
                    test(**values, **fixtures)
                except Exception as failure:  # noqa: BLE001 - raised below, with the others
                    failure.add_note(f"with {values}")
                    failures.append(failure)
            if failures:
                raise ExceptionGroup(f"{len(failures)} of {len(table)} rows", failures)

        parts = inspect.signature(test).parameters.values()
        taken = [names] if isinstance(names, str) else names
        run.__signature__ = inspect.Signature([part for part in parts if part.name not in taken])  # type: ignore[attr-defined]
        return run

    return decorated
