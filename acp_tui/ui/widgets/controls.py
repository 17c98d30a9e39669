"""Controls that choose among options, and the list of answers of a dialog."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Generic, TypeVar, overload

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.dom import DOMNode
from textual.events import Click
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import OptionList
from textual.widgets.option_list import Option
from typing_extensions import override

from acp_tui.ui.widgets.delay import after
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import safe, safe_line


class OneOf(Widget, can_focus=True):
    """A row of words; the user chooses one by left and right, space, or a click."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1)", "Choice before", show=False, id="one-of.before"),
        Binding("right,space", "step(1)", "Next choice", show=False, id="one-of.next"),
    ]
    chosen = reactive(0)
    """Index of the chosen word."""

    @dataclass
    class Switched(Message):
        """Another word was chosen."""

        sender: OneOf

    def __init__(
        self, words: Sequence[str], styles: Styles, *, chosen: int = 0, id: str | None = None
    ) -> None:
        super().__init__(id=id)
        self._words = list(words)
        self._theme_styles = styles
        self.set_reactive(OneOf.chosen, chosen)

    @override
    def render(self) -> Content:
        mark = self._theme_styles.symbol("current")
        parts: list[tuple[str, str]] = []
        for place, word in enumerate(self._words):
            is_chosen = place == self.chosen
            parts.append((f"{mark if is_chosen else ' '}{word} ", "bold $accent" if is_chosen else "$muted"))
        return Content.assemble(*parts)

    def watch_chosen(self) -> None:
        """Post `Switched`."""
        if self.is_mounted:
            self.post_message(self.Switched(self))

    def action_step(self, step: int) -> None:
        """Choose the next or previous word, wrapping around."""
        self.chosen = (self.chosen + step) % len(self._words)

    def on_click(self, event: Click) -> None:
        """Choose the clicked word."""
        left = 0
        for place, word in enumerate(self._words):
            left += Content(f" {word} ").cell_length
            if event.x < left:
                self.chosen = place
                return


NUMBERED: Final = 9
"""Number of options with a number key."""
AT_ONCE: Final = 100
"""Options created at a time: some milliseconds of work."""


class LongOptions(OptionList):
    """An option list that creates its options in parts, and does not measure the height of very many."""

    def __init__(
        self, count: int, make: Callable[[int], Option], *, at_once: int = AT_ONCE, **given: Any
    ) -> None:
        """Make the first options.

        Args:
            count: the number of options.
            make: returns an option by its index.
            at_once: the number to create at the start.
            given: other arguments of an option list.
        """
        self._count = count
        self._make = make
        super().__init__(*map(make, range(min(count, at_once))), markup=False, **given)

    def on_mount(self) -> None:
        """Start creating the rest."""
        self._make_more()

    def make_anew(self, count: int, make: Callable[[int], Option]) -> None:
        """Replace all options."""
        self._count, self._make = count, make
        self.styles.height = None
        self.clear_options()
        self._make_more()

    @property
    def rows(self) -> int:
        """Rows of all options, as known so far."""
        return max(self._count, self.virtual_size.height)

    def grow(self, most: int) -> None:
        """Grow to the number of rows, up to `most`."""
        self.styles.max_height = most
        if self._count > AT_ONCE:
            self.styles.height = min(most, self.rows)  # not measured again with each part

    @override
    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        if self._count > AT_ONCE:
            return self.rows
        return super().get_content_height(container, viewport, width)

    def _make_more(self) -> None:
        there = self.option_count
        if there < self._count:
            self.add_options([self._make(at) for at in range(there, min(self._count, there + AT_ONCE))])
            after(self, 0.005, self._make_more)


