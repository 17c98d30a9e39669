"""The folder to continue a session in: its own, or one that the user chooses."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from acp_tui.formatting import expand_home
from acp_tui.ui.screens.base.menu import LineDialog, Menu, MenuItem
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.ui.widgets.styles import Styles

_READ: Final = "read"
HERE: Final = "here"
_OTHER: Final = "other"
_THERE: Final = "there"


def _missing_folder_menu(gone: str, here: str, styles: Styles) -> Menu:
    """Return the menu for a session whose folder is missing; the default only reads it."""
    items = [
        MenuItem(_READ, "Read only", "the agent is not started", gone),
        MenuItem(HERE, "Continue here", here, gone),
        MenuItem(_OTHER, "Choose a folder", "type the folder to continue in", gone),
    ]
    return Menu("The folder of this session no longer exists", items, _READ, styles)


def other_folder_menu(named: str, here: str, styles: Styles) -> Menu:
    """Return the menu for a folder that only the agent names; the default does not grant it."""
    items = [
        MenuItem(HERE, "Continue here", here),
        MenuItem(_THERE, "Let it use that folder", named),
    ]
    return Menu("The agent says that this session was in another folder", items, HERE, styles)


async def folder_to_continue_in(screen: ConversationScreen, cwd: str, here: str) -> str | None:
    """Return the folder to continue a session in: its own, or one that the user chooses.

    Args:
        screen: the screen below the question.
        cwd: the folder of the session; empty if unknown.
        here: the folder of this run.

    Returns None if the user wants only to read it.
    """
    if not cwd or _is_folder(cwd):
        return cwd or here
    choice = await screen.ask(_missing_folder_menu(cwd, here, screen.theme_styles))
    if choice == HERE:
        return here
    title = "Folder of the session"
    path: str | None = here
    while choice == _OTHER and path is not None:
        dialog = LineDialog(
            title, path, screen.theme_styles, placeholder="an existing folder", does="continue there"
        )
        path = await screen.ask(dialog)
        if path is not None:
            if (chosen := _folder(path)) is not None:
                return chosen
            title = "The folder does not exist"
    return None


def _is_folder(path: str) -> bool:
    return Path(path).is_absolute() and Path(path).is_dir()


def _folder(typed: str) -> str | None:
    """Return a typed folder as an absolute path, or None if there is none."""
    path = Path(expand_home(typed)).absolute()
    return str(path) if typed and path.is_dir() else None
