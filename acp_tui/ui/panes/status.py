"""The status line: agent, policy, mode, context, pending questions, running time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Final

from rich.cells import cell_len
from textual import on
from textual.message import Message

from acp_tui.conversation.conversation import Conversation
from acp_tui.formatting import clock, size, tokens
from acp_tui.session.entries import ToolCall
from acp_tui.session.options import Option, acts_unasked
from acp_tui.session.session import Session
from acp_tui.ui.entries.words import call_sentence
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.row_view import StatusRows
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import shortened
from acp_tui.ui.widgets.transcript.blocks import Piece
from acp_tui.workspace.terminals import Terminal

_LONG_START: Final = 5.0
_POLICIES: Final = {
    "ask": "asks for all",
    "ask-edits-and-commands": "asks for edits, commands",
    "allow-edits": "allows edits",
    "allow-everything": "allows everything",
}
"""The policies, as short as a line of 80 cells needs them."""
_NAME: Final = 24  # cells
_CLICKED: Final = ("policy", "mode", "model", "answer", "background", "sandbox")


class StatusLine(StatusRows):
    """One line; a click on the mode, the model or the questions opens their menu."""

    class PartClicked(Message):
        """A part was clicked; `what` names the session command that it runs."""

        def __init__(self, what: str) -> None:
            super().__init__()
            self.what = what

    def __init__(
        self, conversation: Conversation, styles: Styles, own_background: Callable[[], Sequence[Terminal]]
    ) -> None:
        """Show a conversation; `own_background` returns terminals of the user's own commands."""
        super().__init__(styles, id="status")
        self._own_background = own_background
        self._conversation = conversation
        self._parts: list[tuple[str, Piece]] = []

    def show(self) -> None:
        """Make the line equal to the conversation."""
        conversation = self._conversation
        if conversation.launch is None and conversation.phase not in ("reading", "recorded"):
            self.set_rows([])
            return
        parts: list[tuple[str, Piece]] = [("agent", ("accent", self._short(conversation.agent_name)))]
        parts += self._phase() if conversation.phase != "ready" else self._session()
        separated: list[tuple[str, Piece]] = []
        for part in parts:
            if separated:
                separated.append(("", ("faint", f" {self.theme_styles.symbol('dot')} ")))
            separated.append(part)
        right = self._right()
        self._parts = self._fitting(separated, right)
        self.set_rows([([piece for _, piece in self._parts], right)])

    def on_resize(self) -> None:
        """Show what there is room for."""
        self.show()

    @on(StatusRows.Clicked)
    def _clicked(self, event: StatusRows.Clicked) -> None:
        event.stop()
        if 0 <= event.piece < len(self._parts) and self._parts[event.piece][0] in _CLICKED:
            self.post_message(self.PartClicked(self._parts[event.piece][0]))

    # ------------------------------------------------------------------ parts

    def _fitting(self, parts: Sequence[tuple[str, Piece]], right: Sequence[Piece]) -> list[tuple[str, Piece]]:
        """Return the parts without facts at the end that do not fit: half a number says nothing."""
        fitting = list(parts)
        room = self.size.width - sum(cell_len(text) for _, text in right) - 1
        while room > 0 and len(fitting) > 3 and not fitting[-1][0] and _cells(fitting) > room:
            del fitting[-2:]
        return fitting

    def _short(self, text: str) -> str:
        """Return a name of the agent, short enough to leave room behind it."""
        return shortened(text, _NAME, self.theme_styles.symbol("cut"))

    def _phase(self) -> list[tuple[str, Piece]]:
        conversation = self._conversation
        waited = time.monotonic() - conversation.waiting_since
        match conversation.phase:
            case "starting":
                waits = conversation.agent.connection.starts if conversation.agent is not None else []
                for_what = f", waiting for {waits[0]}" if waits and waited > _LONG_START else ""
                return [("", ("muted", f"starting {clock(waited)}{for_what}"))]
            case "logging-in":
                return [("", ("warning", "wants a login"))]
            case "ended":
                return [("", ("error", f"ended, {key_of(self, 'session.restart')} starts it again"))]
            case "ending":
                return [("", ("muted", "ending"))]
            case "reading":
                return [("", ("muted", f"reading the recording {clock(waited)}"))]
            case "recorded":
                return [("", ("muted", f"recorded, {key_of(self, 'session.restart')} goes on with it"))]
            case _:
                return [("", ("error", "did not start"))]

    def _session(self) -> list[tuple[str, Piece]]:
        session = self._conversation.session
        if session is None:
            return []
        parts = [*self._policy(), *self._sandbox(), *self._background()]
        for category in ("mode", "model"):
            option = session.option(category)
            if option is not None:
                parts.append((category, self._option(option, category)))
        usage = self._usage()
        if usage is not None:
            parts.append(("", usage))
        if session.usage is not None and session.usage.cost is not None:
            cost = session.usage.cost
            parts.append(("", ("muted", self._short(f"{cost.amount:.2f} {cost.currency}"))))
        return parts

    def _policy(self) -> list[tuple[str, Piece]]:
        """Show the policy, always right after the agent's name."""
        policy = self._conversation.choices.policy
        if policy is None:
            return []
        role = "warning" if policy == "allow-everything" else "muted" if policy == "ask" else "text"
        return [("policy", (role, f"{_POLICIES[policy]} {self.theme_styles.symbol('menu')}"))]

    def _sandbox(self) -> list[tuple[str, Piece]]:
        """Show the fence that the agent runs in, if there is one."""
        running = self._conversation.running
        if running is None or running.sandbox is None:
            return []
        role = "warning" if running.sandbox.means.is_partial else "muted"
        return [("sandbox", (role, running.sandbox.words))]

    def _background(self) -> list[tuple[str, Piece]]:
        """Say how many commands have left something running."""
        number = len(self._conversation.background) + len(self._own_background())
        return (
            [("background", ("text", f"{number} in the background {self.theme_styles.symbol('menu')}"))]
            if number
            else []
        )

    def _option(self, option: Option, category: str) -> Piece:
        value = self._conversation.choices.pending_value(option)
        waits = f" {self.theme_styles.symbol('cut')}" if value != option.config.current_value else ""
        name = f"{self._short(option.name_of(value))}{waits}"
        unasked = category == "mode" and _acts_unasked(option, value)
        return ("warning" if unasked else "text", f"{name} {self.theme_styles.symbol('menu')}")

    def _usage(self) -> Piece | None:
        usage = self._conversation.session.usage if self._conversation.session is not None else None
        if usage is None:
            return None
        if usage.used is None or not usage.size:
            known = f"{tokens(usage.used)} of ?" if usage.used is not None else "?"
            return ("muted", f"ctx {known}")
        percent = min(100, round(100 * usage.used / usage.size))
        role = "error" if percent >= 90 else "warning" if percent >= 75 else "muted"
        return (role, f"ctx {percent} %")

    def _right(self) -> list[Piece]:
        """Return the right side: questions, queue, running turn."""
        conversation, session = self._conversation, self._conversation.session
        pieces: list[Piece] = []
        answer = key_of(self, "session.answer")
        visits = conversation.questions.visits
        if number := len(conversation.questions) - visits:
            pieces.append(("warning", f"{number} question{'s' if number > 1 else ''} {answer}  "))
        elif visits:
            pieces.append(("muted", f"{visits} page{'s' if visits > 1 else ''} to visit {answer}  "))
        if conversation.queue:
            pieces.append(("muted", f"{len(conversation.queue)} queued  "))
        if session is not None and session.turn_state != "idle" and conversation.agent is not None:
            pieces += self._turn()
        return pieces or [("muted", f"{key_of(self, 'app.help')} help")]

    def _turn(self) -> list[Piece]:
        conversation, session = self._conversation, self._conversation.session
        assert session is not None
        assert conversation.agent is not None
        agent = conversation.agent
        silent = time.monotonic() - max(agent.connection.last_heard, agent.connection.last_said)
        running = max(0.0, agent.now - session.turns[-1].started)
        pieces: list[Piece] = []
        if not conversation.questions:
            pieces += self._silence(silent)
        word = "stopping" if session.turn_state == "cancelling" else f"{key_of(self, 'session.stop')} stops"
        pieces.append(("muted", f"{word}  "))
        pieces.append(("accent", clock(running)))
        return pieces

    @cached_property
    def _computing(self) -> Computing:

        return Computing()

    def _silence(self, silent: float) -> list[Piece]:
        """Show the time of silence, the pending work, and whether the agent computes."""
        conversation, now = self._conversation, time.monotonic()
        assert conversation.running is not None
        assert conversation.session is not None
        if silent < SILENT - MEASURED_EVERY:
            self._computing.forget()
            return []
        if self._computing.is_due(now):
            self._computing.note(now, conversation.running.cpu_seconds())
        if silent < SILENT:
            return []
        connection = conversation.running.agent.connection
        waits_for = pending(conversation.session, connection.waiting_for)
        words = silence_notice(clock(silent), waits_for, self._computing.is_busy, connection.unread)
        return [("warning", f"{words}  "), ("accent", f"{key_of(self, 'session.ladder')}  ")]


