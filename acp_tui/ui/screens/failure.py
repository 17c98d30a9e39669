"""The failure screen: which command was run, how it ended, what it said, and what to try."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from acp_tui.ui.screens.details import Details
from acp_tui.ui.screens.unasked import GOES_ON, TURN_FIRST, UnaskedScreen
from acp_tui.ui.widgets.blocks import TextBlock
from acp_tui.ui.widgets.input_line import InputLine
from acp_tui.ui.widgets.keys import Keys
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.text import exact_line, safe, safe_line
from acp_tui.ui.widgets.transcript import Transcript

_HIGHEST: Final = 32
"""Rows of the box at most, however much the agent said."""
_FRAME: Final = 3
"""Rows of the frames around what it said, and below it."""
_LINES: Final = 500
"""Lines of stderr that are shown; the last ones matter."""


@dataclass(frozen=True)
class FailureChoice:
    """What the person wants to do about it."""

    kind: Literal["retry", "edit", "log_in", "choose", "new"]
    command: tuple[str, ...] = ()
    """The command to run instead, for `edit`."""


class FailureScreen(UnaskedScreen[FailureChoice | None]):
    """Shows a failed agent over its session; dismissed with None, all stays as it is."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "choose('retry')", "Retry", id="failure.retry"),
        Binding("e", "edit", "Edit the command", id="failure.edit"),
        Binding("l", "choose('log_in')", "Log in", id="failure.log-in"),
        Binding("n", "choose('new')", "New session", id="failure.new"),
        Binding("a", "choose('choose')", "Another agent", id="failure.choose"),
        Binding("c", "copy", "Copy", id="failure.copy"),
        Binding("escape", "close", "Close", id="failure.close"),
    ]

    def __init__(
        self,
        command: Sequence[str],
        title: str,
        reason: str,
        stderr: str,
        advice: Sequence[str],
        can_log_in: bool,
        look: Look | None = None,
        *,
        can_begin_new: bool = False,
        edited: str = "",
        stdout: str = "",
    ) -> None:
        super().__init__()
        self._command = tuple(command)
        self._title = title
        self._reason = reason
        stderr, stdout = stderr.rstrip(), stdout.rstrip()
        self._stderr = "\n\n".join(filter(None, (stdout, stderr)))
        self._streams = " and ".join(("stdout",) * bool(stdout) + ("stderr",) * bool(stderr))
        self._advice = advice
        self._can_log_in = can_log_in
        self._can_begin_new = can_begin_new
        self.look = look or Look()
        self._edited = edited
        self._edits = False
        self._said: list[TextBlock] = []

    def compose(self) -> ComposeResult:
        """Lay out the facts, what the agent said, and what to try."""
        with Vertical(id="failure"):
            yield Static(Content.styled(exact_line(shlex.join(self._command)), "$accent"), id="command")
            yield InputLine(self._edited or shlex.join(self._command), id="edited", select_on_focus=False)
            if self._reason and self._reason != self._title:
                yield Static(Content(safe(self._reason)), id="reason")
            yield Details(self._advice_blocks(), self.look, id="advice")
            with Vertical(id="said"):
                yield Transcript(self.look)
        yield Keys(self.look)

    def on_mount(self) -> None:
        """Show the end of what the agent said, and begin to guard."""
        box = self.query_one("#failure")
        box.border_title = Content(f"{self.look.glyph('failed')} {safe_line(self._title)}")
        box.set_class(bool(self._stderr), "-said")
        self.query_one("#said").border_title = Content(f"what it said ({self._streams})")
        said = self.query_one(Transcript)
        self._said = [TextBlock([("muted", line[:2_000])]) for line in self._stderr.splitlines()[-_LINES:]]
        for block in self._said:
            said.append(block)
        self.query_one("#advice").display = bool(self._advice)
        self._edit(bool(self._edited))
        self.begin_guard()

    def on_resize(self) -> None:
        """Give what the agent said as many rows as it needs and the others leave."""
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        if not self.query(Transcript):
            return  # it is being taken away, its parts first
        said, box = self.query_one("#said"), self.query_one("#failure")
        room = min(_HIGHEST, self.size.height * 9 // 10) - (said.region.y - box.region.y) - _FRAME
        width, rows = self.query_one(Transcript).size.width - 2, 0
        for block in self._said:
            rows += len(block.rows(width, self.look)) if rows < room else 0
        said.styles.height = max(1, min(rows, room)) + _FRAME - 1

    def turned_to(self) -> None:
        """Give the keys to the command while it is edited, else to what the agent said."""
        if self.query(Transcript):
            self._edit(self._edits)

    def guard_changed(self) -> None:
        """Say how to turn to this, while keys are not for it."""
        for box in self.query("#failure"):
            turn = f"{TURN_FIRST}: {GOES_ON}" if not self.armed else ""
            box.border_subtitle = Content(turn or ("Enter runs it" if self._edits else ""))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Run what was edited, once it can be split into words."""
        try:
            words = shlex.split(event.value)
        except ValueError as error:
            self.notify(f"{error}. Check its quotes.", title="This is no command line", severity="error")
            return
        if words:
            self.dismiss(FailureChoice("edit", tuple(words)))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer a login or a new session only where there is one, and no keys while the command is edited."""
        if parameters == ("log_in",) and not self._can_log_in:
            return False
        if parameters == ("new",) and not self._can_begin_new:
            return False
        return action in ("close", "quit") or not self._edits

    def action_choose(self, kind: Literal["retry", "log_in", "choose", "new"]) -> None:
        """Leave with a wish."""
        self.dismiss(FailureChoice(kind))

    def action_edit(self) -> None:
        """Change the command in place."""
        self._edit(True)

    def action_copy(self) -> None:
        """Copy all that is known, for a bug report."""
        parts = (shlex.join(self._command), self._title, self._reason, self._stderr)
        self.app.copy_to_clipboard("\n".join(part for part in parts if part))
        self.notify("Command, reason and what it said are copied.")

    def action_close(self) -> None:
        """Stop editing, or close."""
        if self._edits:
            self._edit(False)
        else:
            self.dismiss(None)

    def _edit(self, edits: bool) -> None:
        """Show the command as a field, or as a text."""
        self._edits = edits
        self.query_one(Input).display = edits
        self.query_one("#command").display = not edits
        self.guard_changed()
        if edits:
            self.query_one(Input).focus()
        else:
            self.set_focus(self.query_one(Transcript) if self._stderr else None)
        self.refresh_bindings()

    def _advice_blocks(self) -> list[TextBlock]:
        mark, rest = [("list-marker", f"{self.look.glyph('bullet')} ")], [("text", "  ")]
        lines = [TextBlock([("text", safe_line(one))], first=mark, rest=rest) for one in self._advice]
        return [TextBlock([("heading", "What to try")]), *lines]
