"""Copying what a diff view shows as a patch."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_tui.ui.widgets.diff_view import DiffView


def copy_current(view: DiffView) -> None:
    """Copy the change that was gone to, else the file that keys act on."""
    change, number = view.current_change, view.current_file
    if change is not None:
        lines = (change.old_start, change.old_stop)
        _copy(view, view.pages[change.file].patch(lines), "The change is copied as a patch.")
    elif number is not None:
        _copy(view, view.pages[number].patch(), "The file is copied as a patch.")


def copy_all(view: DiffView) -> None:
    """Copy all files."""
    _copy(view, view.patch(), "All is copied as a patch.")


def _copy(view: DiffView, text: str, said: str) -> None:
    if not text:
        view.notify("There is no text to copy here.", severity="warning")
    else:
        view.app.copy_to_clipboard(text)
        view.notify(said)
