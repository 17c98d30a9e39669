from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.demo.client import Answer, Client, Failure, Message, demo, lend


def is_request(method: str) -> Any:
    return lambda message: message.get("method") == method


def open_at(held: str) -> Answer:
    """Return an answer that leaves requests with one method open."""
    lent = lend()
    return lambda method, params: None if method == held else lent(method, params)


def test_it_introduces_itself_with_version_one() -> None:
    with demo() as client:
        result = client.received[0]["result"]

    assert result["protocolVersion"] == 1
    assert result["agentInfo"]["title"] == "Demo agent"
    assert result["agentCapabilities"]["loadSession"] is True
    assert {"list", "resume", "close"} <= set(result["agentCapabilities"]["sessionCapabilities"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("no/such_method", {}, -32601),
        ("_vendor/extension", {}, -32601),
        ("initialize", {"protocolVersion": "1"}, -32602),
        ("session/new", {"cwd": "relative", "mcpServers": []}, -32602),
        ("session/new", {"cwd": "/", "mcpServers": None}, -32602),
        ("session/new", {"mcpServers": []}, -32602),
        ("session/load", {"sessionId": "unknown", "cwd": "/", "mcpServers": []}, -32002),
        ("session/prompt", {"sessionId": "unknown", "prompt": []}, -32002),
        ("session/prompt", {"sessionId": 5, "prompt": []}, -32602),
        ("session/list", {"cursor": "what"}, -32602),
    ],
)
def test_it_answers_bad_requests_with_an_error(method: str, params: Message, code: int) -> None:
    with demo() as client, pytest.raises(Failure) as failure:
        client.request(method, **params)

    assert failure.value.code == code


def test_it_outlives_lines_that_are_no_messages() -> None:
    with demo() as client:
        assert client.process.stdin is not None
        client.process.stdin.write(b"hello\n\n42\n[]\n" + b"[" * 100_000 + b"\n")
        client.notify("no/such_notification")

        assert client.request("session/list") == {"sessions": []}


def test_options_stand_for_the_modes_too(tmp_path: Path) -> None:
    with demo() as client:
        result = client.request("session/new", cwd=str(tmp_path), mcpServers=[])

    assert [option["id"] for option in result["configOptions"]] == ["mode", "model", "thinking", "web"]
    assert result["configOptions"][0]["currentValue"] == result["modes"]["currentModeId"] == "ask"
    assert [mode["id"] for mode in result["modes"]["availableModes"]] == ["ask", "code", "plan"]
    assert "group" in result["configOptions"][1]["options"][0]


def test_switches_are_offered_only_to_clients_that_know_them(tmp_path: Path) -> None:
    with demo(capabilities={}) as client:
        result = client.request("session/new", cwd=str(tmp_path), mcpServers=[])
        with pytest.raises(Failure):
            client.request(
                "session/set_config_option",
                sessionId=result["sessionId"],
                configId="web",
                type="boolean",
                value=True,
            )

    assert [option["type"] for option in result["configOptions"]] == ["select"] * 3


def test_setting_a_mode_either_way_changes_both_ways_of_telling_it(tmp_path: Path) -> None:
    with demo() as client:
        session = client.new_session(tmp_path)
        client.request("session/set_mode", sessionId=session, modeId="plan")
        assert client.updates(session, "current_mode_update")[-1]["currentModeId"] == "plan"
        assert (
            client.updates(session, "config_option_update")[-1]["configOptions"][0]["currentValue"] == "plan"
        )

        result = client.request("session/set_config_option", sessionId=session, configId="mode", value="code")
        assert result["configOptions"][0]["currentValue"] == "code"
        assert client.updates(session, "current_mode_update")[-1]["currentModeId"] == "code"


def test_a_quick_model_does_not_think_hard(tmp_path: Path) -> None:
    with demo() as client:
        session = client.new_session(tmp_path)
        client.request("session/set_config_option", sessionId=session, configId="thinking", value="high")
        result = client.request(
            "session/set_config_option", sessionId=session, configId="model", value="sprint"
        )

    thinking = result["configOptions"][2]
    assert thinking["currentValue"] == "low"
    assert [option["value"] for option in thinking["options"]] == ["off", "low"]


