"""`session/fork`, a draft: a session that goes on from what was said in another one."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from acp_tui.agent.capabilities import AgentError, CallFailed, NotOffered
from acp_tui.session.entries import AgentMessage, Notice, ToolCall, UserMessage, text_of
from acp_tui.session.session import Session
from tests.agent.puppet import ABLE, SESSION, Conversation, conversation, text, update

ABLE_TO_FORK = {**ABLE, "sessionCapabilities": {**ABLE["sessionCapabilities"], "fork": {}}}
TOLD = update("agent_message_chunk", "f", content=text("as the agent has it"))


def shown(session: Session) -> list[str]:
    return [
        text_of(entry) if isinstance(entry, UserMessage | AgentMessage) else str(getattr(entry, "text", ""))
        for entry in session.entries
    ]


async def say_something(talk: Conversation) -> None:
    call, turn = await talk.prompted("first words")
    talk.puppet.updates("agent_message_chunk", content=text("an answer"))
    talk.puppet.updates("tool_call", toolCallId="t", title="Read")
    talk.puppet.answers(call, {"stopReason": "end_turn"})
    await turn


async def fork(talk: Conversation, *told: dict[str, Any], answer: Any = None) -> Session:
    forking = asyncio.create_task(talk.agent.setup.fork_session(SESSION, "/w", ["/more"]))
    call = await talk.puppet.hears("session/fork")
    assert call["params"] == {
        "sessionId": SESSION,
        "cwd": "/w",
        "mcpServers": [],
        "additionalDirectories": ["/more"],
    }
    for frame in told:
        talk.puppet.says(frame)
    talk.puppet.answers(call, answer or {"sessionId": "f"})
    return await forking


async def test_c35_nothing_is_forked_where_the_agent_has_not_offered_it() -> None:
    async with conversation() as talk:
        before = len(talk.puppet.sent.frames)
        with pytest.raises(NotOffered):
            await talk.agent.setup.fork_session(SESSION, "/w")
        assert len(talk.puppet.sent.frames) == before


async def test_a_fork_keeps_what_was_seen_and_says_how_the_agent_replays_it_differently() -> None:
    async with conversation(ABLE_TO_FORK) as talk:
        await say_something(talk)

        forked = await fork(talk, TOLD)

        assert forked.is_fork
        assert shown(forked)[:2] == ["first words", "an answer"]
        assert "as the agent has it" not in shown(forked)
        told, differs = forked.entries[-2:]
        assert isinstance(told, Notice)
        assert told.text == "Forked from “first words”."
        assert isinstance(differs, Notice)
        assert "It reports that it said: as the agent has it" in differs.detail
        assert [forked.prompt_of(turn) for turn in (1, 2)] == ["first words", ""]
        assert forked.turns[0] is not talk.session.turns[0]

        call, turn = await talk.prompted("further words", session="f")
        talk.puppet.answers(call, {"stopReason": "end_turn"})
        await turn
        assert [forked.prompt_of(turn) for turn in (1, 2)] == ["first words", "further words"]
        assert len(talk.session.turns) == 1


async def test_a_fork_shows_the_agents_replay_if_that_has_more_prompts() -> None:
    more = [
        update("user_message_chunk", "f", content=text(words), messageId=words) for words in ("one", "two")
    ]
    async with conversation(ABLE_TO_FORK) as talk:
        await say_something(talk)

        forked = await fork(talk, *more, TOLD)

        assert shown(forked) == ["one", "two", "as the agent has it", "Forked from “first words”."]


async def test_a_fork_without_a_history_shows_ours_and_says_so() -> None:
    async with conversation(ABLE_TO_FORK) as talk:
        await say_something(talk)

        forked = await fork(talk)

        assert shown(forked)[:2] == ["first words", "an answer"]
        assert shown(forked)[-1] == (
            "Forked from “first words”. The conversation above was recorded here: the agent sent no history."
        )
        assert forked.subject == "first words"
        assert forked.entries[0] is not talk.session.entries[0]
        assert isinstance(forked.entries[2], ToolCall)
        assert forked.entries[2].is_final
        assert forked.tool_call("t") is forked.entries[2]

        talk.puppet.says(TOLD)
        await talk.until(lambda: shown(forked)[-1] == "as the agent has it")
        assert "as the agent has it" not in shown(talk.session)


async def test_a_fork_of_a_session_that_nobody_has_seen_says_that_nothing_is_shown() -> None:
    async with conversation(ABLE_TO_FORK) as talk:
        forking = asyncio.create_task(talk.agent.setup.fork_session("elsewhere", "/w"))
        talk.puppet.answers(await talk.puppet.hears("session/fork"), {"sessionId": "f"})
        forked = await forking

        (entry,) = forked.entries
        assert isinstance(entry, Notice)
        assert entry.text.startswith("Forked from another session. The agent knows the earlier conversation")


async def test_a_fork_may_use_its_folders_and_can_be_spoken_to() -> None:
    async with conversation(ABLE_TO_FORK) as talk:
        forked = await fork(talk)

        assert talk.access.files("f").roots == ("/w", "/more")
        assert forked.cwd == "/w"
        assert talk.agent.sessions["f"] is forked


async def test_a_fork_that_is_refused_or_is_none_leaves_everything_as_it_was() -> None:
    async with conversation(ABLE_TO_FORK) as talk:
        await say_something(talk)
        before = shown(talk.session)

        forking = asyncio.create_task(talk.agent.setup.fork_session(SESSION, "/w"))
        error = {"code": -32603, "message": "No room"}
        talk.puppet.answers(await talk.puppet.hears("session/fork"), error=error)
        with pytest.raises(CallFailed, match="No room"):
            await forking
        with pytest.raises(AgentError, match="id of an open session"):
            await fork(talk, answer={"sessionId": SESSION})
        await talk.made("other", "/usr")
        with pytest.raises(AgentError, match="id of an open session"):
            await fork(talk, answer={"sessionId": "other"})
        with pytest.raises(AgentError, match="cannot be read"):
            await fork(talk, answer={"id": 5})

        assert list(talk.agent.sessions) == [SESSION, "other"]
        assert talk.access.files("other").roots == ("/usr",)
        assert not talk.agent.sessions["other"].is_fork
        assert shown(talk.session) == before
        assert not talk.session.is_fork
