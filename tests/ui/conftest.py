from __future__ import annotations

import signal
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.cache import LRUCache
from textual.css.model import RuleSet

from acp_tui.ui.widgets.textual_internals import KeptStylesheet
from tests.ui.idle import idle


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Keep the user's own files out of the tests, and the tests' signal handlers in them."""
    folder = tmp_path / "acp-tui-home"
    monkeypatch.setenv("ACP_TUI_HOME", str(folder))
    before = signal.getsignal(signal.SIGHUP)
    yield folder
    signal.signal(signal.SIGHUP, before)


@pytest.fixture(autouse=True)
def small_files_are_compared_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave only large files to a thread, however long the small ones take on a busy machine."""
    monkeypatch.setattr("acp_tui.ui.widgets.diff.view.AT_ONCE", 10.0)


@pytest.fixture(autouse=True)
def notices_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no notice be gone before a busy machine comes to look at it."""
    monkeypatch.setattr("textual.app.App.NOTIFICATION_TIMEOUT", 300.0)


@pytest.fixture(autouse=True)
def idle_is_told_by_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys and pauses of a pilot wait until all is done, and no longer."""
    monkeypatch.setattr("textual.app.wait_for_idle", idle)
    monkeypatch.setattr("textual.pilot.wait_for_idle", idle)


@pytest.fixture(autouse=True)
def style_sheets_are_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Share what was parsed between applications: each would take a tenth of a second for it."""
    monkeypatch.setattr(KeptStylesheet, "rules_for", lambda _, variables: _PARSED[tuple(variables.items())])
    monkeypatch.setattr("textual.app.Stylesheet", KeptStylesheet)


_PARSED: defaultdict[tuple[tuple[str, str], ...], LRUCache[Any, list[RuleSet]]] = defaultdict(
    lambda: LRUCache(1_000)
)
"""Rules by the variables that they were parsed with."""
