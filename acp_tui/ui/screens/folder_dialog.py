"""The dialogs for a session whose folder is gone: where it goes on, and which other folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual import on
from textual.app import ComposeResult
from textual.widget import Widget
from textual.widgets import Input

from acp_tui.ui.screens.dialog import Dialog
from acp_tui.ui.screens.menu import Item, Menu
from acp_tui.ui.widgets.input_line import InputLine
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.look import Look

READ: Final = "read"
HERE: Final = "here"
OTHER: Final = "other"


def folder_menu(gone: str, here: str, look: Look) -> Menu:
    """Return the menu of what can be done; a key that comes by itself does nothing but read on."""
    items = [
        Item(READ, "Read only", "nothing is started", gone),
        Item(HERE, "Go on here", here, gone),
        Item(OTHER, "Choose a folder", "type where the session goes on", gone),
    ]
    return Menu("The folder of this session is not there any more", items, READ, look)


class FolderDialog(Dialog[str]):
    """Takes the path of a folder; dismisses with it, or None."""

    IS_GUARDED = False

    def __init__(self, path: str, title: str, look: Look) -> None:
        super().__init__(title, look)
        self._path = path

    def compose_body(self) -> ComposeResult:
        """Yield the field."""
        yield InputLine(self._path, placeholder="a folder that is there", id="folder")

    def hints(self) -> Sequence[tuple[str, str]]:
        """Return what keys do."""
        return [("Enter", "go on there"), (key_of(self, "dialog.put-aside"), "close")]

    def first_focus(self) -> Widget | None:
        """Return the field."""
        return self.query_one(Input)

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(event.value)
