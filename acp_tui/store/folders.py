"""Where acp-tui keeps its files on this platform; each folder is created on first use, for its owner only.

A folder that cannot be created is named all the same: whoever writes into it meets the error, and can say
what is lost by it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

HOME_VARIABLE = "ACP_TUI_HOME"
"""Environment variable that names one folder for everything, instead of the platform's places."""


def config_folder() -> Path:
    """Return the folder of what the user writes: settings and themes."""
    return _folder("config")


def data_folder() -> Path:
    """Return the folder of what must not be lost: recorded sessions and drafts."""
    return _folder("data")


def state_folder() -> Path:
    """Return the folder of what may be lost: logs and remembered layouts."""
    return _folder("state")


def private_folder(path: Path) -> Path:
    """Create `path` with mode 0700 if it is missing, and return it.

    Raises:
        OSError: it cannot be created.
    """
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def _folder(kind: str) -> Path:
    path = _place(kind)
    with suppress(OSError):  # a home that is read-only
        private_folder(path)
    return path


def _place(kind: str) -> Path:
    if home := os.environ.get(HOME_VARIABLE):
        with suppress(OSError):
            private_folder(Path(home))
        return Path(home).absolute() / kind
    from platformdirs import PlatformDirs

    places = PlatformDirs("acp-tui", appauthor=False)
    found = {
        "config": places.user_config_path,
        "data": places.user_data_path,
        "state": places.user_state_path,
    }
    return found[kind]


def places() -> dict[str, str]:
    """Return where a person finds what is theirs, by what it is."""
    return {
        "settings": str(config_folder() / "settings.toml"),
        "themes": str(config_folder() / "themes"),
        "sessions": str(data_folder() / "journals"),
        "log": str(state_folder() / "acp-tui.log"),
    }
