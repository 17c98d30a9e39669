"""Questions: asked, answered once, by the user, a rule, or the end of the turn."""

from __future__ import annotations

import asyncio
from copy import copy
from pathlib import Path

import pytest

from acp_tui.rules.model import Rule
from acp_tui.session.entries import ToolCall
from acp_tui.session.questions import MOST_OPEN, MOST_OPTIONS, Elicitation, Permission
from tests.agent.puppet import CANCELLED, FORM, OPTIONS, SESSION, Conversation, chosen, conversation, update
from tests.sent import Frame

VISIT = {"mode": "url", "message": "Log in", "url": "https://x.example", "elicitationId": "e1"}


async def test_c78_c79_a_question_shows_the_agents_options_and_is_answered_with_the_id() -> None:
    odd = [
        {"optionId": "approved", "name": "Yes, [/b] once", "kind": "allow_once"},
        {"optionId": "reject_once", "name": "Yes, forever", "kind": "allow_always"},
        {"optionId": " x:/y ", "name": "Maybe", "kind": "later"},
    ]
    async with conversation() as talk:
        call = {
            "toolCallId": "t1",
            "title": "Run pytest",
            "kind": "execute",
            "rawInput": {"command": "pytest"},
        }
        talk.puppet.asks_permission("q", toolCall=call, options=odd)
        await talk.until(lambda: talk.session.questions)

        (question,) = talk.session.questions.values()
        assert isinstance(question, Permission)
        assert [option.name for option in question.options] == ["Yes, [/b] once", "Yes, forever", "Maybe"]
        assert (talk.call().title, talk.call().kind) == ("Run pytest", "execute")

        with pytest.raises(ValueError, match="not offered"):
            talk.agent.answer(SESSION, question.key, "allow")
        talk.agent.answer(SESSION, question.key, " x:/y ")

        assert (await talk.puppet.answer_to("q"))["result"] == chosen(" x:/y ")
        assert talk.call().decision == "Maybe (you)"


async def test_a_question_with_more_options_than_anybody_reads_is_cancelled() -> None:
    many = [
        {"optionId": str(one), "name": f"Allow {one}", "kind": "allow_once"}
        for one in range(MOST_OPTIONS + 1)
    ]
    async with conversation() as talk:
        talk.puppet.asks_permission("q", options=many)

        assert (await talk.puppet.answer_to("q"))["result"] == CANCELLED
        assert talk.call().decision == "cancelled (nobody: too many options)"


@pytest.mark.parametrize("request_id", [0, 7, "req-1", "", None, -1, 9007199254740993, 5.0])
async def test_c13_the_agents_ids_are_echoed_unchanged(request_id: object) -> None:
    async with conversation() as talk:
        talk.puppet.asks_permission(request_id)
        await talk.until(lambda: talk.session.questions)
        (key,) = talk.session.questions

        talk.agent.answer(SESSION, key, "no")

        answer = await talk.puppet.answer_to(request_id)
        assert type(answer["id"]) is type(request_id)
        assert talk.call().status == "rejected"


async def test_r12_answer_and_cancel_at_the_same_time_make_one_answer() -> None:
    async with conversation() as talk:
        call, turn = await talk.prompted()
        for name in ("a", "b"):
            talk.puppet.asks_permission(name, call=name)
        await talk.until(lambda: len(talk.session.questions) == 2)

        talk.agent.answer(SESSION, '"a"', "yes")
        talk.agent.cancel(SESSION)
        talk.agent.answer(SESSION, '"a"', None)
        talk.agent.answer(SESSION, '"b"', "yes")

        assert (await talk.puppet.answer_to("a"))["result"] == chosen("yes")
        assert (await talk.puppet.answer_to("b"))["result"] == CANCELLED
        assert talk.session.questions == {}
        talk.puppet.answers(call, {"stopReason": "cancelled"})
        await turn


