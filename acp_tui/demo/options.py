"""The modes and config options of a demo session. Source: ACP, page "session config options"."""

from __future__ import annotations

from typing import Any, Final

from acp_tui.demo.connection import INVALID_PARAMS, Params, RequestRefused

MODES: Final = (
    {"id": "ask", "name": "Ask", "description": "Asks before every edit and every command"},
    {"id": "code", "name": "Code", "description": "Edits without asking, asks before commands"},
    {"id": "plan", "name": "Plan", "description": "Looks and plans, changes nothing"},
)

_MODELS: Final = (
    {
        "group": "quick",
        "name": "Quick",
        "options": [
            {"value": "sprint", "name": "Sprint", "description": "Short answers, does not think hard"}
        ],
    },
    {
        "group": "thorough",
        "name": "Thorough",
        "options": [
            {"value": "stride", "name": "Stride", "description": "The usual choice"},
            {"value": "marathon", "name": "Marathon", "description": "Slow and careful"},
        ],
    },
)
_THINKING: Final = (
    {"value": "off", "name": "Off"},
    {"value": "low", "name": "Low"},
    {"value": "high", "name": "High", "description": "Not with Sprint"},
)


class DemoOptions:
    """The options of one session."""

    def __init__(self, chosen: Params | None = None) -> None:
        self.chosen: Params = {"mode": "ask", "model": "stride", "thinking": "low", "web": False}
        self.chosen.update(chosen or {})

    @property
    def mode(self) -> str:
        """The id of the current mode."""
        return str(self.chosen["mode"])

    def modes(self) -> Params:
        """Return the mode state, for clients without config options."""
        return {"currentModeId": self.mode, "availableModes": list(MODES)}

    def listing(self, with_switches: bool) -> list[Params]:
        """Return all options; switches only for clients that support them."""
        modes = [{**{k: v for k, v in mode.items() if k != "id"}, "value": mode["id"]} for mode in MODES]
        options = [
            self._select("mode", "Mode", "mode", modes),
            self._select("model", "Model", "model", list(_MODELS)),
            self._select("thinking", "Thinking", "thought_level", self._thinking()),
        ]
        web = {"id": "web", "name": "Web access", "description": "Look things up (the demo only pretends)"}
        switch = {**web, "type": "boolean", "currentValue": self.chosen["web"]}
        return [*options, switch] if with_switches else options

    def choose(self, config_id: str, value: Any, with_switches: bool) -> None:
        """Set a value; setting the model may lower the thinking.

        Raises:
            RequestRefused: there is no such option or value.
        """
        option = next((each for each in self.listing(with_switches) if each["id"] == config_id), None)
        if option is None:
            raise RequestRefused(INVALID_PARAMS, f"Unknown config option: {config_id}")
        if value not in _values(option) or isinstance(value, bool) != (option["type"] == "boolean"):
            raise RequestRefused(INVALID_PARAMS, f"Unknown value for {config_id}: {value}")
        self.chosen[config_id] = value
        if self.chosen["thinking"] not in [each["value"] for each in self._thinking()]:
            self.chosen["thinking"] = "low"

    def _thinking(self) -> list[Params]:
        return [each for each in _THINKING if self.chosen["model"] != "sprint" or each["value"] != "high"]

    def _select(self, config_id: str, name: str, category: str, options: list[Params]) -> Params:
        return {
            "id": config_id,
            "name": name,
            "category": category,
            "type": "select",
            "currentValue": self.chosen[config_id],
            "options": options,
        }


def _values(option: Params) -> list[Any]:
    if option["type"] == "boolean":
        return [True, False]
    return [each["value"] for entry in option["options"] for each in entry.get("options", [entry])]
