"""A control to choose one of some values, or several."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from acp_tui.ui.widgets.long_options import AT_ONCE, LongOptions
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.text import safe_line


class Choices(LongOptions):
    """Values with a mark each; Enter, space or a click chooses, or takes the choice back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "select", "Choose", show=False, id="choices.choose"),
    ]

    @dataclass
    class Changed(Message):
        """Something else is chosen."""

        choices: Choices

        @property
        def control(self) -> Choices:
            """Who says so, under the name that all widgets give it."""
            return self.choices

    def __init__(
        self,
        values: Sequence[tuple[str, str]],
        look: Look,
        *,
        chosen: Iterable[int] = (),
        several: bool = False,
        needed: bool = False,
    ) -> None:
        """Take the values.

        Args:
            values: pairs (label, description).
            look: has the marks.
            chosen: positions of the values that are chosen at first.
            several: whether more than one can be chosen.
            needed: whether a single choice cannot be taken back.
        """
        self._values = list(values)
        self._look = look
        self._several = several
        self._needed = needed
        self.chosen = set(chosen)
        """Positions of the chosen values."""
        first = min(self.chosen, default=0)
        super().__init__(len(values), lambda at: Option(self._row(at)), at_once=max(AT_ONCE, first + 1))
        self.highlighted = first

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Choose, or take back."""
        event.stop()
        index = event.option_index
        taken_back = index in self.chosen and not (self._needed and not self._several)
        others = self.chosen - {index} if self._several else set()
        before, self.chosen = self.chosen, others if taken_back else others | {index}
        for position in {index, *(before ^ self.chosen)} & set(range(self.option_count)):
            self.replace_option_prompt_at_index(position, self._row(position))
        self.post_message(self.Changed(self))

    def _row(self, index: int) -> Content:
        label, description = self._values[index]
        marks = ("unticked", "ticked") if self._several else ("pending", "running")
        is_chosen = index in self.chosen
        return Content.assemble(
            (f"{self._look.glyph(marks[is_chosen])} ", "$accent" if is_chosen else "$muted"),
            safe_line(label),
            (f"  {safe_line(description)}" if description else "", "$muted"),
        )
