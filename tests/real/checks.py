"""Checks of a real agent, from the prompt to the end of its processes."""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from acp_tui.protocol import version2
from acp_tui.ui.session_screen.command_functions import COMPACTS
from tests.real.agents import RealAgent
from tests.real.attaching import sessions_of
from tests.real.model import Say
from tests.real.run import (
    ALT_Q,
    ARMED,
    AT_REST,
    CTRL_Q,
    CTRL_Y,
    DOWN,
    ENTER,
    ESCAPE,
    F8,
    SHIFT_TAB,
    UP,
    Run,
    running,
    wait_for,
)
from tests.terminal import NeverShown

_CURRENT: Final = "▶"
"""Marks the value that an option has."""

_NO_WORD: Final = "The agent ended the turn without an answer."
"""Our words when an agent says nothing."""

_FAILURE: Final = f"not in the script|400|{_NO_WORD}"


class Cannot(Exception):
    """The agent does not offer what is checked; the text says what it lacks."""


@dataclass(frozen=True)
class Check:
    """One thing that a user does with an agent."""

    name: str
    about: str
    run: Callable[[Run], None]
    """Raises AssertionError when it does not work, Cannot when the agent does not offer it."""


def prompt(run: Run) -> None:
    """A part of the answer is shown while the rest is still to come."""
    words = [f"word{number}" for number in range(40)]
    run.say("Count for me", Say(" ".join(words), pause=0.05))
    run.terminal.until(lambda screen: "word3 " in screen and words[-1] not in screen)
    run.settled(words[-1])


def read(run: Run) -> None:
    poem = _poem(run)
    run.say("Read the poem", run.agent.use("read", path=poem), Say("A fine poem."))
    assert "✓ read" in run.finish("A fine poem.")


def edit(run: Run) -> None:
    """An edit that is allowed changes the file, and is listed among the changes."""
    poem = _poem(run)
    _wish_for_white(run, poem, "Make them white", Say("All white now."))
    if "edit" not in run.agent.unasked:
        run.terminal.until(ARMED)
        assert "red" in poem.read_text()
    screen = run.finish("All white now.")
    assert poem.read_text() == "roses are white\nviolets are blue\n"
    assert re.search("✓ (edit|tool)", screen), screen


def changes(run: Run) -> None:
    """The edit before is listed beside the chat."""
    poem = run.workspace / "poem.txt"
    assert poem.exists(), "nothing was edited before"
    assert "white" in poem.read_text(), "nothing was edited before"
    if "poem.txt" in _listed(run.terminal.screen):
        return
    if '"diff"' not in run.journal():
        raise Cannot("it reports no differences")
    run.terminal.until(lambda screen: "poem.txt" in _listed(screen))


def _listed(screen: str) -> str:
    """Return what stands in the pane of the changed files."""
    return screen.partition("─ changes ")[2]


def reject(run: Run) -> None:
    """An edit that is rejected changes nothing, and its card does not wait for ever."""
    if "edit" in run.agent.unasked:
        raise Cannot("it edits without asking")
    poem = _poem(run)
    _wish_for_white(run, poem, "Paint over them", Say("Red they stay."))
    run.answer("n")
    screen = run.terminal.until(lambda screen: AT_REST in screen)
    assert poem.read_text() == "roses are red\nviolets are blue\n"
    assert re.search("[⊘✗✓] (edit|tool)", screen), screen
    assert not re.search("[○●?] (edit|tool)", screen), screen


def command(run: Run) -> None:
    trace = run.workspace / "trace.txt"
    run.say("Leave a trace", run.agent.use("run", command="echo trace | tee trace.txt"), Say("It is left."))
    if "run" not in run.agent.unasked:
        assert "tee trace.txt" in run.terminal.until(ARMED)
        assert not trace.exists()
    screen = run.finish("It is left.")
    assert trace.read_text() == "trace\n"
    assert "✓ run" in screen, screen


def error(run: Run) -> None:
    """The user hears of a model that fails, from the agent or else from us, and can go on."""
    run.say("Please fail")
    run.terminal.until(
        lambda screen: AT_REST in screen and re.search(_FAILURE, _below("Please fail", screen))
    )
    _goes_on(run, "error", "Anybody there?")


def stop(run: Run) -> None:
    """Escape ends an answer in its middle, and the next prompt is answered."""
    run.say("Talk on", Say(" ".join(f"talk{number}" for number in range(300)), pause=0.2))
    run.terminal.until("talk5 ")
    run.terminal.type(ESCAPE)
    run.terminal.until(lambda screen: AT_REST in screen and "Cancelled." in _below("Talk on", screen), 10)
    _goes_on(run, "stop", "Still there?")
    assert "talk290" not in run.terminal.screen


def options(run: Run) -> None:
    """Another mode is agreed to by the agent; where it has no modes, another value of its last option."""
    before = _mode(run.terminal.screen)
    run.terminal.type(SHIFT_TAB)
    try:
        run.terminal.until(lambda _: '"method":"session/set_' in run.journal(), 5)
    except NeverShown:
        _choose_option(run)
    else:
        run.terminal.until(lambda screen: _mode(screen) not in (before, None))


