"""Validation of protocol objects: strict first, lenient when that fails.

The fast path is one pass of pydantic over the decoded object. Only when it fails is the object repaired:
older variants are normalised (`dialects`), tagged values of an unknown kind are kept unparsed, and
malformed parts are dropped, the smallest first: an optional field counts as absent, a list item is removed.
Source: ACP schema, "default on error" and "skip invalid items".
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, Final, TypeVar, get_args

from pydantic import Field, TypeAdapter, ValidationError
from pydantic.alias_generators import to_snake

from acp_tui.protocol import dialects, list_limits
from acp_tui.protocol.schema import (
    Model,
    PatchPermissionRequest,
    PermissionRequest,
    ToolCallContentChunk,
    ToolCallFields,
    UnknownUpdate,
    Update,
)
from acp_tui.protocol.unknown_parts import extensions, lost, unread, unread_beside

M = TypeVar("M", bound=Model)

_PATIENCE: Final = 200
"""Maximum number of parts dropped from one object."""
_TAGS: Final = {"'type'": "type", "'session_update'": "sessionUpdate", "'sessionUpdate'": "sessionUpdate"}


class Unreadable(ValueError):
    """An object that lenient validation cannot repair; `field` names the place."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field or 'params'}: {reason}")
        self.field = field


def read(model: type[M], value: Any) -> M:
    """Return decoded JSON as a protocol model.

    Raises:
        Unreadable: a required part is missing or malformed.
    """
    adapter = _adapter(model)
    value = dialects.normalise(model.__name__, value)
    try:
        strict: M = adapter.validate_python(value)
        return strict
    except ValidationError:
        mended: M = _mended(adapter.validate_python, _copied(value), _whole(model))
        return mended


def read_update(value: Any) -> Update:
    """Return the `update` of a `session/update`, or an `UnknownUpdate` if it is unreadable."""
    whole, value = value, list_limits.bounded(value)
    try:
        update = _validate_update(value)
    except ValidationError:
        pass
    else:
        extra = update.model_extra
        if not extra or not isinstance(update, ToolCallFields) or not dialects.is_older_call(extra):
            _keep_unread(update, whole)
            return update
    try:
        changed = list_limits.bounded(dialects.normalise_update(_copied(value)))
        normal = _copied(changed)
        update = _mended_update(changed)
    except Unreadable:
        return UnknownUpdate(raw=value)
    cut = {} if value is whole else {"lists": "too long to be read whole"}
    _keep_unread(update, {**normal, **cut}, value)
    return update


def read_permission(value: Any, version: int = 1) -> PermissionRequest:
    """Return a permission request; its tool call has the parts that are not understood.

    Args:
        value: the request, in the words of version 1.
        version: 2 if it was translated; its tool call is then a patch.

    Raises:
        Unreadable: a required part is missing or malformed.
    """
    model = PermissionRequest if version == 1 else PatchPermissionRequest
    asked = read(model, value)
    normal = dialects.normalise(model.__name__, value)
    found = unread(asked.tool_call, normal.get("toolCall", normal.get("tool_call")))
    found |= unread_beside(asked, normal)
    if normal is not value:
        found |= _lost({name: each for name, each in value.items() if name != "options"}, asked, found)
    asked.tool_call.unread = found or None
    if extra := extensions(normal):
        asked.tool_call.meta = {**(asked.tool_call.meta or {}), **extra}
    return asked


def _keep_unread(update: Model, value: Any, whole: Any = None) -> None:
    """Keep with a tool call what is not understood of it.

    Args:
        update: what was read.
        value: what came.
        whole: what came before it was put in current terms; None: the same.
    """
    if isinstance(update, ToolCallFields | ToolCallContentChunk) and isinstance(value, dict):
        found = unread(update, value)
        if whole is not None:
            found |= _lost(whole, update, found)
        update.unread = found or None


