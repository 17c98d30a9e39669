"""Agents that die in many ways at many moments: said what happened, nothing lost, nothing left, and go on."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Final

from acp_tui.conversation.conversation import Conversation
from acp_tui.conversation.start_options import Start
from acp_tui.session.entries import AgentMessage, UserMessage, text_of
from acp_tui.session.session import Session
from acp_tui.store.agents import Launch
from acp_tui.store.settings import Settings
from acp_tui.workspace.guard import Guard
from tests.conversation.talks import Notes
from tests.offspring import descriptors, zombies
from tests.reliability.row import Result, Row
from tests.terminal import NeverShown, Terminal, acp_tui

_AGENT: Final = Path(__file__).with_name("dying_agent.py")
_PATIENCE: Final = 30.0
_CLOSED: Final = 5.0
"""Seconds in which the thread of a watcher has to close its descriptors after the end."""
_SILENT: Final = 0.3  # seconds after which the user starts an agent again that only stands still
_MOMENTS: Final = ("start", "initialize", "session/new", "session/prompt", "turn", "permission", "attach")
_WAYS: Final[tuple[tuple[str, int], ...]] = (
    *(("exit", code) for code in (0, 1, 3, 127, 255)),
    *(("signal", int(one)) for one in (signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT)),
    ("close", 1),
    ("close", 0),
    ("signal", int(signal.SIGSTOP)),
)
_STANDS_STILL: Final = (("close", 0), ("signal", int(signal.SIGSTOP)))
"""After these the agent is there and says nothing more: nobody can tell it from one that thinks."""
_A_WINDOW: Final = 12
"""Of so many deaths one is seen in the whole program."""


def run(count: int, seed: int) -> Result:
    result = Result(unit="deaths")
    seen = 0
    for number in range(count):
        like = _like(Random(seed * 100_003 + number))
        with tempfile.TemporaryDirectory() as folder:
            if number % _A_WINDOW == _A_WINDOW - 1:
                problems = _in_a_window(like, Path(folder))
                seen += 1
            else:
                problems = _in_a_conversation(like, Path(folder))
        result.tried += 1
        result.wrong += [f"{json.dumps(like)}: {problem}" for problem in problems]
    result.notes.append(f"{seen} of them in the whole program")
    return result


def _like(draw: Random) -> dict[str, Any]:
    """Return how an agent dies."""
    is_resumed_start = draw.choice(("resume", "load", "no"))
    moment = draw.choice(_MOMENTS)
    life = 0
    if moment == "attach":  # the user has started it again, and it dies as the session is taken up
        is_resumed_start = "load" if is_resumed_start == "no" else is_resumed_start
        moment, life = f"session/{is_resumed_start}", 1
    how = draw.choice(_WAYS)
    return {
        "life": life,
        "moment": moment,
        "how": how,
        "words": draw.choice((0, 1, 20, 500)),
        "cut": draw.random() < 0.3,
        "is_resumed_start": is_resumed_start,
    }


def _in_a_conversation(like: dict[str, Any], folder: Path) -> list[str]:
    """Have an agent die in a conversation without a screen; return what is wrong."""
    os.environ["ACP_TUI_HOME"] = str(folder / "home")
    (folder / "work").mkdir()
    before = len(descriptors())
    wrong = asyncio.run(_talk(like, folder / "work"))
    wrong += [f"process {pid} is left" for pid in _left(folder / "work")]
    wrong += [f"a zombie: {pid}" for pid in zombies()]
    end = time.monotonic() + _CLOSED
    while (more := len(descriptors()) - before) > 0 and time.monotonic() < end:
        time.sleep(0.01)
    if more > 0:
        wrong.append(f"{more} descriptors more than before")
    return wrong


async def _talk(like: dict[str, Any], folder: Path) -> list[str]:
    wrong: list[str] = []
    guard = Guard()
    launch = Launch("dying", "Dying", (sys.executable, "-S", "-P", str(_AGENT), json.dumps(like)))
    notes = Notes()
    given = Start(str(folder), Settings(), guard, launch=launch)
    notes.conversation = conversation = Conversation(given, notes, notes)
    try:
        wrong += await _die(conversation, notes, like)
    except TimeoutError as error:
        wrong.append(f"{error}; the phase is {conversation.phase}: {conversation.failure}")
    finally:
        await conversation.end()
        guard.close()
    return wrong


async def _die(conversation: Conversation, notes: Notes, like: dict[str, Any]) -> list[str]:
    """Begin, prompt, and start again after the death, each as far as the agent lets it come."""
    wrong: list[str] = []
    is_later = like["life"] == 1
    told: list[str] = []  # what must stay
    beginning = asyncio.create_task(conversation.begin())
    if is_later or like["moment"] in ("session/prompt", "turn", "permission"):
        await _until(lambda: conversation.phase == "ready", "the first start")
        conversation.say("first")
        told.append("first")
        told += (
            [f"w0.{number}" for number in range(like["words"])] if like["moment"] != "session/prompt" else []
        )
        if is_later:
            await _until(lambda: "heard-0" in _words(conversation), "the first turn")
        else:
            await _until(lambda: "first" in _words(conversation) or conversation.is_over, "the prompt")
    if is_later:
        told.append("heard-0")
        beginning.cancel()
        beginning = asyncio.create_task(conversation.restart())
        await _until(lambda: _lives(conversation.cwd) == 2, "the second start")
    if tuple(like["how"]) in _STANDS_STILL:
        await _until(lambda: (Path(conversation.cwd) / f"pid-{like['life']}").exists(), "the process")
        await asyncio.sleep(_SILENT)
    else:
        await _until(lambda: conversation.phase in ("ended", "failed"), "word of the death")
        failure = conversation.failure
        if failure is None:
            wrong.append("no failure is told")
        elif "last words" not in failure.stderr:
            wrong.append(f"the end of stderr is not told: {failure.stderr!r}")
        elif like["how"][0] != "close" and not _is_told(failure.exit, like["how"]):
            wrong.append(f"told as {failure.exit}")
    wrong += _lost(told, conversation, notes, "after the death")
    await _over(beginning)
    conversation.prompts.give_back()
    lives = _lives(conversation.cwd)
    beginning = asyncio.create_task(conversation.restart())
    # One that stands still is "ready" until it is left, and what is said before is given back.
    await _until(
        lambda: conversation.phase == "ready" and _lives(conversation.cwd) > lives,
        "the start after the death",
    )
    conversation.say("after")
    last = f"heard-{like['life'] + 1}"
    await _until(lambda: last in _words(conversation), "an answer after the death")
    await _until(lambda: not conversation.is_busy, "the end of the turn")
    wrong += _lost([*told, "after"], conversation, notes, "after the restart")
    await _over(beginning)
    return wrong


async def _over(task: asyncio.Task[None]) -> None:
    """Wait until a start is over, in whatever way."""
    done, _ = await asyncio.wait({task}, timeout=_SILENT)
    if not done:
        task.cancel()
        await asyncio.wait({task})


async def _until(condition: Callable[[], object], what: str) -> None:
    end = time.monotonic() + _PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"never came: {what}")
        await asyncio.sleep(0.005)


def _lives(folder: str | Path) -> int:
    """Return how many processes of the agent were started so far."""
    return len(list(Path(folder).glob("pid-*")))


def _words(conversation: Conversation) -> set[str]:
    """Return all words of the messages that the screen shows."""
    shown: list[Session | None] = [conversation.session, conversation.above]
    if conversation.session is None:
        shown.append(
            conversation._session_start._before
        )  # it stays on the screen while the agent starts again
    return {
        word
        for session in shown
        if session is not None
        for entry in session.entries
        if isinstance(entry, UserMessage | AgentMessage)
        for word in text_of(entry).split()
    }


def _lost(told: list[str], conversation: Conversation, notes: Notes, when: str) -> list[str]:
    """Return what is not shown any more; a prompt may be in the prompt field again."""
    shown = _words(conversation) | {word for text in notes.given_back for word in text.split()}
    missing = [word for word in told if word not in shown]
    return [f"{len(missing)} of {len(told)} words are lost {when}: {missing[:3]}"] if missing else []


def _is_told(status: Any, how: tuple[str, int]) -> bool:
    if status is None:
        return False
    kind, value = how
    return bool(status.exit_code == value if kind == "exit" else status.signal == signal.Signals(value).name)


def _left(folder: Path) -> list[int]:
    """Return the processes of the agent that still are."""
    pids = [int(path.read_text()) for path in folder.glob("pid-*")]
    return [pid for pid in pids if Path(f"/proc/{pid}").exists()]


def _in_a_window(like: dict[str, Any], folder: Path) -> list[str]:
    """Have an agent die in a turn of the whole program, and start it again there."""
    like.update(life=0, moment="turn", words=max(1, min(like["words"], 20)))
    if like["how"] in _STANDS_STILL:
        like["how"] = ("signal", int(signal.SIGKILL))
    work = folder / "work"
    work.mkdir()
    agent = shlex.join((sys.executable, "-S", "-P", str(_AGENT), json.dumps(like)))
    argv = acp_tui(agent, "--cwd", str(work))
    env = {"HOME": str(folder), "ACP_TUI_HOME": str(folder / "home"), "PATH": os.environ["PATH"]}
    wrong: list[str] = []
    with Terminal(argv, cwd=work, env=env, patience=_PATIENCE) as terminal:
        try:
            terminal.until(lambda screen: "F1 help" in screen and "starting" not in screen)
            terminal.type("first\r")
            terminal.until("last words")
            terminal.until("w0.0")
            terminal.until("etry")
            time.sleep(1.5)  # keys that come at once are not meant for a screen that came unasked
            terminal.type("r")
            terminal.until(lambda screen: "What to try" not in screen and _lives(work) == 2)
            # What is said before the agent is there is given back where it does not know what stands above.
            terminal.until(lambda screen: "New session: the agent" in screen or "session resumed" in screen)
            terminal.type("after\r")
            terminal.until("heard-1")
        except NeverShown as error:
            wrong.append(str(error)[:3000])
    return [*wrong, *(f"process {pid} is left" for pid in _left(work))]


ROW: Final = Row(
    "deaths",
    "however an agent dies, its last words are told, nothing is lost or left, and it can be started again",
    small=12,
    full=200,
    run=run,
)
