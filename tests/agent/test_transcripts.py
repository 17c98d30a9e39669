"""Whole recordings of real agents: nothing is lost, doubled or left open."""

from __future__ import annotations

import pytest

from acp_tui.agent.replay import replay
from acp_tui.protocol.schema import PlanMarkdown
from acp_tui.session.entries import (
    AgentMessage,
    AgentNotice,
    Compaction,
    Notice,
    SteeredMessage,
    Thought,
    ToolCall,
    UserMessage,
    text_of,
)
from acp_tui.session.session import Session
from tests import recordings
from tests.journals import Line


def last_load(rows: list[Line], session_id: str) -> int:
    """Return where the session was loaded for the last time: what came before is replayed after it."""
    loads = [
        number
        for number, row in enumerate(rows)
        if row.direction == "out"
        and (row.msg.get("method") == "session/load" or "replayFrom" in row.msg.get("params", {}))
        and row.msg["params"].get("sessionId") == session_id
        and not failed(rows[number:], row.msg["id"])
    ]
    return loads[-1] if loads else 0


def failed(rows: list[Line], call_id: int) -> bool:
    answer = next(row.msg for row in rows if row.direction == "in" and row.msg.get("id") == call_id)
    return "error" in answer


def chunks(rows: list[Line], session: Session, kind: str) -> str:
    """Return what the chunks of a kind say, one after the other, as far as the session keeps them."""
    text = ""
    for row in rows[last_load(rows, session.id) :]:
        if row.direction == "in" and row.msg.get("method") == "session/update":
            update = row.msg["params"]["update"]
            if row.msg["params"]["sessionId"] == session.id and update["sessionUpdate"] == kind:
                said = update["content"].get("text", "")
                text += said if not said.startswith("[MODE_UPDATE]") else ""  # which gemini says unasked
    return text


def said(session: Session, kind: type[AgentMessage | Thought]) -> str:
    """Return what the agent said of a kind; what a fork has taken over from us is not of the agent."""
    entries = session.entries
    for number, entry in enumerate(entries):
        if isinstance(entry, Notice) and "was recorded here" in entry.text:
            entries = entries[number:]
            break
    return "".join(text_of(entry) for entry in entries if isinstance(entry, kind))


def asked_again(rows: list[Line], session: Session) -> int:
    """Return how many permissions were asked for a call that one was asked for before."""
    after = rows[last_load(rows, session.id) :]
    asked = [
        row.msg["params"]["toolCall"]["toolCallId"]
        for row in after
        if row.direction == "in"
        and row.msg.get("method") == "session/request_permission"
        and "toolCall" in row.msg["params"]
        and row.msg["params"]["sessionId"] == session.id
    ]
    return len(asked) - len(set(asked))


def is_answer_to_nothing(row: Line) -> bool:
    """Return True if an agent answers a notification."""
    return row.direction == "in" and not {"id", "method"} & row.msg.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", [*recordings.NAMES, *recordings.IN_VERSION_2])
def test_v2_a_recording_is_replayed_whole(name: str) -> None:
    rows = recordings.rows(name)

    replayed = replay(rows)

    assert replayed.stray_count == sum(row.direction == "raw" or is_answer_to_nothing(row) for row in rows)
    for session in replayed.sessions.values():
        assert said(session, AgentMessage) == chunks(rows, session, "agent_message_chunk")
        assert said(session, Thought) == chunks(rows, session, "agent_thought_chunk")
        calls = [entry for entry in session.entries if isinstance(entry, ToolCall)]
        assert len({call.tool_call_id for call in calls}) == len(calls) - asked_again(rows, session)
        assert [call.tool_call_id for call in calls if not call.is_final] == []
        assert [call.decision for call in calls if "asked about" in call.decision] == []  # none was swapped
        assert (session.turn_state, session.questions, session.pending) == ("idle", {}, {})
        assert not session.connected
        assert all(turn.ended is not None for turn in session.turns)


@pytest.mark.slow
@pytest.mark.parametrize("name", recordings.NAMES)
def test_every_session_of_a_recording_is_there_with_its_calls_and_prompts(name: str) -> None:
    rows = recordings.rows(name)
    sessions = replay(rows).sessions
    made = [row.msg["result"]["sessionId"] for row in rows if row.direction == "in" and is_new(row.msg)]
    assert set(made) <= set(sessions)

    for session in sessions.values():
        after = rows[last_load(rows, session.id) :]
        named = {
            update["toolCallId"]
            for row in after
            if row.direction == "in" and row.msg.get("method") == "session/update"
            for update in [row.msg["params"]["update"]]
            if row.msg["params"]["sessionId"] == session.id and "toolCallId" in update
        }
        if session.is_fork:  # it shows the calls of the source, whose ids may differ
            assert sum(isinstance(entry, ToolCall) for entry in session.entries) >= len(named)
        else:
            assert all(session.tool_call(call) is not None for call in named)
        sent = [
            "".join(block.get("text", "") for block in row.msg["params"]["prompt"])
            for row in after
            if row.direction == "out" and row.msg.get("method") == "session/prompt"
            if row.msg["params"].get("sessionId") == session.id
        ]
        shown = [text_of(entry) for entry in session.entries if isinstance(entry, UserMessage)]
        assert [text for text in sent if text not in shown] == []