def _lost(came: Any, read: Model, found: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of an object in older terms that were lost on the way to current ones."""
    missing = lost(came, [read.model_dump(), found])
    return {"lost": missing} if missing else {}


def read_updates(value: Any) -> list[Update]:
    """Return the updates in one `session/update`; older dialects may combine several."""
    return [read_update(single) for single in dialects.single_blocks(value)]


def complaints(model: type[M], value: Any) -> list[str]:
    """Return the violations in an object of this model, each with its place."""
    return _complaints(_adapter(model), dialects.normalise(model.__name__, value))


def update_complaints(value: Any) -> list[str]:
    """Return the violations in a `session/update`; older dialects do not count."""
    found = _complaints(_update_adapter(value), value)
    if not found:
        return found
    value = dialects.normalise_update(_copied(value))
    return _complaints(_update_adapter(value), value)


def _complaints(adapter: TypeAdapter[Any], value: Any) -> list[str]:
    """Return the errors of a strict validation as sentences."""
    try:
        adapter.validate_json(json.dumps(value), strict=True)
    except ValidationError as error:
        errors = [each for each in error.errors(include_url=False) if each["type"] != "json_invalid"]
        return list(dict.fromkeys(_in_words(value, each["loc"], each) for each in errors))
    return []


def _in_words(value: Any, loc: tuple[int | str, ...], error: Any) -> str:
    place = ".".join(map(str, _path(value, loc)))
    match error["type"]:
        case "missing":
            said = "is missing"
        case "union_tag_invalid":
            said = f"is of the unknown kind “{error['ctx']['tag']}”"
        case "union_tag_not_found":
            said = "does not say of which kind it is"
        case _:
            said = error["msg"].removeprefix("Input ")
    return f"{place or 'it'} {said}"


def _mended_update(value: Any) -> Update:
    """Repair an invalid update; a chunk with an invalid block keeps the block as unknown."""
    block = value.get("content") if isinstance(value, dict) else None
    try:
        update: Update = _mended(_validate_update, value, frozenset())
    except Unreadable:
        if not isinstance(block, dict):
            raise
        neutral = {**value, "content": {"type": "?", "raw": block}}
        update = _mended(_validate_update, neutral, frozenset({"content"}))
    return update


@cache
def _adapter(model: type[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(model)


_UPDATES: Final[Mapping[str, type[Model]]] = {
    kind: model
    for model in get_args(get_args(Update)[0])
    if model is not UnknownUpdate
    for kind in get_args(model.model_fields["session_update"].annotation)
}
"""The models of updates by their `sessionUpdate`."""


def _update_adapter(value: Any) -> TypeAdapter[Any]:
    """Return the adapter of an update's kind.

    One for all kinds takes 15 ms of the start to build, one for a chunk of text takes 3.
    """
    kind = value.get("sessionUpdate", value.get("session_update")) if isinstance(value, dict) else None
    return _adapter_of_kind(kind if isinstance(kind, str) and kind in _UPDATES else "plan")


@cache
def _adapter_of_kind(kind: str) -> TypeAdapter[Any]:
    # A union, so that errors are the same as for the union of all kinds.
    union: Any = _UPDATES[kind] | UnknownUpdate
    return TypeAdapter(Annotated[union, Field(discriminator="session_update")])


def _validate_update(value: Any) -> Update:
    update: Update = _update_adapter(value).validator.validate_python(value)
    return update


def _copied(value: Any) -> Any:
    try:
        return copy.deepcopy(value)
    except RecursionError:
        raise Unreadable("", "too deeply nested") from None


def _whole(model: type[Model]) -> frozenset[str]:
    """Return the fields of a model that must not be repaired."""
    whole: frozenset[str] = getattr(model, "whole", frozenset())
    return whole


def _mended(validate: Callable[[Any], Any], value: Any, whole: frozenset[str]) -> Any:
    """Validate again and again, dropping (in place) the part pydantic complains about."""
    if not isinstance(value, dict):
        raise Unreadable("", "not an object")
    for _ in range(_PATIENCE):
        try:
            return validate(value)
        except ValidationError as error:
            _leave_out(value, error, whole)
    raise Unreadable("", "too much of it is malformed")


def _leave_out(root: dict[str, Any], error: ValidationError, whole: frozenset[str]) -> None:
    """Repair the first of pydantic's errors, in place."""
    first = error.errors(include_url=False, include_context=True)[0]
    path = _path(root, first["loc"])
    kind = first["type"]
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        tag = _TAGS.get(str(first.get("ctx", {}).get("discriminator")), "type")
        if path and _wrap_unknown(root, path, tag):
            return
    if kind == "missing":
        path.pop()  # drop the object that lacks the field
    if not path or path[0] in whole:
        raise Unreadable(".".join(map(str, first["loc"])), first["msg"])
    parent, key = _walk(root, path[:-1]), path[-1]
    if isinstance(parent, list):
        del parent[int(key)]
    elif parent.pop(key, parent) is parent and parent.pop(to_snake(str(key)), parent) is parent:
        raise Unreadable(".".join(map(str, first["loc"])), first["msg"])


def _wrap_unknown(root: dict[str, Any], path: list[str | int], tag: str) -> bool:
    """Keep a tagged value of an unknown kind unparsed."""
    parent, key = _walk(root, path[:-1]), path[-1]
    value = parent[key]
    if not isinstance(value, dict) or value.get(tag) == "?":
        return False
    parent[key] = {tag: "?", "raw": value}
    return True


def _path(root: Any, loc: tuple[int | str, ...]) -> list[str | int]:
    """Return pydantic's error location as a path into the data.

    pydantic adds union tags, which are not keys of the data.
    """
    path: list[str | int] = []
    value = root
    at_tag = True
    for position, part in enumerate(loc):
        if isinstance(value, dict) and isinstance(part, str):
            if at_tag and part in (
                value.get("type"),
                value.get("sessionUpdate"),
                value.get("session_update"),
            ):
                at_tag = False  # only once: a field of the same name may follow
            elif part in value:
                path.append(part)
                value, at_tag = value[part], True
            elif position == len(loc) - 1:
                path.append(part)
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            path.append(part)
            value, at_tag = value[part], True
    return path


def _walk(value: Any, path: list[str | int]) -> Any:
    for part in path:
        value = value[part]
    return value