def _cells(parts: Sequence[tuple[str, Piece]]) -> int:
    return sum(cell_len(text) for _, (_, text) in parts)


def _acts_unasked(option: Option, value: str | bool) -> bool:
    return acts_unasked(option.config, value)


SILENT: Final = 20.0
"""Seconds of silence of the agent after which the user is told."""
MEASURED_EVERY: Final = 3.0
"""Seconds between two looks at the processor time; one look at all processes costs some milliseconds."""
_BUSY: Final = 0.02
"""Part of one processor from which a process computes; below it, it only turns over in its sleep."""
_PROMPT: Final = "session/prompt"
_TITLE: Final = 28
"""Cells of what a tool call does."""


class Computing:
    """Samples the processor time of a process to tell if it computes."""

    def __init__(self) -> None:
        self.is_busy: bool | None = None
        """None while it is not known."""
        self._before: tuple[float, float] | None = None

    def is_due(self, now: float) -> bool:
        """Return True if the next sample is due."""
        return self._before is None or now - self._before[0] >= MEASURED_EVERY

    def note(self, now: float, cpu_seconds: float | None) -> None:
        """Take a look: the time on the monotonic clock, and the processor time so far (None: unknown)."""
        if cpu_seconds is None:
            return
        if self._before is not None and now > self._before[0]:
            self.is_busy = (cpu_seconds - self._before[1]) / (now - self._before[0]) >= _BUSY
        self._before = (now, cpu_seconds)

    def forget(self) -> None:
        """The agent speaks again."""
        self.is_busy = self._before = None


def pending(session: Session, methods: Sequence[str]) -> str:
    """Return the pending work: the newest open tool call, else our prompt or the oldest call."""
    first = session.turns[-1].first if session.turns else 0
    for index in range(len(session.entries) - 1, first, -1):
        entry = session.entries[index]
        if isinstance(entry, ToolCall) and not entry.is_final and not entry.is_empty:
            return shortened(call_sentence(entry, session.cwd), _TITLE)
    return _PROMPT if _PROMPT in methods else methods[0] if methods else ""


def silence_notice(since: str, waits_for: str, is_busy: bool | None, unread: int = 0) -> str:
    """Return the notice of silence: duration, pending call, and activity of the process.

    Args:
        since: how long it is silent.
        waits_for: what is pending.
        is_busy: whether its process computes; None: unknown.
        unread: bytes that it was sent and does not read, which is all there is to know then.
    """
    if unread:
        return f"silent {since}, does not read what it is sent ({size(unread)})"
    doing = {None: "", True: ", computes", False: ", idle"}[is_busy]
    return f"silent {since}{f', {waits_for}' if waits_for else ''}{doing}"