async def test_c58_c59_c60_cancel_answers_what_is_open_and_what_still_comes() -> None:
    async with conversation() as talk:
        call, turn = await talk.prompted()
        talk.puppet.asks_permission("p1")
        talk.puppet.asks("f1", "elicitation/create", **FORM)
        await talk.until(lambda: len(talk.session.questions) == 2)

        talk.agent.cancel(SESSION)
        talk.puppet.asks_permission("p2", call="new")
        talk.puppet.asks("f2", "elicitation/create", **FORM)

        for name in ("p1", "p2"):
            assert (await talk.puppet.answer_to(name))["result"] == CANCELLED
        for name in ("f1", "f2"):
            assert (await talk.puppet.answer_to(name))["result"] == {"action": "cancel"}
        assert talk.session.questions == {}
        assert talk.call("new").status == "cancelled"
        talk.puppet.answers(call, {"stopReason": "cancelled"})
        await turn


async def test_c62_c81_another_session_keeps_its_question() -> None:
    async with conversation() as talk:
        other = await talk.made("s2", "/w2")
        call, turn = await talk.prompted()
        params = {"sessionId": "s2", "toolCall": {"toolCallId": "t1"}, "options": OPTIONS}
        talk.puppet.says({"id": 0, "method": "session/request_permission", "params": params})
        talk.puppet.asks_permission("0")
        await talk.until(lambda: other.questions and talk.session.questions)

        talk.agent.cancel(SESSION)
        talk.puppet.answers(call, {"stopReason": "cancelled"})
        await turn

        assert list(other.questions) == ["0"]
        talk.agent.answer("s2", "0", "always")
        assert (await talk.puppet.answer_to("0"))["result"] == CANCELLED
        assert (await talk.puppet.answer_to(0))["result"] == chosen("always")


async def test_a_question_ends_with_its_turn_and_is_still_answered() -> None:
    async with conversation() as talk:
        call, turn = await talk.prompted()
        talk.puppet.asks_permission("q")
        await talk.until(lambda: talk.session.questions)

        talk.puppet.answers(call, {"stopReason": "end_turn"})
        await turn

        assert talk.session.questions == {}
        assert (await talk.puppet.answer_to("q"))["result"] == CANCELLED
        talk.agent.answer(SESSION, '"q"', "yes")
        await talk.puppet.answer_to("q")


async def test_c65_a_question_that_is_taken_back_gets_one_answer() -> None:
    async with conversation() as talk:
        talk.puppet.asks_permission("q")
        talk.puppet.asks("f", "elicitation/create", **FORM)
        await talk.until(lambda: len(talk.session.questions) == 2)

        for frame in ({"requestId": "q"}, {"requestId": "f"}, {"requestId": "?"}, {"requestId": None}, None):
            talk.puppet.says({"method": "$/cancel_request", "params": frame})
        talk.puppet.says({"method": "$/cancelRequest", "params": {"id": "q"}})

        assert (await talk.puppet.answer_to("q"))["result"] == CANCELLED
        assert (await talk.puppet.answer_to("f"))["result"] == {"action": "cancel"}
        assert talk.session.questions == {}


async def test_c83_a_question_without_options_is_cancelled() -> None:
    async with conversation() as talk:
        talk.puppet.asks_permission("q", options=[])

        assert (await talk.puppet.answer_to("q"))["result"] == CANCELLED


async def test_an_id_that_is_used_twice_is_not_put_to_the_user() -> None:
    async with conversation() as talk:
        talk.puppet.asks_permission("q", call="t1")
        talk.puppet.asks_permission("q", call="t2")
        await talk.until(lambda: len(talk.puppet.sent.answers("q")) == 2)

        assert [answer["result"] for answer in talk.puppet.sent.answers("q")] == [CANCELLED, CANCELLED]
        assert talk.session.questions == {}
        assert [talk.call(name).status for name in ("t1", "t2")] == ["cancelled", "cancelled"]
        assert all("an id used twice" in talk.call(name).decision for name in ("t1", "t2"))


async def test_c16_a_question_that_cannot_be_read_is_answered_invalid_params() -> None:
    async with conversation() as talk:
        good = {"sessionId": SESSION, "toolCall": {"toolCallId": "t"}, "options": OPTIONS}
        bad: list[object] = [
            None,
            [],
            {},
            {**good, "sessionId": 5},
            {**good, "toolCall": {}},
            {**good, "options": "yes"},
        ]
        bad.append({**good, "options": [OPTIONS[0], {"name": "half an option"}]})
        for number, params in enumerate(bad):
            talk.puppet.says({"id": number, "method": "session/request_permission", "params": params})

        for number in range(len(bad)):
            assert (await talk.puppet.answer_to(number))["error"]["code"] == -32602
        assert talk.session.questions == {}


