"""The whole interface before an agent that says odd things: values of the wrong kind, and keys in between."""

from __future__ import annotations

import json
import logging
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from acp_tui.ui.session_screen.screen import SessionScreen
from tests.ui.seats import Seat, seat

pytestmark = pytest.mark.slow

_TEXT: Final = {"type": "text", "text": "hello **b** `c`\n```py\nx = 1\n```\n|a|b|\n|-|-|\n|1|2|\n"}
_IMAGE: Final = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}
_CALL: Final = {
    "toolCallId": "t1",
    "title": "Edit",
    "kind": "edit",
    "status": "in_progress",
    "content": [
        {"type": "content", "content": _TEXT},
        {"type": "diff", "path": "/w/a.py", "oldText": "a\nb\n", "newText": "a\nc\n"},
        {"type": "terminal", "terminalId": "term-1"},
    ],
    "locations": [{"path": "/w/a.py", "line": 3}],
    "rawInput": {"command": "ls", "path": "/w/a.py", "description": "d"},
    "rawOutput": {"exit_code": 0, "output": "x"},
    "_meta": {"terminal_output": {"data": "abc\n"}, "claudeCode": {"toolName": "Bash"}},
}
_OPTIONS: Final = [
    {"value": "a", "name": "A", "description": "first"},
    {"group": "g", "name": "G", "options": [{"value": "b", "name": "B"}]},
]
SAID: Final[list[dict[str, Any]]] = [
    {"kind": "agent_message_chunk", "content": _TEXT, "messageId": "m1"},
    {
        "kind": "agent_message_chunk",
        "content": {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"},
    },
    {"kind": "agent_message_chunk", "content": {"type": "resource_link", "uri": "file:///a", "name": "a"}},
    {"kind": "agent_thought_chunk", "content": _TEXT},
    {"kind": "user_message_chunk", "content": _TEXT},
    {"kind": "tool_call", **_CALL},
    {"kind": "tool_call_update", **_CALL},
    {"kind": "plan", "entries": [{"content": "do it", "priority": "high", "status": "pending"}]},
    {"kind": "available_commands_update", "availableCommands": [{"name": "plan", "description": "d"}]},
    {"kind": "current_mode_update", "currentModeId": "ask"},
    {
        "kind": "config_option_update",
        "configOptions": [
            {"id": "m", "name": "M", "type": "select", "currentValue": "a", "options": _OPTIONS}
        ],
    },
    {"kind": "session_info_update", "title": "T", "updatedAt": "2026-01-01T00:00:00Z"},
    {"kind": "usage_update", "used": 1, "size": 9, "cost": {"amount": 0.5, "currency": "USD"}},
]
ODD: Final[list[Any]] = [
    None, True, 0, -1, 1.5, 1e308, 10**20, "", " ", "\n\n", "a\nb", [], [[]], [None], {}, {"a": None},
    "\ud800", "\x00", "\x1b]52;c;AAAA\x07", "\u202e\u2066", "[/x][bold]", "漢字👨\u200d👩\u200d👧",
    "y" * 3000, "../../etc/passwd", "file:///x", {"type": "text"}, [{"path": None}],
]  # fmt: skip
KEYS: Final = (
    "f2", "f3", "f4", "f5", "f6", "f8", "f9", "f11", "up", "down", "home", "end", "pageup", "enter", "space",
    "ctrl+o", "ctrl+f", "ctrl+backslash", "alt+i", "o", "n", "v", "w", "right", "tab", "escape", "escape",
)  # fmt: skip


def oddly(random: Random, update: dict[str, Any]) -> dict[str, Any]:
    """Return an update with odd values, or without some, in up to three places."""
    update = json.loads(json.dumps(update))
    for _ in range(random.randrange(4)):
        place, key = random.choice(list(_places(update)) or [(update, "more")])
        if random.random() < 0.1 and isinstance(place, dict):
            place.pop(key, None)
        else:
            place[key] = deepcopy(random.choice(ODD))
    return update


def _places(value: Any) -> Any:
    """Yield (an object or a list, a key of it) for all that is in a value, but for the kind of an update."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        if key != "kind":
            yield value, key
            yield from _places(part)


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_whatever_an_agent_says_and_a_user_presses_the_interface_goes_on(
    seed: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    random = Random(seed)
    async with seat(tmp_path, size=random.choice([(120, 40), (80, 24), (40, 12)])) as here:
        for _ in range(3):
            updates = [oddly(random, random.choice(SAID)) for _ in range(40)]
            await here.say(f"updates {json.dumps(updates)}")
            await here.until(lambda: not here.conversation.is_busy and not here.conversation.prompts.queue)
            for _ in range(12):
                await here.press(random.choice(KEYS))
                assert not here.obeyed
            await back(here)

        await here.say("and now")
        await here.until(lambda: here.said[-1] == "heard and now")
    mistakes = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert not mistakes


async def back(here: Seat) -> None:
    """Close what lies over the session, and go to the prompt."""
    for _ in range(6):
        if isinstance(here.app.screen, SessionScreen):
            break
        await here.press("escape")
    await here.press("ctrl+l", "ctrl+end", "ctrl+u")
    here.session.prompt.clear()
