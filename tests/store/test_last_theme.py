"""The theme that was chosen last."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.store.last_theme import keep_theme, last_theme


def test_a_choice_counts_until_the_settings_name_another_theme(tmp_path: Path) -> None:
    path = tmp_path / "state" / "theme"
    assert last_theme(path, "acp-dark") is None

    assert keep_theme(path, "acp-dark", "my nörd") is None

    assert last_theme(path, "acp-dark") == "my nörd"
    assert last_theme(path, "acp-light") is None


@pytest.mark.parametrize("content", [b"", b"one", b"a\nb\nc\n", b"\xff\xfe\n\n"])
def test_what_is_no_such_file_counts_for_nothing(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "theme"
    path.write_bytes(content)

    assert last_theme(path, "a") is None


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    problem = keep_theme(tmp_path / "file" / "theme", "a", "b")

    assert problem is not None
    assert "the theme is not kept" in str(problem)