@pytest.mark.parametrize(
    ("config_id", "value"), [("model", "gpt"), ("nothing", "x"), ("web", "true"), ("mode", True)]
)
def test_unknown_options_and_values_are_refused(tmp_path: Path, config_id: str, value: Any) -> None:
    with demo() as client:
        session = client.new_session(tmp_path)
        with pytest.raises(Failure) as failure:
            client.request("session/set_config_option", sessionId=session, configId=config_id, value=value)

    assert failure.value.code == -32602


def cancel_at(client: Client, session: str, text: str, method: str) -> Message:
    """Send a prompt, cancel it when the agent requests `method`, and return the answer."""
    number = client.begin_prompt(session, text)
    client.read_until(is_request(method))
    client.notify("session/cancel", sessionId=session)
    return client.result(number)


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("/file", "session/request_permission"),
        ("/edit", "fs/read_text_file"),
        ("/form", "elicitation/create"),
        ("/parallel", "session/request_permission"),
        ("/hang", "session/update"),
        ("/long 100000", "session/update"),
    ],
)
def test_a_turn_is_cancelled_wherever_it_is(tmp_path: Path, text: str, method: str) -> None:
    with demo(open_at(method)) as client:
        session = client.new_session(tmp_path)
        client.read_until(lambda message: message.get("params", {}).get("update", {}).get("used") is not None)

        assert cancel_at(client, session, text, method) == {"stopReason": "cancelled"}

        last = {
            each["toolCallId"]: each.get("status") for each in client.updates(session, "tool_call_update")
        }
        assert set(last.values()) <= {"completed", "failed"}  # nothing is left open
        assert client.prompt(session, "/refuse") == {"stopReason": "refusal"}


def test_cancelling_kills_the_command_and_gives_its_terminal_back(tmp_path: Path) -> None:
    asked: list[str] = []
    lent = lend()

    def answer(method: str, params: Message) -> Any:
        asked.append(method)
        return None if method == "terminal/wait_for_exit" else lent(method, params)

    with demo(answer) as client:
        session = client.new_session(tmp_path)
        result = cancel_at(client, session, "/run sleep 1000", "terminal/wait_for_exit")

    assert result == {"stopReason": "cancelled"}
    assert asked[-4:] == ["terminal/wait_for_exit", "terminal/kill", "terminal/output", "terminal/release"]


def test_a_cancelled_request_cancels_the_turn(tmp_path: Path) -> None:
    with demo() as client:
        session = client.new_session(tmp_path)
        number = client.begin_prompt(session, "/hang")
        client.notify("$/cancel_request", requestId=str(number))  # not the same id
        client.notify("$/cancel_request", requestId=number)

        assert client.result(number) == {"stopReason": "cancelled"}


def test_a_turn_that_hangs_hard_ignores_its_cancel(tmp_path: Path) -> None:
    with demo() as client:
        session = client.new_session(tmp_path)
        client.begin_prompt(session, "/hang hard")
        client.notify("session/cancel", sessionId=session)
        with pytest.raises(Failure, match="already"):
            client.prompt(session, "/scenes")


def test_two_sessions_work_at_once(tmp_path: Path) -> None:
    with demo() as client:
        first, second = client.new_session(tmp_path), client.new_session(tmp_path)
        waiting = client.begin_prompt(first, "/hang")

        assert client.prompt(second, "/scenes") == {"stopReason": "end_turn"}

        client.notify("session/cancel", sessionId=first)
        assert client.result(waiting) == {"stopReason": "cancelled"}
        assert "demo agent" in client.text(second)


