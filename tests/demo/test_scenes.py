from __future__ import annotations

import base64
import json
import re
import struct
from pathlib import Path
from typing import Any

import pytest

from acp_tui.demo.scenes.table import SCENES
from tests.demo.client import Client, Failure, Message, demo, lend
from tests.schema.official import faults_of_params

TOUR_NOTES = "demo-notes.md"


def played(client: Client, cwd: Path, text: str) -> tuple[str, Message]:
    session = client.new_session(cwd)
    return session, client.prompt(session, text)


def statuses(client: Client, session: str) -> dict[str, str]:
    """Return the latest status of each tool call by title."""
    titles = {each["toolCallId"]: each["title"] for each in client.updates(session, "tool_call")}
    changes = client.updates(session, "tool_call_update")
    return {titles[each["toolCallId"]]: each["status"] for each in changes if "status" in each}


@pytest.mark.slow
def test_the_tour_shows_every_part_of_the_work(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# tally\n\ncounts words\n")
    with demo() as client:
        session, result = played(client, tmp_path, "hello")

        assert result == {"stopReason": "end_turn"}
        kinds = {each["sessionUpdate"] for each in client.updates(session)}
        assert {"agent_thought_chunk", "agent_message_chunk", "plan", "tool_call", "usage_update"} <= kinds
        plans = client.updates(session, "plan")
        assert [[each["status"] for each in plan["entries"]].count("completed") for plan in plans] == [
            0,
            1,
            2,
            3,
            4,
        ]
        assert statuses(client, session) == {
            "Read README.md": "completed",
            "Write demo-notes.md": "completed",
            "Run the checks": "completed",
        }
        assert client.updates(session, "session_info_update")[0]["title"] == "hello"
        assert "README.md begins with 3 lines" in (tmp_path / TOUR_NOTES).read_text()
        texts = [
            each["content"][0]["content"]["text"]
            for each in client.updates(session, "tool_call_update")
            if each.get("content") and each["content"][0]["type"] == "content"
        ]
        assert "```\n# tally\n\ncounts words\n```" in texts, "as many lines as it says"


@pytest.mark.slow
def test_the_code_of_the_tour_fits_beside_the_panes_at_120_columns(tmp_path: Path) -> None:
    with demo() as client:
        session, _ = played(client, tmp_path, "/tour")
        chunks = client.updates(session, "agent_message_chunk")
        said = "".join(chunk["content"]["text"] for chunk in chunks)
        (code,) = re.findall(r"```python\n(.*?)```", said, re.DOTALL)

        assert max(len(line) for line in code.splitlines()) <= 74


@pytest.mark.slow
def test_a_second_tour_adds_to_the_notes_of_the_first(tmp_path: Path) -> None:
    with demo() as client:
        session, _ = played(client, tmp_path, "hello")
        client.prompt(session, "again")

    assert (tmp_path / TOUR_NOTES).read_text().count("## Visit") == 2


def test_a_refused_tour_writes_and_runs_nothing(tmp_path: Path) -> None:
    with demo(lend("reject_once")) as client:
        session, result = played(client, tmp_path, "hello")

    assert result == {"stopReason": "end_turn"}
    assert list(tmp_path.iterdir()) == []
    assert not [each for each in client.received if each.get("method") == "terminal/create"]
    assert set(statuses(client, session).values()) == {"failed"}


@pytest.mark.slow
def test_what_is_always_allowed_is_asked_once(tmp_path: Path) -> None:
    with demo(lend("allow_always")) as client:
        session, _ = played(client, tmp_path, "/file")
        client.prompt(session, "/edit")

    assert len([each for each in client.received if each.get("method") == "session/request_permission"]) == 1
    assert "--json" in (tmp_path / "demo-tally.py").read_text()


@pytest.mark.parametrize(
    ("mode", "written", "questions"), [("code", True, 0), ("plan", False, 0), ("ask", True, 1)]
)
def test_the_mode_decides_what_is_asked(tmp_path: Path, mode: str, written: bool, questions: int) -> None:
    with demo() as client:
        session = client.new_session(tmp_path)
        client.request("session/set_mode", sessionId=session, modeId=mode)
        client.prompt(session, "/file")

    assert (tmp_path / "demo-tally.py").exists() is written
    assert [each.get("method") for each in client.received].count("session/request_permission") == questions


def test_the_program_it_writes_works(tmp_path: Path) -> None:
    with demo() as client:
        played(client, tmp_path, "/three")
        source = (tmp_path / "demo-tally.py").read_text()
        scope: dict[str, Any] = {"__name__": "tally"}
        exec(compile(source, "demo-tally.py", "exec"), scope)
        [question] = [each for each in client.received if each.get("method") == "session/request_permission"]

    assert json.loads(scope["report"](scope["count"]("b a a"), True)) == {"a": 2, "b": 1}
    assert len([each for each in question["params"]["toolCall"]["content"] if each["type"] == "diff"]) == 3


@pytest.mark.slow
def test_editing_twice_turns_the_file_back(tmp_path: Path) -> None:
    with demo() as client:
        session, _ = played(client, tmp_path, "/file")
        first = (tmp_path / "demo-tally.py").read_text()
        client.prompt(session, "/edit")
        assert (tmp_path / "demo-tally.py").read_text() != first
        client.prompt(session, "/edit")

    assert (tmp_path / "demo-tally.py").read_text() == first


def test_a_diff_of_a_new_file_has_no_old_text(tmp_path: Path) -> None:
    with demo() as client:
        session, _ = played(client, tmp_path, "/file")

    contents = [
        item for each in client.updates(session, "tool_call_update") for item in each.get("content", [])
    ]
    assert ["oldText" in item for item in contents] == [False]


@pytest.mark.slow
@pytest.mark.parametrize(
    "scene", ["/file", "/edit", "/three", "/run ls", "/unasked ls", "/form", "/link", "/tour"]
)
def test_without_capabilities_nothing_is_asked_of_the_client(tmp_path: Path, scene: str) -> None:
    with demo(capabilities={}) as client:
        session, result = played(client, tmp_path, scene)

    assert result == {"stopReason": "end_turn"}
    assert client.text(session)
    assert [each["method"] for each in client.received if "method" in each and "id" in each] == []


@pytest.mark.slow
def test_the_picture_is_a_png(tmp_path: Path) -> None:
    with demo() as client:
        session, _ = played(client, tmp_path, "/image")

    blocks = [each["content"] for each in client.updates(session, "agent_message_chunk")]
    [image] = [block for block in blocks if block["type"] == "image"]
    data = base64.b64decode(image["data"])
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", data[16:24]) == (96, 48)


@pytest.mark.slow
def test_a_question_is_answered_by_the_id_that_was_offered(tmp_path: Path) -> None:
    with demo(lend("reject_always")) as client:
        session, _ = played(client, tmp_path, "/ask")

    assert "never ask about moving again** (`never`)" in client.text(session)


@pytest.mark.slow
def test_two_questions_are_open_at_once(tmp_path: Path) -> None:
    held: list[Message] = []

    def answer(method: str, params: Message) -> Any:
        held.append(params)
        return None

    with demo(answer) as client:
        session = client.new_session(tmp_path)
        number = client.begin_prompt(session, "/parallel")
        while len(held) < 2:
            client.step()
        questions = [each for each in client.received if each.get("method") == "session/request_permission"]
        chosen = {"outcome": {"outcome": "selected", "optionId": "allow-once"}}
        for question in reversed(questions):
            client.send({"id": question["id"], "result": chosen})
        client.result(number)

    assert "You allowed 2 of 2" in client.text(session)


@pytest.mark.slow
def test_a_form_comes_back_as_a_table(tmp_path: Path) -> None:
    def answer(method: str, params: Message) -> Any:
        assert faults_of_params(method, params) == []
        return {"action": "accept", "content": {"name": "tally", "width": 80}}

    with demo(answer) as client:
        session, _ = played(client, tmp_path, "/form")

    assert "| width | `80` |" in client.text(session)


@pytest.mark.slow
def test_a_link_is_completed_after_consent(tmp_path: Path) -> None:
    with demo(lambda method, params: {"action": "accept"}) as client:
        played(client, tmp_path, "/link")

    [asked] = [each for each in client.received if each.get("method") == "elicitation/create"]
    [done] = [each for each in client.received if each.get("method") == "elicitation/complete"]
    assert done["params"] == {"elicitationId": asked["params"]["elicitationId"]}


@pytest.mark.slow
def test_the_agent_asks_to_change_its_mode(tmp_path: Path) -> None:
    with demo() as client:
        session, _ = played(client, tmp_path, "/modes")

    assert client.updates(session, "current_mode_update")[-1]["currentModeId"] == "code"


@pytest.mark.slow
def test_commands_change_and_come_back(tmp_path: Path) -> None:
    with demo() as client:
        session, _ = played(client, tmp_path, "/commands")

    counts = [len(each["availableCommands"]) for each in client.updates(session, "available_commands_update")]
    assert counts == [len(SCENES), 2, len(SCENES)]


@pytest.mark.slow
def test_help_lists_every_scene(tmp_path: Path) -> None:
    with demo() as client:
        session, _ = played(client, tmp_path, "/scenes")

    assert all(f"`/{scene.name}`" in client.text(session) for scene in SCENES)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "reason"), [("/refuse", "refusal"), ("/limit", "max_tokens"), ("/what", "end_turn")]
)
def test_turns_end_for_different_reasons(tmp_path: Path, text: str, reason: str) -> None:
    with demo() as client:
        assert played(client, tmp_path, text)[1] == {"stopReason": reason}


