"""Getting a conversation its agent."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from acp_tui.agent.process import SpawnFailed
from acp_tui.conversation.agents import Connecting, RunningAgent, mode_named
from acp_tui.protocol.schema import BooleanOption, OptionValue, SelectOption
from acp_tui.session.change import SessionChange
from acp_tui.session.options import Option
from acp_tui.store.launch import Launch
from tests.conversation.talks import start
from tests.waiting import PATIENCE


class Hearer:
    """A conversation of which nothing is wanted."""

    def changed(self, session_id: str, change: SessionChange) -> None:
        """Nothing is shown here."""

    async def agent_stopped(self) -> None:
        pass

    def agent_ended(self) -> None:
        """Nothing is shown here."""

    def follow(self, running: RunningAgent) -> None:
        raise AssertionError("nobody has logged in")


async def test_an_agent_is_started_once_and_ended_by_the_last_who_leaves(tmp_path: Path) -> None:
    given = start(tmp_path)
    first = Connecting(given, Hearer(), None)
    running = first.start()
    assert first.start() is running
    second = Connecting(given, Hearer(), running)
    assert second.launch is running.launch

    await first.end(None)
    assert running.is_running
    await second.end(None)
    assert not running.is_running
    given.guard.close()


async def test_who_leaves_while_too_much_is_to_be_drawn_holds_the_others_not_back(tmp_path: Path) -> None:
    given = start(tmp_path)
    first = Connecting(given, Hearer(), None)
    running = first.start()
    second = Connecting(given, Hearer(), running)
    first.hold()

    await first.end(None)
    async with asyncio.timeout(PATIENCE):
        await running.introduce()  # heard by the read that was under way
        session = await running.agent.setup.new_session(str(tmp_path))
    assert session.id == "s1"
    await second.end(None)
    given.guard.close()


async def test_an_agent_ends_when_all_leave_at_the_same_time_however_long_its_goodbyes_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_tui.agent.agent._CLOSING", 300.0)
    given = start(tmp_path, can={"sessionCapabilities": {"close": {}}}, ignores="session/close")
    first = Connecting(given, Hearer(), None)
    running = first.start()
    second = Connecting(given, Hearer(), running)
    await running.introduce()
    sessions = [await running.agent.setup.new_session(str(tmp_path)) for _ in range(2)]

    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(first.end(sessions[0]), second.end(sessions[1]))
    assert not running.is_running
    assert not running.hearers
    given.guard.close()


async def test_a_failure_of_the_start_is_told_once_and_then_it_is_tried_again(tmp_path: Path) -> None:
    failed = SpawnFailed("It cannot be started.", "Try again.")
    given = start(tmp_path)._replace(spawn_error=failed)
    connecting = Connecting(given, Hearer(), None)

    with pytest.raises(SpawnFailed) as told:
        connecting.start()
    assert told.value is failed
    running = connecting.start()
    assert running.is_running
    await connecting.end(None)
    given.guard.close()


async def test_what_cannot_be_started_leaves_nothing_behind(tmp_path: Path) -> None:
    given = start(tmp_path)._replace(launch=Launch("none", "None", (str(tmp_path / "not there"),)))
    connecting = Connecting(given, Hearer(), None)

    with pytest.raises(SpawnFailed):
        connecting.start()
    assert connecting.running is None
    assert connecting.process is None
    connecting.launch = Launch("python", "Python", (sys.executable, "-c", "input()"))
    assert connecting.start().is_running
    await connecting.end(None)
    given.guard.close()


MODES = [
    OptionValue(value="https://example.com/modes#plan", name="Plan first"),
    OptionValue(value="plan-b", name="Plan"),
    OptionValue(value="code", name="Code"),
]


def option(choices: list[OptionValue]) -> Option:
    config = SelectOption(id="mode", name="Mode", category="mode", current_value="code", options=[*choices])
    return Option(config, "set_mode")


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        ("code", "code"),
        ("CODE", "code"),
        ("plan", "https://example.com/modes#plan"),
        ("plan first", "https://example.com/modes#plan"),
        ("plan-b", "plan-b"),
        ("yolo", None),
        ("", None),
    ],
)
def test_a_mode_is_meant_by_its_id_the_end_of_it_or_its_name(name: str, mode: str | None) -> None:
    assert mode_named(option(MODES), name) == mode


def test_without_modes_none_is_meant() -> None:
    assert mode_named(None, "code") is None
    switch = BooleanOption(id="mode", name="Mode", current_value=True)
    assert mode_named(Option(switch, "set_config_option"), "code") is None
