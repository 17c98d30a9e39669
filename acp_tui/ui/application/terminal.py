"""The terminal of the interface: title, notifications, clipboard and hang-up."""

from __future__ import annotations

import asyncio
import base64
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, Literal
from weakref import WeakKeyDictionary

from acp_tui.desktop import ClipboardProgram, FindProgram, desktop_clipboard, is_remote
from acp_tui.store.settings import Calls
from acp_tui.trusted_programs import own_program
from acp_tui.ui.widgets.text import safe_line, start_of

if TYPE_CHECKING:  # for annotations only: the first frame needs no conversation
    from acp_tui.conversation.conversation import Conversation


class TerminalTaken(Exception):
    """Another program has the terminal."""


State = Literal["starting", "ready", "working", "asks", "ended"]

QUIET: Final = 5.0
"""Seconds without a key after which the user counts as away, in terminals without focus reports."""
_NAME: Final = 80
"""Maximum cells of an agent's name in the title."""

KEEP_TITLE: Final = "\x1b[22;2t"
GIVE_TITLE_BACK: Final = "\x1b[23;2t"
"""Control sequences that save and restore the title."""

_CALLS: Final[dict[tuple[State, State], str]] = {
    ("working", "ready"): "is done",
    ("working", "asks"): "needs an answer",
    ("starting", "asks"): "needs an answer",
    ("ready", "asks"): "needs an answer",
    ("starting", "ended"): "did not start",
    ("ready", "ended"): "has ended",
    ("working", "ended"): "has ended",
    ("asks", "ended"): "has ended",
}
"""Notifications by (state before, state after); none for actions of the user."""

_WORDS: Final[dict[State, str]] = {
    "starting": "starting",
    "ready": "ready",
    "working": "working",
    "asks": "asks you",
    "ended": "ended",
}


def state_of(conversation: Conversation) -> State:
    """Return the state of a conversation for the title."""
    if conversation.questions or conversation.phase == "logging-in":
        return "asks"
    if conversation.is_over:
        return "ended"
    if conversation.phase != "ready":
        return "starting"
    return "working" if conversation.is_active else "ready"


