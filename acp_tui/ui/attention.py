"""What the terminal outside the interface is told: a title, and a call when the user looks elsewhere."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, Literal
from weakref import WeakKeyDictionary

from acp_tui.ui.widgets.text import safe_line, start_of

if TYPE_CHECKING:
    from acp_tui.conversation.conversation import Conversation
    from acp_tui.store.settings import Calls

State = Literal["starting", "ready", "working", "asks", "ended"]

QUIET: Final = 5.0
"""Seconds without a key after which the user is taken to be away, where the terminal does not tell."""
_NAME: Final = 80
"""Cells of an agent's name that the terminal is told."""

KEEP_TITLE: Final = "\x1b[22;2t"
GIVE_TITLE_BACK: Final = "\x1b[23;2t"
"""Control sequences by which a terminal keeps the title it had, and shows it again."""

_CALLS: Final[dict[tuple[State, State], str]] = {
    ("working", "ready"): "is done",
    ("working", "asks"): "wants an answer",
    ("starting", "asks"): "wants an answer",
    ("ready", "asks"): "wants an answer",
    ("starting", "ended"): "did not start",
    ("ready", "ended"): "has ended",
    ("working", "ended"): "has ended",
    ("asks", "ended"): "has ended",
}
"""What is worth a call, by the states before and after. What the person did themselves is not."""

_WORDS: Final[dict[State, str]] = {
    "starting": "starting",
    "ready": "ready",
    "working": "working",
    "asks": "asks you",
    "ended": "ended",
}


def speaks_777(environment: Mapping[str, str]) -> bool:
    """Return whether a terminal shows notifications by OSC 777: rxvt, foot, and those built on VTE.

    Each terminal gets one of the two: some know both, and would show everything twice.
    """
    return environment.get("TERM", "").startswith(("rxvt", "foot")) or "VTE_VERSION" in environment


def state_of(conversation: Conversation) -> State:
    """Return what a conversation is at, as far as somebody who looks elsewhere wants to know."""
    if conversation.questions or conversation.phase == "logging-in":
        return "asks"
    if conversation.is_over:
        return "ended"
    if conversation.phase != "ready":
        return "starting"
    return "working" if conversation.is_busy else "ready"


class Seat:
    """The user's place before the terminal: whether it has the focus, and when a key was typed last."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.focus: bool | None = None
        """Whether the terminal has the focus; None until it has told so once."""
        self._clock = clock
        self._touched = clock()

    def touch(self) -> None:
        """Note a key, a paste or the mouse."""
        self._touched = self._clock()

    def idle(self) -> float:
        """Return the seconds since the user has done something."""
        return self._clock() - self._touched

    def later(self, seconds: float, do: Callable[[], None]) -> None:
        """Call something when these seconds are over."""
        asyncio.get_running_loop().call_later(seconds, do)


class Attention:
    """Keeps the terminal's title equal to a conversation, and calls the user when it matters."""

    def __init__(
        self, write: Callable[[str], None], seat: Seat, calls: Calls = "auto", by_777: bool = False
    ) -> None:
        """Take the ways out.

        Args:
            write: sends a control sequence to the terminal.
            seat: whether the user is there, as far as it shows.
            calls: when the user wants to be called.
            by_777: whether the terminal wants OSC 777 for that instead of OSC 9.
        """
        self._write = write
        self._seat = seat
        self._calls = calls
        self._by_777 = by_777
        self._states: WeakKeyDictionary[object, State] = WeakKeyDictionary()
        self._title = ""

    def update(self, conversation: Conversation, of: object, is_seen: bool = True) -> None:
        """Tell the terminal what is new in a conversation.

        Args:
            conversation: what changed, perhaps.
            of: the screen that the conversation is shown on; each has a state of its own.
            is_seen: whether the user sees that screen, so that the title speaks of it.
        """
        before, state = self._states.get(of, "starting"), state_of(conversation)
        self._states[of] = state
        name = safe_line(start_of(conversation.agent_name, _NAME))
        title = f"{name}: {_WORDS[state]}" if conversation.launch is not None else "acp-tui"
        if is_seen and title != self._title:
            self._write(f"{'' if self._title else KEEP_TITLE}\x1b]2;{title}\x07")
            self._title = title
        call = _CALLS.get((before, state))
        if call is not None and conversation.phase != "ending" and self._calls != "never":
            # a semicolon would end the title
            notice = f"777;notify;{name.replace(';', ',')};{call}" if self._by_777 else f"9;{name} {call}"
            self._call(f"\x1b]{notice}\x07\x07", of, state)

    def _call(self, notice: str, of: object, state: State) -> None:
        """Call now, or when the user has not touched a key for a while and nothing else has happened."""
        if self._states.get(of) != state:
            return
        if self._calls == "always" or self._seat.focus is False:
            self._write(notice)
        elif self._seat.focus is None:  # nobody tells us, as in tmux
            left = QUIET - self._seat.idle()
            if left > 0:
                self._seat.later(left, lambda: self._call(notice, of, state))
            else:
                self._write(notice)

    def end(self) -> None:
        """Give the terminal its own title back."""
        self._states.clear()
        if self._title:
            self._write(GIVE_TITLE_BACK)
            self._title = ""
