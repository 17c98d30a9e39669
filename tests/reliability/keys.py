"""Random keys, pastes, clicks and sizes in the interface, while an agent asks, speaks, withdraws and dies.

Private names: the time at which a guard has seen its dialog drawn, the end of a dialog, and the error of
the application.
"""

from __future__ import annotations

import asyncio
import logging
import os
import random
import shutil
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from textual.errors import NoWidget
from textual.events import Key, Paste
from textual.pilot import OutOfBounds

from acp_tui.store.agents import Launch
from acp_tui.ui.application.key_guard import REACTION
from acp_tui.ui.screens.questions.permission import PermissionAnswer
from acp_tui.ui.session_screen.questions import QuestionDialogs
from acp_tui.ui.session_screen.screen import SessionScreen
from tests.reliability.row import Result, Row
from tests.ui.idle import idle
from tests.ui.seats import Seat, seat

_AGENT: Final = Path(__file__).with_name("hasty_agent.py")
_A_ROUND: Final = 25
"""Steps after which Escape must lead back to the prompt."""
_A_SEAT: Final = 20
"""Rounds of one application."""
_ESCAPES: Final = 10
_GAP: Final = 2.0
"""Most seconds of work without a turn for others."""
_SIZES: Final = ((80, 24), (120, 40), (40, 12), (200, 50), (24, 8))
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz0123456789 /@?-.:"  # no "!", which runs commands
_NAMES: Final = (
    *("enter", "enter", "tab", "tab", "shift+tab", "escape", "escape", "backspace", "delete"),
    *("up", "down", "left", "right", "home", "end", "pageup", "pagedown", "ctrl+pageup", "ctrl+pagedown"),
    *(f"f{number}" for number in range(1, 13)),
    *(f"ctrl+{letter}" for letter in "abefghijklmnoprstuvwxy"),  # without those that quit or suspend
    *(f"alt+{letter}" for letter in "abcdefghijklmopqrstuvxyz"),
    *("alt+up", "alt+down", "shift+enter", "shift+up", "ctrl+backslash", "ctrl+end", "ctrl+home"),
)


class _Watch:
    """Faults: early answers, logged errors and long work."""

    def __init__(self) -> None:
        self.wrong: list[str] = []
        self.longest = 0.0

    @contextmanager
    def on(self) -> Iterator[None]:
        """Watch the answers, and what is logged as an error."""
        answered = QuestionDialogs._answered
        watch = self

        def look(dialogs: QuestionDialogs, shown: Any, answer: Any) -> None:
            if isinstance(answer, PermissionAnswer) and answer.option_id in ("yes", "always", "let"):
                drawn = shown.dialog.guard._drawn
                if drawn is None or time.monotonic() < drawn + REACTION:
                    watch.wrong.append(f"{answer.option_id} of a dialog that was just drawn")
            answered(dialogs, shown, answer)

        class Errors(logging.Handler):
            def emit(self, record: logging.LogRecord) -> None:
                watch.wrong.append(f"logged: {self.format(record)}")

        errors = Errors(logging.ERROR)
        logging.getLogger("acp_tui").addHandler(errors)
        QuestionDialogs._answered = look  # type: ignore[method-assign, assignment]
        try:
            yield
        finally:
            QuestionDialogs._answered = answered  # type: ignore[method-assign]
            logging.getLogger("acp_tui").removeHandler(errors)

    async def beat(self) -> None:
        """Measure the work between two turns of the loop."""
        last = time.thread_time()
        while True:
            await asyncio.sleep(0.01)
            now = time.thread_time()
            self.longest, last = max(self.longest, now - last), now


