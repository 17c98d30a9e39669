"""Tests of `ui/session_screen/sandbox.py`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from acp_tui.conversation.agent_start import sandboxed_workspaces
from acp_tui.store.settings import SandboxSettings, Settings
from acp_tui.ui.screens.menu import Menu
from acp_tui.ui.screens.texts import SessionDetailsScreen
from acp_tui.ui.session_screen.links import file_of
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
    return Settings(journal=False, policy="allow-everything", sandbox=SandboxSettings(use="on", **more))


async def failed(here: Seat, words: str) -> None:
    """Have the agent report a command that failed with these words."""
    text = {"type": "content", "content": {"type": "text", "text": words}}
    call = {"kind": "tool_call", "toolCallId": words, "title": "Try", "status": "failed", "content": [text]}
    await here.say(f"updates {json.dumps([call])}")


@needs_fenced_agent
async def test_the_status_line_and_the_details_say_that_the_agent_is_fenced(home: Path) -> None:
    async with seat(home / "work", fenced(network="off")) as here:
        await here.sees("sandbox fenced, no network")

        await here.press("alt+i")
        await here.is_before(SessionDetailsScreen)
        await here.sees("fenced, no network, by bubblewrap", str(home / "work"), "network: none")


async def test_without_a_sandbox_nothing_is_said_of_it(home: Path) -> None:
    async with seat(home / "work") as here:
        await here.sees("asks before everything")
        assert "fenced" not in here.text

        await here.say("/sandbox")
        await here.is_before(Menu)
        await here.sees("This agent has all of your rights")
        await here.press("escape")
        await here.until(lambda: not isinstance(here.app.screen, Menu))
        assert "fenced" not in here.text


@needs_fenced_agent
async def test_it_is_offered_once_in_a_workspace(home: Path) -> None:
    async with seat(home / "work") as here:
        await here.sees("/sandbox  puts this agent into a fence")
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
        await here.sees("fenced")
    async with seat(home / "work") as here:
        await here.sees("fenced")

        await here.say("/sandbox")
        await here.is_before(Menu)
        await here.sees("Not always in this workspace")
        await here.press("enter")
        await here.until(lambda: sandboxed_workspaces().state(str(home / "work")) == "offered")


@needs_fenced_agent
async def test_a_refused_write_is_named_at_its_call_and_allowed_at_once(home: Path) -> None:
    async with seat(home / "work", fenced()) as here:
        await failed(here, "touch: cannot touch '~/other/new': Read-only file system")
        await here.sees("outside the sandbox: ~/other/new (write)", "/sandbox allows it for this session")

        await here.say("/sandbox")
        await here.is_before(Menu)
        await here.sees("Allow writing ~/other/new")
        await here.press("enter")
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
