"""What the person says: a text, and what stands behind the chips in it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

CHIP: Final = re.compile(r"\[[^\[\]\n]{1,80} #\d+\]")
"""What a chip looks like in a text; only those that are known stand for something."""


@dataclass(frozen=True)
class Prompt:
    """One thing to say."""

    text: str
    """As it was typed, chips and mentions of files in it."""
    chips: Mapping[str, str] = field(default_factory=dict)
    """What is sent for each chip, by how it stands in the text."""

    @property
    def whole(self) -> str:
        """The text with everything that its chips stand for."""
        return CHIP.sub(lambda found: self.chips.get(found[0], found[0]), self.text)

    def used(self) -> dict[str, str]:
        """Return the chips that are still in the text."""
        return {chip: self.chips[chip] for chip in CHIP.findall(self.text) if chip in self.chips}


def together(prompts: Sequence[Prompt]) -> Prompt:
    """Return several prompts as one, a blank line between them."""
    chips = {chip: text for prompt in prompts for chip, text in prompt.chips.items()}
    return Prompt("\n\n".join(prompt.text for prompt in prompts), chips)
