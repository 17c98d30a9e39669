"""The connection over real pipes, to a process that does what agents do at their worst."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_tui.agent import connection, session_events
from acp_tui.agent.agent import Agent
from acp_tui.agent.capabilities import AgentError, AgentGone, CallFailed
from acp_tui.agent.connection import KEPT_STRAYS
from acp_tui.agent.open_questions import OpenQuestions
from acp_tui.agent.permissions.access import AgentAccess
from acp_tui.agent.process import Process
from acp_tui.protocol.schema import TextContent
from acp_tui.session.entries import AgentMessage, Notice, text_of
from acp_tui.session.events import SessionChange
from acp_tui.store.journal import Journal
from acp_tui.workspace.terminals import Terminals
from tests.agent.puppet import SESSION, Conversation, conversation, text, update
from tests.journals import MemoryJournal
from tests.waiting import PATIENCE, settled, until

PROGRAM = Path(__file__).parent.parent / "fake_agent.py"


class Talk:
    """A conversation with the fake agent."""

    def __init__(self, *acts: str, line_limit: int = 1 << 26, journal: MemoryJournal | None = None) -> None:
        self.process = Process.spawn([sys.executable, "-S", str(PROGRAM), *acts], env={"FAKE": "1"})
        self.journal = journal or MemoryJournal()
        self.changes: list[tuple[str, SessionChange]] = []
        access = AgentAccess(terminals=Terminals())
        tell = lambda *change: self.changes.append(change)  # noqa: E731
        self.agent = Agent(self.process, access, self.journal, tell, line_limit=line_limit)

    async def begin(self) -> None:
        await self.agent.initialize()
        await self.agent.setup.new_session("/")

    async def do(self, acts: str) -> str:
        """Run a turn, and return what was said in it."""
        before = len(self.said)
        await self.agent.prompt(SESSION, [TextContent(text=acts)])
        return self.said[before:]

    @property
    def said(self) -> str:
        entries = self.agent.sessions[SESSION].entries
        return "".join(text_of(entry) for entry in entries if isinstance(entry, AgentMessage))


@asynccontextmanager
async def talking(*acts: str, begun: bool = True, **options: Any) -> AsyncIterator[Talk]:
    talk = Talk(*acts, **options)
    running = asyncio.create_task(talk.agent.run())
    try:
        if begun:
            await asyncio.wait_for(talk.begin(), PATIENCE)
        async with asyncio.timeout(PATIENCE):
            yield talk
    finally:
        await talk.agent.stop()
        await asyncio.wait_for(running, PATIENCE)


async def test_r1_r2_c8_lines_that_are_no_messages_are_passed_over_and_kept() -> None:
    noise: list[bytes] = []
    async with talking("banner", begun=False) as talk:
        talk.agent.on_stray = lambda found: noise.append(found.line)
        await talk.begin()

        await talk.do("noise")
        await until(lambda: talk.said == "one two late")

        assert b"status: still working" in noise
        raw = [row.msg for row in talk.journal.rows if row.direction == "raw"]
        assert "DEBUG 1" in raw
        assert any("Welcome" in line for line in raw)
        assert not talk.agent.connection.looks_like_no_agent
        assert not talk.agent.connection.has_only_strays


@pytest.mark.slow
async def test_r3_r4_c5_c7_long_lines_and_cut_characters_arrive_whole() -> None:
    async with talking() as talk:
        assert await talk.do("split") == "é漢🎉 done"

        said = await talk.do("huge")

        assert (len(said), said[:1], said[200_000], said[-4:]) == (8_200_003, "a", "b", "bend")


@pytest.mark.slow
async def test_c6_a_line_over_the_limit_is_dropped_and_reported_and_the_next_is_read() -> None:
    async with talking(line_limit=1 << 20) as talk:
        said = await talk.do("huge")

        assert said == "a" * 200_000 + "end"
        await until(lambda: talk.agent.connection.stray_count == 1)  # the second answer to the prompt
        (notice,) = (e for e in talk.agent.sessions[SESSION].entries if isinstance(e, Notice))
        assert notice.text.startswith("A message of the agent is too large and was dropped: session/update")


async def test_c29_halves_of_a_character_become_one_and_a_lonely_one_is_marked() -> None:
    async with talking() as talk:
        await talk.do("halves")

        assert talk.said == "😀\ufffd"


async def test_c9_c15_a_batch_is_read_item_by_item() -> None:
    async with talking() as talk:
        assert await talk.do("batch") == "12-32601"


async def test_c18_c19_odd_answers_break_nothing() -> None:
    async with talking() as talk:
        assert await talk.do("odd_answers") == "still here"


async def test_r19_c15_c115_unknown_requests_are_answered_and_unknown_notifications_ignored() -> None:
    async with talking() as talk:
        assert await talk.do("unknown") == "-32601 -32601 -32601"


async def test_c21_an_open_question_holds_nothing_up() -> None:
    async with talking() as talk:
        turn = asyncio.create_task(talk.do("race"))
        await until(lambda: SESSION in talk.agent.sessions and "-32602" in talk.said)
        assert list(talk.agent.sessions[SESSION].questions) == ['"p"']

        talk.agent.answer(SESSION, '"p"', "y")

        assert await turn == 'meanwhile -32602 {"outcome": "selected", "optionId": "y"}'


async def test_c65_a_request_taken_back_in_the_same_breath_is_answered() -> None:
    async with talking() as talk:
        assert await talk.do("taken_back") == "-32800"


@pytest.mark.slow
async def test_r18_c4_a_flood_on_stderr_holds_nothing_up_and_its_end_is_kept() -> None:
    async with talking("flood") as talk:
        await until(lambda: "line 59999 of the log" in talk.agent.stderr_tail)

        assert len(talk.agent.stderr_tail) <= 64 << 10


async def test_c10_a_start_that_fails_says_how_it_ended_and_why() -> None:
    async with talking("leave", begun=False) as talk:
        with pytest.raises(AgentGone, match="exit code 3"):
            await talk.agent.initialize()

        assert "set FAKE_KEY" in talk.agent.stderr_tail


async def test_a_program_that_is_no_agent_looks_like_no_agent() -> None:
    async with talking("nonsense", begun=False) as talk:
        await until(lambda: talk.agent.connection.has_only_strays)
        await until(lambda: talk.agent.connection.looks_like_no_agent)


async def test_r15_a_crash_is_told_with_signal_and_the_end_of_stderr() -> None:
    async with talking() as talk:
        with pytest.raises(AgentGone, match="SIGABRT"):
            await talk.do("die")

        session = talk.agent.sessions[SESSION]
        await until(lambda: not session.connected)
        notice = session.entries[-1]
        assert talk.said == "last words"
        assert isinstance(notice, Notice)
        assert "roof is on fire" in notice.detail
        assert talk.journal.rows[-1].msg == {"exit": None, "signal": "SIGABRT"}


async def test_c7_a_last_line_without_its_newline_counts() -> None:
    async with talking() as talk:
        with pytest.raises(AgentGone):
            await talk.do("half_line")

        assert talk.said == "no newline"


@pytest.mark.slow
async def test_an_agent_that_closes_its_output_is_ended() -> None:
    async with talking() as talk:
        with pytest.raises(AgentGone):
            await talk.do("deaf")

        assert talk.process.exit_status is not None


async def test_r16_c64_a_silent_agent_can_be_cancelled_and_then_stopped() -> None:
    async with talking() as talk:
        turn = asyncio.create_task(talk.do("silent"))
        await until(lambda: talk.agent.connection.waiting_for == ["session/prompt"])
        heard = talk.agent.connection.last_heard
        talk.agent.cancel(SESSION)
        await until(lambda: talk.said == "I heard")
        assert talk.agent.connection.last_heard > heard
        assert not turn.done()

        await talk.agent.stop()

        with pytest.raises(AgentGone):
            await turn


async def test_r17_c101_a_grandchild_does_not_survive_the_agent() -> None:
    async with talking() as talk:
        pid = int(await talk.do("grandchild"))
        os.kill(pid, 0)

        await talk.agent.stop()

        await until(lambda: gone(pid))


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


async def test_c12_the_agent_has_our_environment_and_what_was_set_for_it() -> None:
    async with talking() as talk:
        environment = Path(f"/proc/{talk.process.pid}/environ").read_bytes().split(b"\0")

        assert b"FAKE=1" in environment
        assert f"PATH={os.environ['PATH']}".encode() in environment


# ------------------------------------------------------------------ our own mistakes


async def test_a_pause_leaves_what_is_said_in_the_pipe_until_it_is_over() -> None:
    async with conversation() as talk:
        await settled()  # it reads again
        talk.agent.connection.pause_reading(1)
        talk.puppet.updates("agent_message_chunk", content=text("1"))
        await talk.until(lambda: talk.said() == "1")  # the read that was under way
        talk.puppet.updates("agent_message_chunk", content=text("2"))
        for _ in range(20):
            await asyncio.sleep(0)
        assert talk.said() == "1"

        talk.agent.connection.resume_reading(1)
        await talk.until(lambda: talk.said() == "12")


async def test_text_that_only_grows_is_read_at_the_pace_of_frames_and_all_else_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connection, "GROWTH", 10 * PATIENCE)
    async with conversation() as talk:
        talk.puppet.updates("tool_call", toolCallId="t1", title="Look")
        talk.puppet.asks(1, "fs/none")
        assert "error" in await talk.puppet.answer_to(1)
        talk.puppet.asks(2, "fs/none")
        assert "error" in await talk.puppet.answer_to(2)

        talk.puppet.updates("agent_message_chunk", content=text("1"))
        await talk.until(lambda: talk.said() == "1")
        talk.puppet.updates("agent_message_chunk", content=text("2"))
        await settled()
        assert talk.said() == "1"


async def test_text_that_comes_fast_is_read_as_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "GROWTH", 10 * PATIENCE)
    async with conversation() as talk:
        for _ in range(5):
            talk.puppet.updates("agent_message_chunk", content=text("x" * 5_000))
        await talk.until(lambda: len(talk.said()) == 25_000)


async def test_others_get_a_turn_between_two_reads_however_fast_the_agent_writes() -> None:
    async with conversation() as talk:
        for _ in range(20):
            talk.puppet.updates("agent_message_chunk", content=text("x" * 5_000))
        seen = set()
        while len(talk.said()) < 100_000:
            seen.add(len(talk.said()))
            await asyncio.sleep(0)
        assert seen >= set(range(0, 100_000, 5_000))


async def test_who_is_gone_holds_nobody_back_and_who_is_there_does() -> None:
    async with conversation() as talk:
        await settled()  # it reads again
        talk.agent.connection.pause_reading("one")
        talk.agent.connection.pause_reading("two")
        talk.puppet.updates("agent_message_chunk", content=text("1"))
        await talk.until(lambda: talk.said() == "1")  # the read that was under way
        talk.puppet.updates("agent_message_chunk", content=text("2"))

        talk.agent.connection.resume_reading("one")
        talk.agent.connection.resume_reading("one")
        for _ in range(20):
            await asyncio.sleep(0)
        assert talk.said() == "1"

        talk.agent.connection.resume_reading("two")
        await talk.until(lambda: talk.said() == "12")


async def test_nothing_is_heard_or_served_while_answers_wait_unread(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("hello")
    async with conversation(cwd=str(tmp_path)) as talk:
        talk.puppet.reads.clear()
        talk.puppet.asks(1, "fs/read_text_file", path=str(tmp_path / "a"))
        talk.puppet.updates("agent_message_chunk", content=text("1"))
        await settled()
        assert not talk.puppet.sent.answers(1)

        talk.puppet.reads.set()
        assert (await talk.puppet.answer_to(1))["result"] == {"content": "hello"}
        await talk.until(lambda: talk.said() == "1")


# ------------------------------------------------------------------ what is no message, and what is too large

TOO_LARGE = '"text":"' + "x" * 200_000 + '"'


def notices(talk: Conversation) -> list[str]:
    return [entry.text for entry in talk.session.entries if isinstance(entry, Notice)]


async def test_an_answer_that_is_too_large_ends_its_turn_and_says_why() -> None:
    async with conversation(line_limit=100_000) as talk:
        call, turn = await talk.prompted()
        talk.puppet.prints(f'{{"id":{call["id"]},"result":{{{TOO_LARGE}}}}}\n'.encode())

        with pytest.raises(CallFailed, match=r"session/prompt was dropped: 200,\d+ bytes"):
            await turn
        assert talk.session.turn_state == "idle"
        assert talk.agent.connection.waiting_for == []


async def test_a_request_that_is_too_large_is_refused_and_said() -> None:
    async with conversation(line_limit=100_000) as talk:
        head = '{"jsonrpc":"2.0","id":"w","method":"fs/write_text_file","params":'
        talk.puppet.prints(f'{head}{{"sessionId":"{SESSION}",{TOO_LARGE}}}}}\n'.encode())

        assert (await talk.puppet.answer_to("w"))["error"]["code"] == -32600
        assert ["fs/write_text_file, 200," in notice for notice in notices(talk)] == [True]


async def test_what_is_too_large_and_tells_nothing_names_the_calls_that_may_wait_for_it() -> None:
    async with conversation(line_limit=100_000) as talk:
        call, _ = await talk.prompted()
        talk.puppet.prints(f'{{"result":{{{TOO_LARGE}}}}}\n'.encode())
        await talk.until(lambda: notices(talk))

        (notice,) = notices(talk)
        assert "answer to session/prompt, which will not come: if the turn hangs" in notice
        talk.puppet.answers(call, {"stopReason": "end_turn"})


async def test_a_message_without_the_end_of_its_line_is_answered_all_the_same() -> None:
    async with conversation() as talk:
        talk.puppet.prints(b'{"jsonrpc":"2.0","id":"x","method":"none"}')

        assert (await talk.puppet.answer_to("x"))["error"]["code"] == -32601


async def test_what_is_no_message_is_kept_to_be_shown_the_newest_of_it() -> None:
    async with conversation(begun=False) as talk:
        talk.puppet.prints(b"".join(b"banner %d\n" % number for number in range(30)) + b"{\n half a lin")
        await talk.until(lambda: "half" in talk.agent.connection.strays)

        shown = talk.agent.connection.strays.splitlines()
        assert (len(shown), shown[0]) == (KEPT_STRAYS, "banner 12")
        assert shown[-3:] == ["banner 29", "{", " half a lin"]


@pytest.mark.slow
async def test_what_was_drawn_is_written_whenever_others_have_their_turn(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.ndjson")
    async with conversation(journal=MemoryJournal(journal)) as talk:
        missing: list[str] = []

        async def look() -> None:
            drawn: list[str] = []
            while "last" not in drawn:
                drawn, before = talk.said().split(), len(drawn)
                if drawn[before:]:
                    written = (tmp_path / "j.ndjson").read_bytes()
                    missing.extend(word for word in drawn[before:] if b"%b " % word.encode() not in written)
                await asyncio.sleep(0)

        looking = asyncio.create_task(look())
        updates = [update("agent_message_chunk", content=text(f"w{n} ")) for n in range(3000)]
        talk.puppet.says(*updates, update("agent_message_chunk", content=text("last ")))
        await looking

        assert missing == []
    journal.close()


async def test_a_view_that_fails_does_not_end_the_connection(caplog: pytest.LogCaptureFixture) -> None:
    def fail(session_id: str, change: SessionChange) -> None:
        raise ZeroDivisionError("in a view")

    async with conversation(on_change=fail) as talk:
        call, turn = await talk.prompted()
        talk.puppet.updates("agent_message_chunk", content=text("said"))
        talk.puppet.asks_permission("q")
        await talk.until(lambda: talk.session.questions)
        talk.agent.answer(SESSION, '"q"', "yes")
        talk.puppet.answers(call, {"stopReason": "end_turn"})

        assert (await turn).stop_reason == "end_turn"
        assert talk.said() == "said"
        assert "ZeroDivisionError" in caplog.text


class BrokenJournal(MemoryJournal):
    """A journal whose disk is full."""

    def keep(self, direction: str, msg: Any) -> None:
        raise OSError(28, "No space left on device")


async def test_a_journal_that_fails_does_not_hurt(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    talk = Talk(journal=BrokenJournal())
    running = asyncio.create_task(talk.agent.run())
    await talk.begin()

    assert (await talk.do("noise")).startswith("one two")

    await talk.agent.stop()
    await running
    assert caplog.text.count("No space left on device") == 2, "logged once: the error and its traceback"


async def test_a_request_whose_service_fails_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    async with conversation() as talk:

        def fail(*_: object) -> None:
            raise ZeroDivisionError("in our code")

        monkeypatch.setattr(OpenQuestions, "asked", fail)
        talk.puppet.asks_permission("q")

        answer = await talk.puppet.answer_to("q")

        assert answer["error"] == {"code": -32603, "message": "Internal error"}


async def test_a_gap_in_our_reading_answers_and_fails_what_it_must_and_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with conversation() as talk:
        call, turn = await talk.prompted()

        def fail(_: object) -> None:
            raise ZeroDivisionError("in our reading")

        with monkeypatch.context() as patch:
            patch.setattr(session_events, "events_of_message", fail)
            talk.puppet.asks_permission("q")
            assert (await talk.puppet.answer_to("q"))["error"]["code"] == -32602
            talk.puppet.answers(call, {"stopReason": "end_turn"})
            with pytest.raises(AgentError, match="cannot be read"):
                await turn

        talk.puppet.updates("agent_message_chunk", content=text("still here"))
        await talk.until(lambda: talk.said() == "still here")
        talk.journal.rows.clear()  # a reading without the gap tells another story
        del talk.agent.sessions[SESSION]


async def test_c17_a_notification_is_never_answered() -> None:
    async with conversation() as talk:
        before = len(talk.puppet.sent.frames)
        for method in ("session/request_permission", "fs/read_text_file", "no/such", "session/prompt"):
            talk.puppet.says({"method": method, "params": {"sessionId": SESSION}})
        talk.puppet.says(update("plan", entries=[{"content": "x"}]), {"method": "session/update"})
        talk.puppet.says({"method": "session/update", "params": {"sessionId": SESSION, "update": None}})
        await talk.until(lambda: talk.session.plan)

        assert len(talk.puppet.sent.frames) == before


async def test_a_start_waits_for_no_call_of_another_conversation() -> None:
    async with conversation() as talk:
        await talk.prompted()
        making = asyncio.create_task(talk.agent.setup.new_session("/w"))
        call = await talk.puppet.hears("session/new")

        assert talk.agent.connection.waiting_for == ["session/prompt", "session/new"]
        assert talk.agent.connection.starts == ["session/new"]

        talk.puppet.answers(call, {"sessionId": "s2"})
        await making
