"""Scenes about a session's plan, modes, commands and usage."""

from __future__ import annotations

from typing import Final

from acp_tui.demo.connection import Params
from acp_tui.demo.services import ALLOW_ONCE, REJECT_ONCE, ask
from acp_tui.demo.session import CONTEXT_SIZE
from acp_tui.demo.turn import DemoTurn

_STEPS: Final = (
    ("Find where `tally` parses its options", "high"),
    ("Add the option `--json`", "high"),
    ("Test it with words in several scripts: naïve, Ελλάδα, 日本語", "medium"),
    ("Describe it in the README", "low"),
)
_MORE: Final = (*_STEPS[:2], ("Keep the order of the counts (found on the way)", "high"), *_STEPS[2:])


def plan(turn: DemoTurn, rest: str) -> None:
    """Work through a growing plan."""
    turn.say("I will work through a plan; watch it.\n")
    for done in range(3):
        turn.plan(_STEPS, done)
        turn.pause(1.2)
    turn.think("The counts lose their order. One more step.")
    for done in range(2, len(_MORE) + 1):
        turn.plan(_MORE, done)
        turn.pause(1.2)
    turn.say("All five steps are done, including the one added on the way.")


def modes(turn: DemoTurn, rest: str) -> None:
    """Ask to leave the current mode, as after a plan."""
    options = turn.session.options
    wanted = "ask" if options.mode == "code" else "code"
    tool = turn.tool(f"Switch to {wanted} mode", "switch_mode", raw_input={"mode": wanted})
    yes = {**ALLOW_ONCE, "name": "Yes, proceed"}
    if ask(turn, tool, (yes, {**REJECT_ONCE, "name": "No, stay"})) is not yes:
        tool.finish("You want to stay.", failed=True)
        turn.say(f"We stay in {options.mode} mode.")
        return
    options.chosen["mode"] = wanted
    tool.finish()
    turn.session.update("current_mode_update", currentModeId=wanted)
    with_switches = turn.can("session", "configOptions", "boolean")
    turn.session.update("config_option_update", configOptions=options.listing(with_switches))
    turn.say(f"We are in {wanted} mode now.")


def change_commands(turn: DemoTurn, rest: str) -> None:
    """Replace the list of commands for a while."""
    short: list[Params] = [
        {"name": "scenes", "description": "this list"},
        {"name": "whisper", "description": "only here for a moment", "input": {"hint": "to whom"}},
    ]
    turn.session.update("available_commands_update", availableCommands=short)
    turn.say("For a few seconds there are only two commands, `/scenes` and `/whisper`.\n")
    turn.pause(6)
    turn.session.update("available_commands_update", availableCommands=turn.commands)
    turn.say("Now all are back.")


def usage(turn: DemoTurn, rest: str) -> None:
    """Fill the context beyond its size."""
    before = turn.session.used
    for percent in (25, 50, 75, 90, 98, 103):
        turn.session.used = CONTEXT_SIZE * percent // 100
        turn.session.send_usage()
        turn.pause(0.8)
    turn.say("That was too much, so I dropped the beginning.\n")
    turn.session.used = before
    turn.session.send_usage()
