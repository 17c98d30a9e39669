"""The dialog about a stale write: the file has changed since the agent saw it; both versions are shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final, Literal, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import OptionList

from acp_tui.readable import inside
from acp_tui.ui.screens.dialog import Details, Dialog
from acp_tui.ui.widgets.controls import Answer, AnswerList, as_bound
from acp_tui.ui.widgets.diff.rows import FileDiff
from acp_tui.ui.widgets.diff.view import DiffView
from acp_tui.ui.widgets.key_names import key_of, pair_of
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.text import safe_line
from acp_tui.ui.widgets.transcript.blocks import TextBlock

if TYPE_CHECKING:
    from acp_tui.session.questions import StaleWrite


def diff_hints(view: DiffView, files: str) -> list[tuple[str, str]]:
    """Return pairs (key, action); `files` says what the parts of the view are called here."""
    return [
        (pair_of(view, "diff.next-change", "diff.previous-change"), "changes"),
        (pair_of(view, "diff.next-file", "diff.previous-file"), files),
        (key_of(view, "diff.side-by-side"), "sides"),
        (key_of(view, "diff.wrap"), "wrap"),
    ]


Choice = Literal["write", "keep", "stop"]

_NO_TEXT: Final = "\0"
"""Stands for content that is there and is no text."""


class Chosen(NamedTuple):
    """What the person decided."""

    choice: Choice
    how: str
    """What the person did: a key, or a click."""


class StaleWriteDialog(Dialog[Chosen]):
    """Asks which version a file shall have; dismisses with the choice, or None when put aside."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("w", "choose('write')", "Write the agent's version", id="stale-write.write"),
        Binding("k", "choose('keep')", "Keep what is there", id="stale-write.keep"),
        Binding("x", "choose('stop')", "Keep it and stop the turn", id="stale-write.stop"),
        Binding("up", "move('cursor_up')", "Up", show=False, id="stale-write.up"),
        Binding("down", "move('cursor_down')", "Down", show=False, id="stale-write.down"),
        Binding(
            "enter", "choose_highlighted", "Choose what was moved to", show=False, id="stale-write.choose"
        ),
        Binding("z", "zoom", "Zoom the versions", id="stale-write.zoom"),
    ]

    def __init__(
        self, question: StaleWrite, *, agent: str, cwd: str, look: Look, counter: tuple[int, int] = (1, 1)
    ) -> None:
        """Take what is asked.

        Args:
            question: the open question, with all versions.
            agent: who asks, as shown to people.
            cwd: the workspace, by which the path is shortened.
            look: the styles.
            counter: the number of this question and how many wait.
        """
        super().__init__(f"{agent} wants to write over newer changes", look, counter=counter)
        self._question = question
        self._file = inside(question.path, cwd)
        self._agent = agent
        self._zoomed = False
        self._answers: dict[Choice, Answer] = {
            "write": Answer(
                "Write the agent's version", "stale-write.write", "what is there is lost", role="warning"
            ),
            "keep": Answer(
                "Keep what is there", "stale-write.keep", "the agent is told to read it again", role="success"
            ),
            "stop": Answer("Keep it and stop the turn", "stale-write.stop", role="error"),
        }

    def compose_body(self) -> ComposeResult:
        """Yield what happened, and the versions against each other."""
        yield Details([TextBlock([("text", text)]) for text in self._about()], self.look)
        versions = DiffView(self._versions(), self.look, noun="views")
        versions.can_focus = False  # its keys are not the answers' keys; zoomed, it has them
        yield versions

    def compose_answers(self) -> ComposeResult:
        """Yield what can be done."""
        yield AnswerList(as_bound(self._answers.values(), self))

    def hints(self) -> Sequence[tuple[str, str]]:
        """Return what keys do now."""
        if self._zoomed:
            back = (key_of(self, "stale-write.zoom"), "back to the answers")
            return [back, *diff_hints(self.query_one(DiffView), "versions")]
        move = pair_of(self, "stale-write.up", "stale-write.down")
        choose, zoom = key_of(self, "stale-write.choose"), key_of(self, "stale-write.zoom")
        return [(move, "move"), (choose, "choose"), (zoom, "zoom"), *super().hints()]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Answer only where the answers are in view."""
        if self._zoomed and action in ("choose", "move", "choose_highlighted"):
            return False
        return super().check_action(action, parameters)

    def action_choose(self, choice: Choice) -> None:
        """Give an answer."""
        self.dismiss(Chosen(choice, f"key {key_of(self, self._answers[choice].key)}"))

    def action_move(self, how: str) -> None:
        """Move to another answer."""
        getattr(self.query_one(AnswerList), f"action_{how}")()

    def action_choose_highlighted(self) -> None:
        """Give the answer that was moved to; nothing without one."""
        highlighted = self.query_one(AnswerList).highlighted
        if highlighted is not None:
            self._take(highlighted, "Enter")

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._take(event.option_index, "click")

    def _take(self, place: int, how: str) -> None:
        if self.guard.turned:
            self.dismiss(Chosen(list(self._answers)[place], how))

    def action_put_aside(self) -> None:
        """Go one step back: out of the zoom, out of the dialog."""
        if self._zoomed:
            self.action_zoom()
        else:
            super().action_put_aside()

    def action_zoom(self) -> None:
        """Give the versions the whole dialog, and the keys; or take both back."""
        self._zoomed = not self._zoomed
        self.set_class(self._zoomed, "-zoomed")
        versions = self.query_one(DiffView)
        versions.can_focus = self._zoomed
        self.set_focus(versions if self._zoomed else None)
        self.body.scroll_home(animate=False)
        self.refresh_bindings()
        self.show_hints()
        self.after_refresh(self.fit)

    def fit(self) -> None:
        """Let the zoomed versions have all rows."""
        super().fit()
        if self._zoomed:
            self.body.styles.max_height = None

    def _about(self) -> list[str]:
        name = safe_line(self._file)
        if not self._question.is_there:
            return [f"{name} was deleted since the agent last saw it; the write would bring it back."]
        about = [f"{name} has changed on disk since the agent last read or wrote it."]
        if self._question.encoding and self._question.now is not None:
            about.append(f"Its text is {self._question.encoding} now; the agent's version will be UTF-8.")
        return about

    def _versions(self) -> list[FileDiff]:
        """Return what the write would lose, as far as that is known, and what it would do now."""
        question = self._question
        there = question.now
        if there is None and question.is_there:
            there = _NO_TEXT
        would = FileDiff(self._file, there, question.wanted, "what the write would change now")
        if question.before is None:
            return [would]
        return [FileDiff(self._file, question.before, there, "what changed since the agent saw it"), would]