async def test_a_question_of_an_unknown_session_is_not_left_open() -> None:
    async with conversation() as talk:
        params = {"sessionId": "elsewhere", "toolCall": {"toolCallId": "t"}, "options": OPTIONS}
        talk.puppet.says({"id": "q", "method": "session/request_permission", "params": params})

        assert (await talk.puppet.answer_to("q"))["result"] == CANCELLED


async def test_r9_a_call_that_is_announced_after_its_question_is_the_same_call() -> None:
    async with conversation() as talk:
        talk.puppet.asks_permission("q", toolCall={"toolCallId": "t1", "title": "Write a"})
        talk.puppet.updates("tool_call", toolCallId="t1", title="Write a", kind="edit", status="pending")
        talk.puppet.updates("tool_call_update", toolCallId="t1", status="completed")
        await talk.until(lambda: talk.session.tool_call("t1") and talk.call().status == "completed")

        assert [type(entry) for entry in talk.session.entries] == [ToolCall]


# ------------------------------------------------------------------ forms and addresses


async def test_c103_c106_a_form_is_accepted_declined_or_cancelled() -> None:
    async with conversation() as talk:
        for number in range(3):
            talk.puppet.asks(number, "elicitation/create", **FORM)
        await talk.until(lambda: len(talk.session.questions) == 3)
        question = talk.session.questions["0"]
        assert isinstance(question, Elicitation)
        assert (question.message, question.schema) == ("Which?", FORM["requestedSchema"])

        talk.agent.answer_form(SESSION, "0", "accept", {"style": "small", "max": 3, "areas": ["api"]})
        talk.agent.answer_form(SESSION, "1", "decline")
        talk.agent.answer_form(SESSION, "2", "cancel")

        answers = [(await talk.puppet.answer_to(number))["result"] for number in range(3)]
        assert answers == [
            {"action": "accept", "content": {"style": "small", "max": 3, "areas": ["api"]}},
            {"action": "decline"},
            {"action": "cancel"},
        ]
        assert talk.session.questions == {}


async def test_c102_a_mode_that_is_not_offered_or_incomplete_is_invalid() -> None:
    async with conversation() as talk:
        bad: list[Frame] = [{"mode": "voice"}, {}, {"mode": "form"}, {"mode": "url", "elicitationId": "e"}]
        for number, params in enumerate(bad):
            talk.puppet.asks(number, "elicitation/create", message="m", **params)

        for number in range(len(bad)):
            assert (await talk.puppet.answer_to(number))["error"]["code"] == -32602
        assert talk.session.questions == {}


async def test_c108_a_visit_waits_for_its_end_also_beyond_the_turn() -> None:
    async with conversation() as talk:
        call, turn = await talk.prompted()
        talk.puppet.asks("v", "elicitation/create", **VISIT)
        await talk.until(lambda: talk.session.questions)
        talk.agent.answer_form(SESSION, '"v"', "accept")
        assert (await talk.puppet.answer_to("v"))["result"] == {"action": "accept"}
        talk.puppet.answers(call, {"stopReason": "end_turn"})
        await turn

        (question,) = talk.session.questions.values()
        assert isinstance(question, Elicitation)
        assert question.visiting
        for elicitation_id in ("unknown", "e1", "e1"):
            params = {"elicitationId": elicitation_id}
            talk.puppet.says({"method": "elicitation/complete", "params": params})
        await talk.until(lambda: not talk.session.questions)


async def test_c107_a_visit_can_be_dismissed_by_the_user() -> None:
    async with conversation() as talk:
        talk.puppet.asks("v", "elicitation/create", **VISIT)
        await talk.until(lambda: talk.session.questions)
        talk.agent.answer_form(SESSION, '"v"', "accept")
        assert talk.session.questions

        talk.agent.answer_form(SESSION, '"v"', "cancel")

        assert talk.session.questions == {}
        await talk.puppet.answer_to("v")
        talk.puppet.says({"method": "elicitation/complete", "params": {"elicitationId": "e1"}})
        talk.puppet.says(update("plan", entries=[]))


