"""Tests of `ui/session_screen/agent/sandbox.py`."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest

from acp_tui.conversation.start_options import sandboxed_workspaces
from acp_tui.store.agents import Launch
from acp_tui.store.settings import SandboxSettings, Settings
from acp_tui.ui.screens.base.menu import Menu
from acp_tui.ui.screens.base.text_screens import SessionDetailsScreen
from acp_tui.ui.screens.review.changes import ChangesScreen
from acp_tui.ui.screens.start import FailureScreen
from acp_tui.ui.session_screen.review.links import file_of
from tests.conversation.talks import PLAIN, start
from tests.sandbox.fences import lay_out, needs_fenced_agent
from tests.ui.seats import Seat, seat

pytestmark = pytest.mark.slow


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    lay_out(tmp_path / "home")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home" / "ours"))
    return tmp_path / "home"


def fenced(**more: Any) -> Settings:
    return PLAIN._replace(policy="allow-everything", sandbox=SandboxSettings(use="on", **more))


async def failed(here: Seat, words: str) -> None:
    """Have the agent report a command that failed with these words."""
    text = {"type": "content", "content": {"type": "text", "text": words}}
    call = {"kind": "tool_call", "toolCallId": words, "title": "Try", "status": "failed", "content": [text]}
    await here.say(f"updates {json.dumps([call])}")


@needs_fenced_agent
async def test_the_status_line_and_the_details_say_that_the_agent_is_fenced(home: Path) -> None:
    async with seat(home / "work", fenced(network="off")) as here:
        await here.sees("sandbox on, no network")

        await here.press("alt+i")
        await here.is_before(SessionDetailsScreen)
        await here.sees("sandboxed, no network, by bubblewrap", str(home / "work"), "network: none")


async def test_without_a_sandbox_nothing_is_said_of_it(home: Path) -> None:
    async with seat(home / "work") as here:
        await here.sees("asks before everything")
        assert "sandboxed" not in here.text

        await here.say("/sandbox")
        await here.is_before(Menu)
        await here.sees("This agent has all of your rights")
        await here.press("escape")
        await here.until(lambda: not isinstance(here.app.screen, Menu))
        assert "sandboxed" not in here.text


@needs_fenced_agent
async def test_it_is_offered_once_in_a_workspace(home: Path) -> None:
    async with seat(home / "work") as here:
        await here.sees("/sandbox  runs this agent in a sandbox")
    async with seat(home / "work") as here:
        await here.sees("ready")
        await here.say("sh echo done")
        await here.until(lambda: here.said[-1:] == ["done\n"])
        assert sandboxed_workspaces().state(str(home / "work")) == "offered"


@needs_fenced_agent
async def test_the_agent_is_restarted_in_it_and_always_in_this_workspace(home: Path) -> None:
    async with seat(home / "work") as here:
        await here.sees("ready")
        await here.say("/sandbox")
        await here.is_before(Menu)
        await here.press("down", "enter")
        await here.sees("sandboxed")
    async with seat(home / "work") as here:
        await here.sees("sandboxed")

        await here.say("/sandbox")
        await here.is_before(Menu)
        await here.sees("Not always in this workspace")
        await here.press("enter")
        await here.until(lambda: sandboxed_workspaces().state(str(home / "work")) == "offered")


@needs_fenced_agent
async def test_a_refused_write_is_named_at_its_call_and_allowed_at_once(home: Path) -> None:
    async with seat(home / "work", fenced()) as here:
        await failed(here, "touch: cannot touch '~/other/new': Read-only file system")
        await here.sees("outside the sandbox: ~/other/new (write)", "a on this call, or /sandbox, allows it")

        await here.say("/sandbox")
        await here.is_before(Menu)
        await here.sees("Allow writing ~/other/new")
        await here.press("enter")
        await here.sees("Let the agent write all of ~/", "needs that")
        await here.press("2")
        await here.sees("The sandbox lets ~/other be written until this session ends.")
        await here.say("sh echo by-the-agent > ~/other/new; cat ~/other/new")
        await here.until(lambda: (home / "other" / "new").exists())

    assert (home / "other" / "new").read_text() == "by-the-agent\n"


@needs_fenced_agent
async def test_a_secret_is_asked_for_again_and_no_is_the_first_answer(home: Path) -> None:
    async with seat(home / "work", fenced()) as here:
        await failed(here, "cat: ~/.ssh/id: No such file or directory")
        await here.sees("hidden by the sandbox: ~/.ssh/id")

        for answer in (["enter"], ["down", "enter"]):
            await here.say("/sandbox")
            await here.is_before(Menu)
            await here.sees("Allow reading ~/.ssh")
            await here.press("enter")
            await here.sees("~/.ssh may hold secrets", "can send what it reads")
            assert "The sandbox lets" not in here.text
            await here.press(*answer)
            await here.until(lambda: not isinstance(here.app.screen, Menu))
        await here.sees("The sandbox lets ~/.ssh be read until this session ends.")
        await here.say("sh cat ~/.ssh/id | tr k K")
        await here.sees("the Key")


@needs_fenced_agent
async def test_a_link_into_tmp_leads_to_the_agents_own(home: Path) -> None:
    async with seat(home / "work", fenced()) as here:
        await here.say("sh echo made-inside > /tmp/report.txt; echo made")
        await here.until(lambda: here.said[-1:] == ["made\n"])

        found = file_of("file:///tmp/report.txt", str(home / "work"), here.conversation.outside)

        assert found is not None
        assert found.read_text() == "made-inside\n"
        assert file_of("file:///tmp/report.txt", str(home / "work")) is None


@needs_fenced_agent
async def test_our_own_folders_stay_closed(home: Path) -> None:
    async with seat(home / "work", fenced()) as here:
        await failed(here, "cat: ~/ours/data/journals: No such file or directory")
        await here.sees("hidden by the sandbox: ~/ours/data/journals")

        await here.say("/sandbox")
        await here.is_before(Menu)
        await here.press("enter")
        await here.sees("may hold secrets")
        await here.press("down", "enter")
        await here.until(lambda: any("own folders stay closed" in str(one.message) for one in here.notices))


@needs_fenced_agent
async def test_the_key_at_a_call_allows_what_was_refused_to_it(home: Path) -> None:
    async with seat(home / "work", fenced()) as here:
        await failed(here, "touch: cannot touch '~/other/new': Read-only file system")
        await here.sees("a on this call, or /sandbox, allows it")

        await here.press("f2", "a")
        await here.sees("Let the agent write all of ~/", "needs that")
        await here.press("2")
        await here.sees("The sandbox lets ~/other be written", 'write = ["~/other"]')
        await here.press("ctrl+l")
        await here.say("sh echo by-the-agent > ~/other/new; cat ~/other/new")
        await here.until(lambda: (home / "other" / "new").exists())


@needs_fenced_agent
async def test_the_key_at_a_call_asks_about_a_secret_and_opens_one_of_several(home: Path) -> None:
    words = "cat: ~/.ssh/id: No such file or directory\\ntouch: '~/other/new': Read-only file system"
    async with seat(home / "work", fenced()) as here:
        await failed(here, words.replace("\\n", "\n"))
        await here.sees("hidden by the sandbox: ~/.ssh/id")

        await here.press("f2", "a")
        await here.is_before(Menu)
        await here.sees("The sandbox has refused to this call", "Allow reading ~/.ssh")
        await here.press("enter")
        await here.sees("~/.ssh may hold secrets")
        await here.press("escape")
        assert "The sandbox lets" not in here.text


async def test_without_a_sandbox_the_key_is_no_key(home: Path) -> None:
    async with seat(home / "work") as here:
        await here.say("sh echo done")
        await here.until(lambda: here.said[-1:] == ["done\n"])

        await here.press("f2", "a")
        await here.until(lambda: here.draft == "a")


@needs_fenced_agent
async def test_what_is_opened_stays_open_when_the_agent_is_restarted(home: Path) -> None:
    async with seat(home / "work", fenced()) as here:
        await failed(here, "touch: cannot touch '~/other/new': Read-only file system")
        await here.sees("outside the sandbox: ~/other/new")
        await here.press("f2", "a")
        await here.sees("Let the agent write all of ~/", "needs that")
        await here.press("2")
        await here.sees("The sandbox lets ~/other be written")

        await here.press("f12")
        await here.until(lambda: here.conversation.phase == "ready" and here.conversation.sandbox is not None)
        assert here.conversation.sandbox is not None
        assert here.conversation.sandbox.fence.access(str(home / "other" / "new")) == "write"


@needs_fenced_agent
async def test_a_folder_of_an_unknown_agent_is_made_when_it_is_allowed(home: Path) -> None:
    async with seat(home / "work", fenced()) as here:
        await failed(here, "Error: EROFS: read-only file system, mkdir '~/.mine/logs'")
        await here.sees("outside the sandbox: ~/.mine/logs (write)")
        await here.press("f2", "a")
        await here.sees("Let the agent write all of ~/", "needs that")
        await here.press("2")
        await here.sees("The sandbox lets ~/.mine be written")
        await here.press("ctrl+l")

        await here.say("sh mkdir ~/.mine/logs && echo made")
        await here.until(lambda: here.said[-1:] == ["made\n"])


def odd_agent(home: Path, needs: str = "") -> Launch:
    """Return an agent that keeps something below the home, which nobody has named."""
    plain = start(home / "work", Settings()).launch
    assert plain is not None
    line = 'mkdir -p "$MINE" && touch "$MINE/log" || test -z "$NEEDS" || exit 1; exec "$@"'
    env = {**plain.env, "MINE": str(home / ".mine"), "NEEDS": needs}
    return plain._replace(argv=("sh", "-c", line, "sh", *plain.argv), name="odd", env=env)


@needs_fenced_agent
async def test_places_that_an_agent_needs_for_itself_are_reported_once_it_is_ready(home: Path) -> None:
    async with seat(home / "work", fenced(), given=odd_agent(home)) as here:
        await here.sees("The sandbox keeps the agent from writing ~/.mine")


@needs_fenced_agent
async def test_an_agent_that_cannot_start_without_its_folder_is_started_with_it(home: Path) -> None:
    async with seat(home / "work", fenced(), given=odd_agent(home, needs="1"), ready=False) as here:
        await here.is_before(FailureScreen)
        await here.sees("The sandbox keeps it from writing ~/.mine", "Allow it and retry")
        await here.press("w")
        await here.until(lambda: here.conversation.phase == "ready")

    assert (home / ".mine" / "log").exists()


@needs_fenced_agent
async def test_the_editor_opens_the_agents_own_file_of_tmp(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edited: list[str] = []

    async def open_in_editor(app: object, path: Path, line: int) -> str:
        edited.append(path.read_text())
        return ""

    monkeypatch.setattr("acp_tui.ui.screens.base.editor.open_in_editor", open_in_editor)
    diff = {"type": "diff", "path": "/tmp/report.txt", "oldText": "made", "newText": "made-inside"}
    call = {"kind": "tool_call", "toolCallId": "w", "title": "Write", "status": "completed"}
    async with seat(home / "work", fenced()) as here:
        await here.say("sh echo made-inside > /tmp/report.txt; echo made")
        await here.until(lambda: here.said[-1:] == ["made\n"])
        await here.say(f"updates {json.dumps([{**call, 'content': [diff]}])}")
        await here.sees("M /tmp/report.txt")

        here.session.edit_file("/tmp/report.txt", 1)
        await here.until(lambda: edited == ["made-inside\n"])
        await here.until(lambda: not here.conversation.is_busy)
        await here.session.action_run("session.review")
        await here.is_before(ChangesScreen)
        await here.sees("made-inside")
        await here.press("e")
        await here.until(lambda: edited == ["made-inside\n"] * 2)


@needs_fenced_agent
async def test_a_mentioned_file_of_tmp_is_the_users_and_there_for_the_agent(home: Path) -> None:
    with tempfile.NamedTemporaryFile("w", dir="/tmp", suffix=".txt") as mine:
        mine.write("attached\n")
        mine.flush()
        async with seat(home / "work", fenced()) as here:
            await here.say(f"look at @{mine.name}")
            await here.until(lambda: here.conversation.session and not here.conversation.is_busy)
            await here.say(f"sh cat {mine.name}")
            await here.until(lambda: here.said[-1:] == ["attached\n"])


@needs_fenced_agent
async def test_a_strict_sandbox_can_be_chosen_for_a_session(home: Path) -> None:
    async with seat(home / "work") as here:
        await here.say("/sandbox")
        await here.is_before(Menu)
        await here.press("3")
        await here.sees("sandboxed, home hidden")
        await here.say("sh ls -A ~ | grep -c other; echo looked")
        await here.until(lambda: here.said[-1:] == ["0\nlooked\n"])


@needs_fenced_agent
async def test_new_files_that_a_program_outside_runs_are_reported_after_the_turn(home: Path) -> None:
    async with seat(home / "work", fenced()) as here:
        await here.say("sh echo id > .mise.toml; echo x > .git/commondir; echo x >> .envrc; echo x > new")
        await here.sees("New in the workspace: .mise.toml, .git/commondir.", "look at it first")
        await here.say("sh echo again")
        await here.until(lambda: here.said[-1:] == ["again\n"] and not here.conversation.is_busy)

        assert here.text.count("New in the workspace") == 1
        assert ".envrc" not in here.text.partition("New in the workspace")[2]
