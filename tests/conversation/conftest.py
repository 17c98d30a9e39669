from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the user's own files out of the tests."""
    folder = tmp_path / "acp-tui-home"
    monkeypatch.setenv("ACP_TUI_HOME", str(folder))
    return folder
