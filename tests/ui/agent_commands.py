"""Commands that an agent offers."""

from __future__ import annotations

COMMANDS = {
    "kind": "available_commands_update",
    "availableCommands": [
        {"name": "plan", "description": "make a plan"},
        {"name": "play", "description": "play", "input": {"hint": "what"}},
        {"name": "stop", "description": "stop"},
    ],
}
