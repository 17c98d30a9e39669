"""Unknown parts: the parts of a tool call that are not understood.

Reading is lenient: what is malformed is left out, unknown fields are kept aside, and only a part is read of
a very long list, or of a field in two spellings. For a permission that is not enough, since the agent may do
what the user cannot see. So what came is compared with what was read, and the difference stays with the call.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any, Final

from acp_tui.protocol.list_limits import MOST_ITEMS
from acp_tui.protocol.schema import (
    Annotations,
    DiffItem,
    Model,
    PermissionOption,
    PermissionRequest,
    ResourceContents,
    ToolCallContentChunk,
    ToolCallFields,
)

Object = dict[str, Any]

UNTOLD: Final = "untold"
"""Field of a diff, of ours, with the parts of its patch that its texts do not tell."""
_OPERATIONS: Final = ("", "add", "delete", "modify", "move", "copy")
_HARMLESS: Final = ("sessionUpdate", "schemaVersion", "schema_version")
"""Further fields of tool calls, which say nothing of what the agent will do."""
_TAGS: Final = ("type", "kind", "sessionUpdate", "session_update")
"""Fields whose words differ between dialects."""
_EXTENSIONS: Final = frozenset(("_meta", "annotations"))
_DEEPEST: Final = 6
_MOST: Final = 50
"""Items of a list that are kept; one is enough to ask."""


def unread(call: ToolCallFields | ToolCallContentChunk, came: Object) -> Object:
    """Return the parts of a tool call that a question about it would not show, by their fields.

    Args:
        call: what was read.
        came: the tool call as JSON, in the words of version 1.
    """
    found = _left_out(call, came)
    if isinstance(call, ToolCallFields) and isinstance(call.raw_input, str | int | float):
        found["rawInput"] = call.raw_input  # rules look for commands and paths by their fields
    return found


def unread_beside(asked: PermissionRequest, came: Object) -> Object:
    """Return the parts of a permission request beside its tool call that a question would not show."""
    found = _left_out(asked, {name: value for name, value in came.items() if name != "options"})
    if "toolCall" in came:
        found.pop("toolCall", None)
    elif "tool_call" in came:
        found.pop("tool_call", None)
    options = came.get("options")
    if isinstance(options, list) and (more := [each for each in options if _says_more(each)][:_MOST]):
        found["options"] = more
    return {f"request {name}": value for name, value in found.items()}


def _says_more(option: Any) -> bool:
    """Return whether an option has a field that is neither of the protocol nor another name for one."""
    if not isinstance(option, dict):
        return False  # an older dialect has the name alone
    known = _names_of(PermissionOption)
    said = [value for key, value in option.items() if key in known]
    return any(
        value not in said for key, value in option.items() if key not in known and not _is_nothing(value)
    )


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


def lost(came: Any, kept: Any) -> list[str]:
    """Return the texts and numbers of an object that are nowhere in what was read of it, but for tags."""
    known = set(_leaves(kept))
    missing = dict.fromkeys(leaf for leaf in _leaves(came) if leaf not in known)
    return [leaf for leaf in missing if not known.issuperset(_leaves_of_json(leaf))][:_MOST]


def _leaves(value: Any) -> Iterator[str]:
    """Yield the texts and numbers in a value, as texts."""
    rest = [value]
    while rest:
        match rest.pop():
            case dict() as each:
                rest += [item for name, item in each.items() if name not in _TAGS]
            case list() as each:
                rest += each
            case str() as each if each:
                yield each
            case bool():
                pass
            case int() | float() as each:
                yield str(each)


def _leaves_of_json(text: str) -> Iterator[str]:
    """Yield the texts and numbers in a JSON text; the text itself if it is none."""
    try:
        yield from _leaves(json.loads(text))
    except (ValueError, RecursionError):
        yield text


def _left_out(model: Model, came: Object) -> Object:
    """Return the fields that a model does not hold; of a list, the items that it does not hold."""
    known = _names_of(type(model))
    found: Object = {}
    for key, value in came.items():
        if _is_nothing(value) or _is_harmless(model, key, value):
            continue
        name, alias = known.get(key, ("", ""))
        if not name or (key != alias and alias in came):
            found[key] = value
            continue
        read = getattr(model, name)
        if type(model).model_fields[name].annotation is Any:
            continue  # kept as it came
        if name in ("content", "locations") and isinstance(read, list) and isinstance(value, list):
            if odd := _odd_items(read, value):
                found[alias] = odd
        elif not _holds(read, value):
            found[alias] = value
    return found


def _odd_items(read: Sequence[Any], came: Sequence[Any]) -> list[Any]:
    """Return the items that were left out, wholly or in part, and that the list was cut if it was."""
    odd = list(islice(_missing(read, came[:MOST_ITEMS]), _MOST))
    if len(came) > MOST_ITEMS:
        odd.append(f"{len(came) - MOST_ITEMS:,} more, of which only the first {_MOST} are here")
        odd += came[MOST_ITEMS : MOST_ITEMS + _MOST]
    return odd


def _missing(read: Sequence[Any], came: Sequence[Any]) -> Iterator[Any]:
    """Yield the items that came and were not read; those that were are in the same order."""
    at, missed = 0, 0
    for item in came:
        # Of the items missed since, each may or may not have been read in part. They are few: see `_MOST`.
        place = next((i for i in range(at, at + missed + 1) if i < len(read) and _holds(read[i], item)), None)
        if place is None:
            missed += 1
            yield item
        else:
            at, missed = place + 1, 0


def _holds(read: Any, came: Any) -> bool:
    """Return whether all of a value was read, and is shown."""
    if _is_nothing(came):
        return True
    if isinstance(read, Annotations):
        return isinstance(came, dict)  # see `extensions`
    if isinstance(read, Model):
        return isinstance(came, dict) and _is_shown(read) and not _left_out(read, came)
    if isinstance(read, list) and isinstance(came, list):
        return len(read) == len(came) and all(map(_holds, read, came))
    return isinstance(came, dict) if isinstance(read, dict) else bool(read == came)


def _is_shown(read: Model) -> bool:
    """Return whether a question shows what was read."""
    match read:
        case DiffItem():
            return read.operation in _OPERATIONS
        case ResourceContents():
            return not read.blob
        case _:
            return True


def _is_nothing(value: Any) -> bool:
    return value is None or (isinstance(value, str | list | dict) and not value)


def _is_harmless(model: Model, key: str, value: Any) -> bool:
    return isinstance(model, ToolCallFields) and key in _HARMLESS and isinstance(value, str | int)


@cache
def _names_of(model: type[Model]) -> Mapping[str, tuple[str, str]]:
    """Return (the attribute, its name on the wire) for each name that pydantic reads."""
    names: dict[str, tuple[str, str]] = {}
    for name, field in model.model_fields.items():
        if name not in ("unread", "meta"):
            names[name] = name, field.alias or name
        if name != "unread":
            names[field.alias or name] = name, field.alias or name
    return names
