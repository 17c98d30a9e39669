"""Additions to an agent's system prompt, from the settings and from the workspace."""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path
from typing import Final, NamedTuple

from acp_tui.rules.trusted_files import TRUST_NAME, Trust, contents
from acp_tui.store.folders import state_folder

log = logging.getLogger(__name__)

WORKSPACE_FILE: Final = Path(".acp-tui", "prompt.md")


MOST_LINES: Final = 2_000
"""Most lines of such a file: the user should be able to read it before trusting it."""


class WorkspacePrompt(NamedTuple):
    """A workspace's addition to the system prompt, which counts once the user trusts it."""

    path: Path
    text: str
    digest: str
    """The SHA-256 of its bytes."""


def workspace_prompt(cwd: str) -> WorkspacePrompt | None:
    """Return the file of a workspace; None for a missing, empty or unreadable one. Blocking."""
    path = Path(cwd) / WORKSPACE_FILE
    try:
        data = contents(path)
        text = data.decode("utf-8-sig").strip()
        if text.count("\n") >= MOST_LINES:
            raise OSError(f"it has more than {MOST_LINES:,} lines")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        log.warning("%s is not used: %s", path, error)
        return None
    return WorkspacePrompt(path, text, hashlib.sha256(data).hexdigest()) if text else None


class SystemPrompt:
    """The user's additions to the system prompt of one agent."""

    def __init__(self, text: str, trust: Trust | None = None) -> None:
        self.text = text.strip()
        """The text of the settings."""
        self.trust = trust or Trust(state_folder() / TRUST_NAME)

    def in_folder(self, cwd: str) -> str:
        """Return the whole addition for a session in a folder: the settings, then the trusted file."""
        file = workspace_prompt(cwd)
        trusted = file.text if file is not None and self.trust.has(file.path, file.digest) else ""
        return "\n\n".join(filter(None, (self.text, trusted)))

    def not_trusted(self, cwd: str) -> WorkspacePrompt | None:
        """Return the file of a workspace if it is not trusted yet."""
        file = workspace_prompt(cwd)
        return file if file is not None and not self.trust.has(file.path, file.digest) else None
