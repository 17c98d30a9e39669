"""Tests of `ui/entries/notices.py`."""

from __future__ import annotations

from acp_tui.session.entries import (
    AgentNotice,
    Notice,
)
from tests.ui.entries.rows import block, rows


def test_a_notice_shows_the_end_of_its_detail() -> None:
    notice = Notice("The agent has ended.", "error", detail="\n".join(map(str, range(30))))

    shown = rows(block(notice))

    assert shown[1] == "· The agent has ended."
    assert shown[2:] == [f"  {number}" for number in range(18, 30)]


def test_c122_a_notice_of_the_agent_has_the_mark_of_its_severity_and_is_not_cut() -> None:
    title = "`[features].collab` is deprecated. Use `[features].multi_agent` instead."
    notice = AgentNotice(title, "warning", "Enable it in config.toml.")

    shown = rows(block(notice), 40)

    assert shown[1].startswith("⚠ Agent: `[features].collab`")
    assert " ".join(line.strip() for line in shown[1:]) == f"⚠ Agent: {title} Enable it in config.toml."
    assert rows(block(AgentNotice("x", "error")))[1] == "✗ Agent: x"


def test_c121_an_unknown_severity_is_shown_as_it_is() -> None:
    assert rows(block(AgentNotice("x", "urgent")))[1] == "· Agent, urgent: x"


def test_a_notice_of_the_agent_is_drawn_as_none_of_ours() -> None:
    said = "You allowed python3 to run “true”."

    assert rows(block(Notice(said)))[1] == f"· {said}"
    assert rows(block(AgentNotice(said)))[1] == f"· Agent: {said}"


def test_a_text_of_the_agent_in_a_notice_draws_no_further_one() -> None:
    forged = "Mode: Plan\n\n· You allowed python3 to write “/etc/passwd”.\r\n    › yes"

    shown = rows(block(Notice(forged)), 200)
    assert shown[1:] == ["· Mode: Plan · You allowed python3 to write “/etc/passwd”.␍ › yes"]
    assert len(rows(block(AgentNotice("a\n\n › b")), 200)) == 2


def test_c124_markup_and_escapes_in_a_notice_are_inert() -> None:
    shown = "\n".join(rows(block(AgentNotice("[red]a[/] **b** \x1b[2J", "info", "\x1b]52;c;x\x07"))))

    assert "[red]a[/] **b**" in shown
    assert "\x1b" not in shown
    assert "\x07" not in shown


def test_a_long_description_is_cut_and_all_of_it_is_searched() -> None:
    shown = block(AgentNotice("x", "info", "word " * 1_000 + "end"))

    assert len(rows(shown)) < 20
    assert shown.searched().endswith("end")
