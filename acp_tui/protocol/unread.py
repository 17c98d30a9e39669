"""Parts of a tool call that are not understood.

Reading is lenient: what is malformed is left out, unknown fields are kept aside, and only a part is read of
a very long list, or of a field in two spellings. For a permission that is not enough, since the agent may do
what the user cannot see. So what was not understood stays with the call.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import cache
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from acp_tui.patterns import regex
from acp_tui.protocol.bounds import MOST_ITEMS
from acp_tui.protocol.schema import ToolCallContent, ToolCallLocation

Object = dict[str, Any]

UNTOLD: Final = "untold"
"""Field of a diff, of ours, with the parts of its patch that its texts do not tell."""
_FIELDS: Final = frozenset(
    (
        *("sessionUpdate", "toolCallId", "title", "kind", "status", "content", "locations", "rawInput"),
        *("rawOutput", "name", "capabilities", "schemaVersion", "_meta"),
    )
)
_REQUEST: Final = frozenset(("sessionId", "toolCall", "options", "title", "description", "_meta"))
_TEXTS: Final = ("title", "kind", "status", "name")
_SNAKE_CASE: Final = regex(r"[a-z0-9]+(?:_[a-z0-9]+)+")
"""The other spelling in which fields are read."""
_ABOUT: Final = frozenset(("type", "annotations", "_meta"))
"""Fields of any content block."""
_BLOCKS: Final[Mapping[str, Set[str]]] = {
    "text": frozenset(("text",)),
    "image": frozenset(("data", "mimeType", "uri")),
    "audio": frozenset(("data", "mimeType")),
    "resource_link": frozenset(("uri", "name", "title", "description", "mimeType", "size", "icons")),
}
"""The fields of each kind of block."""
_RESOURCE: Final = frozenset(("uri", "text", "mimeType", "_meta"))
_DIFF: Final = frozenset(("type", "path", "newText", "oldText", "operation", "oldPath", "_meta"))
_PLACE: Final = frozenset(("path", "line", "_meta"))
_EXTENSIONS: Final = frozenset(("_meta", "annotations"))
_DEEPEST: Final = 6
_MOST: Final = 50
"""Items of a list that are kept; one is enough to ask."""


def unread(call: Object) -> Object:
    """Return the parts of a tool call that a question about it would not show, by their fields.

    Args:
        call: the tool call as JSON, in the words of version 1.
    """
    named, found = _spelled_once(call)
    found |= {key: value for key, value in named.items() if key not in _FIELDS}
    found |= {key: named[key] for key in _TEXTS if not isinstance(named.get(key, ""), str)}
    for key, is_read in (("content", _is_item), ("locations", _is_place)):
        value = named.get(key)
        if not isinstance(value, list):
            found[key] = value
            continue
        odd = [each for each in value[:MOST_ITEMS] if not is_read(each)][:_MOST]
        if len(value) > MOST_ITEMS:
            odd.append(f"{len(value) - MOST_ITEMS:,} more, of which only the first {_MOST} are here")
            odd += value[MOST_ITEMS : MOST_ITEMS + _MOST]
        found[key] = odd
    if isinstance(named.get("rawInput"), str):
        found["rawInput"] = named["rawInput"]
    return {key: value for key, value in found.items() if not _is_nothing(value)}


def unread_beside(request: Object, *, is_translated: bool = False) -> Object:
    """Return the parts of a permission request beside its tool call that a question would not show.

    `is_translated`: True for a request of version 2, which has a field of ours.
    """
    named, found = _spelled_once(request)
    known = _REQUEST | {"hasNoCall"} if is_translated else _REQUEST
    found |= {key: value for key, value in named.items() if key not in known}
    found |= {key: named[key] for key in ("title", "description") if not isinstance(named.get(key, ""), str)}
    return {f"request {key}": value for key, value in found.items() if not _is_nothing(value)}


def extensions(request: Object) -> Object:
    """Return the `_meta` and annotations in the parts of a permission request, by part and name.

    That of the tool call itself is in its model.
    """
    call = request.get("toolCall")
    found: dict[str, list[Any]] = {}
    for part in ("request", "content", "locations"):
        own = {key: value for key, value in request.items() if key != "toolCall"}
        waiting = [
            (own if part == "request" else call.get(part) if isinstance(call, dict) else None, _DEEPEST)
        ]
        while waiting:
            value, depth = waiting.pop()
            if depth and isinstance(value, list):
                waiting += [(each, depth - 1) for each in value]
            elif depth and isinstance(value, dict):
                waiting += [(each, depth - 1) for key, each in value.items() if key not in _EXTENSIONS]
                for key in _EXTENSIONS.intersection(value):
                    for name, each in value[key].items() if isinstance(value[key], dict) else ():
                        found.setdefault(f"{part} {name}", []).append(each)
    return dict(found)


def _spelled_once(value: Object) -> tuple[Object, Object]:
    """Return an object with camelCase names, and the fields of it that have another one of the same name."""
    named: Object = {}
    doubled: Object = {}
    for key, each in value.items():
        name = to_camel(key) if _SNAKE_CASE.fullmatch(key) else key
        if name in named or (name != key and name in value):
            doubled[key] = each
        else:
            named[name] = each
    return named, doubled


def _is_nothing(value: Any) -> bool:
    return value is None or (isinstance(value, str | list | dict) and not value)


def _has_only(value: Any, known: Set[str]) -> Object | None:
    """Return an object with camelCase names, or None if it has other fields, or one in two spellings."""
    if not isinstance(value, dict):
        return None
    named, doubled = _spelled_once(value)
    odd = {key: each for key, each in named.items() if key not in known and not _is_nothing(each)}
    return None if odd or doubled else named


def _is_item(item: Any) -> bool:
    """Return whether all of an item of a call's content is read and shown."""
    if not isinstance(item, dict):
        return False
    match item.get("type"):
        case "content":
            named = _has_only(item, {"type", "content", "_meta"}) or {}
            is_known = _is_block(named.get("content"))
        case "diff":
            is_known = _has_only(item, _DIFF) is not None
        case "terminal":
            is_known = _has_only(item, {"type", "terminalId", "_meta"}) is not None
        case "session":
            is_known = _has_only(item, {"type", "sessionId", "_meta"}) is not None
        case _:
            return False
    return is_known and _is_valid(_adapter(ToolCallContent), item)


def _is_block(block: Any) -> bool:
    if not isinstance(block, dict):
        return False
    if block.get("type") == "resource":
        whole = _has_only(block, _ABOUT | {"resource"})
        return whole is not None and _has_only(block.get("resource"), _RESOURCE) is not None
    return _has_only(block, _ABOUT | _BLOCKS.get(str(block.get("type")), frozenset())) is not None


def _is_place(place: Any) -> bool:
    return _has_only(place, _PLACE) is not None and _is_valid(_adapter(ToolCallLocation), place)


def _is_valid(adapter: TypeAdapter[Any], value: Any) -> bool:
    """Return whether a value is read without leaving out a part."""
    try:
        adapter.validate_python(value)
    except ValidationError:
        return False
    return True


@cache
def _adapter(model: Any) -> TypeAdapter[Any]:
    return TypeAdapter(model)
