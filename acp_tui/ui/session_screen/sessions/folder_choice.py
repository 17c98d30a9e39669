"""The folder to continue a session in: its own, or one that the user chooses."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from acp_tui.formatting import expand_home
from acp_tui.protocol.schema import SessionInfo
from acp_tui.rules import path_rules
from acp_tui.store.folders import journals_folder
from acp_tui.store.recordings import recent_sessions
from acp_tui.ui.screens.base.menu import LineDialog, Menu, MenuItem
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.ui.widgets.styles import Styles
from acp_tui.workspace.real_paths import resolved

_READ: Final = "read"
_HERE: Final = "here"
_OTHER: Final = "other"
_T_HERE: Final = "there"


def _missing_folder_menu(gone: str, here: str, styles: Styles) -> Menu:
    """Return the menu for a session whose folder is missing; the default only reads it."""
    items = [
        MenuItem(_READ, "Read only", "the agent is not started", gone),
        MenuItem(_HERE, "Continue here", here, gone),
        MenuItem(_OTHER, "Choose a folder", "type the folder to continue in", gone),
    ]
    return Menu("The folder of this session no longer exists", items, _READ, styles)


def _other_folder_menu(named: str, here: str, styles: Styles) -> Menu:
    """Return the menu for a folder that only the agent names; the default does not grant it."""
    items = [
        MenuItem(_HERE, "Continue here", here),
        MenuItem(_T_HERE, "Let it use that folder", named),
    ]
    return Menu("The agent says that this session was in another folder", items, _HERE, styles)


async def in_granted_folder(screen: ConversationScreen, info: SessionInfo) -> SessionInfo | None:
    """Return a session of the agent's list with a folder that the user grants; None if there is none.

    A folder counts as granted if it is in one of this session, or if that session was recorded in it.
    """
    conversation, here = screen.conversation, screen.conversation.cwd
    real = resolved(info.cwd) if info.cwd else ""  # where it leads may change: this is what is granted
    if real and path_rules.real_below(real, map(resolved, conversation.roots)) != real:
        recorded = await asyncio.to_thread(recent_sessions, journals_folder())
        of_agent = conversation.agent.name if conversation.agent is not None else None
        wanted = of_agent, info.session_id, real
        if not any((one.agent, one.session_id, one.cwd) == wanted for one in recorded):
            choice = await screen.ask(_other_folder_menu(real, here, screen.theme_styles))
            if choice is None:
                return None
            if choice == _HERE:
                return info.model_copy(update={"cwd": here})
    folder = await folder_to_continue_in(screen, real, here)
    if folder is None:
        return None
    if folder not in (real, here):  # the user's own words
        folder = resolved(folder)
    return info.model_copy(update={"cwd": folder}) if info.cwd else info


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
    if choice == _HERE:
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
