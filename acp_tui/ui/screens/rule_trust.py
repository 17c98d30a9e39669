"""The dialog that asks whether the rules file of a workspace is trusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Button

from acp_tui.agent.rule_book import host_rule
from acp_tui.readable import from_home
from acp_tui.store.rules import RuleFile
from acp_tui.ui.screens.details import Details
from acp_tui.ui.screens.dialog import Dialog
from acp_tui.ui.screens.rule_list import ROLES
from acp_tui.ui.screens.rule_words import matches
from acp_tui.ui.widgets.blocks import TextBlock
from acp_tui.ui.widgets.key_names import key_of, key_text, keys_of
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.text import exact_line, safe_line


class RuleTrust(Dialog[bool]):
    """Shows all rules of a file; dismisses with whether it is trusted, None when put aside."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "trust", "Trust these rules", id="rule-trust.trust"),
        Binding("n,escape", "put_aside", "Not now", id="rule-trust.not-now"),
    ]

    def __init__(self, file: RuleFile, look: Look) -> None:
        super().__init__("Trust the rules of this workspace?", look)
        self._file = file

    def compose_body(self) -> ComposeResult:
        """Yield what this is about, and the rules in words."""
        where = (
            f"{from_home(str(self._file.path))} came with the workspace, or has changed since you trusted it."
        )
        about = "Until you trust it, what it denies and asks counts, and what it allows does not."
        blocks = [TextBlock([("text", safe_line(where))]), TextBlock([("muted", about)])]
        for number, written in enumerate(self._file.rules):
            rule = host_rule(written)
            note = [("muted", f"  {safe_line(rule.note)}")] if rule.note else []
            line = [(ROLES[rule.decision], f"{rule.decision:<6}"), ("text", exact_line(matches(rule))), *note]
            blocks.append(TextBlock(line, above=0 if number else 1))
        yield Details(blocks, self.look)

    def compose_answers(self) -> ComposeResult:
        """Yield the buttons."""
        with Horizontal():
            yield Button("Trust", id="trust", compact=True)
            yield Button("Not now", id="not-now", compact=True)

    def hints(self) -> Sequence[tuple[str, str]]:
        """Return what keys do."""
        not_now = " ".join(
            key_text(key, ascii=self.look.ascii) for key in keys_of(self, "rule-trust.not-now")
        )
        return [(key_of(self, "rule-trust.trust"), "trust these rules"), (not_now, "not now")]

    @on(Button.Pressed, "#trust")
    def action_trust(self) -> None:
        """Trust the file as it is shown."""
        if self.guard.turned:
            self.dismiss(True)

    @on(Button.Pressed, "#not-now")
    def _not_now(self) -> None:
        if self.guard.turned:
            self.dismiss(None)
