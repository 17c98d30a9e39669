"""The folder of a session that is taken up, which may have been moved or deleted since."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_tui.ui.session_screen.screen import SessionScreen


async def folder_to_go_on_in(screen: SessionScreen, cwd: str, here: str) -> str | None:
    """Return where a session goes on: in its own folder, or in one that the user chooses for it.

    Args:
        screen: over which the user is asked.
        cwd: the folder of the session; empty where none is known.
        here: the folder of this run.

    Returns None where the user only wants to read; then nothing is started.
    """
    from acp_tui.ui.screens.folder_dialog import HERE, OTHER, FolderDialog, folder_menu

    if not cwd or _is_folder(cwd):
        return cwd or here
    choice = await screen.presence.ask(folder_menu(cwd, here, screen.look))
    if choice == HERE:
        return here
    title = "The folder in which the session goes on"
    path: str | None = here
    while choice == OTHER and path is not None:
        path = await screen.presence.ask(FolderDialog(path, title, screen.look))
        if path is not None:
            if (chosen := _folder(path)) is not None:
                return chosen
            title = "There is no such folder"
    return None


def _is_folder(path: str) -> bool:
    return Path(path).is_dir()


def _folder(typed: str) -> str | None:
    """Return the folder that the user has typed; None if there is no such."""
    try:
        path = Path(typed).expanduser().absolute()
    except RuntimeError:  # the home of an unknown user
        return None
    return str(path) if typed and path.is_dir() else None
