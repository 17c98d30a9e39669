"""Attention: the title of the terminal, and notifications for a user who is away."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Literal
from weakref import WeakKeyDictionary

from acp_tui.store.settings import Calls
from acp_tui.ui.widgets.text import safe_line, start_of

if TYPE_CHECKING:  # for annotations only: the first frame needs no conversation
    from acp_tui.conversation.conversation import Conversation


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
