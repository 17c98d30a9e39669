"""Lazy regular expressions, compiled when they are first used.

Compiling all of them takes as long as drawing the first frame, and a session uses only a few.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, Final, cast

_PARTS: Final = tuple(name for name in dir(re.Pattern) if not name.startswith("_"))


def regex(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a lazy regular expression for a module constant; errors in it show at its first use."""
    return cast("re.Pattern[AnyStr]", _Uncompiled(text, flags))


class _Compiled:
    """A pattern that has the methods of the compiled one."""


class _Uncompiled(_Compiled):
    """A pattern that gets the methods of the compiled one when one is first used."""

    def __init__(self, text: Any, flags: int) -> None:
        self._given = text, flags

    def __getattr__(self, name: str) -> Any:
        if name not in _PARTS:
            raise AttributeError(name)
        compiled = re.compile(*self._given)
        vars(self).update((part, getattr(compiled, part)) for part in _PARTS)
        self.__class__ = _Compiled  # type: ignore[assignment]  # a class without this method is faster
        return getattr(compiled, name)