async def test_c109_a_form_can_come_before_any_session() -> None:
    async with conversation(begun=False) as talk:
        login = asyncio.create_task(talk.agent.logins.authenticate("x"))
        call = await talk.puppet.hears("authenticate")
        params = {**FORM, "requestId": call["id"]}
        talk.puppet.says({"id": "f", "method": "elicitation/create", "params": params})
        await talk.until(lambda: talk.agent.outside.questions)
        assert talk.changes[-1][0] == ""

        talk.agent.answer_form("", '"f"', "accept", {"code": "123"})
        talk.puppet.answers(call, {})
        await login

        assert (await talk.puppet.answer_to("f"))["result"]["content"] == {"code": "123"}


def run(command: str, call: str = "t1", **more: object) -> Frame:
    return {"toolCallId": call, "title": command, "kind": "execute", "rawInput": {"command": command}, **more}


def commands(talk: Conversation) -> list[str | None]:
    questions = talk.session.questions.values()
    return [question.call.command for question in questions if isinstance(question, Permission)]


@pytest.mark.parametrize("ids", [("a", "b"), (1, "1"), (0, 1)])
async def test_two_questions_about_one_call_are_each_shown_answered_and_written_down_as_asked(
    ids: tuple[object, object],
) -> None:
    async with conversation() as talk:
        talk.puppet.asks_permission(ids[0], toolCall=run("ls"))
        talk.puppet.asks_permission(ids[1], toolCall=run("rm -rf ~"))
        await talk.until(lambda: len(talk.session.questions) == 2)
        first, second = talk.session.questions
        assert commands(talk) == ["ls", "rm -rf ~"]

        talk.agent.answer(SESSION, first, "yes")
        assert commands(talk) == ["rm -rf ~"]
        talk.agent.answer(SESSION, second, "no")

        assert (await talk.puppet.answer_to(ids[0]))["result"] == chosen("yes")
        assert (await talk.puppet.answer_to(ids[1]))["result"] == chosen("no")
        assert [(one.command, one.is_allowed) for one in talk.decisions] == [
            ("ls", True),
            ("rm -rf ~", False),
        ]
        calls = [entry for entry in talk.session.entries if isinstance(entry, ToolCall)]
        assert [(call.command, call.decision) for call in calls] == [
            ("ls", "Allow (you)"),
            ("rm -rf ~", "Reject (you)"),
        ]


async def test_a_second_question_about_a_call_leaves_the_answer_to_the_first_as_it_was() -> None:
    async with conversation() as talk:
        for request_id, command, option in (("a", "rm -rf build", "no"), ("b", "ls", "yes")):
            talk.puppet.asks_permission(request_id, toolCall=run(command))
            await talk.until(lambda: talk.session.questions)
            assert commands(talk) == [command]
            talk.agent.answer(SESSION, next(iter(talk.session.questions)), option)
            await talk.puppet.answer_to(request_id)

        calls = [entry for entry in talk.session.entries if isinstance(entry, ToolCall)]
        assert [(call.title, call.status, call.decision) for call in calls] == [
            ("rm -rf build", "rejected", "Reject (you)"),
            ("ls", "pending", "Allow (you)"),
        ]


async def test_questions_of_two_sessions_about_calls_of_one_id_are_apart() -> None:
    async with conversation() as talk:
        await talk.made("s2")
        talk.puppet.asks_permission("a", toolCall=run("ls"))
        talk.puppet.asks_permission("b", sessionId="s2", toolCall=run("rm x"))
        other = talk.agent.sessions["s2"]
        await talk.until(lambda: talk.session.questions and other.questions)

        assert commands(talk) == ["ls"]
        talk.agent.answer("s2", next(iter(other.questions)), "yes")

        assert commands(talk) == ["ls"]
        assert [one.command for one in talk.decisions] == ["rm x"]


