"""The modes, models and options that the person chose last with each agent, kept from one run to the next."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from acp_tui.store.problem import Problem
from acp_tui.store.shared_json import SharedJson

Value = str | bool


class Choices:
    """Values by agent and option. A file that cannot be read is left to the person."""

    def __init__(self, path: Path) -> None:
        self._file = SharedJson(path)
        self.problem: Problem | None = None
        """Why nothing is remembered, once that is so."""

    def of(self, agent: str) -> Mapping[str, Value]:
        """Return what was chosen last with an agent, by the option's id."""
        try:
            return _usable(self._file.read()).get(agent, {})
        except OSError as error:
            text = f"the last choices cannot be read: {error.strerror}"
            self.problem = Problem(self._file.path, None, text)
            return {}

    def keep(self, agent: str, option_id: str, value: Value) -> None:
        """Remember a choice."""
        self._change(agent, option_id, value)

    def drop(self, agent: str, option_id: str) -> None:
        """Forget a choice."""
        if option_id in self.of(agent):
            self._change(agent, option_id, None)

    def _change(self, agent: str, option_id: str, value: Value | None) -> None:
        def changed(found: object) -> dict[str, dict[str, Value]]:
            choices = _usable(found)
            of_agent = choices.setdefault(agent, {})
            of_agent.pop(option_id, None)
            if value is not None:
                of_agent[option_id] = value
            return choices

        try:
            self._file.change(changed)
        except OSError as error:
            self.problem = Problem(self._file.path, None, f"the last choices are not kept: {error.strerror}")


def _usable(found: object) -> dict[str, dict[str, Value]]:
    """Return what can be used of a file that people may have edited."""
    agents = found.items() if isinstance(found, dict) else ()
    return {
        agent: {option: value for option, value in values.items() if isinstance(value, str | bool)}
        for agent, values in agents
        if isinstance(values, dict)
    }
