"""Notices in the chat."""

from __future__ import annotations

from acp_tui.session.entries import Notice
from tests.ui.entries.rows import block, rows


def test_a_notice_shows_the_end_of_its_detail() -> None:
    notice = Notice("The agent has ended.", "error", detail="\n".join(map(str, range(30))))

    shown = rows(block(notice))

    assert shown[1] == "· The agent has ended."
    assert shown[2:] == [f"  {number}" for number in range(18, 30)]
