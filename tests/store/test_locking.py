from __future__ import annotations

import threading
from pathlib import Path

import pytest

from acp_tui.store import locking
from acp_tui.store.locking import alone


def test_one_waits_until_the_other_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locking, "PATIENCE", 60.0)
    order: list[str] = []
    waits = threading.Event()

    def second() -> None:
        waits.set()
        with alone(tmp_path / "file"):
            order.append("second")

    other = threading.Thread(target=second)
    with alone(tmp_path / "file"):
        other.start()
        waits.wait()
        order.append("first")
    other.join()

    assert order == ["first", "second"]


def test_a_program_that_was_stopped_while_it_wrote_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locking, "PATIENCE", 0.01)
    path = tmp_path / "file"

    with alone(path), pytest.raises(TimeoutError, match="does not go on"), alone(path):
        pytest.fail("two at once")

    with alone(path):
        pass
