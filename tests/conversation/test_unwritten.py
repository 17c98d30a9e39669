"""What a session is told when nothing can be written down."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.conversation.unwritten import Unwritten
from acp_tui.store.decisions import DecisionLog
from acp_tui.store.journal import Journal
from tests.full_disk import Disk
from tests.store.test_decisions import ONE

LINE = b'{"jsonrpc":"2.0","method":"x","params":{}}'


def test_a_full_disk_is_told_once_and_so_is_the_room_that_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    journal = Journal(tmp_path / "j", clock=lambda: now)
    decisions = DecisionLog(tmp_path / "decisions.ndjson")
    unwritten = Unwritten(journal, decisions)
    disk = Disk(monkeypatch, room=0)
    assert unwritten.news() == []

    decisions.add(ONE)
    (told,) = unwritten.news()
    journal.record("in", LINE)
    journal.flush()
    assert "no room" in told.text
    assert str(tmp_path) in told.detail
    assert unwritten.news() == []

    disk.room, now = 1 << 20, 60.0
    journal.flush()
    (told,) = unwritten.news()
    assert "room on the disk again" in told.text
    assert decisions.problem is None
    assert unwritten.news() == []
