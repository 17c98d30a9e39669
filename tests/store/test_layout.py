from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.store.layout import Layout, load, save

DEFAULT = ("plan", "changes")


def test_a_layout_is_there_in_the_next_run(tmp_path: Path) -> None:
    path = tmp_path / "state" / "layout.json"
    assert load(path, DEFAULT) == (Layout(DEFAULT), None)

    assert save(path, Layout(("changes",), side=False)) is None

    assert load(path, DEFAULT) == (Layout(("changes",), side=False), None)
    assert [file.name for file in path.parent.iterdir()] == ["layout.json"]


@pytest.mark.parametrize(
    "text", [b"", b"\xff", b"null", b"[]", b"{}", b'{"panes": 5, "side": true}', b'{"panes": [1], "side": 1}']
)
def test_a_broken_layout_is_told_and_the_settings_count(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "layout.json"
    path.write_bytes(text)

    layout, problem = load(path, DEFAULT)

    assert layout == Layout(DEFAULT)
    assert problem is not None
    assert problem.path == path


def test_a_layout_that_cannot_be_read_or_kept_is_told(tmp_path: Path) -> None:
    (tmp_path / "layout.json").mkdir()
    assert load(tmp_path / "layout.json", DEFAULT)[1] is not None
    assert save(tmp_path / "layout.json", Layout(())) is not None
    (tmp_path / "file").write_text("")
    assert save(tmp_path / "file" / "layout.json", Layout(())) is not None
