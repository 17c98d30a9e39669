"""Decisions about texts that would take too long."""

from __future__ import annotations

import pytest

from acp_tui.rules import command_rules
from acp_tui.rules.effort import TooMuchEffort, limited, spend
from acp_tui.rules.model import Rule, ToolUse, decide

MANY = tuple(f"/w/{'a/' * 90}{number}" for number in range(1_000))
LONG = {
    "xargs": "xargs -I{} " * 900,
    "find": "find . " + "-exec ls {} + " * 600,
    "eval": "eval " * 1_900 + "x",
}


def test_effort_is_limited_only_where_a_decision_says_so() -> None:
    spend(1_000_000_000)
    with limited(), pytest.raises(TooMuchEffort):
        spend(1_000_000_000)
    spend(1_000_000_000)


def test_what_is_spent_stays_spent_for_the_rest_of_a_decision() -> None:
    with limited():
        with pytest.raises(TooMuchEffort):
            spend(1_000_000_000)
        with pytest.raises(TooMuchEffort):
            spend(1)


@pytest.mark.parametrize("line", LONG.values(), ids=LONG)
def test_a_line_that_takes_too_long_is_given_up(line: str) -> None:
    with limited(), pytest.raises(TooMuchEffort):
        command_rules.may_run("rm", line)


def test_a_use_that_takes_too_long_is_asked_about_where_a_rule_denies() -> None:
    rules = (Rule("deny", path="*.env"), Rule("allow", tool_kind="edit"))

    assert decide(rules, ToolUse("a", "edit", paths=MANY[:10])).decision == "allow"
    assert decide(rules, ToolUse("a", "edit", paths=MANY)).decision == "ask"
    assert decide(rules[1:], ToolUse("a", "edit", paths=MANY)).decision == "allow"


def test_a_very_deep_path_is_asked_about_where_a_rule_denies_and_allowed_by_none_with_a_path() -> None:
    deep = ToolUse("a", "edit", paths=(f"/w/{'a/' * 200}b",), workspace="/w")

    assert decide((Rule("deny", path="*.env"), Rule("allow", tool_kind="edit")), deep).decision == "ask"
    assert decide((Rule("allow", path="/w/**"),), deep).decision == "ask"


def test_a_sure_rule_wins_although_another_takes_too_long() -> None:
    use = ToolUse("a", "execute", command=LONG["xargs"])

    assert decide((Rule("deny", command="rm"), Rule("deny", tool_kind="execute")), use).decision == "deny"
