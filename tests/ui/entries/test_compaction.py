"""A compaction is a rule across the chat."""

from __future__ import annotations

from typing import Any

from acp_tui.protocol.schema import UsageUpdate
from acp_tui.session.entries import Compaction
from acp_tui.session.text_buffer import TextBuffer
from tests.ui.entries.rows import block, rows


def done(**fields: Any) -> Compaction:
    return Compaction(
        "c1",
        **{
            "status": "completed",
            "before": UsageUpdate(used=820, size=1000),
            "after": UsageUpdate(used=110, size=1000),
            **fields,
        },
    )


def test_c128_it_says_how_full_the_context_was_and_is() -> None:
    assert rows(block(done()), 40) == ["", "─── compacted, 82 % → 11 % ─────────────"]


def test_c128_a_context_is_full_at_most() -> None:
    over = done(before=UsageUpdate(used=1_200, size=1_000))

    assert "compacted, 100 % → 11 %" in rows(block(over), 40)[1]


def test_c128_without_a_size_it_counts_tokens() -> None:
    few = done(before=UsageUpdate(used=12_472), after=UsageUpdate(used=8_351))

    assert "compacted, 12k → 8k" in rows(block(few))[1]


def test_c125_while_it_goes_on_it_counts_the_seconds() -> None:
    shown = block(Compaction("c1", at=1.0))
    assert shown.is_running

    shown.tick(4.0)

    assert rows(shown, 30)[1].startswith("─── compacting 3.0 s")


def test_c127_a_failure_says_why() -> None:
    shown = rows(block(done(status="failed", error="no room")), 40)

    assert shown[1].startswith("─── compaction failed ─")
    assert shown[2] == "  no room"


def test_c121_an_unknown_status_is_shown_as_it_is() -> None:
    shown = rows(block(Compaction("c1", "later\x1b]52")))[1]

    assert "compaction: later" in shown
    assert "\x1b" not in shown


def test_c126_the_summary_is_folded_until_enter_and_is_found_by_a_search() -> None:
    shown = block(done(parts=[TextBuffer("It was about **notes**.")]))
    assert shown.is_folded
    assert "notes" not in "\n".join(rows(shown))
    assert "notes" in shown.searched()

    shown.choose()

    assert "  It was about notes." in rows(shown)
    shown.choose()
    assert shown.is_folded


def test_a_compaction_without_a_summary_has_nothing_to_open() -> None:
    shown = block(done())

    assert not shown.is_action
    assert not shown.choose()