def is_new(msg: dict[str, object]) -> bool:
    result = msg.get("result")
    return isinstance(result, dict) and "sessionId" in result and "modes" in result


def only(name: str) -> Session:
    """Return the only session of a recording."""
    (session,) = replay(recordings.rows(name)).sessions.values()
    return session


def test_gemini_shows_its_edits_as_files_with_old_and_new_text() -> None:
    session = only("gemini-basic")

    edits = {path: change.edits[-1] for path, change in session.files.items()}

    assert edits["/workspace/notes.txt"].old is not None
    assert edits["/workspace/new.txt"].old in (None, "")
    assert session.option("mode") is not None
    assert session.option("model") is not None
    assert {"memory", "memory show"} <= {command.name for command in session.commands}


def test_a_refused_call_of_gemini_is_rejected_although_the_agent_says_no_more() -> None:
    calls = [entry for entry in only("gemini-reject").entries if isinstance(entry, ToolCall)]

    rejected = [call for call in calls if call.status == "rejected"]
    assert rejected
    assert all("(you)" in call.decision for call in rejected)


def test_output_of_commands_that_codex_runs_by_itself_is_kept_with_its_exit_code() -> None:
    calls = [entry for entry in only("codex-basic").entries if isinstance(entry, ToolCall)]

    told = [(str(call.output), call.exit_code) for call in calls if call.output is not None]

    assert ("out\nerr\n", 3) in told


@pytest.mark.parametrize("agent", ["claude", "codex", "gemini", "kimi", "opencode", "pi", "qwen"])
def test_a_cancelled_turn_says_so_and_the_next_one_is_a_turn_of_its_own(agent: str) -> None:
    session = only(f"{agent}-cancel")

    assert "cancelled" in {turn.stop_reason for turn in session.turns}
    assert any(isinstance(entry, Notice) and entry.text == "Cancelled." for entry in session.entries)


def test_an_agent_that_never_answers_leaves_no_session() -> None:
    replayed = replay(recordings.rows("deepagents-noauth"))

    assert (replayed.sessions, replayed.info) == ({}, None)


def test_who_the_agent_is_comes_with_the_recording() -> None:
    info = replay(recordings.rows("gemini-basic")).info

    assert info is not None
    assert info.agent_info is not None
    assert info.agent_info.display_name == "Gemini CLI"


def test_the_prompt_of_two_sessions_at_once_is_in_each() -> None:
    sessions = replay(recordings.rows("gemini-blocks")).sessions

    assert len(sessions) == 2
    for session in sessions.values():
        assert any(isinstance(entry, UserMessage) for entry in session.entries)
        assert any(isinstance(entry, AgentMessage) for entry in session.entries)


@pytest.mark.parametrize("name", ["claude-notices", "codex-notices"])
def test_c122_the_notices_of_real_agents_are_kept(name: str) -> None:
    found = [entry for entry in only(name).entries if isinstance(entry, AgentNotice)]

    assert found
    assert all(entry.severity == "warning" and entry.title and entry.description for entry in found)


def test_c125_c128_a_compaction_of_claude_is_one_entry_with_its_summary_and_both_contexts() -> None:
    (session,) = replay(first_run("claude-compact")).sessions.values()

    (found,) = (entry for entry in session.entries if isinstance(entry, Compaction))
    assert (found.status, list(map(str, found.parts))) == ("completed", ["The talk was about notes."])
    assert found.before is not None
    assert found.after is not None
    assert (found.before.used, found.after.used) == (21_537, 2_484)


def test_c127_c128_a_load_of_codex_tells_its_compaction_with_the_last_status() -> None:
    (live,) = replay(first_run("codex-compact")).sessions.values()
    (before,) = (entry for entry in live.entries if isinstance(entry, Compaction))
    (after,) = (entry for entry in only("codex-compact").entries if isinstance(entry, Compaction))

    assert (before.before and before.before.used, before.after and before.after.used) == (12_472, 8_351)
    assert (after.status, after.before) == ("completed", None)