class Choices(LongOptions):
    """A list of values with marks; Enter, space, a number or a click chooses one, or undoes that.

    Textual's SelectionList and RadioSet show a choice by colour alone, with non-ASCII marks, and make all
    values at once, which may be thousands.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "select", "Choose", show=False, id="choices.choose"),
        *(
            Binding(
                str(number),
                f"choose_number({number})",
                "Choose by number",
                show=False,
                id=f"choices.{number}",
            )
            for number in range(1, NUMBERED + 1)
        ),
    ]

    @dataclass
    class Changed(Message):
        """The choice has changed."""

        choices: Choices

        @property
        def control(self) -> Choices:
            """The sender."""
            return self.choices

    def __init__(
        self,
        values: Sequence[tuple[str, str]],
        styles: Styles,
        *,
        chosen: Iterable[int] = (),
        several: bool = False,
        needed: bool = False,
    ) -> None:
        """Take the values.

        Args:
            values: pairs (label, description).
            styles: the source of the symbols.
            chosen: indices of the values chosen at first.
            several: True if several values can be chosen.
            needed: True if a single choice cannot be undone.
        """
        self._values = list(values)
        self._theme_styles = styles
        self._several = several
        self._needed = needed
        self.chosen = set(chosen)
        """Indices of the chosen values."""
        first = min(self.chosen, default=0)
        super().__init__(len(values), lambda at: Option(self._row(at)), at_once=max(AT_ONCE, first + 1))
        self.highlighted = first

    def action_choose_number(self, number: int) -> None:
        """Choose a value by its number, from 1, or undo its choice."""
        if number <= self.option_count:
            self.highlighted = number - 1
            self.action_select()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Choose a value, or undo its choice."""
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
            (f"{index + 1} " if index < NUMBERED else "  ", "$muted"),
            (f"{self._theme_styles.symbol(marks[is_chosen])} ", "$accent" if is_chosen else "$muted"),
            safe_line(label),
            (f"  {safe_line(description)}" if description else "", "$muted"),
        )


_LONG: Final = 1_000
"""Most characters of a label that are shown; agents have sent megabytes."""


@dataclass(frozen=True)
class Answer:
    """An answer for display."""

    label: str
    key: str = ""
    """Its key, or for `as_bound` the name of its binding."""
    note: str = ""
    """A remark after the label."""
    detail: str = ""
    """Text on lines below the label."""
    role: str = "muted"
    """Style sheet variable for the colour of the key."""


def as_bound(answers: Iterable[Answer], owner: DOMNode) -> list[Answer]:
    """Return answers with the names of bindings replaced by the owner's current keys."""
    return [replace(answer, key=key_of(owner, answer.key)) for answer in answers]


Item = TypeVar("Item")


class LazySequence(Sequence[Item], Generic[Item]):
    """Items that are made when they are looked at: an agent may send thousands."""

    def __init__(self, count: int, make: Callable[[int], Item]) -> None:
        """Take the number of items, and a function that makes one by its index."""
        self._count = count
        self._make = make

    @override
    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> list[Item]: ...
    @override
    def __getitem__(self, place: int | slice) -> Item | list[Item]:
        if isinstance(place, slice):
            return list(map(self._make, range(self._count)[place]))
        return self._make(range(self._count)[place])


class AnswerList(LongOptions, can_focus=False):
    """A list of answers without focus: the screen has the keys and calls the actions."""

    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(self, answers: Sequence[Answer], *, id: str | None = None) -> None:
        super().__init__(len(answers), _maker(answers), id=id)
        self.highlighted = None

    def offer(self, answers: Sequence[Answer]) -> None:
        """Replace the answers, none of them highlighted."""
        self.make_anew(len(answers), _maker(answers))
        self.highlighted = None


def _maker(answers: Sequence[Answer]) -> Callable[[int], Option]:
    widest = max((len(answer.key) for answer in answers[:AT_ONCE]), default=0)
    margin = max(3, widest + 1) if widest else 0
    return lambda at: Option(_content(answers[at], at, margin))


def _content(answer: Answer, at: int, margin: int) -> Content:
    number = f"{at + 1} " if at < NUMBERED else "  "
    parts: list[Content | str | tuple[str, str]] = [
        (number, "$muted"),
        (answer.key.ljust(margin), f"bold ${answer.role}"),
        safe_line(answer.label[:_LONG]),
    ]
    if (left := len(answer.label) - _LONG) > 0:
        parts.append((f" and {left:,} more characters", "$warning"))
    if answer.note:
        parts.append((f"  {safe_line(answer.note)}", "$muted"))
    indent = "\n" + " " * (len(number) + margin)
    parts.extend((indent + line, "$muted") for line in safe(answer.detail).splitlines())
    return Content.assemble(*parts)