@pytest.mark.slow
def test_loading_replays_what_was_said_before_it_answers(tmp_path: Path) -> None:
    with demo(sessions=tmp_path / "kept") as client:
        session = client.new_session(tmp_path)
        client.prompt(session, "/run true")
        said = client.text(session)

    with demo(sessions=tmp_path / "kept") as client:
        [info] = client.request("session/list", cwd=str(tmp_path))["sessions"]
        assert (info["sessionId"], info["title"], info["cwd"]) == (session, "/run true", str(tmp_path))
        number = client.begin("session/load", sessionId=session, cwd=str(tmp_path), mcpServers=[])
        result = client.result(number)
        replayed = client.updates(session)

        assert result["modes"]["currentModeId"] == "ask"
        assert replayed[0]["content"]["text"] == "/run true"
        assert client.text(session) == said
        shown = [each["content"] for each in replayed if isinstance(each.get("content"), list)]
        assert "4 passed" in str(shown)
        assert '"terminal"' not in str(shown)
        assert client.prompt(session, "/scenes") == {"stopReason": "end_turn"}


def test_a_fork_begins_with_what_was_said_and_goes_its_own_way(tmp_path: Path) -> None:
    with demo() as client:
        session = client.new_session(tmp_path)
        client.prompt(session, "/scenes")
        result = client.request("session/fork", sessionId=session, cwd=str(tmp_path), mcpServers=[])
        fork = result["sessionId"]

        assert fork != session
        assert client.text(fork) == client.text(session)
        client.prompt(fork, "/fill")
        assert client.text(fork) != client.text(session)
        with pytest.raises(Failure):
            client.request("session/fork", sessionId="none", cwd=str(tmp_path), mcpServers=[])


def test_resuming_replays_nothing(tmp_path: Path) -> None:
    with demo() as client:
        session = client.new_session(tmp_path)
        client.prompt(session, "/scenes")
        client.request("session/close", sessionId=session)
        client.received.clear()
        client.request("session/resume", sessionId=session, cwd=str(tmp_path))

    assert client.updates(session) == []


def test_closing_ends_the_turn_and_the_session_can_still_be_listed(tmp_path: Path) -> None:
    with demo() as client:
        session = client.new_session(tmp_path)
        number = client.begin_prompt(session, "/hang")
        client.request("session/close", sessionId=session)

        assert client.result(number) == {"stopReason": "cancelled"}
        assert len(client.request("session/list")["sessions"]) == 1
        with pytest.raises(Failure):
            client.prompt(session, "/scenes")


def test_deleting_forgets_and_may_be_done_twice(tmp_path: Path) -> None:
    with demo(sessions=tmp_path / "kept") as client:
        session = client.new_session(tmp_path)
        client.prompt(session, "/scenes")
        assert len(list((tmp_path / "kept").iterdir())) == 1
        client.request("session/delete", sessionId=session)
        client.request("session/delete", sessionId=session)

        assert client.request("session/list") == {"sessions": []}
        assert list((tmp_path / "kept").iterdir()) == []


def test_the_list_comes_in_pages(tmp_path: Path) -> None:
    with demo() as client:
        made = {client.new_session(tmp_path) for _ in range(25)}
        first = client.request("session/list")
        second = client.request("session/list", cursor=first["nextCursor"])

    assert {each["sessionId"] for each in first["sessions"] + second["sessions"]} == made
    assert "nextCursor" not in second


def test_a_broken_file_of_a_session_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text('{"session_id": 1')
    with demo(sessions=tmp_path) as client:
        assert client.request("session/list") == {"sessions": []}
    assert (tmp_path / "bad.json").exists()


@pytest.mark.slow
def test_it_ends_when_the_client_closes_its_end(tmp_path: Path) -> None:
    with demo() as client:
        session = client.new_session(tmp_path)
        client.begin_prompt(session, "/hang")
        assert client.process.stdin is not None
        client.process.stdin.close()

        assert client.process.wait(5) == 0


def test_it_needs_nothing_of_ours_and_little_of_python() -> None:
    code = (
        "import sys\nsys.argv = ['demo']\nimport runpy\n"
        "runpy.run_module('acp_tui.demo', run_name='__main__')\n"
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], input=b"", capture_output=True, check=True)
    loaded = done.stderr.decode().split()

    ours = [name for name in loaded if name.startswith("acp_tui.")]
    assert ours
    assert all(name.startswith("acp_tui.demo") for name in ours)
    assert not {"asyncio", "dataclasses", "pydantic", "platformdirs"} & set(loaded)
