"""Records of decisions, as the log keeps them."""

from __future__ import annotations

from acp_tui.agent.permissions.authorization import AnsweredBy
from acp_tui.rules.model import Rule
from tests.agent.puppet import FORM, OPTIONS, SESSION, chosen, conversation


async def test_a_decision_is_kept_with_what_was_asked_offered_and_chosen() -> None:
    async with conversation() as talk:
        call = {
            "toolCallId": "t1",
            "title": "Run it",
            "kind": "execute",
            "rawInput": {"command": "make", "path": "./rules.mk", "file": "Makefile"},
            "locations": [{"path": "/w/Makefile"}],
        }
        talk.puppet.asks_permission("q", toolCall=call)
        await talk.until(lambda: talk.session.questions)
        talk.agent.answer(SESSION, '"q"', "yes", AnsweredBy("person", "key y"))

        (kept,) = talk.decisions
        assert (kept.session, kept.agent, kept.workspace, kept.tool_call) == (SESSION, "puppet", "/w", "t1")
        assert (kept.kind, kept.title, kept.command) == ("execute", "Run it", "make")
        assert kept.paths == ("/w/Makefile",)
        assert kept.inputs == ("/w/rules.mk",)
        assert [option.id for option in kept.options] == [option["optionId"] for option in OPTIONS]
        assert kept.chosen is not None
        assert (kept.chosen.id, kept.chosen.kind) == ("yes", "allow_once")
        assert (kept.by, kept.detail) == ("person", "key y")
        assert kept.waited >= 0


async def test_every_way_a_permission_ends_is_kept_and_forms_are_not() -> None:
    async with conversation(rules=(Rule("deny", tool_kind="delete", note="never"),)) as talk:
        call, turn = await talk.prompted()
        talk.puppet.asks_permission("ruled", toolCall={"toolCallId": "t0", "kind": "delete"})
        talk.puppet.asks_permission("none", call="t1", options=[])
        talk.puppet.asks_permission("taken", call="t2")
        talk.puppet.asks_permission("stopped", call="t3")
        talk.puppet.asks("form", "elicitation/create", **FORM)
        await talk.until(lambda: len(talk.session.questions) == 3)
        talk.puppet.says({"method": "$/cancel_request", "params": {"requestId": "taken"}})
        await talk.puppet.answer_to("taken")
        talk.agent.cancel(SESSION)
        talk.puppet.answers(call, {"stopReason": "cancelled"})
        await turn
        talk.puppet.asks_permission("left", call="t4")
        await talk.until(lambda: talk.session.questions)
        await talk.agent.stop()
        await talk.until(lambda: len(talk.decisions) == 5)

        assert [(kept.tool_call, kept.by, kept.detail) for kept in talk.decisions] == [
            ("t0", "rule", "never"),
            ("t1", "nobody", "no options"),
            ("t2", "withdrawn", ""),
            ("t3", "cancelled", "stop"),
            ("t4", "agent ended", ""),
        ]
        assert [kept.chosen is not None for kept in talk.decisions] == [True, False, False, False, False]


async def test_an_answer_goes_out_though_the_log_fails() -> None:
    async with conversation(keep=_broken) as talk:
        talk.puppet.asks_permission("q")
        await talk.until(lambda: talk.session.questions)

        talk.agent.answer(SESSION, '"q"', "yes")

        assert (await talk.puppet.answer_to("q"))["result"] == chosen("yes")


def _broken(_: object) -> None:
    raise RuntimeError("a mistake of ours")
