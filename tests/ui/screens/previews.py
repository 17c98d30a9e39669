"""A preview of a rule."""

from __future__ import annotations

from collections.abc import Sequence

from acp_tui.rules.rule_book import RuleDraft


def nothing(draft: RuleDraft) -> Sequence[str]:
    return ["a preview of", draft.rule.command or "nothing"]