def leave(run: Run) -> None:
    """The program ends at once, and nothing that it started is left."""
    if (
        run.first_prompt is None
    ):  # started again after a failure: a session in which nothing was said is not kept
        prompt(run)
    run.terminal.until(AT_REST)  # a turn that runs would be asked about
    run.terminal.type(CTRL_Q)
    assert run.terminal.exit_code() == 0, run.terminal.screen
    wait_for(lambda: not run.processes(), 5)


def sessions(run: Run) -> None:
    """The session that has just ended is in the agent's list and comes back with what was said.

    Done through `Agent`, without the interface.
    """
    if run.agent.later_minute:
        minute = time.time() // 60
        wait_for(lambda: time.time() // 60 > minute, 61)
    found = asyncio.run(sessions_of(run, run.first_prompt or ""))
    if not found.can_list and not found.can_load:
        raise Cannot("it neither lists nor loads sessions")
    assert found.is_listed or not found.can_list, found
    assert found.said, found
    if not found.can_list:
        raise Cannot("it loads sessions, but does not list them")


def steer(run: Run) -> None:
    """Words that come during a turn are answered in it, and stand once in the chat."""
    asks = "run" not in run.agent.unasked
    words, answer = "Only the tests, please", "Only the tests it is."
    run.model.script[words] = [Say(answer)]
    if asks:
        commands = [run.agent.use("run", command=f"echo {word} | tee {word}.txt") for word in ("one", "two")]
        run.say("Look at everything", *commands, Say("Everything was looked at."))
        run.terminal.until(ARMED)
        run.press_until(ESCAPE, lambda screen: ARMED not in screen)
    else:
        run.say("Look at everything", Say(" ".join(f"look{number}" for number in range(100)), pause=0.1))
        run.terminal.until("look5 ")
    run.terminal.type(words)
    run.terminal.until(f"› {words}")
    run.terminal.type(ENTER)
    run.terminal.until("queued Only the tests")
    run.press_until(ALT_Q, lambda screen: "s steer" in screen)
    run.terminal.type("s")
    run.terminal.until(lambda screen: "s steer" not in screen or "for the running turn" in screen)
    run.press_until(ESCAPE, lambda screen: "s steer" not in screen)
    if asks:
        run.press_until(CTRL_Y, lambda screen: ARMED in screen)
    screen = run.finish(answer)
    assert screen.count(f"› {words}") == 1, screen
    if f"› {words}  steered" not in screen:
        raise Cannot("what is said waits for the end of the turn")


def subagents(run: Run) -> None:
    """A subagent is a line in the chat of its parent, and its words are not among those of its parent."""
    if "subagent" not in run.agent.tools:
        raise Cannot("it shows none")
    task, found = "Count the lines of the poem", "There are two lines."
    run.model.script[task] = [Say(found)]
    end = Say("So two lines.")
    run.say("Ask somebody", run.agent.use("subagent", name="explorer", task=task), end)
    run.settled("So two lines.")
    screen = run.terminal.until(lambda screen: re.search(r"▸ [Ee]xplorer .* done ", screen))
    assert not re.search(f"^ *{re.escape(found)}", screen, re.MULTILINE), screen


def compaction(run: Run) -> None:
    """Compaction is shown as a rule across the chat, in a run of its own."""
    found = re.search(rf'"name": ?"({"|".join(COMPACTS)})"', run.journal())
    if found is None:
        raise Cannot("it has no command for it")
    with _another(run, run.agent, "compaction") as other:
        other.model.script["Respond with TEXT ONLY"] = [Say("<summary>\nThe weather was nice.\n</summary>")]
        other.say("How is the weather?", Say(" ".join(f"fine{number}" for number in range(100))))
        other.settled("fine99")
        wait_for(lambda: found[0] in other.journal())
        other.terminal.type("/compact")
        other.terminal.until(lambda screen: "› /compact" in _box(screen))
        other.press_until(ENTER, lambda screen: "› /compact" not in _box(screen))
        said = f"/{found[1]}"
        screen = other.terminal.until(lambda screen: AT_REST in screen and _answered(said, screen))
        if not re.search("── (▸ )?compacted", screen):
            raise Cannot("it does it without a word of the protocol")


def version_2(run: Run) -> None:
    """A turn is held in version 2 of the protocol, or in version 1 if the agent does not speak it."""
    with _another(run, replace(run.agent, protocol="newest"), "version-2") as newest:
        newest.say("Which version is it?", Say("The newest that we both speak."))
        newest.settled("The newest that we both speak.")
        told = [json.loads(line)["msg"] for line in newest.journals()]
    answers = [msg["result"] for msg in told if isinstance(msg, dict) and isinstance(msg.get("result"), dict)]
    if not any(version2.is_spoken(answer) for answer in answers):
        raise Cannot("it speaks version 1")


CHECKS: Final = (
    Check("prompt", "an answer streams into the chat", prompt),
    Check("read", "it reads a file", read),
    Check("edit", "it asks, is allowed, and edits a file", edit),
    Check("changes", "the edit is among the changes", changes),
    Check("reject", "it asks, is refused, and edits nothing", reject),
    Check("command", "it asks, is allowed, and runs a command", command),
    Check("error", "its model fails, and that is shown", error),
    Check("stop", "Esc stops an answer; the next prompt is answered", stop),
    Check("steer", "words during a turn are answered in it", steer),
    Check("subagents", "a subagent is shown as one", subagents),
    Check("mode", "another mode is chosen", options),
    Check("compaction", "the conversation is compacted, and that is shown", compaction),
    Check("quit", "Ctrl+Q ends it; no process is left", leave),
    Check("sessions", "a new start lists and loads the session", sessions),
    Check("v2", "a turn in version 2 of the protocol", version_2),
)


def _another(run: Run, agent: RealAgent, name: str) -> AbstractContextManager[Run]:
    """Return another start beside a run."""
    programs = Path(run.env["PATH"].partition(os.pathsep)[0])
    return running(agent, programs, run.home.parent / name)


def _box(screen: str) -> str:
    """Return the prompt box and the status line below it."""
    return "\n".join(screen.rstrip().splitlines()[-2:])


def _poem(run: Run) -> Path:
    poem = run.workspace / "poem.txt"
    poem.write_text("roses are red\nviolets are blue\n")
    return poem


def _wish_for_white(run: Run, poem: Path, wish: str, end: Say) -> None:
    before = [run.agent.use("read", path=poem)] if run.agent.reads else []
    change = run.agent.use("edit", path=poem, old="roses are red", new="roses are white")
    run.say(wish, *before, change, end)


def _goes_on(run: Run, check: str, prompt: str) -> None:
    """See that the next prompt is answered; Cannot, if the agent is known to end its turn without a word."""
    answer = f"Yes, after {check}."
    run.say(prompt, Say(answer))
    ends = re.compile(f"{re.escape(answer)}|{re.escape(_NO_WORD)}")
    screen = run.terminal.until(lambda screen: AT_REST in screen and ends.search(_below(prompt, screen)))
    if answer not in screen and check in run.agent.cannot:
        raise Cannot(run.agent.cannot[check])
    assert answer in screen, screen


def _below(prompt: str, screen: str) -> str:
    """Return what a screen shows below a prompt that was sent; nothing if it is not shown."""
    return screen.rpartition(f"› {prompt}")[2] if f"› {prompt}" in screen else ""


def _answered(prompt: str, screen: str) -> bool:
    """Return whether anything but panes is shown between a prompt that was sent and the prompt box."""
    chat, *_ = re.split("^─{20}", _below(prompt, screen), maxsplit=1, flags=re.MULTILINE)
    return any(line.partition("│")[0].strip() for line in chat.splitlines())


def _mode(screen: str) -> str | None:
    """Return the mode in the status line, once the agent has agreed to it."""
    line = screen.rstrip().rpartition("\n")[2]
    found = re.search(r"  mode (.*?) ▾", line) or re.search(r"  (\S.*?): (?:the agent|edits|does|may) ", line)
    return found[1] if found is not None and not found[1].endswith("…") else None


def _choose_option(run: Run) -> None:
    before = _menu(run, F8, of_values=False)
    values = _menu(run, DOWN * (len(before) - 1) + ENTER, of_values=True)
    if len(values) < 2:
        run.terminal.type(ESCAPE)
        raise Cannot("there is nothing to choose from")
    (current,) = (place for place, line in enumerate(values) if _CURRENT in line)
    run.terminal.type((DOWN if current + 1 < len(values) else UP) + ENTER)
    wait_for(lambda: _reopened(run) != before, 10)


def _menu(run: Run, keys: str, *, of_values: bool) -> list[str]:
    """Return the lines of the menu that some keys bring up: of options, or of the values of one of them."""
    run.terminal.type(keys)
    shown = run.terminal.until(
        lambda screen: (_CURRENT in "".join(_lines(screen))) == of_values and _lines(screen)
    )
    return _lines(shown)


def _reopened(run: Run) -> list[str]:
    """Return the lines of the menu of options as it is now, and close it."""
    run.terminal.until(lambda screen: not _lines(screen))
    lines = _menu(run, F8, of_values=False)
    run.terminal.type(ESCAPE)
    run.terminal.until(lambda screen: not _lines(screen))  # else the next key makes an alt key of it
    return lines


def _lines(screen: str) -> list[str]:
    """Return the choices of the menu that a screen shows whole."""
    _, _, below = screen.rpartition("╭─")
    inside, keys, end = below.partition("↑↓ move")
    lines = [text for line in inside.splitlines()[1:] if (text := line.strip("│ "))]
    return [line for line in lines if "type to filter" not in line] if keys and "╯" in end else []
