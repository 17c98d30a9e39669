"""Reading a journal back: also one that was cut off, one of two starts, and one full of oddities."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from acp_tui.agent.agent import Agent
from acp_tui.agent.permissions.access import AgentAccess
from acp_tui.agent.replay import replay
from acp_tui.rules.model import Rule
from acp_tui.session.entries import (
    AgentMessage,
    AgentNotice,
    Compaction,
    Notice,
    ToolCall,
    UserCommand,
    UserMessage,
    text_of,
)
from acp_tui.session.events import CommandEnded, CommandStarted
from acp_tui.session.session import Session
from acp_tui.store.journal import Journal, journal_path
from acp_tui.store.recordings import read
from acp_tui.workspace.terminals import Terminals
from tests.agent.puppet import OPTIONS, SESSION, Puppet, conversation, text, update
from tests.journals import Line, MemoryJournal, told
from tests.sent import Frame
from tests.waiting import until


def out(**msg: Any) -> Line:
    return Line(1.0, "out", {"jsonrpc": "2.0", **msg})


def came(**msg: Any) -> Line:
    return Line(2.0, "in", {"jsonrpc": "2.0", **msg})


def note(**msg: Any) -> Line:
    return Line(3.0, "note", msg)


NEW = [
    note(start=["agent"], at="2026-01-01T00:00:00+00:00"),
    out(id=0, method="initialize", params={"protocolVersion": 1}),
    came(id=0, result={"protocolVersion": 1, "agentInfo": {"name": "a", "version": "1"}}),
    out(id=1, method="session/new", params={"cwd": "/w", "mcpServers": []}),
    came(id=1, result={"sessionId": SESSION}),
]
PROMPT = out(
    id=2, method="session/prompt", params={"sessionId": SESSION, "prompt": [{"type": "text", "text": "go"}]}
)


def saying(words: str) -> Line:
    return came(**update("agent_message_chunk", content=text(words)))


def said(session: Session) -> list[str]:
    return [text_of(entry) for entry in session.entries if isinstance(entry, UserMessage | AgentMessage)]


def test_r42_a_journal_that_was_cut_off_in_a_turn_is_settled_at_its_end() -> None:
    ask = {"sessionId": SESSION, "toolCall": {"toolCallId": "t", "title": "x"}, "options": OPTIONS}
    rows = [*NEW, PROMPT, saying("half \ud83d"), came(id=9, method="session/request_permission", params=ask)]

    session = replay(rows).sessions[SESSION]

    assert said(session) == ["go", "half \ufffd"]
    assert (session.turn_state, session.questions, session.connected) == ("idle", {}, False)
    call = session.tool_call("t")
    assert call is not None
    assert (call.status, call.decision) == ("cancelled", "cancelled (unanswered)")
    assert isinstance(session.entries[-1], Notice)
    assert session.turns[0].started == 1.0


def test_halves_of_a_character_are_whole_again() -> None:
    session = replay([*NEW, saying("\ud83d"), saying("\ude00")]).sessions[SESSION]

    assert said(session) == ["😀"]


@pytest.mark.parametrize(
    ("start", "command"),
    [(["/opt/bin/gemini", "--acp"], "rm x"), (["npx", "pi-acp@1"], "rm x"), (["other"], None), ("odd", None)],
)
def test_what_is_known_of_the_agent_counts_for_its_recording(start: object, command: str | None) -> None:
    call = came(**update("tool_call", toolCallId="t", title="rm x", kind="execute", status="pending"))

    found = replay([note(start=start), *NEW[1:], PROMPT, call]).sessions[SESSION].tool_call("t")

    assert found is not None
    assert found.command == command


def test_what_an_agent_is_known_to_send_unsaid_is_not_shown_of_its_recording() -> None:
    told = [saying("one"), saying("[MODE_UPDATE] plan"), saying("two")]

    def of(agent: str) -> list[str]:
        return said(replay([note(start=[agent]), *NEW[1:], PROMPT, *told]).sessions[SESSION])

    assert of("gemini") == ["go", "one", "two"]
    assert of("other") == ["go", "one[MODE_UPDATE] plantwo"]


def test_a_second_start_begins_its_ids_again_and_takes_the_session_up() -> None:
    load = {"sessionId": SESSION, "cwd": "/w", "mcpServers": []}
    first = [*NEW, PROMPT, saying("before")]
    again = [note(start=["agent"]), out(id=0, method="session/load", params=load), saying("replayed")]

    loaded = replay([*first, *again, came(id=0, result=None)]).sessions[SESSION]
    assert said(loaded) == ["replayed"]

    refused = replay([*first, *again, came(id=0, error={"code": -32002, "message": "no"})]).sessions[SESSION]
    assert said(refused) == ["go", "before"]
    assert not refused.connected

    resumed = [note(start=["agent"]), out(id=0, method="session/resume", params=load), came(id=0, result={})]
    session = replay([*first, *resumed, saying("after")]).sessions[SESSION]
    assert "".join(said(session)) == "gobeforeafter"


def test_a_question_of_the_first_start_does_not_take_the_answer_of_the_second() -> None:
    def ask(session_id: str) -> Line:
        params = {"sessionId": session_id, "toolCall": {"toolCallId": "t", "title": "x"}, "options": OPTIONS}
        return came(id=0, method="session/request_permission", params=params)

    answer = {"outcome": {"outcome": "selected", "optionId": "yes"}}
    again = [*NEW[:-1], came(id=1, result={"sessionId": "s2"})]

    sessions = replay([*NEW, ask(SESSION), *again, ask("s2"), out(id=0, result=answer)]).sessions

    calls = [session.tool_call("t") for session in sessions.values()]
    assert [call and call.decision for call in calls] == ["cancelled (unanswered)", "Allow (you)"]


def test_who_answered_is_read_from_the_notes() -> None:
    ask = {"sessionId": SESSION, "toolCall": {"toolCallId": "t", "title": "x"}, "options": OPTIONS}
    answer = {"outcome": {"outcome": "selected", "optionId": "yes"}}
    rows = [
        *NEW,
        came(id="q", method="session/request_permission", params=ask),
        note(answer="q", by="rule: tests"),
        out(id="q", result=answer),
    ]

    call = replay(rows).sessions[SESSION].tool_call("t")

    assert call is not None
    assert call.decision == "Allow (rule: tests)"


def test_an_exit_is_told() -> None:
    session = replay([*NEW, note(exit=None, signal="SIGKILL")]).sessions[SESSION]

    notices = [entry.text for entry in session.entries if isinstance(entry, Notice)]
    assert notices == ["The agent has ended (signal SIGKILL)."]


def test_rows_that_mean_nothing_are_passed_over() -> None:
    odd_params: list[Any] = [None, [], {}, {"sessionId": 5, "modeId": 5, "prompt": 5}]
    odd: list[Line] = [
        Line(0.0, direction, msg)
        for direction in ("out", "in", "raw", "err", "note", "sideways")
        for msg in (None, 5, "x", [], [5], {}, {"id": 5}, {"method": 5}, {"id": [], "method": "x"})
    ]
    odd += [
        out(id=n, method=method, params=params)
        for n, method in enumerate(["session/prompt", "session/set_mode", "session/load", "session/new"], 50)
        for params in odd_params
    ]
    odd += [came(id=n, result=result) for n in range(50, 54) for result in (None, 5, {"sessionId": 5})]
    odd += [note(start=None), note(exit="x"), note(answer=None), note(wrote=None, session=None)]
    odd += [note(ran=None, session=None), note(ran=5, session=SESSION, code="x"), note(ran=5, command=None)]

    replayed = replay([*odd, *NEW, PROMPT, *odd[:45], saying("fine")])

    assert said(replayed.sessions[SESSION]) == ["go", "fine"]
    assert replayed.stray_count > 0
    assert replayed.info is not None


async def test_the_stores_journal_gives_the_sessions_back(tmp_path: Path) -> None:
    path = journal_path(tmp_path, "puppet", datetime.now(UTC))
    journal = Journal(path)
    journal.note({"start": ["puppet"], "at": datetime.now(UTC).isoformat()})
    async with conversation(
        rules=(Rule("allow", tool_kind="read", note="reads"),),
        policy="allow-edits",
        journal=MemoryJournal(journal),
    ) as talk:
        session = await talk.made("s2", str(tmp_path))
        for kind in ("read", "edit"):
            call: Frame = {"toolCallId": kind, "title": kind, "kind": kind}
            params = {"sessionId": "s2", "toolCall": call, "options": OPTIONS}
            talk.puppet.says({"id": kind, "method": "session/request_permission", "params": params})
        await talk.until(lambda: session.questions)
        talk.agent.answer("s2", '"edit"', "no")
        params = {"sessionId": "s2", "path": f"{tmp_path}/a", "content": "é\u2028"}
        talk.puppet.says({"id": "w", "method": "fs/write_text_file", "params": params})
        await talk.puppet.answer_to("w")
        await talk.agent.stop()
        await talk.until(lambda: not session.connected)

        assert told(replay(read(path)).sessions["s2"]) == told(session)
        calls = [entry.decision for entry in session.entries if isinstance(entry, ToolCall)]
        assert calls == ["Allow (rule: reads)", "Reject (you)"]
    journal.close()


@pytest.mark.parametrize("params", [{"toolCall": 5}, {}])
async def test_a_request_that_cannot_be_read_leaves_an_open_question_of_its_id_alone(params: Frame) -> None:
    async with conversation() as talk:
        await talk.prompted()
        talk.puppet.asks_permission(1)
        await talk.until(lambda: talk.session.questions)
        talk.puppet.says({"id": 1, "method": "fs/read_text_file", "params": []})
        talk.puppet.asks(1, "session/request_permission", **params)
        await talk.until(lambda: len(talk.puppet.sent.answers(1)) == 2)

        assert list(talk.session.questions) == ["1"]
        talk.agent.answer(SESSION, "1", "yes")
        assert talk.puppet.sent.answers(1)[-1]["result"]["outcome"]["optionId"] == "yes"
        assert talk.call().decision == "Allow (you)"


CHUNK = json.dumps({"jsonrpc": "2.0", **update("agent_message_chunk", content=text("@"))}).encode()
ODD_LINES = {
    "bytes that are no text": CHUNK.replace(b"@", b"a\xffb\xc3"),
    "half a character": CHUNK.replace(b"@", b"a\\ud83d"),
    "bytes of half a character": CHUNK.replace(b"@", b"\xed\xa0\xbd"),
    "halves of a character": CHUNK.replace(b"@", b"\\ud83d\\ude00"),
    "control characters": CHUNK.replace(b"@", b"\x1b[31m\x07\t"),
    "escaped control characters": CHUNK.replace(b"@", rb"\u0000\u001b\u009b\u007f"),
    "controls of eight bits": CHUNK.replace(b"@", "\x80\x9b\x7f\u2028".encode()),
    "numbers that are none": CHUNK.replace(
        b'"text": "@"', b'"text": "@", "_meta": {"x": NaN, "y": -Infinity}'
    ),
    "a number that is too large": CHUNK.replace(b'"@"', b'"@", "_meta": {"x": 1e999}'),
    "a name that is used twice": CHUNK.replace(b'"@"', b'"@", "text": "later"'),
    "words around it": b"\x1b]0;t\x07working " + CHUNK + b" done",
    "several on a line": CHUNK + CHUNK,
    "a batch": b"[" + CHUNK.replace(b"@", b"\\ud83d") + b"," + CHUNK + b"]",
    "several lines": json.dumps(json.loads(CHUNK), indent=2).encode(),
    "a length": b"Content-Length: %d\r\n\r\n" % len(CHUNK) + CHUNK,
    "too large": CHUNK.replace(b"@", b"x" * 200_000),
    "too deep": CHUNK.replace(b'"@"', b"[" * 2000 + b"]" * 2000),
}


@pytest.mark.slow
@pytest.mark.parametrize("line", ODD_LINES.values(), ids=ODD_LINES)
async def test_an_odd_line_is_the_same_live_and_read_back_and_is_valid_in_the_file(
    tmp_path: Path, line: bytes
) -> None:
    path = journal_path(tmp_path, "puppet", datetime.now(UTC))
    journal = Journal(path)
    async with conversation(line_limit=100_000, journal=MemoryJournal(journal)) as talk:
        session = await talk.made("s2")
        talk.puppet.prints(line.replace(b'"s1"', b'"s2"') + b"\n")
        talk.puppet.updates("agent_message_chunk", "s2", content=text("after"))
        await talk.until(lambda: talk.said("s2").endswith("after"))
        await talk.agent.stop()
        await talk.until(lambda: not session.connected)

        assert told(replay(read(path)).sessions["s2"]) == told(session)
    journal.close()

    for row in path.read_text("utf-8", "strict").strip().split("\n"):
        assert json.loads(row, parse_constant=lambda word: pytest.fail(word))
    assert not any(byte < 0x20 for byte in path.read_bytes().replace(b"\n", b""))


async def test_what_we_send_is_on_the_disk_at_once(tmp_path: Path) -> None:
    path = journal_path(tmp_path, "puppet", datetime.now(UTC))
    agent = Agent(Puppet(), AgentAccess(terminals=Terminals()), Journal(path), lambda *_: None)

    agent.connection.notify("session/cancel", {"sessionId": "s"})

    assert [row.msg["method"] for row in read(path)] == ["session/cancel"]


async def test_commands_of_the_user_are_read_back_without_their_output() -> None:
    async with conversation() as talk:  # at its end the journal is read back and compared
        talk.agent.note_own(SESSION, CommandStarted("own-1", "make test"))
        talk.agent.note_own(SESSION, CommandStarted("own-2", "sleep 9"))
        talk.agent.note_own(SESSION, CommandEnded("own-1", 3))

    replayed = replay(talk.journal.rows).sessions[SESSION]
    commands = [entry for entry in replayed.entries if isinstance(entry, UserCommand)]
    assert [(entry.command, entry.exit_code) for entry in commands] == [("make test", 3), ("sleep 9", None)]
    assert commands[0].ended is not None
    assert commands[1].ended is None


def test_what_was_seen_on_disk_and_where_it_came_from_is_replayed_from_the_journal() -> None:
    from acp_tui.changes import snapshot_log
    from acp_tui.session.events import WorkspaceCompared
    from acp_tui.session.file_changes import DiskState
    from acp_tui.session.session import Session

    live, read_back = Session("s", "/w"), Session("s", "/w")
    looks = (
        (DiskState("/w/a", "A", "/w/a", 1, id="1"), DiskState("/w/b", "D", "/w/b", outside=True)),
        (DiskState("/w/c", "R", "/w/a", 2, 1, new_mode=0o100755, id="2"),),
        (DiskState("/w/bin", "M", "/w/bin", binary=True, id="3"),),
    )
    for at, files in enumerate(looks):
        before = snapshot_log.on_disk(live.all_files)
        live.apply(WorkspaceCompared(files), at)
        row = snapshot_log.files_row("s", before, live.all_files)
        assert row is not None
        read_back.apply(snapshot_log.files_event(row, snapshot_log.on_disk(read_back.all_files)), at)
        assert read_back.all_files == live.all_files

    assert snapshot_log.files_row("s", snapshot_log.on_disk(live.all_files), live.all_files) is None
    odd = {"snapped": [None, {"path": 3}, {"path": "/w/x", "status": "?", "added": "1"}], "gone": 1}
    assert snapshot_log.files_event(odd, {}).files == (DiskState("/w/x", "M", "/w/x"),)


def names(terminal_id: str, call: str = "t") -> Line:
    shown = [{"type": "terminal", "terminalId": terminal_id}]
    return came(**update("tool_call", toolCallId=call, title="make", kind="execute", content=shown))


def asks_for(terminal_id: str, output: str) -> list[Line]:
    params = {"sessionId": SESSION, "terminalId": terminal_id}
    return [
        came(id="o", method="terminal/output", params=params),
        out(id="o", result={"output": output, "truncated": False}),
    ]


def piece(terminal: str, text: str) -> Line:
    return note(printed=terminal, session=SESSION, more=text)


def printed(terminal_id: str, output: str) -> Line:
    return note(printed=terminal_id, session=SESSION, output=output)


@pytest.mark.parametrize(
    ("rows", "output"),
    [
        ([names("term-1"), *asks_for("term-1", "built")], "built"),
        ([names("term-1"), printed("term-1", "built")], "built"),
        ([printed("term-1", "built"), names("term-1")], "built"),
        ([names("term-1"), *asks_for("term-1", "bu"), printed("term-1", "built")], "built"),
        ([names("term-1"), printed("term-2", "built")], "None"),
    ],
    ids=["asked for", "not asked for", "before the call", "asked for while it ran", "of another"],
)
def test_what_a_command_printed_on_a_terminal_of_ours_is_there_again(rows: list[Line], output: str) -> None:
    call = replay([*NEW, PROMPT, *rows]).sessions[SESSION].tool_call("t")

    assert call is not None
    assert str(call.output) == output


def test_the_terminals_of_another_process_may_have_the_same_ids() -> None:
    first = [*NEW, PROMPT, names("term-1"), printed("term-1", "one"), note(start=["agent"])]
    session = replay([*first, *NEW[1:], names("term-1", "u"), printed("term-1", "two")]).sessions[SESSION]

    assert [str(entry.output) for entry in session.entries if isinstance(entry, ToolCall)][-1:] == ["two"]


def test_what_the_users_command_printed_is_there_again() -> None:
    ran = {"ran": "own-1", "session": SESSION}
    session = replay([*NEW, note(**ran, command="ls"), note(**ran, code=0, output="a\n")]).sessions[SESSION]

    (entry,) = (entry for entry in session.entries if isinstance(entry, UserCommand))
    assert str(entry.output) == "a\n"


@pytest.mark.parametrize(
    ("rows", "output"),
    [
        ([names("term-1"), piece("term-1", "bu"), piece("term-1", "ilt")], "built"),
        ([piece("term-1", "bu"), names("term-1"), piece("term-1", "ilt")], "built"),
        ([names("term-1"), *asks_for("term-1", "bu"), piece("term-1", "built")], "built"),
        ([names("term-1"), *asks_for("term-1", "built"), piece("term-1", "bu")], "built"),
        ([names("term-1"), piece("term-1", "xxxxxxxx"), printed("term-1", "built")], "built"),
        ([names("term-1"), printed("term-1", "built"), piece("term-1", "kept beside")], "built"),
    ],
    ids=["pieces", "before the call", "more than asked for", "less", "then the end", "behind the end"],
)
def test_what_a_killed_client_saw_of_an_output_is_there_again(rows: list[Line], output: str) -> None:
    call = replay([*NEW, PROMPT, *rows]).sessions[SESSION].tool_call("t")

    assert call is not None
    assert str(call.output) == output


def test_of_the_users_command_too_what_was_seen_is_there_again() -> None:
    ran = {"ran": "own-1", "session": SESSION}
    begun = [*NEW, note(**ran, command="ls"), note(**ran, more="a\n"), note(**ran, more="b\n")]
    for rows, output in (
        (begun, "a\nb\n"),
        ([*begun, note(**ran, code=0, output="b\n"), note(**ran, more="kept beside")], "b\n"),
    ):
        session = replay(rows).sessions[SESSION]
        (entry,) = (entry for entry in session.entries if isinstance(entry, UserCommand))
        assert str(entry.output) == output


async def test_output_is_written_down_before_it_is_shown(tmp_path: Path) -> None:
    async with conversation() as talk:
        script = "for n in 1 2 3; do printf 'é%s ' $n; sleep 0.1; done; exec sleep 60"
        terminal = await talk.access.terminals.create(SESSION, "sh", ["-c", script], cwd=str(tmp_path))
        shown = bytearray()

        def written() -> str:
            return "".join(row.msg["more"] for row in talk.journal.rows if "more" in row.msg)

        def show(data: bytes) -> None:
            shown.extend(data)
            assert written() == shown.decode()

        shown.extend(terminal.attach(show))
        await until(lambda: "3" in written())
        assert shown.decode() == "é1 é2 é3 "


async def test_what_no_agent_asks_for_is_written_down_when_its_command_ends(tmp_path: Path) -> None:
    async with conversation() as talk:
        terminals = talk.access.terminals
        ended = await terminals.create(SESSION, "echo", ["hello"], cwd=str(tmp_path))
        await ended.wait()
        assert [row.msg["output"] for row in talk.journal.rows if "output" in row.msg] == ["hello\r\n"]
        runs = await terminals.create(SESSION, "sh", ["-c", "echo begun; exec sleep 60"], cwd=str(tmp_path))
        await until(lambda: b"begun" in runs.kept())

    outputs = [row.msg["output"] for row in talk.journal.rows if "output" in row.msg]
    assert outputs == ["hello\r\n", "begun\r\n"], "what still runs is written down at the end"


def test_c120_new_updates_are_read_also_where_their_capability_was_not_sent() -> None:
    (session,) = replay(
        [
            *NEW,
            came(**update("notice", severity="warning", title="careful")),
            came(**update("compaction_update", compactionId="c", status="completed")),
        ]
    ).sessions.values()

    assert [type(entry) for entry in session.entries[:2]] == [AgentNotice, Compaction]


@pytest.mark.parametrize(("told_again", "titles"), [("seen", ["seen"]), ("news", ["seen", "news"])])
def test_c124_a_load_tells_no_notice_twice_and_a_new_one_at_once(told_again: str, titles: list[str]) -> None:
    (session,) = replay(
        [
            *NEW,
            came(**update("notice", severity="info", title="seen")),
            note(start=["agent"], at="2026-01-01T00:00:00+00:00"),
            out(id=0, method="initialize", params={"protocolVersion": 1}),
            came(id=0, result={"protocolVersion": 1}),
            note(continued=SESSION),
            out(id=1, method="session/load", params={"sessionId": SESSION, "cwd": "/w", "mcpServers": []}),
            came(**update("notice", severity="info", title=told_again)),
            came(id=1, result={}),
        ]
    ).sessions.values()

    assert [entry.title for entry in session.entries if isinstance(entry, AgentNotice)] == titles


def test_where_a_journal_was_full_the_session_says_so_once_and_goes_on() -> None:
    latest = "recording of this session has 256.0 MB. Of what follows only the latest part is recorded."
    rows = [
        *NEW,
        PROMPT,
        saying("before"),
        note(full=256 << 20),
        note(noted=f"/j.ndjson: the {latest}", session=SESSION, severity="warning"),
        note(dropped=900, of="rows"),
        came(id=77, result={"stopReason": "end_turn"}),
        saying("after"),
    ]

    session = replay(rows).sessions[SESSION]

    notices = [entry.text for entry in session.entries if isinstance(entry, Notice)]
    assert [one for one in notices if latest in one] == [f"The {latest}"]
    assert "".join(said(session)) == "gobeforeafter"
