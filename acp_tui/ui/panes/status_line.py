"""The status line: the agent and its state, pending items, approval, context and cost."""

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
from acp_tui.session.options import Option
from acp_tui.session.session import Session
from acp_tui.ui.entries.tool_call_words import call_sentence
from acp_tui.ui.panes.pane import Pane
from acp_tui.ui.widgets.key_names import key_of, pair_of
from acp_tui.ui.widgets.rows.row_view import StatusRows
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import safe_line, shortened
from acp_tui.ui.widgets.transcript.blocks import Piece
from acp_tui.workspace.terminals import Terminal

_LONG_START: Final = 5.0
_NAME: Final = 24  # cells
_GAP: Final = 2  # cells between two parts
_WORD: Final = 24  # characters of a state of the agent
_CLICKED: Final = ("policy", "mode", "model", "answer", "background", "ladder", "sandbox")

Part = tuple[str, Piece]
"""The session command that a click runs, or "", and the piece."""


class StatusLine(StatusRows):
    """One line of three groups: the agent's state, pending items, and approval.

    A click on a part runs its command.
    """

    class PartClicked(Message):
        """A part was clicked; `what` names the session command that it runs."""

        def __init__(self, what: str) -> None:
            super().__init__()
            self.what = what

    def __init__(
        self,
        conversation: Conversation,
        styles: Styles,
        own_background: Callable[[], Sequence[Terminal]],
        shows_model: Callable[[], bool] = lambda: True,
    ) -> None:
        """Show a conversation.

        Args:
            conversation: the conversation.
            styles: the theme's styles.
            own_background: returns the terminals of the user's shell commands.
            shows_model: returns True if the model is shown nowhere else on the screen.
        """
        super().__init__(styles, id="status")
        self._own_background = own_background
        self._shows_model = shows_model
        self._conversation = conversation
        self._parts: list[Part] = []

    def show(self) -> None:
        """Update the line to the conversation."""
        conversation = self._conversation
        if conversation.launch is None and conversation.phase not in ("reading", "recorded"):
            self.set_rows([])
            return
        if self._pane is not None:
            self._parts = self._keys(self._pane)
        else:
            left = [("", ("accent", self._short(conversation.agent_name))), *self._state()]
            self._parts = self._laid_out(left, self._pending(), self._right())
        self.set_rows([([piece for _, piece in self._parts], [])])

    def on_resize(self) -> None:
        """Draw the parts that fit."""
        self.show()

    @on(StatusRows.Clicked)
    def _clicked(self, event: StatusRows.Clicked) -> None:
        event.stop()
        if 0 <= event.piece < len(self._parts) and self._parts[event.piece][0] in _CLICKED:
            self.post_message(self.PartClicked(self._parts[event.piece][0]))

    # ------------------------------------------------------------------ groups

    @property
    def _pane(self) -> Pane | None:
        """The focused pane, whose keys the line shows."""
        return self.screen.focused if isinstance(self.screen.focused, Pane) else None

    def _keys(self, pane: Pane) -> list[Part]:
        """Return the keys of a pane that fit, the state of a turn, and the way back to the prompt."""
        is_busy = self._conversation.is_busy
        middle = [*(self._state() if is_busy else []), *self._pending()]
        back: Part = ("", ("muted", f"{key_of(pane, 'session.stop')} prompt"))
        left: list[Part] = [("", ("accent", pane.NAME.replace("-", " ")))]
        for word, first, second in pane.KEYS:
            key = pair_of(pane, first, second) if second else key_of(pane, first)
            part: Part = ("", ("text", f"{key} {word}"))
            if _cells([*left, part, *middle, back]) + 2 * _GAP <= self.size.width:
                left.append(part)
        return self._laid_out(left, middle, [(back,)])

    def _laid_out(
        self, left: Sequence[Part], middle: Sequence[Part], right: Sequence[tuple[Part, ...]]
    ) -> list[Part]:
        """Return the groups with spaces between them; of the right one, the first form that fits."""
        room = self.size.width - _cells(left) - _cells(middle) - 2 * _GAP * bool(middle)
        shown = next((group for group in right if _cells(group) + _GAP * (not middle) <= room), right[-1])
        free = max(0, room - _cells(shown))
        parts = _spaced(left)
        if middle:
            parts += [_blank(_GAP + free // 2), *_spaced(middle)]
            free = _GAP + free - free // 2
        return [*parts, _blank(free), *_spaced(shown)] if shown else parts

    def _short(self, text: str) -> str:
        """Return the agent's name, shortened to leave room after it."""
        return shortened(text, _NAME, self.theme_styles.symbol("cut"))

    def _state(self) -> list[Part]:
        """Return the state of the conversation."""
        conversation, session = self._conversation, self._conversation.session
        waited = time.monotonic() - conversation.waiting_since
        restart = key_of(self, "session.restart")
        match conversation.phase:
            case "ready":
                if session is not None and session.turn_state != "idle" and conversation.agent is not None:
                    return [*self._turn(), *self._background()]
                if conversation.agent is not None and conversation.agent.logins.is_logged_out:
                    return [("", ("warning", "not logged in")), *self._background()]
                told = _told_state(session) if session is not None else ""
                works = bool(conversation.background_work) or conversation.is_active
                said = told or ("" if works else "ready")
                return [*([("", ("muted", said))] if said else []), *self._background()]
            case "starting":
                waits = conversation.agent.connection.starts if conversation.agent is not None else []
                for_what = f", waiting for {waits[0]}" if waits and waited > _LONG_START else ""
                return [("", ("muted", f"starting {clock(waited)}{for_what}"))]
            case "logging-in":
                return [("", ("warning", "needs a login"))]
            case "ended":
                return [("", ("error", f"ended, {restart} restarts it"))]
            case "ending":
                return [("", ("muted", "ending"))]
            case "reading":
                return [("", ("muted", f"reading the recording {clock(waited)}"))]
            case "recorded":
                return [("", ("muted", f"recorded, {restart} resumes it"))]
            case _:
                return [("", ("error", "did not start"))]

    def _turn(self) -> list[Part]:
        """Return the state of a running turn."""
        conversation, session = self._conversation, self._conversation.session
        assert session is not None
        assert conversation.agent is not None
        agent = conversation.agent
        silent = time.monotonic() - max(agent.connection.last_heard, agent.connection.last_said)
        running = clock(max(0.0, agent.now - session.turns[-1].started))
        if len(conversation.questions) > conversation.questions.visits:
            return [("answer", ("warning", f"waiting for you {running}")), *self._stop()]
        word = "stopping" if session.turn_state == "cancelling" else "working"
        if session.turn_state == "running" and (told := _told_state(session)):
            word = told
        return [("", ("accent", f"{word} {running}")), *self._stop(), *self._silence(silent)]

    def _stop(self) -> list[Part]:
        session = self._conversation.session
        if session is None or session.turn_state == "cancelling" or self._pane is not None:
            return []  # in a pane the key first leads to the prompt
        return [("", ("muted", f"{key_of(self, 'session.stop')} stops"))]

    def _background(self) -> list[Part]:
        """Return the number of commands that run in the background."""
        number = len(self._conversation.background) + len(self._own_background())
        menu = self.theme_styles.symbol("menu")
        if work := self._conversation.background_work:
            return [("background", ("text", f"works in the background ({work + number}) {menu}"))]
        if self._conversation.is_active and not self._conversation.is_busy:
            return [("background", ("text", f"works on its own {menu}"))]
        return [("background", ("text", f"{number} in the background {menu}"))] if number else []

    def _pending(self) -> list[Part]:
        """Return the pending items: questions and queued prompts."""
        conversation = self._conversation
        parts: list[Part] = []
        answer = key_of(self, "session.answer")
        visits = conversation.questions.visits
        if number := len(conversation.questions) - visits:
            parts.append(("answer", ("warning", f"{number} question{'s' if number > 1 else ''} {answer}")))
        elif visits:
            parts.append(("answer", ("muted", f"{visits} page{'s' if visits > 1 else ''} to visit {answer}")))
        if conversation.prompts.queue:
            parts.append(("", ("muted", f"{len(conversation.prompts.queue)} queued")))
        return parts

    def _right(self) -> list[tuple[Part, ...]]:
        """Return the right group in shorter and shorter forms: the approval is dropped last."""
        conversation, session = self._conversation, self._conversation.session
        help_key: Part = ("", ("muted", f"{key_of(self, 'app.help')} help"))
        if conversation.phase != "ready" or session is None:
            return [(help_key,), ()]
        approval = conversation.choices.approval
        mode = session.option("mode")
        modes = [self._option(mode, "mode")] if mode is not None else []
        model = session.option("model")
        models = [self._option(model, "model")] if model is not None and self._shows_model() else []
        asks: list[Part] = []
        asks_briefly: list[Part] = []
        if approval is not None:
            menu = self.theme_styles.symbol("menu")
            role = (
                "warning" if approval.is_open else "muted" if conversation.choices.policy == "ask" else "text"
            )
            asks = [(approval.due_to, (role, f"{approval.words} {menu}"))]
            asks_briefly = [(approval.due_to, (role, f"{approval.brief} {menu}"))]
            is_said = mode is not None and approval.words.startswith(f"{mode.value_name}: ")
            modes = [] if is_said and mode is not None and not self._is_pending(mode) else modes
        usage = self._usage()
        context: list[Part] = [("", usage)] if usage is not None else []
        money = session.usage.cost if session.usage is not None else None
        cost: list[Part] = []
        if money is not None:
            cost = [("", ("muted", self._short(f"{money.amount:.2f} {money.currency}")))]
        is_idle = session.turn_state == "idle"
        hint = [help_key] if is_idle and not conversation.questions and not conversation.prompts.queue else []
        fence = self._sandbox()
        forms = [
            [*modes, *asks, *fence, *models, *context, *cost, *hint],
            [*modes, *asks, *fence, *context, *cost, *hint],
            [*modes, *asks, *fence, *context, *hint],
            [*modes, *asks, *fence, *context],
            [*modes, *asks, *fence],
            [*modes, *asks],
            [*modes, *asks_briefly],
            asks,
            asks_briefly,
        ]
        return [*map(tuple, forms)]

    def _sandbox(self) -> list[Part]:
        """Return the sandbox of the agent, if there is one."""
        running = self._conversation.running
        if running is None or running.sandbox is None:
            return []
        role = "warning" if running.sandbox.means.is_partial else "muted"
        return [("sandbox", (role, running.sandbox.words))]

    def _option(self, option: Option, category: str) -> Part:
        waits = f" {self.theme_styles.symbol('cut')}" if self._is_pending(option) else ""
        name = f"{self._short(option.name_of(self._conversation.choices.pending_value(option)))}{waits}"
        return category, ("text", f"{category} {name} {self.theme_styles.symbol('menu')}")

    def _is_pending(self, option: Option) -> bool:
        return self._conversation.choices.pending_value(option) != option.config.current_value

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

    @cached_property
    def _computing(self) -> Computing:

        return Computing()

    def _silence(self, silent: float) -> list[Part]:
        """Return the seconds of silence, the pending work, and whether the agent is computing."""
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
        return [
            ("ladder", ("warning", words)),
            ("ladder", ("accent", key_of(self, "session.ladder"))),
        ]


def _told_state(session: Session) -> str:
    """Return the state that the agent reports for a session, or ""."""
    word = session.reported_state
    if word in ("", "running", "idle"):
        return ""
    if word == "requires_action":
        return "waiting for you"
    return "state not known" if word == "unknown" else f"state “{safe_line(word)[:_WORD]}”"


def _spaced(parts: Sequence[Part]) -> list[Part]:
    """Return parts with spaces between them."""
    spaced: list[Part] = []
    for part in parts:
        spaced += [_blank(_GAP), part] if spaced else [part]
    return spaced


def _blank(cells: int) -> Part:
    return "", ("text", " " * cells)


def _cells(parts: Sequence[Part]) -> int:
    """Return the width of parts with spaces between them, in cells."""
    return sum(cell_len(text) for _, (_, text) in parts) + _GAP * max(0, len(parts) - 1)


SILENT: Final = 20.0
"""Seconds of silence of the agent after which it is shown."""
MEASURED_EVERY: Final = 3.0
"""Seconds between two samples of the processor time; one costs some milliseconds."""
_BUSY: Final = 0.02
"""Fraction of a processor from which on a process counts as computing; below it is idle noise."""
_PROMPT: Final = "session/prompt"
_TITLE: Final = 28
"""Maximum cells of a tool call's title."""


class Computing:
    """Samples the processor time of a process to find whether it is computing."""

    def __init__(self) -> None:
        self.is_busy: bool | None = None
        """None while unknown."""
        self._before: tuple[float, float] | None = None

    def is_due(self, now: float) -> bool:
        """Return True if the next sample is due."""
        return self._before is None or now - self._before[0] >= MEASURED_EVERY

    def note(self, now: float, cpu_seconds: float | None) -> None:
        """Add a sample: monotonic time, and processor seconds so far (None: unknown)."""
        if cpu_seconds is None:
            return
        if self._before is not None and now > self._before[0]:
            self.is_busy = (cpu_seconds - self._before[1]) / (now - self._before[0]) >= _BUSY
        self._before = (now, cpu_seconds)

    def forget(self) -> None:
        """Reset: the agent has sent something."""
        self.is_busy = self._before = None


def pending(session: Session, methods: Sequence[str]) -> str:
    """Return the pending work: the newest open tool call, else the prompt or the oldest request."""
    first = session.turns[-1].first if session.turns else 0
    for index in range(len(session.entries) - 1, first, -1):
        entry = session.entries[index]
        if isinstance(entry, ToolCall) and not entry.is_final and not entry.is_empty:
            return shortened(call_sentence(entry, session.cwd), _TITLE)
    return _PROMPT if _PROMPT in methods else methods[0] if methods else ""


def silence_notice(since: str, waits_for: str, is_busy: bool | None, unread: int = 0) -> str:
    """Return the notice of silence: duration, pending call, and activity of the process.

    Args:
        since: the duration of the silence, for display.
        waits_for: the pending work.
        is_busy: True if its process is computing; None: unknown.
        unread: bytes that it has not read; if any, the rest is not shown.
    """
    if unread:
        return f"silent {since}, not reading its input ({size(unread)})"
    doing = {None: "", True: ", computes", False: ", idle"}[is_busy]
    return f"silent {since}{f', {waits_for}' if waits_for else ''}{doing}"
