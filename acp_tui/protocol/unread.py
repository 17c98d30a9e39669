"""Parts of a tool call that are not understood.

Reading is lenient: what is malformed is left out, and unknown fields are kept aside. For a permission that is
not enough, since the agent may do what the user cannot see. So what was not understood stays with the call.
"""

from __future__ import annotations

from typing import Any, Final

from pydantic.alias_generators import to_camel

Object = dict[str, Any]

UNTOLD: Final = "untold"
"""Field of a diff, of ours, with the parts of its patch that its texts do not tell."""
_FIELDS: Final = frozenset(
    (
        *("sessionUpdate", "toolCallId", "title", "kind", "status", "content", "locations", "rawInput"),
        *("rawOutput", "name", "capabilities", "schemaVersion", "_meta"),
    )
)
_TEXTS: Final = ("title", "kind", "status", "name")
_BLOCK_TEXTS: Final = {"text": "text", "image": "data", "audio": "data", "resource_link": "uri"}
_DIFF: Final = frozenset(("type", "path", "newText", "oldText", "operation", "oldPath", "_meta"))
_PLACE: Final = frozenset(("path", "line", "_meta"))
_MOST: Final = 50
"""Items of a list that are kept; one is enough to ask."""


def unread(call: Object) -> Object:
    """Return the parts of a tool call that a question about it would not show, by their fields.

    Args:
        call: the tool call as JSON, in the words of version 1.
    """
    named = {key if key in _FIELDS else to_camel(key): value for key, value in call.items()}
    found = {key: value for key, value in named.items() if key not in _FIELDS and not _is_nothing(value)}
    odd = {key: named[key] for key in _TEXTS if not isinstance(named.get(key, ""), str)}
    found |= {key: value for key, value in odd.items() if not _is_nothing(value)}
    for key, is_read in (("content", _is_item), ("locations", _is_place)):
        value = named.get(key)
        if isinstance(value, list):
            left = [each for each in value if not is_read(each)][:_MOST]
            if left:
                found[key] = left
        elif not _is_nothing(value):
            found[key] = value
    if isinstance(named.get("rawInput"), str) and named["rawInput"]:
        found["rawInput"] = named["rawInput"]
    return found


def _is_nothing(value: Any) -> bool:
    return value is None or value in ("", [], {}) or value is False


def _is_item(item: Any) -> bool:
    """Return whether all of an item of a call's content is shown."""
    if not isinstance(item, dict):
        return False
    match item.get("type"):
        case "content":
            return _is_block(item.get("content")) and item.keys() <= {"type", "content", "_meta"}
        case "diff":
            known = {key if key in _DIFF else to_camel(key): value for key, value in item.items()}
            texts = all(isinstance(known.get(key), str) for key in ("path", "newText"))
            return texts and isinstance(known.get("oldText", ""), str | None) and known.keys() <= _DIFF
        case "terminal":
            return isinstance(item.get("terminalId", item.get("terminal_id")), str)
        case "session":
            return isinstance(item.get("sessionId", item.get("session_id")), str)
        case _:
            return False


def _is_block(block: Any) -> bool:
    if not isinstance(block, dict):
        return False
    if block.get("type") == "resource":
        return isinstance(block.get("resource"), dict)
    name = _BLOCK_TEXTS.get(str(block.get("type")))
    return name is not None and isinstance(block.get(name), str)


def _is_place(place: Any) -> bool:
    return isinstance(place, dict) and isinstance(place.get("path"), str) and place.keys() <= _PLACE
