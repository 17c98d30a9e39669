"""Lazy annotations, compiled when they are evaluated.

`typing` compiles the annotation of each field of named tuples and typed dictionaries, although nobody
evaluates them: a third of the time to make the 220 such classes of a new session, 120 of them of libraries.
"""

from __future__ import annotations

import typing


def install() -> None:
    """Compile the annotations of such classes when they are evaluated; further calls change nothing."""
    vars(typing)["compile"] = _as_text  # `ForwardRef` finds this before the builtin `compile`


def _as_text(source: str, *_: object) -> str:
    """Replace `compile` by leaving the work to `eval`, which takes source as well as code."""
    return source
