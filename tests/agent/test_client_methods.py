"""Files and terminals that are served: each request has the right result or the right code."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from acp_tui.agent import client_methods
from acp_tui.agent.agent import OFFERED
from acp_tui.rules.model import Rule
from acp_tui.sandbox.fence import Wanted
from acp_tui.session.entries import Notice
from acp_tui.session.file_changes import FileChange
from acp_tui.workspace.backups import Backups
from acp_tui.workspace.files import Files, OutsideRoots, Stale, Written
from tests.agent.granted import granted, served
from tests.agent.puppet import FORM, OPTIONS, SESSION, Conversation, conversation, text
from tests.sandbox.fences import lay_out, sandbox
from tests.sent import Frame
from tests.waiting import settled

CHUNK = {"sessionUpdate": "agent_message_chunk", "content": text("here")}


TERMINAL_METHODS = [f"terminal/{name}" for name in ("create", "output", "wait_for_exit", "kill", "release")]


async def code(talk: Conversation, method: str, **params: Any) -> int:
    """Return the code of the error that we answer."""
    answer = await served(talk, method, **params)
    found: int = answer["error"]["code"]
    return found


async def test_c87_r29_lines_are_counted_from_one_and_ends_are_kept(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1\r\n2\n3")
    path = str(tmp_path / "a")
    async with granted(tmp_path) as talk:
        for limits, content in (
            ({}, "1\r\n2\n3"),
            ({"line": 2, "limit": 1}, "2\n"),
            ({"line": 0, "limit": 1}, "1\r\n"),
            ({"line": -1, "limit": 1}, "1\r\n"),
            ({"line": 3, "limit": 10**12}, "3"),
            ({"line": 9}, ""),
            ({"limit": 0}, ""),
            ({"line": None, "limit": None}, "1\r\n2\n3"),
        ):
            answer = await served(talk, "fs/read_text_file", path=path, **limits)
            assert answer.get("result") == {"content": content}, limits
        assert await code(talk, "fs/read_text_file", path=path, limit=1.5) == -32602


async def test_c86_c16_what_is_not_lent_is_refused(tmp_path: Path) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    (tmp_path / "secret").write_text("no")
    (inside / "link").symlink_to(tmp_path / "secret")
    async with granted(inside) as talk:
        for path in ("relative", f"{inside}/../secret", f"{inside}/link", str(inside)):
            assert await code(talk, "fs/read_text_file", path=path) == -32602
            if path != str(inside):
                assert await code(talk, "fs/write_text_file", path=path, content="x") == -32602
        assert await code(talk, "fs/read_text_file", sessionId="other", path=f"{inside}/a") == -32602
        assert await code(talk, "fs/read_text_file") == -32602
        assert await code(talk, "fs/write_text_file", path=f"{inside}/a", content=5) == -32602

    assert (tmp_path / "secret").read_text() == "no"


async def test_c88_a_missing_file_is_named(tmp_path: Path) -> None:
    async with granted(tmp_path) as talk:
        answer = await served(talk, "fs/read_text_file", path=f"{tmp_path}/a b")

        assert answer["error"] == {
            "code": -32002,
            "message": "Resource not found",
            "data": {"uri": f"file://{tmp_path}/a%20b"},
        }
        talk.access.missing_file_reads_empty = True
        assert (await served(talk, "fs/read_text_file", path=f"{tmp_path}/a"))["result"] == {"content": ""}


async def test_a_missing_file_with_half_a_character_in_its_path_is_answered(tmp_path: Path) -> None:
    async with granted(tmp_path) as talk:
        answer = await served(talk, "fs/read_text_file", path=f"{tmp_path}/\udcff")

        assert answer["error"]["code"] == -32002


async def test_c89_a_write_is_answered_told_and_written_down(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    async with granted(tmp_path) as talk:
        for path in (f"{tmp_path}/a", f"{tmp_path}/new/b"):
            answer = await served(talk, "fs/write_text_file", path=path, content="new")
            assert answer["result"] == {}

        changes: list[FileChange] = list(talk.agent.sessions["s2"].files.values())
        assert [(change.edits[0].old, change.edits[0].new) for change in changes] == [
            ("old", "new"),
            (None, "new"),
        ]


async def take_back_a_write(talk: Conversation, path: str, began: threading.Event) -> None:
    """Have the agent take a write back while it is being done."""
    params = {"sessionId": "s2", "path": path, "content": "new"}
    talk.puppet.says({"id": "w", "method": "fs/write_text_file", "params": params})
    await talk.until(began.is_set)
    talk.puppet.says({"method": "$/cancel_request", "params": {"requestId": "w"}})
    assert (await talk.puppet.answer_to("w"))["error"]["code"] == -32800


async def test_a_write_that_is_taken_back_too_late_is_told_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, may_end = threading.Event(), threading.Event()
    write = Files.write_text

    def slow(files: Files, path: str, content: str, over: Stale | None, **more: Any) -> Written:
        began.set()
        may_end.wait(10)
        return write(files, path, content, over, **more)

    monkeypatch.setattr(Files, "write_text", slow)
    async with granted(tmp_path) as talk:
        await take_back_a_write(talk, f"{tmp_path}/a", began)

        may_end.set()

        await talk.until(lambda: f"{tmp_path}/a" in talk.agent.sessions["s2"].files)


@pytest.mark.slow
async def test_a_write_that_is_taken_back_and_then_fails_is_no_mistake_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    began, may_end = threading.Event(), threading.Event()

    def fail(files: Files, path: str, content: str, over: Stale | None, **more: Any) -> Written:
        began.set()
        may_end.wait(10)
        may_end.clear()
        raise OutsideRoots("not here")

    monkeypatch.setattr(Files, "write_text", fail)
    async with granted(tmp_path) as talk:
        await take_back_a_write(talk, f"{tmp_path}/a", began)

        may_end.set()
        await talk.until(lambda: not may_end.is_set())
        await settled()
        gc.collect()

    assert "never retrieved" not in caplog.text


async def test_c90_further_roots_are_lent_as_well(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/a").write_text("x")
    async with granted(tmp_path / "w") as talk:
        talk.access.grant("s2", [str(tmp_path / "w"), str(tmp_path / "lib")])

        answer = await served(talk, "fs/read_text_file", path=f"{tmp_path}/lib/a")

        assert answer["result"] == {"content": "x"}


async def test_a_file_can_be_asked_for_right_behind_the_answer_that_made_the_session(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    async with conversation() as talk:
        making = asyncio.create_task(talk.agent.setup.new_session(str(tmp_path)))
        call = await talk.puppet.hears("session/new")
        params = {"sessionId": "s2", "path": f"{tmp_path}/a"}
        talk.puppet.says(
            {"id": call["id"], "result": {"sessionId": "s2"}},
            {"id": "r", "method": "fs/read_text_file", "params": params},
        )
        await making

        assert (await talk.puppet.answer_to("r"))["result"] == {"content": "x"}


async def test_c85_c91_every_method_of_what_is_offered_is_served_and_no_other(tmp_path: Path) -> None:
    assert (OFFERED.fs.read_text_file, OFFERED.fs.write_text_file, OFFERED.terminal) == (True, True, True)
    async with granted(tmp_path) as talk:
        for method in ("fs/read_text_file", "fs/write_text_file", *TERMINAL_METHODS):
            assert await code(talk, method, sessionId="other") == -32602, "known, and these params are wrong"
        for method in ("fs/delete_file", "terminal/resize", "mcp/connect", "fs/", "terminal"):
            assert await code(talk, method) == -32601


async def test_c92_c93_c94_c98_the_life_of_a_terminal(tmp_path: Path) -> None:
    async with granted(tmp_path) as talk:
        args = ["-c", "pwd; echo $A; read x; exit 7"]
        made = await served(
            talk, "terminal/create", command="sh", args=args, env=[{"name": "A", "value": "b"}]
        )
        terminal = {"terminalId": made["result"]["terminalId"]}
        running = await served(talk, "terminal/output", **terminal)
        assert "exitStatus" not in running["result"]

        talk.access.terminals.get("s2", terminal["terminalId"]).write(b"\n")
        ended = await served(talk, "terminal/wait_for_exit", **terminal)
        output = (await served(talk, "terminal/output", **terminal))["result"]

        assert ended["result"] == {"exitCode": 7, "signal": None}
        assert output["output"].split() == [str(tmp_path), "b"]
        assert (output["truncated"], output["exitStatus"]) == (False, {"exitCode": 7, "signal": None})
        assert (await served(talk, "terminal/kill", **terminal))["result"] == {}
        assert (await served(talk, "terminal/release", **terminal))["result"] == {}
        for method in ("output", "wait_for_exit", "kill", "release"):
            assert await code(talk, f"terminal/{method}", **terminal) == -32002


async def test_c96_c97_all_who_wait_are_told_of_the_signal(tmp_path: Path) -> None:
    async with granted(tmp_path) as talk:
        made = await served(talk, "terminal/create", command="sleep", args=["60"])
        params = {"sessionId": "s2", "terminalId": made["result"]["terminalId"]}
        for name in ("w1", "w2"):
            talk.puppet.says({"id": name, "method": "terminal/wait_for_exit", "params": params})

        assert (await served(talk, "terminal/kill", terminalId=params["terminalId"]))["result"] == {}

        for name in ("w1", "w2"):
            answer = await talk.puppet.answer_to(name)
            assert answer["result"] == {"exitCode": None, "signal": "SIGTERM"}


async def test_c95_the_byte_limit_keeps_the_end(tmp_path: Path) -> None:
    async with granted(tmp_path) as talk:
        params: Frame = {"command": "printf", "args": ["ééé"], "outputByteLimit": 3}
        made = await served(talk, "terminal/create", **params)
        terminal = {"terminalId": made["result"]["terminalId"]}
        await served(talk, "terminal/wait_for_exit", **terminal)

        output = (await served(talk, "terminal/output", **terminal))["result"]

        assert (output["output"], output["truncated"]) == ("é", True)


async def test_a_write_to_one_name_of_several_shows_in_all_and_that_is_said(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "b").write_text("old")
    (work / "a").hardlink_to(work / "b")
    async with granted(work) as talk:
        talk.access.backups = Backups(tmp_path / "backups")
        talk.access.grant("s2", [str(work)])
        await served(talk, "fs/write_text_file", path=f"{work}/a", content="new")

        (told,) = [entry.text for entry in talk.agent.sessions["s2"].entries if isinstance(entry, Notice)]
        assert told == f"{work}/a has hard links: its other names show the change, too."
        assert (work / "b").read_text() == "new"


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"command": "no-such-program-anywhere"}, -32603),
        ({"command": "ls", "cwd": "relative"}, -32602),
        ({"command": "ls", "args": [5]}, -32602),
        ({"command": 5}, -32602),
        ({}, -32602),
        ({"command": "ls", "sessionId": "other"}, -32602),
    ],
)
async def test_c99_c16_a_command_that_cannot_run_is_an_error(
    params: Frame, expected: int, tmp_path: Path
) -> None:
    async with granted(tmp_path) as talk:
        assert await code(talk, "terminal/create", **params) == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["a\0b", "\0", "half \ud83d", "n" * 300, ("n" * 200 + "/") * 30 + "x", "loop", "loop/x", "pipe"]
)
@pytest.mark.parametrize(
    ("method", "given"),
    [
        ("fs/read_text_file", "path"),
        ("fs/write_text_file", "path"),
        ("terminal/create", "cwd"),
        ("terminal/create", "command"),
    ],
)
async def test_a_path_that_cannot_be_is_the_agents_mistake_and_says_nothing_of_our_code(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str, method: str, given: str
) -> None:
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    async with granted(tmp_path) as talk:
        params = {"content": "x", "command": "true", given: f"{tmp_path}/{name}"}
        answer = await served(talk, method, **params)

        if "error" in answer:
            expected = {-32602, -32002} if given != "command" else {-32603}
            assert answer["error"]["code"] in expected
            assert "Error" not in answer["error"]["message"]
        else:
            assert (method, len(name)) == ("fs/write_text_file", 6031), "a long path of short names can be"
        assert "Traceback" not in caplog.text


async def test_a_request_without_a_session_is_about_the_only_one(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("hello")
    async with conversation(cwd=str(tmp_path), policy="allow-everything") as talk:
        await talk.prompted()
        asked: list[tuple[str, Frame]] = [
            ("fs/read_text_file", {"path": f"{tmp_path}/a"}),
            ("fs/write_text_file", {"path": f"{tmp_path}/b", "content": "x", "sessionId": None}),
            ("terminal/create", {"command": "true"}),
            ("session/request_permission", {"toolCall": {"toolCallId": "t1"}, "options": OPTIONS}),
        ]
        for number, (method, params) in enumerate(asked):
            talk.puppet.says({"id": f"q{number}", "method": method, "params": params})
            assert "result" in await talk.puppet.answer_to(f"q{number}")
        talk.puppet.says({"id": "f", "method": "elicitation/create", "params": FORM})
        await talk.until(lambda: talk.session.questions)
        talk.agent.answer_form(SESSION, '"f"', "decline")
        talk.puppet.says({"method": "session/update", "params": {"update": CHUNK}})
        await talk.until(lambda: talk.said() == "here")


@pytest.mark.parametrize(
    "method", ["fs/read_text_file", "terminal/create", "session/request_permission", "elicitation/create"]
)
async def test_a_request_without_a_session_is_refused_where_it_may_be_about_several(
    tmp_path: Path, method: str
) -> None:
    async with granted(tmp_path) as talk:
        params = {"path": "/a", "command": "true", "toolCall": {"toolCallId": "t"}, "options": [], **FORM}
        talk.puppet.says({"id": "q", "method": method, "params": params})

        error = (await talk.puppet.answer_to("q"))["error"]
        assert error["code"] == -32602
        assert error["message"] == "Invalid params: sessionId is missing, and 2 sessions are open"


async def test_c100_d38_a_terminal_of_another_session_is_unknown_in_either_spelling(tmp_path: Path) -> None:
    async with granted(tmp_path) as talk:
        made = await served(talk, "terminal/create", command="sleep", args=["60"])
        terminal_id = made["result"]["terminalId"]

        assert await code(talk, "terminal/output", sessionId="s1", terminalId=terminal_id) == -32002
        assert await code(talk, "terminal/output", terminal_id="no-such") == -32002
        assert "result" in await served(talk, "terminal/output", terminal_id=terminal_id)


async def test_c65_a_wait_that_is_taken_back_is_answered_and_the_command_runs_on(tmp_path: Path) -> None:
    async with granted(tmp_path) as talk:
        made = await served(talk, "terminal/create", command="sleep", args=["60"])
        params = {"sessionId": "s2", "terminalId": made["result"]["terminalId"]}
        talk.puppet.says({"id": 33, "method": "terminal/wait_for_exit", "params": params})
        talk.puppet.says({"method": "$/cancel_request", "params": {"requestId": 33}})

        answer = await talk.puppet.answer_to(33)

        assert answer["error"] == {"code": -32800, "message": "Request cancelled"}
        output = await served(talk, "terminal/output", terminalId=params["terminalId"])
        assert "exitStatus" not in output["result"]


async def test_a_request_too_many_is_an_error_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_methods, "MOST_SERVED", 2)
    async with granted(tmp_path) as talk:
        terminal = (await served(talk, "terminal/create", command="sleep", args=["100"]))["result"]
        for request_id in ("w1", "w2"):
            talk.puppet.says(
                {
                    "id": request_id,
                    "method": "terminal/wait_for_exit",
                    "params": {"sessionId": "s2", **terminal},
                }
            )

        answer = await served(talk, "terminal/output", **terminal)

        assert "Too many open requests" in answer["error"]["message"]


async def test_c101_the_end_of_the_agent_ends_its_terminals(tmp_path: Path) -> None:
    async with granted(tmp_path) as talk:
        made = await served(talk, "terminal/create", command="sleep", args=["60"])
        terminal = talk.access.terminals.get("s2", made["result"]["terminalId"])

        talk.puppet.exits(1)

        await talk.until(lambda: terminal.exit_status is not None)


@pytest.mark.parametrize(
    ("method", "params", "rule"),
    [
        ("fs/read_text_file", {"path": "{folder}/.env"}, Rule("deny", path="*.env", where="rules.toml:3")),
        ("fs/read_text_file", {"path": "{folder}/link"}, Rule("deny", path="*.env", where="rules.toml:3")),
        ("fs/write_text_file", {"path": "{folder}/link", "content": "x"}, Rule("deny", path="**/.env")),
        (
            "fs/write_text_file",
            {"path": "{folder}/.env", "content": "x"},
            Rule("deny", tool_kind="edit", where="~/rules.toml:3"),
        ),
        ("terminal/create", {"command": "git", "args": ["push"]}, Rule("deny", command="git push")),
        ("terminal/create", {"command": "sh -c 'git push'"}, Rule("deny", command="git push")),
    ],
)
async def test_what_a_rule_denies_is_not_done_for_an_agent_that_did_not_ask(
    tmp_path: Path, method: str, params: dict[str, Any], rule: Rule
) -> None:
    (tmp_path / ".env").write_text("KEY=1")
    (tmp_path / "link").symlink_to(".env")
    given = {
        name: value.format(folder=tmp_path) if isinstance(value, str) else value
        for name, value in params.items()
    }
    async with granted(tmp_path) as talk:
        talk.access.rules = [rule]
        answer = await served(talk, method, **given)

        assert answer["error"]["code"] == -32602
        assert answer["error"]["message"].startswith("denied by a rule of the user")
        assert "rules.toml" not in answer["error"]["message"], "where our files lie is not its business"
        assert (tmp_path / ".env").read_text() == "KEY=1"
        await served(talk, method, **given)  # the same again is written down once
        (kept,) = talk.decisions
        assert (kept.by, kept.detail, kept.is_allowed) == ("rule", rule.where, False)
        assert kept.command in (None, "git push", "sh -c 'git push'")
        assert kept.paths == ((given["path"],) if "path" in given else ())


async def test_what_the_sandbox_hides_or_keeps_read_only_is_refused_before_a_question(tmp_path: Path) -> None:
    work = lay_out(tmp_path)
    with sandbox(tmp_path, wanted=Wanted(hide=(str(work / "private"),))) as made:
        async with granted(work) as talk:
            talk.access.sandbox = made
            (work / "private").write_text("the key")
            for path in (".git/hooks/pre-commit", ".git/config", ".envrc", "private"):
                answer = await served(talk, "fs/write_text_file", path=f"{work}/{path}", content="x")
                assert "sandbox" in answer["error"]["message"]
            assert await code(talk, "fs/read_text_file", path=f"{work}/private") == -32602
            assert (await served(talk, "fs/read_text_file", path=f"{work}/.envrc"))["result"]
            assert (await served(talk, "fs/write_text_file", path=f"{work}/file", content="x"))[
                "result"
            ] == {}

    assert (work / ".envrc").read_text() == "# mine\n"
    assert not (work / ".git" / "hooks" / "pre-commit").exists()
