"""Line notes of a session: their list, and replies to passages of answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Final

from textual.binding import Binding, BindingType
from textual.widgets import Input
from typing_extensions import override

from acp_tui.conversation.line_notes import LineNotes
from acp_tui.session.line_notes import Subject, note_on, place_of
from acp_tui.store.prompts import Prompt
from acp_tui.ui.entries.messages import AgentMessageBlock
from acp_tui.ui.panes.chat import ChatPane
from acp_tui.ui.panes.plan import PlanPane
from acp_tui.ui.screens.base.menu import Menu, MenuItem
from acp_tui.ui.screens.base.unasked_screen import answer_of
from acp_tui.ui.screens.review.notes import NoteDialog, PassageScreen, rows_of
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.styles import Styles

_SEND: Final = "send"
_ALONE: Final = "See my notes."
"""The text of a prompt that has only notes."""


class NotesMenu(Menu):
    """The notes for the next prompt; dismisses with the key of the one to edit."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("delete,ctrl+d", "drop", "Drop the note", id="notes.drop", priority=True),
    ]

    def __init__(self, notes: LineNotes, cwd: str, styles: Styles) -> None:
        self._notes = notes
        self._cwd = cwd
        super().__init__("Notes for the next prompt", self._listed_notes, None, styles)

    @override
    def hints(self) -> Sequence[tuple[str, str]]:
        return [
            ("Enter", "edit"),
            (key_of(self, "notes.drop"), "drop"),
            (key_of(self, "menu.close"), "close"),
        ]

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "drop":  # a key that the filter also accepts
            return not self.query_one(Input).value
        return super().check_action(action, parameters)

    def action_drop(self) -> None:
        """Drop the highlighted note."""
        key = self.highlighted_key()
        if key is not None and key != _SEND:
            left = self.place_without()
            self._notes.drop(int(key))
            if not self._notes:
                self.dismiss(None)
                return
            self.refresh_items()
            last = str(next(reversed(self._notes.notes)))  # not to the item that sends them
            self.move_to(last if left.key == _SEND else left.key)

    def _listed_notes(self) -> list[MenuItem]:
        found = [
            MenuItem(str(key), place_of(note, self._cwd), " ".join(note.text.split()))
            for key, note in self._notes.notes.items()
        ]
        return [*found, MenuItem(_SEND, "Send them now", "as a prompt of their own")] if found else []


async def show_notes(screen: ConversationScreen) -> None:
    """List the current notes, and edit one after the other until the list is closed."""
    conversation, notes = screen.conversation, screen.conversation.line_notes
    await notes.follow()
    while notes:
        chosen = await answer_of(screen.app, NotesMenu(notes, conversation.cwd, screen.theme_styles))
        if chosen is None:
            return
        if chosen == _SEND:
            conversation.say(Prompt(_ALONE))
            return
        note = notes.notes.get(int(chosen))
        if note is None:
            continue
        place = place_of(note, conversation.cwd)
        text = await answer_of(screen.app, NoteDialog(place, note.quoted, note.text, screen.theme_styles))
        if text:
            notes.change(int(chosen), replace(note, text=text))
        elif text is not None:
            notes.drop(int(chosen))
    if not notes:
        screen.notify("No notes. In the changes, w writes one on a line.")


def reply(screen: ConversationScreen) -> None:
    """Quote the selected text, else a passage of the plan or of the answer under the cursor."""
    selected = screen.get_selected_text()
    if selected and selected.strip():
        screen.clear_selection()
        screen.run_worker(_reply_to(screen, rows_of(selected), "answer"), group="notes")
        return
    pane = screen.focused if isinstance(screen.focused, PlanPane) else screen.query_one(ChatPane)
    if isinstance(pane, PlanPane):
        subject: Subject = "plan"
        text, heading = "\n".join(block.source() for block in pane.blocks), "Reply to the plan"
    else:
        text, subject, heading = _answer(pane), "answer", "Reply to this answer"
    if not text.strip() or pane.is_empty:
        screen.notify("No answer here to reply to." if subject == "answer" else "No plan yet.")
        return

    def keep(rows: Sequence[str], words: str) -> None:
        _add(screen, rows, words, subject)

    screen.app.push_screen(PassageScreen(heading, text, keep, screen.theme_styles))


def _answer(chat: ChatPane) -> str:
    """Return the answer under the cursor, else the last one; "" for another block."""
    if chat.cursor is not None:
        return chat.cursor.source() if isinstance(chat.cursor, AgentMessageBlock) else ""
    answers = (block.source() for block in reversed(chat.blocks) if isinstance(block, AgentMessageBlock))
    return next(answers, "")


async def _reply_to(screen: ConversationScreen, rows: Sequence[str], subject: Subject) -> None:
    """Take the reply to a passage in a dialog."""
    text = await answer_of(screen.app, NoteDialog("this passage", rows, "", screen.theme_styles))
    if text:
        _add(screen, rows, text, subject)


def _add(screen: ConversationScreen, rows: Sequence[str], text: str, subject: Subject) -> None:
    note = note_on(rows, 0, len(rows) - 1, text, subject=subject, first_line=None)
    screen.conversation.line_notes.add(note)
