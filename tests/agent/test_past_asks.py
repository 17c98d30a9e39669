from __future__ import annotations

from dataclasses import replace

from acp_tui.agent.past_asks import asks_of
from acp_tui.host.rules import Ask
from acp_tui.store.decisions import OVERWRITE, Decision


def test_a_decision_tells_what_was_asked() -> None:
    decision = Decision(
        at="2026-03-01T10:00:00+00:00",
        session="s",
        agent="demo",
        workspace="/w/",
        tool_call="t",
        kind="edit",
        title="Edit",
        command=None,
        paths=("a", "/b"),
        options=(),
        chosen=None,
        by="cancelled",
        detail="",
        waited=0.0,
        inputs=("/w/c",),
    )

    ask = Ask("demo", "edit", ("/w/a", "/b"), workspace="/w/", session="s", inputs=("/w/c",))
    assert list(asks_of([decision, replace(decision, kind=OVERWRITE)])) == [ask]