class _Hands:
    """Hands on the keyboard and the mouse."""

    def __init__(self, here: Seat, chance: random.Random) -> None:
        self._here = here
        self._chance = chance
        self.last: deque[str] = deque(maxlen=_A_ROUND + _ESCAPES)

    async def step(self) -> None:
        """Do one thing."""
        chance, app = self._chance, self._here.app
        drawn = chance.random()
        if drawn < 0.03:
            size = chance.choice(_SIZES)
            self.last.append(f"size {size}")
            await self._here.pilot.resize_terminal(*size)
        elif drawn < 0.06:
            text = chance.choice(("some words", "two\nlines\n", "y", "/help"))
            self.last.append(f"paste {text!r}")
            app.post_message(Paste(text))
        elif drawn < 0.11:
            place = chance.randrange(app.size.width), chance.randrange(app.size.height)
            self.last.append(f"click {place}")
            with suppress(NoWidget, OutOfBounds):  # a dialog that has just come may cover less
                await self._here.pilot.click(offset=place)
        elif drawn < 0.55:
            self.press(chance.choice(_LETTERS))
        else:
            self.press(chance.choice(_NAMES))

    def press(self, name: str) -> None:
        """Press a key."""
        self.last.append(name)
        named = {" ": "space", "/": "slash", "@": "at", "?": "question_mark", "-": "minus", ".": "full_stop"}
        self._here.app.post_message(Key(named.get(name, name), name if len(name) == 1 else None))

    async def leave(self) -> bool:
        """Return to the prompt by Escape; return whether that was possible."""
        for _ in range(_ESCAPES):
            await _settle(self._here)
            if _is_at_prompt(self._here):
                return True
            self.press("escape")
            await asyncio.sleep(0.3)
        await _settle(self._here)
        return _is_at_prompt(self._here)


def _is_at_prompt(here: Seat) -> bool:
    return isinstance(here.app.screen, SessionScreen)


async def _settle(here: Seat) -> None:
    await asyncio.sleep(0)
    await here.pilot.pause()


async def _sit(rounds: int, seed: str, result: Result, watch: _Watch) -> None:
    chance = random.Random(seed)
    folder = Path(tempfile.mkdtemp(prefix="keys-"))
    os.environ["ACP_TUI_HOME"] = str(folder / "home")
    work = folder / "work"
    work.mkdir()
    launch = Launch("hasty", "Hasty agent", (sys.executable, "-S", "-E", str(_AGENT), seed))
    try:
        async with seat(work, given=launch, notices=True) as here:
            hands = _Hands(here, chance)
            for number in range(rounds):
                before = len(watch.wrong)
                if here.conversation.phase in ("failed", "ended"):
                    hands.press("f12")
                    await asyncio.sleep(0.5)
                here.conversation.say(f"go {number}")
                for _ in range(_A_ROUND):
                    await hands.step()
                    result.tried += 1
                    await asyncio.sleep(chance.choice((0, 0, 0.01, 0.05, 0.25)))
                if not await hands.leave():
                    top = type(here.app.screen).__name__
                    watch.wrong.append(f"{_ESCAPES} times Escape did not leave {top}")
                if here.app._exception is not None:
                    watch.wrong.append(f"crash: {here.app._exception!r}")
                if watch.longest > _GAP:
                    watch.wrong.append(f"{watch.longest:.1f} s of work at once")
                    watch.longest = 0.0
                result.wrong += [
                    f"{one}, seed {seed}, after {list(hands.last)}" for one in watch.wrong[before:]
                ]
                if len(watch.wrong) > before:
                    return
                here.conversation.stop()
    except Exception as error:  # noqa: BLE001 - any of the application, raised at its end
        result.wrong.append(f"crash: {error!r}, seed {seed}, after {list(hands.last)}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def _run_all(count: int, seed: int, result: Result) -> None:
    watch = _Watch()
    beating = asyncio.create_task(watch.beat())
    with watch.on():
        number = 0
        while result.tried < count:
            rounds = min(_A_SEAT, -(-(count - result.tried) // _A_ROUND))
            before = result.tried
            await _sit(rounds, f"{seed}-{number}", result, watch)
            number += 1
            if result.tried == before:
                break  # it did not even begin: the fault is told
    beating.cancel()
    result.notes.append(f"the longest piece of work was {watch.longest:.2f} s")


def _run(count: int, seed: int) -> Result:
    result = Result(unit="steps")
    kept = dict(os.environ)
    os.environ.update(PATH="/usr/bin:/bin", BROWSER="true", EDITOR="true", VISUAL="true")
    try:
        # Pauses of the pilot end when all is done.
        with patch("textual.app.wait_for_idle", idle), patch("textual.pilot.wait_for_idle", idle):
            asyncio.run(_run_all(count, seed, result))
    finally:
        os.environ.clear()
        os.environ.update(kept)
    return result


ROW = Row("keys", "whatever is pressed, nothing breaks, and Escape leads back", 75, 10_000, _run)
