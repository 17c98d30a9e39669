"""Tests of `ui/screens/rules/rule_list.py`."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from acp_tui.rules.model import Rule, ToolUse, decide
from acp_tui.ui.screens.rules.rule_list import because, matches, scope, until


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (Rule("allow"), "anything"),
        (Rule("allow", command="git status", tool_kind="execute"), "git status …"),
        (Rule("allow", tool_kind="edit", path="src/**"), "changing files in src/**"),
        (Rule("deny", path="*.env"), "*.env"),
        (
            Rule("ask", tool_kind="fetch", agent="gemini", mode="plan"),
            "fetching from the network, of gemini, in mode plan",
        ),
    ],
)
def test_what_a_rule_matches_is_said(rule: Rule, words: str) -> None:
    assert matches(rule) == words


def test_for_how_much_a_rule_is_is_said_from_where_one_stands() -> None:
    assert scope(Rule("ask"), "/w") == "everywhere"
    assert scope(Rule("ask", workspace="/w"), "/w") == "this workspace"
    assert scope(Rule("ask", workspace="/x"), "/w") == "/x"
    assert scope(Rule("ask", session="s"), "/w") == "this session"


def test_the_end_of_a_rule_is_a_day_or_a_moment() -> None:
    day = datetime(2999, 1, 2, 23, 59, 59).astimezone()

    assert until(None) == ""
    assert until(day) == "until 2999-01-02"
    assert until(day - timedelta(hours=1)) == "until 2999-01-02 22:59"
    assert until(day.replace(year=2000)) == "expired 2000-01-02"


def test_a_verdict_names_all_rules_that_say_so() -> None:
    rules = [Rule("allow", command="a", where="f:1"), Rule("allow", command="b", note="n", where="f:2")]

    both = decide(rules, ToolUse("x", "execute", command="a && b"))
    assert because(both) == "allowed: allow a … (f:1) and allow b … (n, f:2)"
    assert because(decide(rules, ToolUse("x", "execute", command="c"))) == "asked: no rule matches"


def test_a_verdict_says_where_it_is_a_doubt() -> None:
    verdict = decide([Rule("deny", command="rm", where="f:1")], ToolUse("x", "execute", command="$X"))

    assert because(verdict) == "asked, as far as known: deny rm … (f:1)"
