"""A list of options that an agent may make very long: it is there at once, the rest of it soon."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from textual.geometry import Size
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from acp_tui.ui.widgets.delay import after

AT_ONCE: Final = 100
"""Options that are made at once, and at a time after that: some milliseconds of work."""


class LongOptions(OptionList):
    """Options that are made a part at a time; the height of very many is not measured, but said."""

    def __init__(
        self, count: int, make: Callable[[int], Option], *, at_once: int = AT_ONCE, **given: Any
    ) -> None:
        """Make the first options.

        Args:
            count: how many there are.
            make: returns one by its place.
            at_once: how many are there from the start.
            given: what else an option list takes.
        """
        self._count = count
        self._make = make
        super().__init__(*map(make, range(min(count, at_once))), markup=False, **given)

    def on_mount(self) -> None:
        """Begin to make the rest."""
        self._make_more()

    def make_anew(self, count: int, make: Callable[[int], Option]) -> None:
        """Hold other options from now on."""
        self._count, self._make = count, make
        self.styles.height = None
        self.clear_options()
        self._make_more()

    @property
    def rows(self) -> int:
        """Rows that all options take, as far as that is known."""
        return max(self._count, self.virtual_size.height)

    def grow(self, most: int) -> None:
        """Take as many rows as there are, but no more than these."""
        self.styles.max_height = most
        if self._count > AT_ONCE:
            self.styles.height = min(most, self.rows)  # not measured anew with each part

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the height, measured where there are few options."""
        if self._count > AT_ONCE:
            return self.rows
        return super().get_content_height(container, viewport, width)

    def _make_more(self) -> None:
        there = self.option_count
        if there < self._count:
            self.add_options([self._make(at) for at in range(there, min(self._count, there + AT_ONCE))])
            after(self, 0.005, self._make_more)
