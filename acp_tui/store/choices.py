"""The modes, models and options that the person chose last with each agent, kept from one run to the next."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from acp_tui.store.folders import private_folder
from acp_tui.store.problem import Problem

Value = str | bool


class Choices:
    """Values by agent and option. Every change reads the file again: another acp-tui may have chosen, too."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.problem: Problem | None = None
        """Why nothing is remembered, once that is so."""

    def of(self, agent: str) -> Mapping[str, Value]:
        """Return what was chosen last with an agent, by the option's id."""
        return self._read().get(agent, {})

    def keep(self, agent: str, option_id: str, value: Value) -> None:
        """Remember a choice."""
        choices = self._read()
        choices.setdefault(agent, {})[option_id] = value
        self._write(choices)

    def drop(self, agent: str, option_id: str) -> None:
        """Forget a choice."""
        choices = self._read()
        if choices.get(agent, {}).pop(option_id, None) is not None:
            self._write(choices)

    def _read(self) -> dict[str, dict[str, Value]]:
        try:
            found = json.loads(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            self.problem = Problem(self._path, None, f"the last choices cannot be read: {error}")
            return {}
        agents = found.items() if isinstance(found, dict) else ()
        return {agent: _usable(values) for agent, values in agents if isinstance(values, dict)}

    def _write(self, choices: dict[str, dict[str, Value]]) -> None:
        """Write the file, whole or not at all; one that cannot be read is left to the person."""
        if self.problem is not None:
            return
        new = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        try:
            private_folder(self._path.parent)
            new.write_text(json.dumps(choices), encoding="utf-8")
            new.replace(self._path)
        except OSError as error:
            self.problem = Problem(self._path, None, f"the last choices are not kept: {error.strerror}")


def _usable(values: dict[str, object]) -> dict[str, Value]:
    return {option: value for option, value in values.items() if isinstance(value, str | bool)}
