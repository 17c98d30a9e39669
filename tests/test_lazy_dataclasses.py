"""Methods of dataclasses that are compiled when they are first used."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
import sys
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, dataclass, field, replace
from types import FunctionType
from typing import Any

import pytest

from acp_tui import lazy_dataclasses


@pytest.fixture(autouse=True)
def installed() -> Iterator[None]:
    lazy_dataclasses.install()
    yield
    vars(dataclasses).pop("exec", None)


def plain() -> Any:
    @dataclass
    class Plain:
        name: str
        parts: list[str] = field(default_factory=list)

    return Plain


def frozen() -> Any:
    @dataclass(frozen=True, slots=True, order=True)
    class Frozen:
        """Its docstring; without one, `dataclasses` writes one with the signature of `__init__`."""

        number: int
        note: str = field(default="", compare=False)

    return Frozen


def uncompiled(kind: Any) -> set[str]:
    """Return the methods of a class that are not compiled."""
    return {name for name, value in vars(kind).items() if isinstance(value, lazy_dataclasses._Uncompiled)}


def test_no_method_is_compiled_before_it_is_used() -> None:
    kind = frozen()

    assert {"__init__", "__eq__", "__hash__", "__setattr__", "__lt__"} <= uncompiled(kind)

    kind(1)
    assert type(vars(kind)["__init__"]) is FunctionType
    assert kind.__init__.__qualname__.endswith("Frozen.__init__")
    assert {"__eq__", "__hash__"} <= uncompiled(kind)


def test_a_plain_class_does_what_it_does_without_that() -> None:
    kind = plain()
    one = kind("a")
    one.parts.append("b")

    assert repr(one).endswith("Plain(name='a', parts=['b'])")
    assert kind("a") == kind("a") != one
    assert kind("a").parts == []
    with pytest.raises(TypeError):
        hash(one)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'name'"):
        kind()


def test_a_frozen_class_does_what_it_does_without_that() -> None:
    kind = frozen()

    assert kind(1, "x") == kind(1, "y")
    assert hash(kind(1, "x")) == hash(kind(1, "y"))
    assert kind(1) < kind(2)
    assert replace(kind(1, "x"), number=2).note == "x"
    with pytest.raises(FrozenInstanceError):
        kind(1).number = 2
    with pytest.raises(FrozenInstanceError):
        del kind(1).number


def test_a_class_below_another_calls_the_methods_of_that() -> None:
    @dataclass
    class Below(plain()):  # type: ignore[misc]  # a class that is made by a function
        more: int = 0

        def __post_init__(self) -> None:
            self.more += 1

    class Own(plain()):  # type: ignore[misc]  # the same
        def __init__(self) -> None:
            super().__init__("own")

    assert (Below("a", ["b"]).name, Below("a").more) == ("a", 1)
    assert Own().name == "own"
    assert Own() == Own()


def test_the_signature_of_a_class_is_that_of_its_fields() -> None:
    kind = plain()

    assert list(inspect.signature(kind).parameters) == ["name", "parts"]
    assert kind.__doc__.startswith("Plain(name: ")


@dataclass(frozen=True, slots=True)
class Kept:
    """A class that pickle finds by its name."""

    name: str


def test_an_object_is_copied_by_pickle() -> None:
    assert pickle.loads(pickle.dumps(Kept("a"))) == Kept("a")


def test_other_sources_run_at_once() -> None:
    names: dict[str, Any] = {}
    lazy_dataclasses._execute("answer = 42", {}, names)  # private: no release of `dataclasses` has another

    assert names["answer"] == 42


def test_this_release_of_python_writes_its_methods_in_that_way() -> None:
    assert "exec" in dataclasses._process_class.__globals__, sys.version  # type: ignore[attr-defined]
    assert uncompiled(plain())
