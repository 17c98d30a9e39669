"""The dialog in which a session gets a name."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, Static

from acp_tui.ui.screens.dialog import Dialog
from acp_tui.ui.widgets.input_line import InputLine
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.text import safe_line


class NameDialog(Dialog[str]):
    """Takes a name; dismisses with it, or None. An empty one stands for the agent's own title."""

    IS_GUARDED = False

    def __init__(self, name: str, title: str, longest: int, look: Look) -> None:
        """Begin with the name of now; `title` is what the tab says without one."""
        super().__init__("Name of this session", look)
        self._name_now = name
        self._own_title = title
        self._longest = longest

    def compose_body(self) -> ComposeResult:
        """Yield the field, and what comes without a name."""
        yield InputLine(self._name_now, placeholder="a name of your own", max_length=self._longest, id="name")
        yield Static(
            Content.styled(f"Empty: {safe_line(self._own_title)}", "$muted"), id="without", markup=False
        )

    def hints(self) -> Sequence[tuple[str, str]]:
        """Return what keys do."""
        return [("Enter", "keep"), (key_of(self, "dialog.put-aside"), "close")]

    def first_focus(self) -> Widget | None:
        """Return the field."""
        return self.query_one(Input)

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(event.value)
