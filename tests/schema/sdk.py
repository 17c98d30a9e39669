"""The official SDK as a reader of our messages: it must read what we wrote."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from acp import schema
from pydantic import TypeAdapter, ValidationError

from tests.schema.official import word_of

_SPLIT: dict[str, Any] = {
    "SetSessionConfigOptionRequest": (
        schema.SetSessionConfigOptionBooleanRequest | schema.SetSessionConfigOptionSelectRequest
    )
}
"""Words that the SDK has as one class for each of their forms."""


def lost_in_params(method: str, params: Any) -> list[str]:
    """Return what the SDK does not read, or reads as something else, in the params of a message of ours."""
    return _lost(word_of(method, is_params=True), params)


def lost_in_result(method: str, result: Any) -> list[str]:
    """Return what the SDK does not read, or reads as something else, in our answer."""
    return _lost(word_of(method, is_params=False), result)


_LATER: Final = {"client": {"subagents"}, "session": {"notices", "compaction"}}
"""Parts of `initialize` that are younger than this release of the SDK."""


def _known(name: str, value: Any) -> Any:
    """Return a word without the parts that the SDK cannot know."""
    if name != "InitializeRequest":
        return value
    can = {key: part for key, part in value["clientCapabilities"].items() if key not in _LATER["client"]}
    session = {key: part for key, part in can["session"].items() if key not in _LATER["session"]}
    return {**value, "clientCapabilities": {**can, "session": session}}


def _lost(name: str, value: Any) -> list[str]:
    adapter, value = _adapter(name), _known(name, value)
    try:
        word = adapter.validate_python(value)
    except ValidationError as error:
        return [f"the SDK cannot read {name}: {error}"]
    again = adapter.dump_python(word, mode="json", by_alias=True, exclude_unset=True)
    return [] if again == value else [f"the SDK reads {name} {value} as {again}"]


@cache
def _adapter(name: str) -> TypeAdapter[Any]:
    return TypeAdapter(_SPLIT.get(name) or getattr(schema, name))
