"""What the terminal outside the interface is told: a title, and a call when the person looks elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, Literal

from acp_tui.ui.widgets.text import safe_line, start_of

if TYPE_CHECKING:
    from acp_tui.conversation.conversation import Conversation

State = Literal["starting", "ready", "working", "asks", "ended"]

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


class Attention:
    """Keeps the terminal's title equal to a conversation, and calls the person when it matters."""

    def __init__(
        self,
        write: Callable[[str], None],
        is_looked_at: Callable[[], bool],
        calls: bool,
        by_777: bool = False,
    ) -> None:
        """Take the ways out.

        Args:
            write: sends a control sequence to the terminal.
            is_looked_at: whether the terminal has the focus, as far as it tells.
            calls: whether the person wants to be called.
            by_777: whether the terminal wants OSC 777 for that instead of OSC 9.
        """
        self._write = write
        self._is_looked_at = is_looked_at
        self._calls = calls
        self._by_777 = by_777
        self._state: State = "starting"
        self._title = ""

    def update(self, conversation: Conversation) -> None:
        """Tell the terminal what is new."""
        before, self._state = self._state, state_of(conversation)
        name = safe_line(start_of(conversation.agent_name, _NAME))
        title = f"{name}: {_WORDS[self._state]}" if conversation.launch is not None else "acp-tui"
        if title != self._title:
            self._write(f"{'' if self._title else KEEP_TITLE}\x1b]2;{title}\x07")
            self._title = title
        call = _CALLS.get((before, self._state))
        if call is not None and conversation.phase != "ending" and self._calls and not self._is_looked_at():
            # a semicolon would end the title
            notice = f"777;notify;{name.replace(';', ',')};{call}" if self._by_777 else f"9;{name} {call}"
            self._write(f"\x1b]{notice}\x07\x07")

    def end(self) -> None:
        """Give the terminal its own title back."""
        if self._title:
            self._write(GIVE_TITLE_BACK)
            self._title = ""
