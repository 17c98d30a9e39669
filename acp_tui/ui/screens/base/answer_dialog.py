"""Dialogs with a list of answers, with or without differences."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Final, Generic

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import OptionList
from typing_extensions import override

from acp_tui.ui.screens.base.dialog import Dialog, Hint, Result
from acp_tui.ui.widgets.controls import NUMBERED, Answer, AnswerList, as_bound
from acp_tui.ui.widgets.diff.noted_view import NotedDiffView
from acp_tui.ui.widgets.diff.notes import Notebook
from acp_tui.ui.widgets.diff.rows import FileDiff
from acp_tui.ui.widgets.diff.view import DiffView
from acp_tui.ui.widgets.key_names import key_of, pair_of
from acp_tui.ui.widgets.rows.note_field import NoteBar
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.textual_internals import drop_keys, move_highlight


def answer_keys(
    name: str, *, choose: str = "Confirm the selected answer", up: str = "Up", down: str = "Down"
) -> list[Binding]:
    """Return the keys of a list of answers, with ids that begin with `name`."""
    return [
        Binding("up", "move('cursor_up')", up, show=False, id=f"{name}.up"),
        Binding("down", "move('cursor_down')", down, show=False, id=f"{name}.down"),
        Binding("enter", "choose_highlighted", choose, show=False, id=f"{name}.choose"),
    ]


_ANSWERS: Final = "npNP"
"""Letters that step through differences elsewhere; over a question they would look like answers."""


class AnswerDialog(Dialog[Result], Generic[Result]):
    """A dialog with an `AnswerList`; a click, or Enter on the highlighted row, gives an answer."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            str(number), f"choose_number({number})", "Choose by number", show=False, id=f"answers.{number}"
        )
        for number in range(1, NUMBERED + 1)
    ]
    KEYS: ClassVar[str]
    """The prefix of the ids of its keys, as given to `answer_keys`."""

    @abstractmethod
    def take(self, place: int, how: str) -> None:
        """Give the answer at an index of the list; `how` is `Enter`, `click`, or `key` with its number."""

    @property
    def answers(self) -> AnswerList:
        """The list of answers."""
        return self.query_one(AnswerList)

    def choose_hints(self, choose: str = "choose") -> list[Hint]:
        """Return the hints for the keys of the list."""
        move = pair_of(self, f"{self.KEYS}.up", f"{self.KEYS}.down")
        return [(move, "move"), (key_of(self, f"{self.KEYS}.choose"), choose)]

    def action_move(self, how: str) -> None:
        """Highlight another answer."""
        move_highlight(self.answers, how)

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "choose_number" and not self._is_number_of_answer(parameters[0]):
            return False
        return super().check_action(action, parameters)

    def _is_number_of_answer(self, number: object) -> bool:
        return self.has_parts and isinstance(number, int) and number <= self.answers.option_count

    def action_choose_number(self, number: int) -> None:
        """Give the answer with a number."""
        self.take(number - 1, f"key {number}")

    def action_choose_highlighted(self) -> None:
        """Give the highlighted answer; nothing happens without one."""
        if (place := self.answers.highlighted) is not None and self.guard.turned:
            self.take(place, "Enter")

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if self.guard.turned:
            self.take(event.option_index, "click")


class ChoiceDialog(AnswerDialog[Result], Generic[Result]):
    """A dialog that is dismissed with one of its choices; the key of each runs `choose`."""

    def __init__(self, title: str, styles: Styles) -> None:
        super().__init__(title, styles)
        self.choices: dict[Result, Answer] = {}
        """The answers by their choices, in the order of the list."""

    @override
    def compose_answers(self) -> ComposeResult:
        yield AnswerList(as_bound(self.choices.values(), self))

    @override
    def hints(self) -> Sequence[Hint]:
        close = (key_of(self, "dialog.put-aside"), "close")
        return [*self.choose_hints(), close] if self.choices else [close]

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "choose" and parameters[0] not in self.choices:
            return False
        return super().check_action(action, parameters)

    def action_choose(self, choice: Result) -> None:
        """Dismiss with a choice."""
        self.dismiss(choice)

    @override
    def take(self, place: int, how: str) -> None:
        self.dismiss(list(self.choices)[place])


class DiffDialog(AnswerDialog[Result], Generic[Result]):
    """An answer dialog with a diff view; zoomed, that has the focus and the whole dialog."""

    is_zoomed = False
    _is_back_after_note = False
    """True if the differences are zoomed only for a note."""

    def diff_view(
        self, files: Sequence[FileDiff], noun: str = "files", notebook: Notebook | None = None
    ) -> DiffView:
        """Return a diff view, which gets no keys until it is zoomed."""
        view = NotedDiffView(files, self.theme_styles, noun=noun, notebook=notebook)
        view.can_focus = False
        drop_keys(view, *_ANSWERS)
        return view

    def zoom_hints(self, files: str) -> list[Hint]:
        """Return the hints while it is zoomed; `files` is the word for the parts of the view."""
        view = self.query_one(NotedDiffView)
        note = [(key_of(view, "diff.note"), "note")] if view.has_notebook else []
        return [
            (key_of(self, f"{self.KEYS}.zoom"), "back to the answers"),
            *note,
            (pair_of(view, "diff.next-change", "diff.previous-change"), "changes"),
            (pair_of(view, "diff.next-file", "diff.previous-file"), files),
            (key_of(view, "diff.side-by-side"), "sides"),
            (key_of(view, "diff.wrap"), "wrap"),
        ]

    @override
    def cut_words(self) -> str:
        views = self.query(DiffView)
        cut = views.first().cut_lines if views else 0
        if not cut:
            return ""
        keys = f"{key_of(self, f'{self.KEYS}.zoom')} {key_of(views.first(), 'diff.wrap')}"
        return (
            f"1 changed line is cut, {keys} wraps it"
            if cut == 1
            else f"{cut} changed lines are cut, {keys} wraps them"
        )

    def action_zoom(self) -> None:
        """Zoom the differences, or go back to the answers."""
        self.is_zoomed = not self.is_zoomed
        self._is_back_after_note = False
        self.set_class(self.is_zoomed, "-zoomed")
        view = self.query_one(DiffView)
        view.can_focus = self.is_zoomed
        self.set_focus(view if self.is_zoomed else None)
        self.body.scroll_home(animate=False)
        self.redraw()

    async def action_write_note(self) -> None:
        """Zoom the differences to write a note; when it is written, go back to the answers."""
        self.action_zoom()
        self._is_back_after_note = True
        view = self.query_one(NotedDiffView)
        await view.action_write_note()  # at once: the next keys are for the note
        self.after_refresh(view.show_chosen)

    @on(NoteBar.NoteEnded)
    def _note_closed(self, event: NoteBar.NoteEnded) -> None:
        event.stop()
        if self._is_back_after_note and self.is_zoomed:
            self.action_zoom()

    def redraw(self) -> None:
        """Refresh keys, hints and layout."""
        self.refresh_bindings()
        self.show_hints()
        self.after_refresh(self.fit)

    @override
    def kept_rows(self) -> int:
        return 0 if self.is_zoomed else super().kept_rows()

    @override
    def action_put_aside(self) -> None:
        if self.is_zoomed:
            self.action_zoom()
        else:
            super().action_put_aside()

    @override
    def fit(self) -> None:
        super().fit()
        if self.is_zoomed:
            self.body.styles.max_height = None
