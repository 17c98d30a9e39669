"""Values that are valid by the official schema, made by hypothesis."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.schema.official import SCHEMA, is_valid

Schema = dict[str, Any]
Values = SearchStrategy[Any]

ANYTHING: Final[Values] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=5),
    lambda part: st.lists(part, max_size=2) | st.dictionaries(st.text(max_size=5), part, max_size=2),
    max_leaves=4,
)
"""Any JSON."""

_SIMPLE: Final[dict[str, Values]] = {
    "null": st.none(),
    "boolean": st.booleans(),
    "string": st.text(max_size=8),
    "number": st.floats(allow_nan=False, allow_infinity=False),
}


@cache
def values(name: str) -> Values:
    """Return a strategy for the word of a name."""
    return _word(name).filter(lambda value: is_valid(name, value))


@cache
def updates(kind: str) -> Values:
    """Return a strategy for the updates of a kind."""
    variants = SCHEMA["$defs"]["SessionUpdate"]["oneOf"]
    return _values(next(one for one in variants if one["properties"]["sessionUpdate"]["const"] == kind))


@cache
def _word(name: str) -> Values:
    return st.deferred(lambda: _values(SCHEMA["$defs"][name]))


def _values(schema: Schema) -> Values:
    if "$ref" in schema:
        return _word(schema["$ref"].rpartition("/")[2])
    if "const" in schema:
        return st.just(schema["const"])
    kinds = schema.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if schema.get("properties") or schema.get("allOf"):
        return _objects(schema)
    variants = schema.get("oneOf") or schema.get("anyOf")
    if variants:
        return st.one_of(*map(_values, variants))
    return st.one_of(*(_of_kind(kind, schema) for kind in kinds)) if kinds else ANYTHING


def _of_kind(kind: str, schema: Schema) -> Values:
    if kind == "array":
        return st.lists(_values(schema["items"]), max_size=3)
    if kind == "object":
        part = schema.get("additionalProperties")
        return st.dictionaries(
            st.text(max_size=5), _values(part if isinstance(part, dict) else {}), max_size=2
        )
    if kind == "integer":
        return st.integers(schema.get("minimum", -(2**31)), schema.get("maximum", 2**53))
    return _SIMPLE[kind]


def _objects(schema: Schema) -> Values:
    """Return a strategy for what has properties of its own, and those of other words."""
    properties, required = schema.get("properties", {}), schema.get("required", [])
    own = st.fixed_dictionaries(
        {name: _values(part) for name, part in properties.items() if name in required},
        optional={name: _values(part) for name, part in properties.items() if name not in required},
    )
    others = [_values(part) for part in schema.get("allOf", [])]
    variants = schema.get("oneOf") or schema.get("anyOf")
    if variants:
        others.append(st.one_of(*map(_values, variants)))
    if not properties and len(others) == 1:
        return others[0]
    return st.tuples(own, *others).map(lambda parts: {k: v for part in parts for k, v in part.items()})
