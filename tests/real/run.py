"""acp-tui on a terminal with a real agent, in a workspace of its own."""

from __future__ import annotations

import json
import re
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Final

from tests.real.agents import RealAgent
from tests.real.model import Model, Script, Step
from tests.terminal import NeverShown, Terminal

ESCAPE, ENTER, SHIFT_TAB, CTRL_Q, CTRL_Y, ALT_Q = "\x1b", "\r", "\x1b[Z", "\x11", "\x19", "\x1bq"
F5 = "\x1b[15~"
F6, F8, UP, DOWN = "\x1b[17~", "\x1b[19~", "\x1b[A", "\x1b[B"

MARK: Final = "ACP_TUI_TEST_RUN"
"""Environment variable by which all that a run has started is found."""

AT_REST: Final = "  F1 help"
"""The status line while no turn is running."""

ARMED: Final = "r reject with a reason"
"""Words of a permission dialog once its keys count."""

_READY: Final = "  ready"
_NOT_READY: Final = re.compile(r"starting \d|needs a login|did not start|ended, F12")
_START: Final = 60.0
_PATIENCE: Final = 25.0
"""Seconds for whatever follows a key."""


class Run:
    """One start of acp-tui."""

    def __init__(
        self, agent: RealAgent, folder: Path, terminal: Terminal, model: Model, env: dict[str, str]
    ) -> None:
        self.agent = agent
        self.home = folder / "home"
        self.workspace = folder / "workspace"
        self.terminal = terminal
        self.model = model
        self.env = env

    @property
    def first_prompt(self) -> str | None:
        """The first message, if there was one."""
        return next(iter(self.model.script), None)

    def say(self, prompt: str, *steps: Step) -> None:
        """Write the model's answers into its script, then type the prompt and send it."""
        self.model.script[prompt] = list(steps)
        self.terminal.type(prompt)
        self.terminal.until(f"› {prompt}")
        self.terminal.type("\r")

    def answer(self, key: str) -> None:
        """Answer the permission dialog, once it takes keys."""
        self.terminal.until(ARMED)
        self.press_until(key, lambda screen: ARMED not in screen)

    def press_until(self, key: str, holds: Callable[[str], bool]) -> None:
        """Press a key until a condition on the screen holds; what has just come up takes no keys at once."""
        pressed = 0.0

        def is_so(screen: str) -> bool:
            nonlocal pressed
            done = holds(screen)
            if not done and time.monotonic() - pressed > 3:
                pressed = time.monotonic()
                self.terminal.type(key)
            return done

        self.terminal.until(is_so)

    def finish(self, text: str, key: str = "y") -> str:
        """Answer all questions with a key until a text is shown and the turn is over; return the screen."""
        while True:
            screen = self.terminal.until(lambda s: ARMED in s or (text in s and AT_REST in s))
            if ARMED not in screen:
                return screen
            self.answer(key)

    def settled(self, text: str) -> str:
        """Return the screen once it shows a text and the turn is over."""
        return self.terminal.until(lambda screen: text in screen and AT_REST in screen)

    def processes(self) -> list[str]:
        """Return the command lines of all that this run has started and that still lives."""
        mark = self.env[MARK].encode()
        found = []
        for folder in Path("/proc").iterdir():
            try:
                if mark in (folder / "environ").read_bytes():
                    found.append((folder / "cmdline").read_text(errors="replace").replace("\0", " "))
            except OSError:  # no process, or gone
                continue
        return found

    def journals(self) -> list[str]:
        """Return the lines that are recorded of all processes of the agent."""
        files = sorted(self.home.glob(".local/share/acp-tui/journals/*.ndjson"))
        return [line for file in files for line in file.read_text("utf-8").splitlines()]

    def journal(self) -> str:
        """Return what is recorded of the only session."""
        (file,) = self.home.glob(".local/share/acp-tui/journals/*.ndjson")
        return file.read_text("utf-8")

    def session_id(self) -> str:
        """Return the agent's id of the session."""
        for line in self.journal().splitlines():
            message = json.loads(line)["msg"]
            result = message.get("result") if isinstance(message, dict) else None
            if isinstance(result, dict) and "sessionId" in result:
                return str(result["sessionId"])
        raise AssertionError("no session was made")


@contextmanager
def running(
    agent: RealAgent,
    programs: Path,
    folder: Path,
    files: Mapping[str, str] = MappingProxyType({}),
    options: Sequence[str] = (),
    env: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Run]:
    """Start acp-tui with an agent, and yield it when it is ready; end it afterwards.

    Args:
        agent: whom to start.
        programs: where it is installed.
        folder: where the workspace and the home are made.
        files: what the workspace holds at the start: texts by name.
        options: further options of acp-tui.
        env: further variables of its environment.
    """
    (folder / "workspace").mkdir(parents=True)
    for name, text in files.items():
        (folder / "workspace" / name).write_text(text)
    (folder / "home").mkdir()
    with Model(Script()) as model:
        env = {**agent.prepare(programs, folder / "home", model.url), **env, MARK: uuid.uuid4().hex}
        mode = ["--mode", agent.mode] if agent.mode else []
        argv = [str(Path(sys.executable).with_name("acp-tui")), *mode, *options, "--agent", *agent.command]
        with Terminal(argv, cwd=folder / "workspace", env=env, patience=_PATIENCE) as terminal:
            screen = terminal.until(_has_begun, _START)
            if _NOT_READY.search(screen):
                raise NeverShown(f"it did not start:\n{screen}")
            yield Run(agent, folder, terminal, model, env)


def wait_for(condition: Callable[[], bool], seconds: float = 20) -> None:
    """Return once a condition holds, and fail when it does not come to hold."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come true in time"
        time.sleep(0.05)


def _has_begun(screen: str) -> bool:
    state = _NOT_READY.search(screen)  # the first frame has no state yet
    return AT_REST in screen and (not state[0].startswith("starting") if state else _READY in screen)
