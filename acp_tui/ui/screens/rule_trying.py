"""The dialog that tries the rules on a command or a path that the person types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.suggester import SuggestFromList
from textual.widget import Widget
from textual.widgets import Input, Static

from acp_tui.agent.rule_book import RuleBook
from acp_tui.host.rules import Ask, decide
from acp_tui.store.rules import TOOL_KINDS
from acp_tui.ui.screens.dialog import Dialog
from acp_tui.ui.screens.rule_list import ROLES
from acp_tui.ui.screens.rule_words import because
from acp_tui.ui.widgets.input_line import InputLine
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.text import safe_line

_FIELDS: Final = {
    "kind": f"{', '.join(TOOL_KINDS)}",
    "command": "a whole command line, as an agent would ask for it",
    "path": "a file, whole or below the workspace",
    "agent": "the name of an agent",
    "mode": "the id of a mode",
}


class RuleTrying(Dialog[None]):
    """Shows what the rules say to a question as it is typed."""

    IS_GUARDED = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "put_aside", "Close", id="rule-trying.close"),
        Binding("tab,down,enter", "app.focus_next", "Next field", show=False, id="rule-trying.next"),
        Binding("shift+tab,up", "app.focus_previous", "Field before", show=False, id="rule-trying.previous"),
    ]

    def __init__(self, book: RuleBook, ask: Ask, look: Look) -> None:
        """Take the rules, and a question to begin with: its agent, mode, workspace and session stay."""
        super().__init__("Try the rules", look)
        self._book = book
        self._ask = ask

    def compose_body(self) -> ComposeResult:
        """Yield the fields, one a row."""
        values = {"kind": self._ask.tool_kind, "agent": self._ask.agent, "mode": self._ask.mode or ""}
        for name, hint in _FIELDS.items():
            suggester = SuggestFromList(TOOL_KINDS) if name == "kind" else None
            control = InputLine(values.get(name, ""), placeholder=hint, id=name, suggester=suggester)
            yield Horizontal(Static(name, classes="label"), control, classes="field")

    def compose_answers(self) -> ComposeResult:
        """Yield what the rules say."""
        yield Static(id="preview")

    def on_mount(self) -> None:
        """Say what the rules say to the question as it is."""
        self._show()

    def hints(self) -> Sequence[tuple[str, str]]:
        """Return what keys do."""
        return [(key_of(self, "rule-trying.next"), "next"), (key_of(self, "rule-trying.close"), "close")]

    def first_focus(self) -> Widget | None:
        """Return the command."""
        return self.query_one("#command")

    @property
    def ask(self) -> Ask:
        """The question as it is typed now."""
        texts = {name: self.query_one(f"#{name}", Input).value.strip() for name in _FIELDS}
        path = texts["path"]
        whole = path if path.startswith("/") else f"{self._ask.workspace.rstrip('/')}/{path}"
        return Ask(
            texts["agent"],
            texts["kind"] or "other",
            (whole,) if path else (),
            texts["command"] or None,
            texts["mode"] or None,
            self._ask.workspace,
            self._ask.session,
        )

    @on(Input.Changed)
    def _show(self) -> None:
        verdict = decide(self._book, self.ask)
        said = because(verdict)
        text = Content.styled(safe_line(said), f"${ROLES[verdict.decision]}")
        self.query_one("#preview", Static).update(text)
        self.after_refresh(self.fit)