@pytest.mark.parametrize(
    "later",
    [
        {"title": "rm -rf ~"},
        {"rawInput": {"command": "rm -rf ~"}},
        {"kind": "think"},
        {"locations": [{"path": "/etc/passwd"}]},
        {"content": [{"type": "diff", "path": "/etc/passwd", "newText": "x"}]},
    ],
)
async def test_what_is_told_of_a_call_while_its_question_is_open_stands_beside_what_was_asked(
    later: Frame,
) -> None:
    async with conversation() as talk:
        talk.puppet.asks_permission("a", toolCall=run("ls"))
        await talk.until(lambda: talk.session.questions)
        ((key, question),) = talk.session.questions.items()
        assert isinstance(question, Permission)
        asked = copy(question.call)

        talk.puppet.updates("tool_call_update", toolCallId="t1", status="in_progress")
        talk.puppet.updates("tool_call_update", toolCallId="t1", **later)
        await talk.until(lambda: question.later is not None)

        assert question.call == asked
        assert question.later == talk.call()
        talk.agent.answer(SESSION, key, "yes")
        await talk.puppet.answer_to("a")
        assert [(one.command, one.title, one.kind) for one in talk.decisions] == [("ls", "ls", "execute")]
        assert talk.call().decision == "Allow (you), asked about: ls"


async def test_a_question_that_only_names_its_call_shows_what_was_known_of_it() -> None:
    async with conversation() as talk:
        talk.puppet.updates("tool_call", **run("ls"))
        talk.puppet.asks_permission("a", toolCall={"toolCallId": "t1"})
        await talk.until(lambda: talk.session.questions)

        assert commands(talk) == ["ls"]
        assert len([entry for entry in talk.session.entries if isinstance(entry, ToolCall)]) == 1


async def test_an_id_that_is_used_again_once_its_question_is_closed_is_a_question_of_its_own() -> None:
    async with conversation() as talk:
        for command in ("ls", "rm x"):
            talk.puppet.asks_permission("same", toolCall=run(command))
            await talk.until(lambda: talk.session.questions)
            assert commands(talk) == [command]
            talk.agent.answer(SESSION, next(iter(talk.session.questions)), "yes")

        assert [one.command for one in talk.decisions] == ["ls", "rm x"]


async def test_a_rule_for_a_workspace_denies_what_was_asked_before_the_session_had_its_folder(
    tmp_path: Path,
) -> None:
    async with conversation(rules=(Rule("deny", command="rm", workspace=str(tmp_path)),)) as talk:
        making = asyncio.create_task(talk.agent.setup.new_session(str(tmp_path)))
        asked = await talk.puppet.hears("session/new")
        for name, command in (("denied", "rm x"), ("asked", "ls")):
            call = {"toolCallId": name, "kind": "execute", "rawInput": {"command": command}}
            params = {"sessionId": "early", "toolCall": call, "options": OPTIONS}
            talk.puppet.says({"id": name, "method": "session/request_permission", "params": params})
        talk.puppet.answers(asked, {"sessionId": "early"})
        session = await making

        assert (await talk.puppet.answer_to("denied"))["result"] == chosen("no")
        assert list(session.questions) == ['"asked"']


async def test_what_an_agent_asks_beyond_the_most_questions_is_answered_with_nothing() -> None:
    async with conversation() as talk:
        for number in range(MOST_OPEN + 1):
            talk.puppet.asks_permission(f"q{number}", toolCall={"toolCallId": f"t{number}", "title": "x"})

        assert (await talk.puppet.answer_to(f"q{MOST_OPEN}"))["result"] == CANCELLED
        assert len(talk.session.questions) == MOST_OPEN


@pytest.mark.parametrize(("session", "request_id"), [("s2", 7), ("s2", 7.0), (SESSION, 7.0)])
async def test_two_questions_with_one_id_are_both_cancelled_whatever_their_sessions(
    session: str, request_id: float
) -> None:
    async with conversation() as talk:
        await talk.made("s2", "/w")
        talk.puppet.asks_permission(7, call="t1")
        await talk.until(lambda: talk.session.questions)

        talk.puppet.asks_permission(request_id, call="t2", sessionId=session)

        await talk.until(lambda: talk.puppet.sent.answers(7) and talk.puppet.sent.answers(request_id))
        answers = [one for one in talk.puppet.sent.frames if one.get("id") == 7 and "method" not in one]
        assert [each["result"] for each in answers] == [CANCELLED, CANCELLED]
        assert not talk.session.questions
        assert not talk.agent.sessions["s2"].questions
