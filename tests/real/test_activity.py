"""Subagents, commands that outlive their turn, and plans of real agents."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from tests.real.dialects.answer import Use
from tests.real.installed import installed
from tests.real.model import Say
from tests.real.run import ARMED, ENTER, ESCAPE, running

pytestmark = [pytest.mark.real, pytest.mark.slow]

_BESIDE: Final = "works in the background (1)"
_COMMAND: Final = "until [ -e go ]; do sleep 0.2; done; echo late"
_LONG: Final = Say(" ".join(f"on{number}" for number in range(200)), pause=0.2)

LEFT_RUNNING: Final[dict[str, dict[str, object]]] = {
    "claude": {"run_in_background": True},
    "codex": {"yield_time_ms": 1000},
}
"""Arguments with which a command outlives its turn, by agent."""


@pytest.mark.parametrize("protocol", [1, 2])
@pytest.mark.parametrize("name", LEFT_RUNNING)
def test_a_command_that_outlives_its_turn_is_shown_until_its_end(
    name: str, protocol: int, tmp_path: Path
) -> None:
    agent, programs = installed(name)
    with running(replace(agent, protocol=protocol), programs, tmp_path) as run:  # type: ignore[arg-type]
        command = agent.use("run", command=_COMMAND)
        arguments = {**command.arguments, **LEFT_RUNNING[name]}
        run.say("Wait for it", Use(command.tool, arguments), Say("It goes on."))
        while ARMED in (screen := run.terminal.until(lambda s: ARMED in s or _BESIDE in s)):
            run.answer("y")
        assert re.search(r"● run .* in the background", screen), screen

        (run.workspace / "go").touch()
        screen = run.terminal.until(lambda screen: "  ready" in screen and "  works " not in screen)
        assert re.search(r"✓ run ", screen), screen


def test_a_question_to_leave_plan_mode_shows_the_plan(tmp_path: Path) -> None:
    agent, programs = installed("claude")
    with running(replace(agent, mode="plan"), programs, tmp_path) as run:
        plan = "# Big plan\n\n1. Read the **notes**\n"
        run.say("Make a plan", Use("ExitPlanMode", {"plan": plan}), Say("It is accepted."))
        screen = run.terminal.until(ARMED)
        assert "wants to change its mode" in screen
        assert re.search("│ Big plan", screen), screen
        assert re.search("│ 1. Read the notes", screen), screen
        run.answer("y")

        screen = run.settled("It is accepted.")
        assert re.search(r"─ plan ─.*\n.*│ Big plan\n", screen), screen


def test_a_subagent_asks_in_its_own_name(tmp_path: Path) -> None:
    agent, programs = installed("claude")
    with running(agent, programs, tmp_path, {"poem.txt": "roses are red\n"}) as run:
        poem, task = run.workspace / "poem.txt", "Paint the roses"
        change = agent.use("edit", path=poem, old="roses are red", new="roses are white")
        run.model.script[task] = [agent.use("read", path=poem), change, Say("They are painted.")]
        run.say("Ask a painter", agent.use("subagent", name="Painter", task=task), Say("White they are."))
        assert "Painter of Claude Agent wants to change files" in run.terminal.until(ARMED)
        run.terminal.until(r"▸ Painter")

        screen = run.finish("White they are.")
        assert poem.read_text() == "roses are white\n"
        assert "M poem.txt" in screen


def test_a_subagent_survives_the_stop_of_its_parent_and_is_stopped_alone(tmp_path: Path) -> None:
    agent, programs = installed("claude")
    with running(agent, programs, tmp_path) as run:
        start = agent.use("subagent", name="Painter", task="Paint on and on")
        run.model.script["Paint on and on"] = [_LONG]
        run.say("Ask a painter", Use(start.tool, {**start.arguments, "run_in_background": True}), _LONG)
        run.terminal.until("on5 ")
        run.terminal.type(ESCAPE)
        screen = run.terminal.until(lambda screen: "Cancelled." in screen and _BESIDE in screen)
        assert re.search(r"▸ Painter .* running ", screen), screen

        run.model.script["Ask a painter"][1] = Say("So be it.")  # it wakes when it hears of the end
        run.terminal.type("/tasks")
        run.terminal.until("› /tasks")
        run.press_until(ENTER, lambda screen: "Enter stops it" in screen)
        run.press_until(ENTER, lambda screen: "Enter stops it" not in screen)
        run.terminal.until(lambda screen: re.search(r"▸ Painter .* stopped ", screen))