class Seat:
    """The presence of the user: focus of the terminal and time of the last input."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.focus: bool | None = None
        """True if the terminal has the focus; None before its first report."""
        self._clock = clock
        self._touched = clock()

    def touch(self) -> None:
        """Note a key, a paste or the mouse."""
        self._touched = self._clock()

    def idle(self) -> float:
        """Return the seconds since the last input."""
        return self._clock() - self._touched

    def later(self, seconds: float, do: Callable[[], None]) -> None:
        """Call a function after some seconds."""
        asyncio.get_running_loop().call_later(seconds, do)


class Attention:
    """The title of the terminal, and notifications for a user who is away."""

    def __init__(
        self, write: Callable[[str], None], seat: Seat, calls: Calls = "auto", by_777: bool = False
    ) -> None:
        """Set the outputs.

        Args:
            write: sends a control sequence to the terminal.
            seat: the presence of the user.
            calls: the setting of notifications.
            by_777: True to notify by OSC 777 instead of OSC 9.
        """
        self._write = write
        self._seat = seat
        self.calls = calls
        """The setting of notifications."""
        self._by_777 = by_777
        self._states: WeakKeyDictionary[object, State] = WeakKeyDictionary()
        self._title = ""

    def update(self, conversation: Conversation, of: object, is_seen: bool = True) -> None:
        """Update the title, and notify of a change of state.

        Args:
            conversation: the conversation.
            of: its screen; each has a state of its own.
            is_seen: True if the screen is in view, so that the title shows it.
        """
        before, state = self._states.get(of, "starting"), state_of(conversation)
        self._states[of] = state
        name = safe_line(start_of(conversation.agent_name, _NAME))
        title = f"{name}: {_WORDS[state]}" if conversation.launch is not None else "acp-tui"
        if is_seen and title != self._title:
            self._write(f"{'' if self._title else KEEP_TITLE}\x1b]2;{title}\x07")
            self._title = title
        call = _CALLS.get((before, state))
        if call is not None and conversation.phase != "ending" and self.calls != "never":
            # A semicolon would end the title, and some terminals take a leading digit as another command.
            who = name.replace(";", ",")
            notice = f"777;notify;{who};{call}" if self._by_777 else f"9;acp-tui: {who} {call}"
            self._call(f"\x1b]{notice}\x07\x07", of, state)

    def _call(self, notice: str, of: object, state: State) -> None:
        """Notify now, or once the user is away if the state is still the same."""
        if self._states.get(of) != state:
            return
        if self.calls == "always" or self._seat.focus is False:
            self._write(notice)
        elif self._seat.focus is None:  # without focus reports, as in tmux
            left = QUIET - self._seat.idle()
            if left > 0:
                self._seat.later(left, lambda: self._call(notice, of, state))
            else:
                self._write(notice)

    def end(self) -> None:
        """Restore the title of the terminal."""
        self._states.clear()
        if self._title:
            self._write(GIVE_TITLE_BACK)
            self._title = ""


OSC52_LIMIT: Final = 74_994
"""Maximum base64 bytes in one sequence, as in the strictest terminals."""

PATIENCE: Final = 3.0
"""Seconds for a clipboard program to take the text."""


class Clipboard:
    """The clipboard outside the program."""

    def __init__(
        self,
        write: Callable[[str], None],
        env: Mapping[str, str],
        finds: FindProgram = own_program,
        *,
        export: str = "",
    ) -> None:
        """Set the outputs.

        Args:
            write: sends a control sequence to the terminal.
            env: the environment.
            finds: returns the path of a program.
            export: the key that exports the session.
        """
        self._write = write
        self._env = env
        self._finds = finds
        self._export = export
        self._has_told = False

    async def put(self, text: str) -> str:
        """Put a text on the clipboard; return a message for the user, usually ""."""
        program = desktop_clipboard(self._env, self._finds)
        if program is not None and await asyncio.to_thread(run_clipboard, program, text):
            return ""
        in_tmux = await self._in_tmux(text)
        sent = self._through_terminal(text)
        if sent:
            return self._warn_once(program)
        if in_tmux:
            return "Too long for the terminal's clipboard, but in tmux's buffer: prefix ] pastes it."
        size = f"{len(text) // 1000} thousand characters"
        return (
            f"It is not on the clipboard: {size} are more than terminals take. "
            f"{self._advice(program)} {self._export} writes the session into a file."
        )

    async def _in_tmux(self, text: str) -> bool:
        """Put a text into tmux's buffer, and from there into the terminal's clipboard."""
        if not self._env.get("TMUX") or self._finds("tmux") is None:
            return False
        for option in (("-w",), ()):  # tmux before 3.2 cannot pass it on
            if await asyncio.to_thread(
                run_clipboard, ClipboardProgram("tmux", ("tmux", "load-buffer", *option, "-")), text
            ):
                return True
        return False

    def _through_terminal(self, text: str) -> bool:
        if len(text) > OSC52_LIMIT:
            return False  # without encoding all of it first
        code = base64.b64encode(text.encode("utf-8", "replace")).decode("ascii")
        if len(code) > OSC52_LIMIT:
            return False
        self._write(f"\x1b]52;c;{code}\x07")
        return True

    def _warn_once(self, program: ClipboardProgram | None) -> str:
        """Return a warning, once: the terminal does not confirm OSC 52."""
        if self._has_told:
            return ""
        self._has_told = True
        advice = self._advice(program)
        if program is None:
            advice = f"If paste fails, {advice[0].lower()}{advice[1:]}"
        return f"Sent to the terminal (OSC 52). {advice}"

    def _advice(self, program: ClipboardProgram | None) -> str:
        if program is not None:
            return f"{program.name} failed; check that it works in a shell."
        if is_remote(self._env):
            return "Allow OSC 52 in the settings of your terminal."
        return "Install wl-copy, xclip or xsel, or allow OSC 52 in your terminal."


def run_clipboard(program: ClipboardProgram, text: str) -> bool:
    """Run a clipboard program with a text; return True on success. For a thread."""
    found = own_program(program.argv[0])
    if found is None:
        return False
    try:
        # The process that stays to serve the clipboard must not keep the program's streams open.
        done = subprocess.run(
            [found, *program.argv[1:]],
            input=text.encode(program.encoding, "replace"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE,
            start_new_session=True,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


HANG_UP_PATIENCE: Final = 4.0
"""Seconds for an orderly end after a hang-up; the guard ends what is left."""
_END_PATIENCE: Final = 10.0
"""Seconds for an orderly end after SIGTERM, while the terminal still exists."""


def on_end(leave: Callable[[], object]) -> None:
    """Call `leave`, from any thread, after a hang-up or SIGTERM; exit if it takes too long.

    A write to a terminal that is closed, or reads nothing, may block the event loop forever.
    """

    def end(number: int, patience: float) -> None:
        last_resort = threading.Timer(patience, os._exit, (128 + number,))
        last_resort.daemon = True
        last_resort.start()
        leave()

    def gone() -> None:
        end(signal.SIGHUP, HANG_UP_PATIENCE)

    signal.signal(signal.SIGHUP, lambda *_: gone())
    signal.signal(signal.SIGTERM, lambda number, _: end(number, _END_PATIENCE))
    if sys.__stdin__ is not None and hasattr(select, "poll"):
        fd = sys.__stdin__.fileno()
        threading.Thread(target=_watch, args=(fd, gone), name="hang-up", daemon=True).start()


def _watch(fd: int, gone: Callable[[], None]) -> None:
    """Wait until the other side of a terminal is closed: not all send a signal."""
    poll = select.poll()
    poll.register(fd, 0)  # report only hang-up and errors
    poll.poll()
    gone()


def has_shell() -> bool:
    """Return True if the parent is a shell with job control, which can resume the program."""
    parent = os.getppid()
    try:
        same_terminal = os.getsid(parent) == os.getsid(0)
        return same_terminal and os.getpgid(parent) != os.getpgrp()
    except OSError:  # the parent is gone, or of another user
        return False
