"""A control of one row that chooses one of a few words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

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
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.text import safe, safe_line


class OneOf(Widget, can_focus=True):
    """Words beside each other, of which one is chosen: by left and right, space, or a click."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1)", "Choice before", show=False, id="one-of.before"),
        Binding("right,space", "step(1)", "Next choice", show=False, id="one-of.next"),
    ]
    chosen = reactive(0)
    """The position of the chosen word."""

    @dataclass
    class Changed(Message):
        """Another word is chosen."""

        sender: OneOf

    def __init__(self, words: Sequence[str], look: Look, *, chosen: int = 0, id: str | None = None) -> None:
        super().__init__(id=id)
        self._words = list(words)
        self._look = look
        self.set_reactive(OneOf.chosen, chosen)

    @override
    def render(self) -> Content:
        mark = self._look.glyph("current")
        parts: list[tuple[str, str]] = []
        for place, word in enumerate(self._words):
            is_chosen = place == self.chosen
            parts.append((f"{mark if is_chosen else ' '}{word} ", "bold $accent" if is_chosen else "$muted"))
        return Content.assemble(*parts)

    def watch_chosen(self) -> None:
        """Tell that another word is chosen."""
        if self.is_mounted:
            self.post_message(self.Changed(self))

    def action_step(self, step: int) -> None:
        """Choose a neighbour, the first after the last."""
        self.chosen = (self.chosen + step) % len(self._words)

    def on_click(self, event: Click) -> None:
        """Choose the word that was clicked."""
        left = 0
        for place, word in enumerate(self._words):
            left += Content(f" {word} ").cell_length
            if event.x < left:
                self.chosen = place
                return


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


_LONG: Final = 1_000
"""Characters of a label that are shown: an agent may name an option with megabytes."""


@dataclass(frozen=True)
class Answer:
    """One answer as it is shown."""

    label: str
    key: str = ""
    """The one key that gives it, drawn beside it, or the name of its binding for `as_bound`."""
    note: str = ""
    """What else there is to say, after the label."""
    detail: str = ""
    """More, on lines of its own."""
    role: str = "muted"
    """Variable of the style sheet that colours the key."""


def as_bound(answers: Iterable[Answer], owner: DOMNode) -> list[Answer]:
    """Return answers with the keys that the owner has for them now, in the place of the names of bindings."""
    return [replace(answer, key=key_of(owner, answer.key)) for answer in answers]


class AnswerList(LongOptions, can_focus=False):
    """Answers in the given order. It takes no focus: its screen has the keys, and calls its actions."""

    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(self, answers: Sequence[Answer], *, id: str | None = None) -> None:
        super().__init__(len(answers), _maker(answers), id=id)
        self.highlighted = None

    def offer(self, answers: Sequence[Answer]) -> None:
        """Show other answers, none of them chosen."""
        self.make_anew(len(answers), _maker(answers))
        self.highlighted = None


def _maker(answers: Sequence[Answer]) -> Callable[[int], Option]:
    widest = max((len(answer.key) for answer in answers), default=0)
    margin = max(3, widest + 1) if widest else 0
    return lambda at: Option(_content(answers[at], margin))


def _content(answer: Answer, margin: int) -> Content:
    parts: list[Content | str | tuple[str, str]] = [
        (answer.key.ljust(margin), f"bold ${answer.role}"),
        safe_line(answer.label[:_LONG]),
    ]
    if (left := len(answer.label) - _LONG) > 0:
        parts.append((f" and {left:,} more characters", "$warning"))
    if answer.note:
        parts.append((f"  {safe_line(answer.note)}", "$muted"))
    indent = "\n" + " " * margin
    parts.extend((indent + line, "$muted") for line in safe(answer.detail).splitlines())
    return Content.assemble(*parts)
