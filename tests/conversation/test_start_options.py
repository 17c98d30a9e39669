"""Tests of `conversation/start_options.py`: an agent in the sandbox that the user wants, or not at all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from acp_tui.conversation.session_start import KnownSession
from acp_tui.conversation.start_options import SandboxOption, Start, sandboxed_workspaces
from acp_tui.protocol.schema import SessionInfo
from acp_tui.sandbox import machine
from acp_tui.store.agents import KnownAgent
from acp_tui.store.settings import SandboxSettings, Settings
from acp_tui.workspace.guard import Guard
from tests.conversation.talks import launch, said, start, talk
from tests.sandbox.fences import lay_out, needs_fenced_agent
from tests.waiting import until


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "ours"))


@pytest.mark.parametrize(
    ("option", "workspace", "own", "use", "wanted"),
    [
        ("", "", None, "off", False),
        ("", "", None, "on", True),
        ("", "", True, "off", True),
        ("", "", False, "on", False),
        ("", "on", False, "off", True),
        ("", "offered", None, "off", False),
        ("on", "", False, "off", True),
        ("partial", "", None, "off", True),
        ("off", "on", True, "on", False),
    ],
)
def test_the_command_line_comes_before_the_workspace_the_agents_own_setting_and_the_one_for_all(
    option: SandboxOption, workspace: str, own: bool | None, use: str, wanted: bool
) -> None:
    sandboxed_workspaces().keep("/w", workspace)
    settings = Settings(sandbox=SandboxSettings(use="on" if use == "on" else "off"))
    known = {"plain": KnownAgent("plain", sandbox=own)}

    assert Start("/w", settings, Guard(), known, sandbox=option).wants_sandbox(launch()) is wanted


def test_a_new_session_of_the_agent_of_the_command_line_begins_in_its_mode(tmp_path: Path) -> None:
    began = replace(start(tmp_path), mode="plan")

    assert began.for_another_tab(launch()).mode == "plan"
    assert began.for_another_tab(launch()._replace(name="other")).mode is None
    assert began.for_another_tab().mode is None


async def test_without_a_fence_the_agent_is_not_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "try_fences", lambda: machine.Trial(None, "no namespaces here"))
    async with talk(start(tmp_path), sandbox="on") as (conversation, _):
        await conversation.begin()

        assert conversation.phase == "failed"
        assert conversation.failure is not None
        assert "This machine has no sandbox: no namespaces here." in conversation.failure.reason
        assert conversation.failure.advice
        assert conversation.running is None


@needs_fenced_agent
async def test_the_agent_and_its_commands_are_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = lay_out(tmp_path / "home")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    settings = Settings(journal=False, policy="allow-everything", sandbox=SandboxSettings(use="on"))
    async with talk(start(work, settings)) as (conversation, _):
        await conversation.begin()
        line = "cat ~/.ssh/id 2>&1; (echo x > ~/new) 2>&1; echo x >> made; echo done"
        for way in ("sh", "terminal"):
            conversation.say(f"{way} {line}")
        await until(lambda: " ".join(said(conversation)).count("done") == 4)

        assert conversation.running is not None
        assert conversation.running.sandbox is not None
        temporary = Path(conversation.running.sandbox.fence.temp)
        assert temporary.exists()
        assert "the key" not in " ".join(said(conversation))
        assert (work / "made").read_text() == "x\nx\n"

    assert not (tmp_path / "home" / "new").exists()
    assert not temporary.exists()


@needs_fenced_agent
async def test_a_session_in_another_folder_is_told_to_be_read_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = lay_out(tmp_path / "home")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    given = replace(start(work, can={"loadSession": True}), sandbox="on")
    there = SessionInfo(session_id="s7", cwd=str(tmp_path / "home" / "other"))
    async with talk(given, KnownSession(there)) as (conversation, _):
        await conversation.begin()

        assert conversation.phase == "ready"
        assert "The sandbox keeps this folder read-only." in said(conversation)


@needs_fenced_agent
async def test_a_restart_has_a_sandbox_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = lay_out(tmp_path / "home")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    given = replace(start(work), sandbox="on")
    async with talk(given) as (conversation, _):
        await conversation.begin()
        assert conversation.running is not None
        first = conversation.running.sandbox
        await conversation.restart()
        assert conversation.running is not None

        assert conversation.phase == "ready"
        assert conversation.running.sandbox is not None
        assert conversation.running.sandbox is not first
        assert first is not None
        assert not Path(first.fence.temp).exists()
