from __future__ import annotations

import os
from pathlib import Path

from acp_tui.ui.theme_watch import ThemeWatch


def test_what_is_written_is_news_once(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    watch = ThemeWatch(tmp_path)
    watch.watch("mine")
    assert not watch.has_changed()

    path.write_text("one")
    assert watch.has_changed()
    assert not watch.has_changed()

    new = tmp_path / "new"  # as editors save: another file in its place, of the same size and time
    new.write_text("two")
    os.utime(new, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    new.replace(path)
    assert watch.has_changed()


def test_a_theme_that_is_gone_and_a_name_that_no_file_can_have_are_no_news(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("one")
    watch = ThemeWatch(tmp_path)
    watch.watch("mine")
    (tmp_path / "mine.toml").unlink()
    assert not watch.has_changed()

    watch.watch("a\x00b")
    assert not watch.has_changed()
