"""A list of answers, each with the key that gives it: nothing is chosen until the person moves to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from textual.binding import BindingType
from textual.content import Content
from textual.dom import DOMNode
from textual.widgets.option_list import Option

from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.long_options import LongOptions
from acp_tui.ui.widgets.text import safe, safe_line

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
