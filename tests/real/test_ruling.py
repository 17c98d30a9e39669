"""Rules before the questions of real agents: one is made in a dialog, one is written by hand."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.real.installed import installed
from tests.real.model import Say
from tests.real.run import ARMED, AT_REST, Run, running

pytestmark = [pytest.mark.real, pytest.mark.slow]

POEM: Final = "roses are red\nviolets are blue\n"
CTRL_S, ALT_D = "\x13", "\x1bd"

HANDS_OFF: Final = """
[[rules]]
decision = "deny"
command = "rm"
note = "nothing is removed"
"""


@pytest.mark.parametrize("name", ["gemini", "claude"])
def test_rules_answer_and_are_logged(name: str, tmp_path: Path) -> None:
    agent, programs = installed(name)
    with running(agent, programs, tmp_path, {"poem.txt": POEM}) as run:
        poem, rules = run.workspace / "poem.txt", run.home / ".config/acp-tui/rules.toml"
        edit_poem(run, "Make them white", "roses are red", "roses are white")
        make_rule_of_question(run)
        assert f'path = "{poem}"' in rules.read_text()
        run.answer("y")  # the rule counts from the next question on
        run.settled("Done: Make them white")

        edit_poem(run, "Make them green", "violets are blue", "violets are green")
        screen = unasked(run, "Done: Make them green")
        assert poem.read_text() == "roses are white\nviolets are green\n"
        assert "rules.toml:" in screen

        rules.write_text(f"{rules.read_text()}{HANDS_OFF}")
        remove = agent.use("run", command=f"rm {poem.name}")
        run.say("Remove the poem", remove, Say("Done: Remove the poem"))
        unasked(run, "(rule: nothing is removed, ")
        assert poem.exists()

        by_person, by_rule, denied = logged(run)
        assert (by_person["by"], by_person["detail"]) == ("person", "key y")
        assert (by_rule["by"], by_rule["chosen"]["kind"]) == ("rule", "allow_once")
        assert by_rule["detail"] == f"~/.config/acp-tui/rules.toml:{line_of(rules, 'allow')}"
        assert (denied["by"], denied["chosen"]["kind"]) == ("rule", "reject_once")
        assert denied["command"] == f"rm {poem.name}"
        assert denied["detail"].startswith("nothing is removed, ~/.config/acp-tui/rules.toml:")

        run.terminal.type(ALT_D)
        told = ("3 decisions", "rule: nothing is removed", "you: key y")
        run.terminal.until(lambda screen: all(text in screen for text in told))


def edit_poem(run: Run, prompt: str, old: str, new: str) -> None:
    """Have the agent change a line of the poem, and say so."""
    poem = run.workspace / "poem.txt"
    before = [run.agent.use("read", path=poem)] if run.agent.reads else []
    run.say(prompt, *before, run.agent.use("edit", path=poem, old=old, new=new), Say(f"Done: {prompt}"))


def make_rule_of_question(run: Run) -> None:
    """Take the rule that the dialog suggests as it is."""
    run.terminal.until(ARMED)
    run.terminal.type("m")
    run.terminal.until("It matches the current request")
    run.terminal.type(CTRL_S)
    run.terminal.until("Rule created")


def unasked(run: Run, text: str) -> str:
    """Return the screen that shows a text at the end of the turn; a question on the way is a failure."""
    screen = run.terminal.until(lambda screen: ARMED in screen or (text in screen and AT_REST in screen))
    assert ARMED not in screen, screen
    return screen


def logged(run: Run) -> list[dict[str, Any]]:
    """Return the decision log as the command prints it."""
    argv = [str(Path(sys.executable).with_name("acp-tui")), "log", "decisions", "--json"]
    printed = subprocess.run(argv, env=run.env, capture_output=True, text=True, check=True, timeout=30)
    return [json.loads(line) for line in printed.stdout.splitlines()]


def line_of(file: Path, decision: str) -> int:
    """Return the line, from 1, of the rule that decides so."""
    lines = file.read_text().splitlines()
    return lines.index("[[rules]]", 0, lines.index(f'decision = "{decision}"')) + 1
