"""What the person writes: a text, and what stands behind the chips in it. Histories and drafts keep it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

CHIP: Final = re.compile(r"\[[^\[\]\n]{1,80} #\d+\]")
"""What a chip looks like in a text; only those that are known stand for something."""


class Prompt(NamedTuple):
    """One thing to say."""

    text: str
    """As it was typed, chips and mentions of files in it."""
    chips: Mapping[str, str] = MappingProxyType({})
    """What is sent for each chip, by how it stands in the text."""
    is_command: bool = False
    """Whether the user has typed it as a command for their shell, behind `!`."""

    @property
    def whole(self) -> str:
        """The text with everything that its chips stand for."""
        return CHIP.sub(lambda found: self.chips.get(found[0], found[0]), self.text)

    def row(self) -> dict[str, object]:
        """Return what is kept of it, as JSON has it."""
        row: dict[str, object] = {"text": self.text}
        if self.chips:
            row["chips"] = dict(self.chips)
        return row | {"command": True} if self.is_command else row


def together(prompts: Sequence[Prompt]) -> Prompt:
    """Return several prompts as one, a blank line between them; none of them is a command any more."""
    chips = {chip: text for prompt in prompts for chip, text in prompt.chips.items()}
    return Prompt("\n\n".join(prompt.text for prompt in prompts), chips)


def prompt_of(row: str | bytes) -> Prompt | None:
    """Return what was kept as a line of JSON; None for a broken one."""
    import json  # after the first frame

    try:
        kept = json.loads(row)
        text, chips = kept["text"], kept.get("chips", {})
        whole = all(isinstance(word, str) for word in (text, *chips, *chips.values()))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return Prompt(text, chips, kept.get("command") is True) if whole else None