@pytest.mark.slow
def test_an_error_says_its_reason_in_data(tmp_path: Path) -> None:
    with demo() as client, pytest.raises(Failure) as failure:
        played(client, tmp_path, "/error")

    assert failure.value.code == -32603
    assert "overloaded" in str(failure.value.data)


@pytest.mark.slow
def test_dying_leaves_a_last_word(tmp_path: Path) -> None:
    with demo() as client:
        with pytest.raises(EOFError):
            played(client, tmp_path, "/die")
        assert client.process.stderr is not None
        assert b"its last line" in client.process.stderr.read()
        assert client.process.wait(5) == 3


@pytest.mark.slow
def test_noise_does_not_drown_the_words_around_it(tmp_path: Path) -> None:
    with demo() as client:
        session, result = played(client, tmp_path, "/noise")

    assert result == {"stopReason": "end_turn"}
    assert client.text(session).startswith("Before the noise.")
    assert client.text(session).endswith("After the noise.")
    assert len(client.noise) == 7
    assert "weather_update" in {each["sessionUpdate"] for each in client.updates(session)}


@pytest.mark.slow
def test_attachments_are_named(tmp_path: Path) -> None:
    prompt = [
        {"type": "text", "text": "look"},
        {"type": "resource_link", "uri": "file:///a/logo.svg", "name": "logo"},
        {"type": "resource", "resource": {"uri": "file:///a/b.txt", "text": "x"}},
    ]
    with demo() as client:
        session = client.new_session(tmp_path)
        client.request("session/prompt", sessionId=session, prompt=prompt)

    assert "(`file:///a/logo.svg`, `file:///a/b.txt`)" in client.text(session)


@pytest.mark.slow
@pytest.mark.parametrize("scene", ["/tour", "/plan", "/fill", "/markdown", "/long 3", "/parallel"])
def test_a_scene_is_the_same_each_time(tmp_path: Path, scene: str) -> None:
    seen = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        with demo() as client:
            session, _ = played(client, folder, scene)
            seen.append(json.dumps(client.received).replace(session, "ID").replace(str(folder), "CWD"))

    assert seen[0] == seen[1]


@pytest.mark.slow
def test_without_pauses_is_asked_for_and_human_pace_is_the_default(tmp_path: Path) -> None:
    with demo(speed="1000") as client:
        assert played(client, tmp_path, "/slow 5")[1] == {"stopReason": "end_turn"}
