"""Copying out of the chat: a block, its code, the last answer, a selection of the mouse; and its source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_tui.ui.panes.chat import ChatPane

if TYPE_CHECKING:
    from acp_tui.ui.session_screen.screen import SessionScreen
    from acp_tui.ui.widgets.blocks import Block


class Copying:
    """Puts texts as they came on the clipboard, and says how much that was."""

    def __init__(self, screen: SessionScreen) -> None:
        self._screen = screen

    def selection(self) -> bool:
        """Copy what the mouse has selected, else the block with the keys; return whether there was any."""
        selected = self._screen.get_selected_text()
        if selected:
            self._copy(selected, "the selection")
        elif self._screen.query_one(ChatPane).has_focus:
            self.block()
        else:
            return False
        return True

    def copy(self, what: str) -> None:
        """Copy the last `answer`, or the `block` that the keys are on, or the `code` in it."""
        {"answer": self.last_answer, "block": self.block, "code": self.code}[what]()

    def block(self) -> None:
        """Copy the block that the keys are on."""
        block = self._block()
        if block is not None:
            self._copy(block.source(), "this block")

    def last_answer(self) -> None:
        """Copy what the agent said last."""
        from acp_tui.session.entries import AgentMessage, text_of

        session = self._screen.conversation.session
        entries = session.entries if session is not None else []
        answers = (text_of(entry) for entry in reversed(entries) if isinstance(entry, AgentMessage))
        answer = next((text for text in answers if text.strip()), "")
        if answer:
            self._copy(answer, "the last answer")
        else:
            self._screen.notify("There is no answer yet.")

    def code(self) -> None:
        """Copy the code in the block that the keys are on; of several the person chooses."""
        from acp_tui.readable import lines
        from acp_tui.ui.screens.menu import Item, Menu
        from acp_tui.ui.widgets.codes import codes

        block = self._block()
        found = codes(block.source()) if block is not None else []
        if not found:
            self._screen.notify("There is no code in this block.")
        elif len(found) == 1:
            self._copy(found[0], "the code")
        else:
            items = [
                Item(str(place), next(iter(code.strip().splitlines()), ""), lines(_count(code)))
                for place, code in enumerate(found)
            ]
            menu = Menu("Copy which code?", items, items[-1].key, self._screen.look)
            self._screen.app.push_screen(
                menu, lambda key: self._copy(found[int(key)], "the code") if key is not None else None
            )

    def show_source(self) -> None:
        """Show the block that the keys are on as the text that it came as."""
        from acp_tui.ui.screens.source import SourceScreen

        block = self._block()
        if block is not None:
            self._screen.app.push_screen(SourceScreen(block.searched(), self._screen.look))

    def _block(self) -> Block | None:
        """Return the block that the keys are on; without one, put them on the last in view."""
        chat = self._screen.query_one(ChatPane)
        if chat.cursor is None and chat.blocks:
            chat.action_step(-1)
        return chat.cursor

    def _copy(self, text: str, what: str) -> None:
        from acp_tui.readable import lines

        self._screen.app.copy_to_clipboard(text)
        self._screen.notify(f"Copied {what}: {lines(_count(text))}.")


def _count(text: str) -> int:
    return text.rstrip("\n").count("\n") + 1
