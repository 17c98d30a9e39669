"""A decision, as the log keeps it."""

from __future__ import annotations

from acp_tui.store.decisions import Decision, OfferedOption

YES = OfferedOption("y", "Yes", "allow_once")


ONE = Decision(
    at="2026-03-01T10:00:00.000+00:00",
    session="s1",
    agent="demo",
    workspace="/w",
    tool_call="t1",
    kind="execute",
    title="Run it",
    command="make test",
    paths=("/w/a",),
    options=(YES, OfferedOption("n", "No", "reject_once")),
    chosen=YES,
    by="person",
    detail="key y",
    waited=1.5,
)
