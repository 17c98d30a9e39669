"""The login dialog: the ways to log in that an agent offers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import OptionList

from acp_tui.ui.screens.details import Details
from acp_tui.ui.screens.dialog import Dialog
from acp_tui.ui.widgets.answer_list import Answer, AnswerList
from acp_tui.ui.widgets.blocks import TextBlock
from acp_tui.ui.widgets.key_names import key_of, pair_of
from acp_tui.ui.widgets.look import Look

if TYPE_CHECKING:
    from acp_tui.acp.authentication import AuthMethod


class LoginDialog(Dialog[str]):
    """Lets the person choose how to log in; dismisses with the id of the method, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move('cursor_up')", "Up", show=False, id="login.up"),
        Binding("down", "move('cursor_down')", "Down", show=False, id="login.down"),
        Binding("enter", "choose", "Log in", id="login.choose"),
    ]

    def __init__(
        self, methods: Sequence[AuthMethod], *, agent: str, hint: str, look: Look, error: str = ""
    ) -> None:
        """Take what is offered.

        Args:
            methods: in the agent's order.
            agent: who wants the login, as shown to people.
            hint: why it is needed, or what to know about it.
            look: the styles of the text.
            error: why the last try failed.
        """
        super().__init__(f"Log in to {agent}", look)
        self._methods = list(methods)
        self._hint = hint
        self._error = error

    def compose_body(self) -> ComposeResult:
        """Yield why."""
        blocks = [TextBlock([("error", self._error)])] if self._error else []
        if self._hint:
            blocks.append(TextBlock([("text", self._hint)]))
        yield Details(blocks, self.look)

    def compose_answers(self) -> ComposeResult:
        """Yield the methods; the first is chosen, since a login can be left again."""
        answers = AnswerList(
            [Answer(method.name, detail="\n".join(_about(method))) for method in self._methods]
        )
        answers.highlighted = 0 if self._methods else None
        yield answers

    def hints(self) -> Sequence[tuple[str, str]]:
        """Return what keys do."""
        move = pair_of(self, "login.up", "login.down")
        return [(move, "move"), (key_of(self, "login.choose"), "log in"), *super().hints()]

    def action_move(self, how: str) -> None:
        """Move to another method."""
        getattr(self.query_one(AnswerList), f"action_{how}")()

    def action_choose(self) -> None:
        """Log in by the method moved to."""
        self.query_one(AnswerList).action_select()

    @on(OptionList.OptionSelected)
    def _choose(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if self.guard.turned:
            self.dismiss(self._methods[event.option_index].id)


def _about(method: AuthMethod) -> Iterator[str]:
    if method.description:
        yield method.description
    if method.type == "terminal":
        yield "Opens the agent's own login in a terminal."
    names = [str(variable["name"]) for variable in method.vars if variable.get("name")]
    if names:
        yield f"Reads {', '.join(names)} from the environment."
