"""Questions: asked, answered once, by the person, a rule, or the end of the turn."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from acp_tui.agent.given import Given
from acp_tui.host.policy import Policy
from acp_tui.host.rules import Decision, Rule
from acp_tui.session.entries import ToolCall
from acp_tui.session.questions import Elicitation, Permission
from tests.agent.puppet import OPTIONS, SESSION, conversation, update
from tests.sent import Frame
from tests.waiting import settled

CANCELLED = {"outcome": {"outcome": "cancelled"}}
FORM = {"mode": "form", "message": "Which?", "requestedSchema": {"type": "object", "properties": {}}}
VISIT = {"mode": "url", "message": "Log in", "url": "https://x.example", "elicitationId": "e1"}


def chosen(option_id: str) -> Frame:
    return {"outcome": {"outcome": "selected", "optionId": option_id}}


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


async def test_an_id_that_is_used_twice_is_not_put_to_the_person() -> None:
    async with conversation() as talk:
        talk.puppet.asks_permission("q", call="t1")
        talk.puppet.asks_permission("q", call="t2")
        await talk.until(lambda: len(talk.puppet.sent.answers("q")) == 2)

        assert [answer["result"] for answer in talk.puppet.sent.answers("q")] == [CANCELLED, CANCELLED]
        assert talk.session.questions == {}


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


# ------------------------------------------------------------------ rules


async def answered_by(rules: tuple[Rule, ...], call: Frame, options: list[Frame]) -> Frame | None:
    """Return the answer that rules give, None when the person is asked."""
    async with conversation(rules=rules) as talk:
        tool_call = {"toolCallId": "t1", "title": "x", **call}
        talk.puppet.asks_permission("q", toolCall=tool_call, options=options)
        await talk.until(lambda: talk.session.tool_call("t1"))
        await settled()
        answers = talk.puppet.sent.answers("q")
        assert bool(answers) != bool(talk.session.questions)
        return answers[0]["result"] if answers else None


async def test_c84_a_rule_answers_and_says_so() -> None:
    rules = (Rule("allow", tool_kind="read", note="reads are fine"),)
    async with conversation(rules=rules) as talk:
        talk.puppet.asks_permission("q", toolCall={"toolCallId": "t1", "kind": "read", "title": "Read"})

        assert (await talk.puppet.answer_to("q"))["result"] == chosen("yes")
        assert talk.call().decision == "Allow (rule: reads are fine)"


@pytest.mark.parametrize(
    ("decision", "options", "answer"),
    [
        ("deny", OPTIONS, chosen("no")),
        ("deny", OPTIONS[:1], CANCELLED),
        ("deny", [], CANCELLED),
        ("allow", OPTIONS[2:], None),
        ("allow", OPTIONS[1:], None),
        ("allow", [{"optionId": "allow_once", "name": "Allow", "kind": "allow_unless"}], None),
        ("ask", OPTIONS, None),
    ],
)
async def test_r22_r23_c80_a_rule_decides_by_kind_and_never_takes_the_next_best(
    decision: str, options: list[Frame], answer: Frame | None
) -> None:
    rules = (Rule(decision, tool_kind="execute"),)  # type: ignore[arg-type]

    assert await answered_by(rules, {"kind": "execute"}, options) == answer


async def test_a_rule_about_paths_sees_the_files_that_a_call_would_change() -> None:
    diff = {"type": "diff", "path": "secrets/key", "oldText": None, "newText": "x"}
    rules = (Rule("allow", tool_kind="edit"), Rule("deny", path="/w/secrets/*"))

    call: Frame = {"kind": "edit", "content": [diff]}
    assert await answered_by(rules, call, OPTIONS) == chosen("no")
    call = {"kind": "edit", "locations": [{"path": "/w/secrets/key"}]}
    assert await answered_by(rules, call, OPTIONS) == chosen("no")
    call = {"kind": "edit", "locations": [{"path": "/w/a"}]}
    assert await answered_by(rules, call, OPTIONS) == chosen("yes")


@pytest.mark.parametrize("path", ["/w/secrets/key", "secrets/key", "./secrets/key", "x/../secrets/key"])
async def test_a_rule_about_paths_sees_what_only_the_input_names(path: str) -> None:
    call: Frame = {"kind": "edit", "locations": [{"path": "/w/a"}], "rawInput": {"file_path": path}}

    denying = (Rule("allow", tool_kind="edit"), Rule("deny", path="/w/secrets/*"))
    assert await answered_by(denying, call, OPTIONS) == chosen("no")
    assert await answered_by(denying, {"kind": "edit", "rawInput": {"path": path}}, OPTIONS) == chosen("no")
    assert await answered_by((Rule("allow", path="/w/a"),), call, OPTIONS) is None


# ------------------------------------------------------------------ policies


async def answered_under(
    policy: Policy, call: Frame, cwd: Path, *, rules: tuple[Rule, ...] = (), options: list[Frame] = OPTIONS
) -> Frame | None:
    """Return the answer that a policy gives, None when the person is asked."""
    async with conversation(rules=rules, policy=policy, cwd=str(cwd)) as talk:
        talk.puppet.asks_permission("q", toolCall={"toolCallId": "t1", "title": "x", **call}, options=options)
        await talk.until(lambda: talk.session.tool_call("t1"))
        await settled()
        answers = talk.puppet.sent.answers("q")
        assert bool(answers) != bool(talk.session.questions)
        return answers[0]["result"] if answers else None


async def test_a_policy_answers_what_no_rule_speaks_of_and_the_call_says_so(tmp_path: Path) -> None:
    async with conversation(policy="allow-edits", cwd=str(tmp_path)) as talk:
        call = {"toolCallId": "t1", "kind": "edit", "locations": [{"path": str(tmp_path / "a")}]}
        talk.puppet.asks_permission("q", toolCall=call)

        assert (await talk.puppet.answer_to("q"))["result"] == chosen("yes")
        assert talk.call().decision == "Allow (policy: allows edits in the workspace)"
        (kept,) = talk.decisions
        assert (kept.by, kept.detail) == ("policy", "allows edits in the workspace")


@pytest.mark.parametrize(("decision", "answer"), [("deny", chosen("no")), ("ask", None)])
async def test_a_rule_wins_over_the_policy_that_allows_everything(
    decision: Decision, answer: Frame | None, tmp_path: Path
) -> None:
    rules = (Rule(decision, command="rm"),)
    call: Frame = {"kind": "execute", "rawInput": {"command": "cd /tmp && rm -r x"}}

    assert await answered_under("allow-everything", call, tmp_path, rules=rules) == answer
    assert await answered_under("allow-everything", call, tmp_path) == chosen("yes")


async def test_a_command_that_only_stands_in_words_is_a_question_where_a_rule_denies_it(
    tmp_path: Path,
) -> None:
    words = "Requesting approval to perform: Run command `rm -r x`"
    call: Frame = {
        "title": "Shell: rm -r x",
        "content": [{"type": "content", "content": {"type": "text", "text": words}}],
    }
    told: tuple[Frame, ...] = (
        call,
        {"kind": "execute", "title": "rm -r x"},
        {"kind": "edit", "rawInput": {"command": "rm", "path": str(tmp_path / "x")}},
    )

    for one in told:
        rules = (Rule("deny", command="rm"),)
        assert await answered_under("allow-everything", one, tmp_path, rules=rules) is None
        assert await answered_under("allow-everything", one, tmp_path) == chosen("yes")


async def test_an_edit_by_a_tool_that_names_its_operation_is_no_command(tmp_path: Path) -> None:
    path = str(tmp_path / "a.py")
    call: Frame = {
        "kind": "edit",
        "locations": [{"path": path}],
        "rawInput": {"command": "str_replace", "path": path, "old_str": "a", "new_str": "b"},
    }

    assert await answered_under("allow-edits", call, tmp_path) == chosen("yes")
    assert await answered_under("ask", call, tmp_path, rules=(Rule("allow", path="*.py"),)) == chosen("yes")


async def test_a_policy_never_says_always_nor_picks_among_several(tmp_path: Path) -> None:
    always = [option for option in OPTIONS if option["kind"] != "allow_once"]
    twice = [OPTIONS[0], {**OPTIONS[0], "optionId": "yes-2"}]

    for options in (always, twice):
        assert (
            await answered_under("allow-everything", {"kind": "teleport"}, tmp_path, options=options) is None
        )


async def test_an_edit_whose_input_names_another_file_outside_is_a_question(tmp_path: Path) -> None:
    call: Frame = {"kind": "edit", "locations": [{"path": str(tmp_path / "a")}]}

    assert await answered_under("allow-edits", call, tmp_path) == chosen("yes")
    inside = {**call, "rawInput": {"file_path": str(tmp_path / "a")}}
    assert await answered_under("allow-edits", inside, tmp_path) == chosen("yes")
    for path in ("/etc/hosts", "~/.profile"):
        for raw in ({"path": path}, {"source": "a", "destination": path}, {"edits": [{"target_file": path}]}):
            assert await answered_under("allow-edits", {**call, "rawInput": raw}, tmp_path) is None


async def test_a_look_whose_input_alone_names_a_file_outside_is_a_question(tmp_path: Path) -> None:
    policy: Policy = "ask-edits-and-commands"
    for path in ("/etc/passwd", "~/.ssh/id_ed25519", "../../etc/passwd"):
        call: Frame = {"kind": "read", "rawInput": {"path": path}}
        assert await answered_under(policy, call, tmp_path) is None
        call = {"kind": "read", "rawInput": {"paths": [str(tmp_path / "a"), path]}}
        assert await answered_under(policy, call, tmp_path) is None
    for path in (str(tmp_path / "a"), "a", "./a"):
        call = {"kind": "read", "rawInput": {"path": path}}
        assert await answered_under(policy, call, tmp_path) == chosen("yes")


async def test_an_edit_that_only_its_input_places_is_a_question(tmp_path: Path) -> None:
    call: Frame = {"kind": "edit", "rawInput": {"path": str(tmp_path / "a")}}

    assert await answered_under("allow-edits", call, tmp_path) is None


async def test_a_policy_that_is_changed_counts_for_its_session_only(tmp_path: Path) -> None:
    async with conversation(cwd=str(tmp_path)) as talk:
        await talk.made("s2", str(tmp_path))
        talk.host.set_policy("s2", "allow-everything")
        talk.puppet.asks_permission("q")
        params = {"sessionId": "s2", "toolCall": {"toolCallId": "t9"}, "options": OPTIONS}
        talk.puppet.says({"id": "other", "method": "session/request_permission", "params": params})

        assert (await talk.puppet.answer_to("other"))["result"] == chosen("yes")
        assert list(talk.session.questions) == ['"q"']
        await talk.host.take_back("s2")
        assert talk.host.policy_of("s2") == "ask"


# ------------------------------------------------------------------ the decision log


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
        talk.agent.answer(SESSION, '"q"', "yes", Given("person", "key y"))

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
    async with conversation() as talk:
        talk.agent._record._keep = _broken
        talk.puppet.asks_permission("q")
        await talk.until(lambda: talk.session.questions)

        talk.agent.answer(SESSION, '"q"', "yes")

        assert (await talk.puppet.answer_to("q"))["result"] == chosen("yes")


def _broken(_: object) -> None:
    raise RuntimeError("a mistake of ours")


async def test_an_agent_that_tells_commands_by_titles_alone_is_held_to_the_rules(tmp_path: Path) -> None:
    rules = (Rule("deny", command="rm"),)
    call = {"toolCallId": "t1", "kind": "execute", "title": "ls && rm -r build", "content": []}
    async with conversation(rules=rules, cwd=str(tmp_path), title_is_command=True) as talk:
        talk.puppet.asks_permission("q", toolCall=call)

        assert (await talk.puppet.answer_to("q"))["result"] == chosen("no")
    assert talk.decisions[0].command == "ls && rm -r build"


@pytest.mark.parametrize(
    ("kind", "raw", "command"),
    [("execute", None, "ls"), ("other", None, None), ("execute", {"command": "rm"}, "rm")],
)
def test_a_title_is_the_command_only_where_no_input_tells_it(
    kind: str, raw: object, command: str | None
) -> None:
    call = ToolCall("t", "ls", kind, raw_input=raw, title_is_command=True)
    assert call.command == command


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


async def test_c107_a_visit_can_be_dismissed_by_the_person() -> None:
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
