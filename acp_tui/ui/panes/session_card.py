"""The session card: agent, model, mode, approval, folder and sandbox."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.cells import cell_len
from textual import on
from textual.message import Message

from acp_tui.conversation.conversation import Conversation
from acp_tui.formatting import from_home
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.rows.row_view import StatusRow, StatusRows
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import exact_line, safe_line, shortened
from acp_tui.ui.widgets.transcript.blocks import Piece

_LABEL: Final = 8
"""Cells of a label."""
_LONGEST: Final = 200
"""Maximum cells of a value: an agent may send megabytes."""
_SERVERS: Final = 20
"""Maximum number of MCP servers that are named."""


class SessionCard(StatusRows):
    """Labelled rows about a session, or one line of the most important ones."""

    class RowClicked(Message):
        """A row was clicked; `what` names the session command that it runs."""

        def __init__(self, what: str) -> None:
            super().__init__()
            self.what = what

    def __init__(self, conversation: Conversation, servers: Sequence[str], styles: Styles) -> None:
        """Show a conversation; `servers` are the names of the MCP servers that its agent gets."""
        super().__init__(styles, id="session-card")
        self._conversation = conversation
        self._servers = servers
        self._commands: list[str] = []
        self.is_folded = False
        self.branch = ""
        """The branch of the folder, if it is in a git repository."""

    @property
    def unfolded_rows(self) -> int:
        """Rows of the whole card."""
        return 1 + sum(1 for _ in self._rows())

    def fold(self, folded: bool) -> None:
        """Show one line, or all rows."""
        self.is_folded = folded
        self.show()

    def show(self) -> None:
        """Update the card to the conversation."""
        rows = list(self._rows())
        if self.is_folded:
            dot = f" {self.theme_styles.symbol('dot')} "
            named = [row for row in rows if row[0] in ("agent", "model", "mode")]
            line: list[Piece] = []
            for _, role, value, _ in named:
                line += [("faint", dot)] if line else [("text", " ")]
                line.append((role, value))
            self._commands = ["about"]
            self.set_rows([self._title(), (line, [])])
            return
        self._commands = [command for *_, command in rows]
        self.set_rows([self._title(), *[self._row(*row) for row in rows]])

    def on_resize(self) -> None:
        """Draw the title as wide as the card."""
        self.show()

    @on(StatusRows.Clicked)
    def _clicked(self, event: StatusRows.Clicked) -> None:
        event.stop()
        command = self._commands[event.line - 1] if event.line else "about"
        self.post_message(self.RowClicked(command))

    def _title(self) -> StatusRow:
        rule = self.theme_styles.symbol("rule")
        name = " session "
        rest = rule * max(1, self.size.width - cell_len(name) - 1)
        return [("faint", rule), ("muted", name), ("faint", rest)], []

    def _row(self, label: str, role: str, value: str, command: str) -> StatusRow:
        key = key_of(self, f"session.{command}") if command in ("model", "mode", "policy") else ""
        left: list[Piece] = [("text", " "), ("muted", label.ljust(_LABEL)), (role, value)]
        has_room = 1 + _LABEL + cell_len(value) + 2 + cell_len(key) < self.size.width
        return left, [("muted", f"{key} ")] if key and has_room else []

    def _rows(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield (label, role of the value, value, session command)."""
        conversation, session = self._conversation, self._conversation.session
        agent = conversation.agent
        info = agent.info.agent_info if agent is not None and agent.info is not None else None
        version = info.version if info is not None else ""
        name = self._value(conversation.agent_name)
        yield "agent", "text", f"{name} {self._value(version or '')}".strip(), "about"
        for category in ("model", "mode"):
            option = session.option(category) if session is not None else None
            if option is not None:
                value = option.name_of(conversation.choices.pending_value(option))
                waits = value != option.value_name
                cut = f" {self.theme_styles.symbol('cut')}" if waits else ""
                yield category, "text", self._value(value) + cut, category
        approval = conversation.choices.approval
        if approval is not None:
            role = "warning" if approval.is_open else "text"
            label, words = ("asks", approval.asks) if approval.asks else ("policy", approval.brief)
            yield label, role, self._value(words), approval.due_to
        if conversation.running is not None and (sandbox := conversation.running.sandbox) is not None:
            yield (
                "sandbox",
                "warning" if sandbox.means.is_partial else "text",
                sandbox.words.replace("sandboxed", "on", 1),
                "sandbox",
            )
        yield "folder", "text", exact_line(from_home(conversation.cwd)), "about"
        if self.branch:
            yield "branch", "text", exact_line(self.branch), "about"
        if self._servers:
            names = ", ".join(self._servers[:_SERVERS])
            yield "mcp", "text", self._value(f"{names} ({len(self._servers)})"), "about"

    def _value(self, text: str) -> str:
        return shortened(safe_line(text[:_LONGEST]), _LONGEST, self.theme_styles.symbol("cut"))
