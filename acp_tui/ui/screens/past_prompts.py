"""The prompts of this workspace, found by a few letters of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from acp_tui.store.prompt import Prompt
from acp_tui.ui.screens.menu import Item, Menu
from acp_tui.ui.widgets.look import Look

_SHOWN: Final = 200
"""Prompts that are listed at most; letters find all."""

_SEARCHED: Final = 400
"""Characters of a prompt in which letters are looked for."""


class PastPrompts(Menu):
    """Lets the person choose a prompt, the newest first; dismisses with its place as text, or None."""

    def __init__(self, prompts: Sequence[Prompt], look: Look) -> None:
        """Take the prompts, the newest last; of equal ones the newest is shown."""
        newest: dict[str, Item] = {}
        for place, prompt in reversed(list(enumerate(prompts))):
            text = " ".join(prompt.text[:_SEARCHED].split())
            newest.setdefault(text, Item(str(place), text))
        super().__init__("History", list(newest.values()), None, look)

    def matching(self, words: str) -> list[Item]:
        """Return the prompts that hold the letters in order; a word's letters may be apart."""
        from frizbee import Haystacks, Matcher

        if not words.strip():
            return self._items[:_SHOWN]
        labels = Haystacks([item.label for item in self._items])
        matcher = Matcher.from_patterns(words.split(), max_items=_SHOWN)
        return [self._items[match.index] for match in matcher.match_list(labels)]