@pytest.mark.parametrize("name", ["claude-planmode", "codex-planmode"])
def test_c130_c133_a_plan_of_a_real_agent_is_in_its_question_and_in_the_pane(name: str) -> None:
    (live,) = replay(first_run(name)).sessions.values()
    calls = [entry for entry in live.entries if isinstance(entry, ToolCall) and entry.plan]

    assert [call.plan for call in calls] == ["# Plan\n\n1. Read the notes\n2. Change them\n"]
    (plan,) = live.plans.shown
    assert isinstance(plan, PlanMarkdown)
    assert plan.content.startswith("# Plan")
    assert only(name).plans.shown == [plan], "a load tells it again"


def test_c147_the_usage_of_real_turns_is_that_of_the_turn() -> None:
    spent = [turn.spent.input_tokens for turn in only("claude-notices").turns if turn.spent is not None]

    assert spent


@pytest.mark.parametrize(
    "name", ["claude-steer", "claude-steerend", "codex-steer", "codex-steerend", "qwen-steer"]
)
def test_c149_c152_steered_words_of_a_recording_stand_once_in_the_chat(name: str) -> None:
    rows = first_run(name)
    given: dict[int, str] = {}
    taken: list[str] = []
    for row in rows:
        msg = row.msg if isinstance(row.msg, dict) else {}
        result = msg.get("result")
        if row.direction == "out" and msg.get("method") == "_session/steering":
            given[msg["id"]] = msg["params"]["prompt"][0]["text"]
        elif row.direction == "out" and isinstance(result, dict):
            taken += result.get("messages", [])
        elif isinstance(result, dict) and result.get("outcome") in ("injected", "startedNewTurn"):
            taken.append(given[msg["id"]])

    found = [
        text_of(entry)
        for session in replay(rows).sessions.values()
        for entry in session.entries
        if isinstance(entry, SteeredMessage)
    ]

    assert found == taken
    assert found


def first_run(name: str) -> list[Line]:
    """Return the rows of a recording up to the first end of its agent."""
    rows = recordings.rows(name)
    end = next(place for place, row in enumerate(rows) if row.direction == "note" and "exit" in row.msg)
    return rows[:end]


def test_c153_a_command_in_the_background_of_codex_gets_its_output_after_the_turn() -> None:
    calls = [
        entry
        for session in replay(first_run("codex-background")).sessions.values()
        for entry in session.entries
        if isinstance(entry, ToolCall) and entry.in_background
    ]

    assert calls
    assert {call.status for call in calls} == {"completed"}


def test_c154_claude_wakes_by_itself_after_a_command_in_the_background() -> None:
    (session,) = replay(first_run("claude-background")).sessions.values()

    told = [entry.text for entry in session.entries if isinstance(entry, Notice)]
    assert "The agent continues on its own." in told
    assert session.unprompted_at is None


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_v4_v16_turns_in_version_2_are_those_that_were_held_live_and_after_a_resume(agent: str) -> None:
    (live,) = replay(first_run(f"{agent}-v2")).sessions.values()
    again = only(f"{agent}-v2")

    prompts = [
        [text_of(each) for each in one.entries if isinstance(each, UserMessage)] for one in (live, again)
    ]
    assert prompts[0] == [text for text in prompts[1] if text in prompts[0]]
    assert [turn.stop_reason for turn in live.turns] == ["end_turn", "end_turn", "cancelled"]
    assert again.turns[-1].stop_reason == "end_turn"
    outputs = [
        str(call.output)
        for one in (live, again)
        for call in one.entries
        if isinstance(call, ToolCall) and call.kind == "execute" and call.exit_code == 3
    ]
    assert len(outputs) == 2
    assert all("tick 3" in output for output in outputs)


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_v8_a_prompt_that_waited_in_version_2_has_a_turn_of_its_own(agent: str) -> None:
    session = only(f"{agent}-v2more")

    said = [text_of(entry) for entry in session.entries if isinstance(entry, UserMessage)]
    assert said[:3] == ["slow 25", "say the second one", "slow 60"]
    assert [turn.stop_reason for turn in session.turns][:3] == ["end_turn", "end_turn", "cancelled"]
    assert "say never" not in said


@pytest.mark.parametrize("name", ["fastagent-v2", "pi-v2"])
def test_v1_an_agent_that_was_asked_for_version_2_and_speaks_version_1_is_read_so(name: str) -> None:
    session = only(name)

    assert any(isinstance(entry, AgentMessage) for entry in session.entries)
    assert {turn.stop_reason for turn in session.turns} == {"end_turn"}


def test_v15_v19_background_work_of_claude_in_version_2_ends() -> None:
    session = only("claude-v2tasks")

    (child,) = session.children.values()
    assert [entry.tool_call_id for entry in child.entries if isinstance(entry, ToolCall)]
    assert session.background_terminals == []
    assert [turn.stop_reason for turn in session.turns] == ["end_turn", "end_turn", "failed"]
    told = [entry.text for entry in session.entries if isinstance(entry, Notice)]
    assert told.count("The agent continues on its own.") == 1
