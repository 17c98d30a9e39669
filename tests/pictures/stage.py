"""The real application with the real demo agent, on a stage where two performances do not differ."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from textual.pilot import Pilot

from acp_tui import formatting
from acp_tui.agent.permissions import decision_records
from acp_tui.agent.process import Process
from acp_tui.conversation.start_options import Start
from acp_tui.store.agents import demo_launch, known_agents
from acp_tui.store.settings import Settings
from acp_tui.ui.screens.questions import proposals
from acp_tui.workspace.guard import Guard

_README: Final = "# Tally\n\nCounts the words of a text.\n\n    tally < README.md\n"

_SLEEP: Final = """\
#!/bin/sh
# The third time somebody sleeps, it is for long: so the demo's checks stop in the middle.
echo . >> {notes}
[ "$(wc -l < {notes})" -ge 3 ] && exec /bin/sleep 600
exit 0
"""

_FOUND: Final = ("claude-agent-acp", "codex-acp", "gemini")
"""Programs of agents that the start screen finds."""

_PATIENCE: Final = 30.0


@contextmanager
def surroundings() -> Iterator[Path]:
    """Set up a home, programs and a workspace with a name that is always the same; return the workspace."""
    workspace = Path(tempfile.gettempdir()) / "tally"
    workspace.mkdir()  # FileExistsError: somebody's folder is not ours to write into
    try:
        (workspace / "README.md").write_text(_README, "utf-8")
        with tempfile.TemporaryDirectory() as home, pytest.MonkeyPatch.context() as patch:
            programs = Path(home, "bin")
            programs.mkdir()
            _program(programs / "sleep", _SLEEP.format(notes=Path(home, "slept")))
            for name in _FOUND:
                _program(programs / name, "#!/bin/sh\n")
            patch.setenv("PATH", f"{programs}:/usr/bin:/bin")
            patch.setenv("HOME", home)
            patch.setenv("ACP_TUI_HOME", str(Path(home, "acp-tui")))
            patch.setenv("ACP_TUI_DEMO_SPEED", "0")
            patch.setattr(formatting, "seconds", lambda duration: "0.4 s")  # imported by name, but later
            patch.setattr(formatting, "clock", lambda duration: "0:07")
            patch.setattr(proposals, "open_in_editor", _type_in_editor)
            patch.setattr(decision_records, "now", lambda: "2026-01-05T12:00:00.000+00:00")
            yield workspace
    finally:
        shutil.rmtree(workspace)


async def _type_in_editor(app: object, path: Path, line: int | None) -> str:
    """Stand in for an editor, for which the stage has no terminal."""
    path.write_text(path.read_text("utf-8").replace("import sys\n", "import json\nimport sys\n", 1), "utf-8")
    return ""


def _program(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")
    path.chmod(0o755)


class Performance:
    """The application while it runs, as the scenes drive it."""

    def __init__(self, pilot: Pilot[int]) -> None:
        self.pilot = pilot
        self.app: Any = pilot.app

    @property
    def text(self) -> str:
        """The text on the screen."""
        return "\n".join(strip.text for strip in self.app.screen._compositor.render_strips())

    async def until(self, condition: Callable[[], object], what: str) -> None:
        """Return once a condition holds.

        Raises:
            TimeoutError: it does not come to hold.
        """
        deadline = time.monotonic() + _PATIENCE
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError(f"never: {what}")
            await asyncio.sleep(0.01)
        await self.pilot.pause()

    async def ready(self) -> None:
        """Return once the agent listens."""
        await self.until(lambda: self.app.is_complete, "the session screen")
        conversation = self.app.tabs.current.conversation
        await self.until(
            lambda: conversation.phase == "ready" and self.app.tabs.current.query("#prompt"), "ready"
        )
        await self.until(lambda: conversation.session.usage is not None, "the usage is known")
        self.app.tabs.current.prompt.blinks = False

    async def say(self, prompt: str) -> None:
        """Send a prompt."""
        self.app.tabs.current.prompt.insert(f"{prompt} ")  # the space closes the list of completions
        await self.pilot.press("enter")

    async def opened(self, screen: str) -> None:
        """Return once the screen of a class of this name is shown."""
        await self.until(lambda: type(self.app.screen).__name__ == screen, screen)

    async def asked(self) -> None:
        """Return once a question takes keys."""
        await self.until(lambda: getattr(self.app.screen, "armed", False), "a question")

    async def answer(self, key: str) -> None:
        """Answer the next question by its key."""
        await self.asked()
        question = self.app.screen
        deadline = time.monotonic() + _PATIENCE
        while self.app.screen is question and time.monotonic() < deadline:
            await self.pilot.press(key)  # again: where a path leads may come into view just before
            await asyncio.sleep(1.5)
        await self.until(lambda: self.app.screen is not question, "the answer is taken")

    async def finished(self) -> None:
        """Return once the turn is over."""
        session = self.app.tabs.current.conversation.session
        await self.until(lambda: session.turns and session.turn_state == "idle", "the turn is over")
        await self.drawn()

    async def drawn(self) -> None:
        """Return once nothing changes on the screen any more."""
        before = ""
        while before != (now := self.app.export_screenshot()):
            before = now
            await self.pilot.pause(0.15)


@asynccontextmanager
async def performance(
    workspace: Path, *, size: tuple[int, int], theme: str, agent: bool = True
) -> AsyncIterator[Performance]:
    """Run the application with the demo agent, or on the start screen."""
    from acp_tui.ui.application.app import AcpApp

    guard = Guard()
    launch = demo_launch() if agent else None
    process = Process.spawn(launch.argv, cwd=str(workspace), env=launch.env, guard=guard) if launch else None
    start = Start(
        cwd=str(workspace),
        settings=Settings(),
        guard=guard,
        known=known_agents(),
        launch=launch,
        process=process,
        theme=theme,
    )
    try:
        app = AcpApp(start)
        async with app.run_test(size=size) as pilot:
            yield Performance(pilot)
            await app.tabs.end()  # all of them: what still looks at a folder must not outlive it
    finally:
        guard.close()
