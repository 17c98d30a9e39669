"""Lazy methods of dataclasses, compiled when they are first used.

`dataclasses` generates the source of up to six methods for each class and compiles it. For the 240 classes
of a new session, 100 of them of libraries, that is an eighth of the start, and a session calls a fifth of
them. Named tuples for all classes of ours that never change, and no comparison for the others, would save
three fifths of it, but these tuples would be equal across classes.
"""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import Any, Final

_MAKER: Final = "__create_fn__"
"""The function in the generated source: it returns one method, or all methods of a class."""


def install() -> None:
    """Compile the methods of dataclasses on first use from now on; further calls change nothing."""
    vars(dataclasses)["exec"] = _execute  # the functions of that module find this before the builtin `exec`


def _execute(source: str, scope: dict[str, Any] | None, names: dict[str, Any]) -> None:
    """Replace `exec`: delay a source that defines methods, and run any other at once."""
    head, _, returned = source.rpartition("\n return ")
    if not head.startswith(f"def {_MAKER}("):
        exec(source, scope, names)
        return

    def make(**given: Any) -> Any:
        if not returned.startswith("("):
            return _Uncompiled(returned, source, scope, given)
        wanted = [name for name in returned.strip("()").split(",") if name]
        return tuple(_Uncompiled(name, source, scope, given, at) for at, name in enumerate(wanted))

    names[_MAKER] = make


class _Uncompiled:
    """A placeholder for a method, replaced by the compiled one at its first use."""

    def __init__(
        self,
        name: str,
        source: str,
        scope: dict[str, Any] | None,
        given: dict[str, Any],
        at: int | None = None,
    ) -> None:
        self.__name__ = name
        self._source = source, scope, given
        self._at = at
        """Its index among the methods of the source, if there are several."""

    @cached_property
    def _compiled(self) -> Any:
        source, scope, given = self._source
        made: dict[str, Any] = {}
        exec(source, scope, made)
        found = made[_MAKER](**given)
        return found if self._at is None else found[self._at]

    def __call__(
        self, *args: Any, **options: Any
    ) -> Any:  # by a decorator, which has the function without a class
        return self._compiled(*args, **options)

    def __get__(self, instance: object, owner: type[Any]) -> Any:
        method = self._compiled
        for kind in owner.__mro__:
            if vars(kind).get(self.__name__) is self:
                method.__qualname__ = f"{kind.__qualname__}.{self.__name__}"
                setattr(kind, self.__name__, method)
        return method.__get__(instance, owner)
