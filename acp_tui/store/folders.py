"""Folders of acp-tui, created on first use, for their owner only.

The path of a folder that cannot be created is returned anyway: its first writer reports the error.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

HOME_VARIABLE = "ACP_TUI_HOME"
"""Environment variable with a single folder for everything, instead of the platform's."""


def config_folder() -> Path:
    """Return the folder of the user's files: settings and themes."""
    return _folder("config")


def data_folder() -> Path:
    """Return the folder of data that must not be lost: recorded sessions and drafts."""
    return _folder("data")


def state_folder() -> Path:
    """Return the folder of data that may be lost: logs and remembered layouts."""
    return _folder("state")


def journals_folder() -> Path:
    """Return the folder of recorded sessions."""
    return data_folder() / "journals"


def snapshots_folder() -> Path:
    """Return the folder of the snapshots of all workspaces."""
    return data_folder() / "snapshots"


def settings_path() -> Path:
    """Return the path of the user's settings."""
    return config_folder() / "settings.toml"


def private_folder(path: Path) -> Path:
    """Create a folder with mode 0700 if it is missing, and return it.

    Raises:
        OSError: it cannot be created.
    """
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def _folder(kind: str) -> Path:
    path = _place(kind)
    with suppress(OSError):  # a read-only home
        private_folder(path)
    return path


def _place(kind: str) -> Path:
    if home := os.environ.get(HOME_VARIABLE):
        with suppress(OSError):
            private_folder(Path(home))
        return Path(home).absolute() / kind
    from platformdirs import PlatformDirs  # where no folder is given: it takes a millisecond

    places = PlatformDirs("acp-tui", appauthor=False)
    match kind:  # each takes a tenth of a millisecond, and a start asks two dozen times
        case "config":
            return places.user_config_path
        case "data":
            return places.user_data_path
        case _:
            return places.user_state_path


def places() -> dict[str, str]:
    """Return the paths of the user's files, by name."""
    return {
        "settings": str(settings_path()),
        "themes": str(config_folder() / "themes"),
        "sessions": str(journals_folder()),
        "log": str(state_folder() / "acp-tui.log"),
    }
