"""How the agent behaves. Source: ACP, pages "session modes" and "session config options"."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from acp_tui.acp.word import Word


class Mode(Word):
    """A mode the session can be in."""

    id: str
    name: str
    description: str | None = None


class Modes(Word):
    """The modes of a session and the one it is in."""

    current_mode_id: str
    available_modes: list[Mode] = []


class Model(Word):
    """A model, as agents offered it before config options (removed from the protocol, still common)."""

    model_id: str
    name: str
    description: str | None = None


class Models(Word):
    """The models of a session and the one it uses (removed from the protocol, still common)."""

    current_model_id: str
    available_models: list[Model] = []


class Choice(Word):
    """A value of a select option."""

    value: str
    name: str
    description: str | None = None


class ChoiceGroup(Word):
    """A named group of values."""

    group: str
    name: str
    options: list[Choice] = []


class _Option(Word):
    """What config options of the kinds that we know have in common."""

    id: str
    name: str
    description: str | None = None
    category: str | None = None
    """A hint, which may be missing."""

    @property
    def is_mode(self) -> bool:
        """Whether it says how the agent behaves, as modes do."""
        return self.category == "mode" or self.id == "mode"


class SelectOption(_Option):
    """A config option with one of several values, plain or in groups."""

    type: Literal["select"] = "select"
    current_value: str
    options: list[ChoiceGroup | Choice] = []

    def choices(self) -> list[Choice]:
        """Return the values without their groups, in order."""
        flat: list[Choice] = []
        for option in self.options:
            flat.extend(option.options if isinstance(option, ChoiceGroup) else [option])
        return flat


class BooleanOption(_Option):
    """A config option that is on or off."""

    type: Literal["boolean"] = "boolean"
    current_value: bool

    def choices(self) -> list[Choice]:
        """Return no values: on and off need no names of the agent's."""
        return []


class UnknownOption(Word):
    """An option of a kind that this version does not know; not shown."""

    type: Literal["?"] = "?"
    raw: Any = None


ConfigOption = Annotated[SelectOption | BooleanOption | UnknownOption, Field(discriminator="type")]
