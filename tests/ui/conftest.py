from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Keep the person's own files out of the tests, and the tests' signal handlers in them."""
    folder = tmp_path / "acp-tui-home"
    monkeypatch.setenv("ACP_TUI_HOME", str(folder))
    before = signal.getsignal(signal.SIGHUP)
    yield folder
    signal.signal(signal.SIGHUP, before)
