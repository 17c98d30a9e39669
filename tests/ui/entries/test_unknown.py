"""Tests of `ui/entries/unknown.py`."""

from __future__ import annotations

from acp_tui.session.entries import (
    UnknownNews,
)
from tests.ui.entries.rows import block, rows


def test_c27_an_update_that_is_not_understood_is_a_folded_line_with_its_name_and_data() -> None:
    shown = block(UnknownNews("of_\x1b[2Jtomorrow", {"x": [1, 2]}, count=3))

    assert "▸ an update that is not understood: of_" in rows(shown)[1]
    assert "\x1b" not in "".join(rows(shown))
    assert '"x"' in shown.searched()
    assert '"x"' not in "".join(rows(shown))
    shown.choose()
    assert '"x"' in "".join(rows(shown))
