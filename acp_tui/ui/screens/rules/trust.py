"""Questions whether to trust a file that came with a workspace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Button
from typing_extensions import override

from acp_tui.formatting import from_home
from acp_tui.ui.screens.base.dialog import Details, Dialog
from acp_tui.ui.widgets.key_names import key_of, key_text, keys_of
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import exact_line, safe_line
from acp_tui.ui.widgets.transcript.blocks import TextBlock


class TrustDialog(Dialog[bool]):
    """Asks whether to trust a file with the shown content; dismisses with True, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "trust", "Trust the file", id="rule-trust.trust"),
        Binding("n,escape", "put_aside", "Not now", id="rule-trust.not-now"),
    ]

    def __init__(
        self, title: str, path: Path, about: str, content: Sequence[TextBlock], styles: Styles
    ) -> None:
        """Ask.

        Args:
            title: the question.
            path: the file.
            about: the effect of the answer.
            content: the text of the file.
            styles: the theme's styles.
        """
        super().__init__(title, styles)
        where = f"{from_home(str(path))} came with the workspace, or has changed since you trusted it."
        self._blocks = [TextBlock([("text", safe_line(where))]), TextBlock([("muted", about)]), *content]

    @override
    def compose_body(self) -> ComposeResult:
        yield Details(self._blocks, self.theme_styles)

    @override
    def compose_answers(self) -> ComposeResult:
        with Horizontal():
            yield Button("Trust", id="trust", compact=True)
            yield Button("Not now", id="not-now", compact=True)

    @override
    def hints(self) -> Sequence[tuple[str, str]]:
        not_now = " ".join(
            key_text(key, ascii=self.theme_styles.ascii) for key in keys_of(self, "rule-trust.not-now")
        )
        return [(key_of(self, "rule-trust.trust"), "trust it"), (not_now, "not now")]

    @on(Button.Pressed, "#trust")
    def action_trust(self) -> None:
        """Trust the file as shown."""
        if self.guard.turned:
            self.dismiss(True)

    @on(Button.Pressed, "#not-now")
    def _not_now(self) -> None:
        if self.guard.turned:
            self.dismiss(None)


def prompt_trust(path: Path, text: str, styles: Styles) -> TrustDialog:
    """Return the question whether a file of the workspace may add to the agent's system prompt."""
    return TrustDialog(
        "Add the prompt of this workspace?",
        path,
        "Once you trust it, it goes to the agent as part of its system prompt, with each session here.",
        [
            TextBlock([("text", exact_line(line))], above=0 if at else 1)
            for at, line in enumerate(text.split("\n"))
        ],
        styles,
    )
