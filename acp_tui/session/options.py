"""What the person can set: config options, and the modes and models of agents that have none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from acp_tui.acp.modes import (
    BooleanOption,
    Choice,
    ConfigOption,
    Models,
    Modes,
    SelectOption,
    UnknownOption,
)

SetBy = Literal["set_config_option", "set_mode", "set_model"]


@dataclass(slots=True)
class Option:
    """One thing to set, whichever way the agent offers it."""

    config: SelectOption | BooleanOption
    set_by: SetBy
    """The method that sets it, `session/…`."""
    fixed: bool = False
    """The agent shows it and does not know that method."""

    @property
    def value_name(self) -> str:
        """The current value, for people."""
        if isinstance(self.config, BooleanOption):
            return "on" if self.config.current_value else "off"
        value = self.config.current_value
        return next((choice.name for choice in self.config.choices() if choice.value == value), value)


def merged(
    config_options: Sequence[ConfigOption], modes: Modes | None, models: Models | None
) -> list[Option]:
    """Return what can be set. Modes are hidden when config options exist.

    Source: ACP, page "session config options".
    """
    options = [
        Option(option, "set_config_option")
        for option in config_options
        if not isinstance(option, UnknownOption)
    ]
    if modes is not None and not options:
        choices = [Choice(value=m.id, name=m.name, description=m.description) for m in modes.available_modes]
        options.append(Option(_select("mode", "Mode", modes.current_mode_id, choices), "set_mode"))
    if models is not None and not any(option.config.category == "model" for option in options):
        names = [
            Choice(value=m.model_id, name=m.name, description=m.description) for m in models.available_models
        ]
        options.append(Option(_select("model", "Model", models.current_model_id, names), "set_model"))
    return options


def of_category(options: Sequence[Option], category: str) -> Option | None:
    """Return the first option of a category: the one for shortcuts and prominent places."""
    return next((option for option in options if option.config.category == category), None)


def _select(category: str, name: str, current: str, choices: list[Choice]) -> SelectOption:
    return SelectOption(id=category, name=name, category=category, current_value=current, options=[*choices])
