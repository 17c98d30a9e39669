"""The menu of earlier prompts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import frizbee
from typing_extensions import override

from acp_tui.store.prompts import Prompt
from acp_tui.ui.screens.base.menu import Menu, MenuItem
from acp_tui.ui.widgets.input_line import InputLine
from acp_tui.ui.widgets.styles import Styles

_SHOWN: Final = 200
"""Most prompts that are listed; the filter finds all."""


_SEARCHED: Final = 400
"""Maximum characters of a prompt that are searched."""


class PastPrompts(Menu):
    """Lets the user choose an earlier prompt; dismisses with its index as text, or None.

    There are no numbers, since a search text may start with a digit.
    """

    FILTER = InputLine

    def __init__(self, prompts: Sequence[Prompt], styles: Styles) -> None:
        """List prompts (given oldest first) newest first; of equal ones only the newest."""
        newest: dict[str, MenuItem] = {}
        for place, prompt in reversed(list(enumerate(prompts))):
            text = " ".join(prompt.text[:_SEARCHED].split())
            newest.setdefault(text, MenuItem(str(place), text))
        super().__init__("History", list(newest.values()), None, styles)

    @override
    def matching(self, words: str) -> list[MenuItem]:
        if not words.strip():
            return self.items[:_SHOWN]
        labels = frizbee.Haystacks([item.label for item in self.items])
        matcher = frizbee.Matcher.from_patterns(words.split(), max_items=_SHOWN)
        return [self.items[match.index] for match in matcher.match_list(labels)]
