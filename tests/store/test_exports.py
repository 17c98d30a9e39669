from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from acp_tui.store.exports import save

AT = datetime(2026, 2, 3, 4, 5, 6)


def test_a_file_is_named_after_time_and_title_and_never_overwrites_another(tmp_path: Path) -> None:
    first = save(tmp_path / "exports", "Add: a ../flag!", "md", "one\r\n", AT)
    second = save(tmp_path / "exports", "Add: a ../flag!", "md", "two", AT)

    assert first == tmp_path / "exports" / "2026-02-03-040506-add-a-flag.md"
    assert second.name == "2026-02-03-040506-add-a-flag-2.md"
    assert (first.read_bytes(), second.read_bytes()) == (b"one\r\n", b"two")
    assert first.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("title", ["", "///", "日本" * 60])
def test_any_title_gives_a_name(tmp_path: Path, title: str) -> None:
    assert save(tmp_path, title, "json", "\ud800", AT).read_text("utf-8") == "?"
