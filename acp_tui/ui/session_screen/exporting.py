"""Writing a session into a file of its own: as Markdown for people, as JSON for programs."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from acp_tui.store.folders import data_folder

if TYPE_CHECKING:
    from acp_tui.session.session import Session
    from acp_tui.ui.session_screen.screen import SessionScreen

_FORMS: Final = (
    ("talk", "Markdown", "prompts, answers, and a line for each tool call"),
    ("whole", "Markdown, everything", "with thoughts, diffs and the output of tools"),
    ("json", "JSON", "all that is known, for programs"),
)
"""Ways to write a session, as (key, name, what is in it)."""


class Exporting:
    """Asks for the form, writes the file, and says where it is."""

    def __init__(self, screen: SessionScreen) -> None:
        self._screen = screen

    def choose(self) -> None:
        """Let the person choose a form."""
        from acp_tui.ui.screens.menu import Item, Menu

        session = self._screen.conversation.session
        if session is None or not session.entries:
            self._screen.notify("There is nothing to export yet.")
            return
        items = [Item(key, name, about) for key, name, about in _FORMS]
        menu = Menu("Export the session as", items, None, self._screen.look)
        self._screen.app.push_screen(menu, lambda form: self._write(session, form) if form else None)

    def _write(self, session: Session, form: str) -> None:
        from acp_tui.store.exports import save

        title = self._screen.title_of_tab
        suffix = "json" if form == "json" else "md"
        try:
            text = self._text(session, title, form)
            if (journal := self._screen.conversation.journal) is not None:  # a recording has no secrets in it
                title, text = journal.hidden(title), journal.hidden(text)
            path = save(data_folder() / "exports", title, suffix, text, datetime.now())
        except OSError as error:
            self._screen.notify(f"The session was not exported: {error}", severity="error", timeout=15)
        else:
            self._screen.notify(str(path), title="Exported", timeout=15)

    def _text(self, session: Session, title: str, form: str) -> str:
        name = self._screen.conversation.agent_name
        if form == "json":
            import json

            from acp_tui.session.plain import plain

            head: dict[str, Any] = {
                "agent": name,
                "exported": datetime.now().astimezone().isoformat(timespec="seconds"),
            }
            if (agent := self._screen.conversation.agent) is not None:
                head["exported_at"] = round(agent.now, 3)  # on the clock of the entries
            return json.dumps({**head, **plain(session, self._printed)}, indent=1) + "\n"
        from acp_tui.ui.session_screen.as_markdown import as_markdown

        return as_markdown(session, title, name, self._printed if form == "whole" else None)

    def _printed(self, terminal_id: str) -> str:
        """Return what a terminal of ours printed; nothing where it is gone."""
        from acp_tui.ui.session_screen.furnishing import terminal_of
        from acp_tui.ui.widgets.terminal_log import text_of

        terminal = terminal_of(self._screen, terminal_id)
        return text_of(terminal.kept()) if terminal is not None else ""
