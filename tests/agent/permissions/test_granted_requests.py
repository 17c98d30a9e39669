"""Requests that a permission covers: once, in its turn, and as they were shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agent.granted import granted, served
from tests.agent.permissions.turn import RUN, asked, permitted, running, wants
from tests.agent.puppet import text
from tests.sent import Frame


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "run"),
    [
        ({"kind": "execute", "rawInput": {"command": "touch made"}}, {"command": "touch made"}),
        ({"kind": "execute", "rawInput": {"command": "touch 'made'"}}, RUN),
        ({"kind": "execute", "rawInput": {"command": "touch made; ls"}}, {"command": " touch made; ls "}),
        (
            {"kind": "execute", "rawInput": {"command": "touch made && ls"}},
            {"command": "/bin/sh", "args": ["-lc", "touch made && ls"]},
        ),
        (
            {"kind": "execute", "rawInput": {"command": "bash -c 'touch made && ls'"}},
            {"command": "bash", "args": ["-c", "touch made && ls"]},
        ),
        ({"title": "Shell: touch made", "kind": "execute"}, {"command": "touch made"}),
        (
            {
                "title": "Shell: touch made",
                "content": [{"type": "content", "content": text("Run command `touch made`")}],
            },
            {"command": "touch made"},
        ),
    ],
)  # fmt: skip
async def test_what_was_just_allowed_by_a_permission_is_not_asked_again(
    tmp_path: Path, call: Frame, run: Frame
) -> None:
    async with running(tmp_path) as (talk, session):
        await permitted(talk, "yes", call)

        terminal = (await served(talk, "terminal/create", **run))["result"]

        await served(talk, "terminal/wait_for_exit", **terminal)
        assert (tmp_path / "made").exists()
        assert not session.questions


@pytest.mark.parametrize("told", [{}, {"oldText": None}, {"oldText": ""}])
@pytest.mark.parametrize(("there", "is_asked"), [(None, False), ("a\n" * 60, True), ("caf\xe9\n" * 60, True)])
async def test_a_write_over_a_file_that_was_not_shown_is_asked_about(
    tmp_path: Path, told: Frame, there: str | None, is_asked: bool
) -> None:
    path = tmp_path / "a"
    if there is not None:
        path.write_text(there, encoding="latin-1")
    diff = {"type": "diff", "path": str(path), "newText": "b\n", **told}
    async with running(tmp_path) as (talk, session):
        await permitted(talk, "yes", {"kind": "edit", "content": [diff]})

        request_id = wants(talk, "fs/write_text_file", path=str(path), content="b\n")

        if is_asked:
            talk.agent.answer("s2", (await asked(talk, session)).key, "refuse")
        assert ("error" in await talk.puppet.answer_to(request_id)) == is_asked
        assert path.read_text("latin-1") == (there if is_asked else "b\n")


@pytest.mark.parametrize(
    "run",
    [
        {"command": "touch made; touch more"},
        {"command": "touch", "args": ["other"]},
        {"command": "sh", "args": ["-c", "touch made; ls"]},
    ],
)
async def test_another_command_than_the_allowed_one_is_asked_about(tmp_path: Path, run: Frame) -> None:
    async with running(tmp_path) as (talk, session):
        await permitted(talk, "yes", {"kind": "execute", "rawInput": {"command": "touch made"}})
        wants(talk, "terminal/create", **run)
        assert (await asked(talk, session)).unasked


async def test_what_the_agent_says_of_a_call_after_it_was_allowed_is_not_allowed(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        call = {"kind": "execute", "title": "List", "rawInput": {"command": "ls"}}
        await permitted(talk, "yes", call)
        later = {"toolCallId": "t1", "title": "touch made", "rawInput": {"command": "touch made"}}
        talk.puppet.updates("tool_call_update", "s2", **later)
        known = session.tool_call("t1")
        assert known is not None
        await talk.until(lambda: known.command == "touch made")

        request_id = wants(talk, "terminal/create", **RUN)
        question = await asked(talk, session)
        talk.agent.answer("s2", question.key, "refuse")

        assert "error" in await talk.puppet.answer_to(request_id)
        assert not (tmp_path / "made").exists()


async def test_once_is_for_one_run_and_for_one_turn(tmp_path: Path) -> None:
    call = {"kind": "execute", "rawInput": {"command": "touch made"}, "toolCallId": "t2"}
    async with running(tmp_path) as (talk, session):
        await permitted(talk, "yes", call)
        await served(talk, "terminal/create", **RUN)
        again = wants(talk, "terminal/create", **RUN)
        talk.agent.answer("s2", (await asked(talk, session)).key, "refuse")
        await talk.puppet.answer_to(again)

        await permitted(talk, "yes", call)
        prompt = next(frame for frame in talk.puppet.sent.frames if frame.get("method") == "session/prompt")
        talk.puppet.answers(prompt, {"stopReason": "end_turn"})
        await talk.until(lambda: session.turn_state == "idle")
        wants(talk, "terminal/create", **RUN)

        assert (await asked(talk, session)).unasked


async def test_always_covers_what_was_shown_once_and_the_rest_is_asked(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        await permitted(talk, "always", {"kind": "execute", "rawInput": {"command": "touch made"}})
        assert "result" in await served(talk, "terminal/create", **RUN)

        wants(talk, "terminal/create", **RUN)
        assert (await asked(talk, session)).unasked


async def test_a_permission_ends_when_the_turn_is_stopped(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, _):
        await permitted(talk, "yes", {"kind": "execute", "rawInput": {"command": "touch made"}})
        talk.agent.cancel("s2")

        error = (await served(talk, "terminal/create", **RUN))["error"]

        assert "stopped" in error["message"]
        assert not (tmp_path / "made").exists()


async def test_a_permission_that_was_given_between_turns_does_not_last_into_the_next(tmp_path: Path) -> None:
    async with granted(tmp_path, "ask") as talk:
        await permitted(talk, "yes", {"kind": "execute", "rawInput": {"command": "touch made"}})
        await talk.prompted(session="s2")

        wants(talk, "terminal/create", **RUN)
        assert (await asked(talk, talk.agent.sessions["s2"])).unasked


@pytest.mark.parametrize(
    ("option", "options"),
    [
        ({"name": "Reject", "kind": "allow_always"}, []),
        ({"name": "No", "kind": "allow_once"}, []),
        ({"name": "", "kind": "allow_once"}, []),
        ({"name": "Allow", "kind": "allow_for_ever"}, []),
        ({"name": "Allow", "kind": "allow_once"}, [{"name": "Allow", "kind": "reject_once"}]),
        ({"name": "Allow", "kind": "allow_once"}, [{"optionId": "x", "name": "Off", "kind": "reject_once"}]),
    ],
)
async def test_an_odd_option_allows_nothing(tmp_path: Path, option: Frame, options: list[Frame]) -> None:
    others = [{"optionId": f"o{number}", **one} for number, one in enumerate(options)]
    call = {"toolCallId": "t1", "kind": "execute", "rawInput": {"command": "touch made"}}
    async with running(tmp_path) as (talk, session):
        request_id = wants(
            talk,
            "session/request_permission",
            toolCall=call,
            options=[{"optionId": "x", **option}, *others],
        )
        talk.agent.answer("s2", (await asked(talk, session)).key, "x")
        assert (await talk.puppet.answer_to(request_id))["result"]["outcome"]["optionId"] == "x"

        wants(talk, "terminal/create", **RUN)
        assert (await asked(talk, session)).unasked


async def test_a_refused_permission_allows_nothing(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        await permitted(talk, "no", {"kind": "execute", "rawInput": {"command": "touch made"}})
        wants(talk, "terminal/create", **RUN)
        assert (await asked(talk, session)).unasked


@pytest.mark.parametrize("named", ["{path}", "link", "{folder}/link"])
async def test_a_write_that_was_shown_and_allowed_is_not_asked_again(tmp_path: Path, named: str) -> None:
    path = tmp_path / "a"
    path.write_text("old\nend\n")
    (tmp_path / "link").symlink_to("a")
    place = named.format(path=path, folder=tmp_path)
    diff = {"type": "diff", "path": place, "oldText": "old", "newText": "new"}
    async with running(tmp_path) as (talk, session):
        await served(talk, "fs/read_text_file", path=str(path))
        await permitted(talk, "yes", {"kind": "edit", "content": [diff]})

        write = {"path": str(path), "content": "new\nend\n"}
        assert "result" in await served(talk, "fs/write_text_file", **write)
        assert path.read_text() == "new\nend\n"

        assert "result" in await served(talk, "fs/write_text_file", **write)  # nothing changes by it
        wants(talk, "fs/write_text_file", path=str(path), content="newer\nend\n")
        assert (await asked(talk, session)).unasked


async def test_another_act_with_what_was_allowed_uses_the_permission_up(tmp_path: Path) -> None:
    diff = {"type": "diff", "path": str(tmp_path / "a"), "newText": "new"}
    write = {"path": str(tmp_path / "a"), "content": "new"}
    cases: list[tuple[Frame, str, Frame, Frame]] = [
        ({"kind": "edit", "content": [diff]}, "fs/write_text_file", {**write, "content": "evil"}, write),
        (
            {"kind": "execute", "rawInput": {"command": "touch made"}},
            "terminal/create",
            {**RUN, "cwd": "/"},
            {**RUN, "cwd": str(tmp_path)},
        ),
    ]
    async with running(tmp_path) as (talk, session):
        for call, method, other, same in cases:
            await permitted(talk, "yes", call)
            for params in (other, same):
                request_id = wants(talk, method, **params)
                talk.agent.answer("s2", (await asked(talk, session)).key, "refuse")
                assert "error" in await talk.puppet.answer_to(request_id)


async def test_two_runs_at_once_use_up_one_permission_once(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        await permitted(talk, "yes", {"kind": "execute", "rawInput": {"command": "touch made"}})
        ids = []
        for number in range(2):
            ids.append(f"run-{number}")
            talk.puppet.says(
                {"id": ids[-1], "method": "terminal/create", "params": {"sessionId": "s2", **RUN}}
            )

        talk.agent.answer("s2", (await asked(talk, session)).key, "refuse")

        answers = [await talk.puppet.answer_to(request_id) for request_id in ids]
        assert sorted("result" in answer for answer in answers) == [False, True]


async def test_a_permission_that_is_given_while_no_turn_runs_lasts_until_its_call_is_over(
    tmp_path: Path,
) -> None:
    async with running(tmp_path) as (talk, session):
        prompt = next(frame for frame in talk.puppet.sent.frames if frame.get("method") == "session/prompt")
        talk.puppet.answers(prompt, {"stopReason": "end_turn"})
        await talk.until(lambda: session.turn_state == "idle")
        call = {"kind": "execute", "rawInput": {"command": "touch made"}}

        await permitted(talk, "yes", {"toolCallId": "open", **call})
        assert "result" in await served(talk, "terminal/create", **RUN)

        await permitted(talk, "yes", {"toolCallId": "over", **call})
        talk.puppet.updates("tool_call_update", "s2", toolCallId="over", status="completed")
        wants(talk, "terminal/create", **RUN)
        assert (await asked(talk, session)).unasked
