"""The start screen, and the screen of a failed agent."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import ClassVar, Final, Literal, NamedTuple

from rich.cells import set_cell_size
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option
from typing_extensions import override

from acp_tui.formatting import from_home
from acp_tui.store.agents import KnownAgent
from acp_tui.store.recordings import RecordedSession
from acp_tui.store.toml_check import Problem
from acp_tui.ui.application.key_guard import AGAIN, key_history_of
from acp_tui.ui.screens.base.dialog import Details
from acp_tui.ui.screens.base.menu import MenuFilter, number_of
from acp_tui.ui.screens.base.unasked_screen import TURN_FIRST, UnaskedScreen
from acp_tui.ui.widgets.input_line import InputLine
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.rows.keys import Keys
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import exact_line, safe, safe_line
from acp_tui.ui.widgets.textual_internals import ExactLayout, move_highlight
from acp_tui.ui.widgets.transcript.blocks import TextBlock
from acp_tui.ui.widgets.transcript.transcript import Transcript
from acp_tui.workspace.real_paths import is_same

_NAME: Final = 12
_TITLE: Final = 20
_WHEN: Final = 12
"""Cells of the columns."""


@dataclass(frozen=True)
class StartChoice:
    """The choice of the user."""

    kind: Literal["agent", "demo", "recorded"]
    agent: str = ""
    """Name of a known agent, or a typed command line."""
    recorded: RecordedSession | None = None
    """A past session."""


class StartRow(NamedTuple):
    """A row of the list, with its search words."""

    text: Content
    words: str
    choice: StartChoice | None
    """None if it is not installed."""
    install: str = ""


class StartGroup(NamedTuple):
    """Rows under a heading."""

    heading: str
    rows: Sequence[StartRow]


class StartScreen(ExactLayout, Screen[StartChoice | None]):
    """Asks for an agent or a session; the field filters the list, and takes command lines.

    While the field is empty, a number chooses a row.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move('cursor_up')", "Up", show=False, id="start.up"),
        Binding("down", "move('cursor_down')", "Down", show=False, id="start.down"),
        Binding("pageup", "move('page_up')", "Page up", show=False, id="start.page-up"),
        Binding("pagedown", "move('page_down')", "Page down", show=False, id="start.page-down"),
        Binding("escape", "clear", "Clear / back", id="start.clear"),
        Binding(
            "ctrl+c", "interrupt", "Copy / clear / quit", show=False, id="start.interrupt", priority=True
        ),
        Binding(
            "ctrl+d", "leave", "Quit, if the field is empty", show=False, id="start.leave", priority=True
        ),
    ]

    def __init__(
        self,
        known: Mapping[str, KnownAgent],
        sessions: Sequence[RecordedSession],
        cwd: str,
        problems: Sequence[Problem] = (),
        styles: Styles | None = None,
        *,
        wanted: str = "",
        has_back: bool = False,
        resumes: bool = False,
    ) -> None:
        """Ask for an agent or a session.

        Args:
            known: the agents that can be started by name.
            sessions: the recorded sessions, newest first.
            cwd: the workspace.
            problems: the problems of the user's files.
            styles: the theme's styles.
            wanted: the initial text in the field.
            has_back: True if Escape in an empty field may go back: it dismisses with None.
            resumes: True if the user asked for a session; they come first.
        """
        super().__init__()
        self._known = known
        self._wanted = wanted
        self._has_back = has_back
        self._cwd = cwd
        self._problems = problems
        self.theme_styles = styles or Styles()
        self._groups = groups(known, sessions, cwd, datetime.now(UTC), sessions_first=resumes)
        self._rows: list[StartRow | None] = []
        """Row of each line of the list; None for a heading."""

    @override
    def compose(self) -> ComposeResult:
        with Vertical(id="start"):
            yield Static(
                Content.assemble(
                    ("acp-tui", "bold $accent"), ("  in  ", "$muted"), safe_line(from_home(self._cwd))
                ),
                id="workspace",
            )
            hint = "filter, or type the command line of any agent"
            yield MenuFilter(self._wanted, placeholder=hint, id="wanted", select_on_focus=False)
            yield OptionList(id="choices")
            yield Static(self._said_problems(), id="problems")
        yield Keys(self.theme_styles)

    def on_mount(self) -> None:
        """List everything, and focus the field."""
        self._show(self._wanted)
        self.query_one("#problems").display = bool(self._problems)
        wanted = self.query_one(Input)
        wanted.border_subtitle = "Enter starts"
        wanted.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter the list."""
        self._show(event.value)

    def on_input_submitted(self) -> None:
        """Start the highlighted row."""
        self.action_choose()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Start the clicked row."""
        self._start(self._rows[event.option_index])

    def action_move(self, way: str) -> None:
        """Highlight another row; the field keeps the focus."""
        move_highlight(self.query_one(OptionList), way)

    def action_choose(self) -> None:
        """Start the highlighted row."""
        index = self.query_one(OptionList).highlighted
        if index is not None:
            self._start(self._rows[index])

    def action_clear(self) -> None:
        """Empty the field; go back from an empty one."""
        field = self.query_one(Input)
        if not field.value and self._has_back:
            self.dismiss(None)
        field.value = ""

    async def action_interrupt(self) -> None:
        """Copy a selection, else empty the field, else quit at the second press, as in a session."""
        field, history = self.query_one(Input), key_history_of(self.app)
        if field.selected_text:
            self.app.copy_to_clipboard(field.selected_text)
        elif field.value:
            field.value = ""
        elif history.is_again(AGAIN):
            await self.action_leave()
        else:
            history.announce()
            key = key_of(self, "start.interrupt")
            self.notify(f"{key} again quits.", title="Keys", timeout=AGAIN)

    async def action_leave(self) -> None:
        """Quit."""
        await self.run_action("app.run('app.quit')")

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        fields = self.query(Input)
        return action != "leave" or not fields or not fields.first().value

    @on(MenuFilter.Numbered)
    def _choose_number(self, event: MenuFilter.Numbered) -> None:
        rows = [row for row in self._rows if row is not None]
        if event.number <= len(rows):
            self._start(rows[event.number - 1])
        else:
            self.query_one(Input).insert(str(event.number), 0)

    def _start(self, row: StartRow | None) -> None:
        if row is None:
            return
        if row.choice is not None:
            self.dismiss(row.choice)
        elif row.install:
            self.app.copy_to_clipboard(row.install)
            self.notify(
                safe_line(row.install), title="Not installed. Copied; run it in a shell, then come back:"
            )
        else:
            self.notify("It is not on PATH.", title="Not installed", severity="warning")

    def _show(self, text: str) -> None:
        options: list[Option] = []
        self._rows = []
        found = matching(self._groups, text, self._known)
        if text and text == self._wanted:  # it could not be started, so something else may be chosen
            found += _others(self._groups, found)
        for group in found:
            if options:
                options.append(Option("", disabled=True))
                self._rows.append(None)
            options.append(Option(Content.styled(group.heading, "$heading"), disabled=True))
            first = sum(row is not None for row in self._rows) + 1
            self._rows += [None, *group.rows]
            options += [
                Option(Content.assemble((number_of(place, text), "$muted"), row.text))
                for place, row in enumerate(group.rows, first)
            ]
        listed = self.query_one(OptionList)
        listed.set_options(options)
        listed.highlighted = next((place for place, row in enumerate(self._rows) if row), None)
        listed.scroll_to(y=0, animate=False)

    def _said_problems(self) -> Content:
        mark = self.theme_styles.symbol("warning")
        return Content("\n").join(
            Content.assemble((f"{mark} ", "$warning"), (safe_line(str(problem)), "$muted"))
            for problem in self._problems[:4]
        )


def groups(
    known: Mapping[str, KnownAgent],
    sessions: Sequence[RecordedSession],
    cwd: str,
    now: datetime,
    *,
    sessions_first: bool = False,
) -> list[StartGroup]:
    """Return all rows: installed agents, past sessions, then agents that are not fully installed."""
    there = [agent for agent in known.values() if agent.installed()]
    missing = [agent for agent in known.values() if agent not in there]
    adapted = [agent for agent in missing if agent.lacks_adapter()]
    demo = _row(
        "demo", "Demo agent", "shows every feature; no install, no key, no network", StartChoice("demo")
    )
    here = [session for session in sessions if is_same(session.cwd, cwd)]
    elsewhere = [session for session in sessions if session not in here]
    ready = StartGroup("On this machine", [*map(_installed, there), demo])
    past = [
        StartGroup("Sessions in this workspace", [_session(session, now, "") for session in here]),
        StartGroup("Sessions elsewhere", [_session(session, now, session.cwd) for session in elsewhere]),
    ]
    found = [
        *([*past, ready] if sessions_first else [ready, *past]),
        StartGroup("ACP adapter not installed", [_missing(agent) for agent in missing if agent in adapted]),
        StartGroup("Not installed", [_missing(agent) for agent in missing if agent not in adapted]),
    ]
    return [group for group in found if group.rows]


def matching(
    all_groups: Sequence[StartGroup], text: str, known: Mapping[str, KnownAgent] = {}
) -> list[StartGroup]:
    """Return the rows with all words of `text`, and a row that runs it as a command line.

    That row comes first if the text starts with a program and has more words, else last.
    """
    words = text.lower().split()
    found = [
        StartGroup(heading, hits)
        for heading, rows in all_groups
        if (hits := [row for row in rows if all(word in row.words for word in words)])
    ]
    if not words:
        return found
    run = StartGroup("Command line", [_command_line(text.strip())])
    return [run, *found] if _is_command_line(text, known) else [*found, run]


def _others(all_groups: Sequence[StartGroup], found: Sequence[StartGroup]) -> list[StartGroup]:
    """Return the rows that were not found."""
    shown = [row for group in found for row in group.rows]
    groups_left = (
        StartGroup(heading, [row for row in rows if row not in shown]) for heading, rows in all_groups
    )
    return [group for group in groups_left if group.rows]


def ago(then: datetime, now: datetime) -> str:
    """Return an age in at most twelve characters."""
    if then.tzinfo is None:
        then = then.astimezone()
    seconds = (now - then).total_seconds()
    for unit, size, most in (("min", 60, 60), ("h", 3600, 24), ("d", 86400, 14)):
        if seconds < size * most:
            return f"{int(seconds // size)} {unit} ago" if seconds >= size else "just now"
    return f"{then:%Y-%m-%d}"


def _is_command_line(text: str, known: Mapping[str, KnownAgent]) -> bool:
    first, _, rest = text.strip().partition(" ")
    runs = first in known or "/" in first or shutil.which(first) is not None
    return runs and bool(rest or "/" in first)


def _installed(agent: KnownAgent) -> StartRow:
    return _row(agent.name, agent.title, shlex.join(agent.command), StartChoice("agent", agent.name))


def _missing(agent: KnownAgent) -> StartRow:
    install = safe_line(agent.install or "not on PATH")
    text = _columns(agent.name, agent.title, install, "$muted", "$muted", "$muted")
    return StartRow(text, _words(agent.name, agent.title, install), None, agent.install)


def _command_line(text: str) -> StartRow:
    return StartRow(Content.assemble(("run  ", "$muted"), safe_line(text)), "", StartChoice("agent", text))


def _row(name: str, title: str, what: str, choice: StartChoice) -> StartRow:
    return StartRow(
        _columns(name, title, what, "bold $accent", "", "$muted"), _words(name, title, what), choice
    )


def _session(session: RecordedSession, now: datetime, folder: str) -> StartRow:
    when = ago(session.used, now) if session.used else ""
    title = safe_line(session.title) or "no prompt"
    text = Content.assemble(
        (set_cell_size(when, _WHEN), "$muted"),
        (set_cell_size(safe_line(session.agent), _TITLE), "$accent"),
        title if session.title else (title, "italic $muted"),
        (f"  {safe_line(from_home(folder))}" if folder else "", "$muted"),
    )
    return StartRow(
        text, _words(session.agent, session.title, folder), StartChoice("recorded", recorded=session)
    )


def _columns(name: str, title: str, what: str, *styles: str) -> Content:
    cells = (
        set_cell_size(safe_line(name), max(_NAME, len(name) + 1)),
        set_cell_size(safe_line(title), _TITLE),
        safe_line(what),
    )
    return Content.assemble(*zip(cells, styles, strict=True))


def _words(*texts: str) -> str:
    return " ".join(texts).lower()


_HIGHEST: Final = 32
"""Most rows of the box."""
_FRAME: Final = 4
"""Rows of the frames around and below the output, and of the keys."""
_SAID_FRAME: Final = 2
"""Rows of the frame of the output."""
_LINES: Final = 500
"""Number of output lines that are shown, the last ones."""


@dataclass(frozen=True)
class FailureChoice:
    """The choice of the user about a failed agent."""

    kind: Literal["retry", "edit", "log_in", "choose", "new", "allow"]
    command: tuple[str, ...] = ()
    """New command, for `edit`."""


class FailureScreen(UnaskedScreen[FailureChoice | None]):
    """Shows the failure of an agent; dismisses with a choice, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "choose('retry')", "Retry", id="failure.retry"),
        Binding("w", "choose('allow')", "Allow it and retry", id="failure.allow"),
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
        styles: Styles | None = None,
        *,
        can_begin_new: bool = False,
        can_allow: bool = False,
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
        self._can_allow = can_allow
        self.theme_styles = styles or Styles()
        self._edited = edited
        self._edits = False
        self._said: list[TextBlock] = []

    @override
    def compose(self) -> ComposeResult:
        with Vertical(id="failure"):
            yield Static(Content.styled(exact_line(shlex.join(self._command)), "$accent"), id="command")
            yield InputLine(self._edited or shlex.join(self._command), id="edited", select_on_focus=False)
            if self._reason and self._reason != self._title:
                yield Static(Content(safe(self._reason)), id="reason")
            yield Details(self._advice_blocks(), self.theme_styles, id="advice")
            with Vertical(id="said"):
                yield Transcript(self.theme_styles)
            yield Keys(self.theme_styles)

    def on_mount(self) -> None:
        """Show the end of the output, and start the guard."""
        box = self.query_one("#failure")
        box.border_title = Content(f"{self.theme_styles.symbol('failed')} {safe_line(self._title)}")
        box.set_class(bool(self._stderr), "-said")
        self.query_one("#said").border_title = Content(f"output ({self._streams})")
        said = self.query_one(Transcript)
        self._said = [TextBlock([("muted", line[:2_000])]) for line in self._stderr.splitlines()[-_LINES:]]
        for block in self._said:
            said.append(block)
        self.query_one("#advice").display = bool(self._advice)
        self._edit(bool(self._edited))
        self.begin_guard()

    def on_resize(self) -> None:
        """Fit the output into the free rows."""
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        if not self.query(Transcript):
            return  # it is being removed, its parts first
        said, box = self.query_one("#said"), self.query_one("#failure")
        room = min(_HIGHEST, self.size.height * 9 // 10) - (said.region.y - box.region.y) - _FRAME
        width, rows = self.query_one(Transcript).size.width - 2, 0
        for block in self._said:
            rows += len(block.rows(width, self.theme_styles)) if rows < room else 0
        said.styles.height = max(1, min(rows, room)) + _SAID_FRAME

    @override
    def turned_to(self) -> None:
        if self.query(Transcript):
            self._edit(self._edits)

    @override
    def guard_changed(self) -> None:
        for box in self.query("#failure"):
            turn = f"{TURN_FIRST}: {self.below.goes_on}" if not self.armed else ""
            box.border_subtitle = Content(turn or ("Enter runs it" if self._edits else ""))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Run the edited command, if it can be split into words."""
        try:
            words = shlex.split(event.value)
        except ValueError as error:
            self.notify(f"{error}. Check the quotes.", title="Not a command line", severity="error")
            return
        if words:
            self.dismiss(FailureChoice("edit", tuple(words)))

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if parameters == ("log_in",) and not self._can_log_in:
            return False
        if parameters == ("new",) and not self._can_begin_new:
            return False
        if parameters == ("allow",) and not self._can_allow:
            return False
        return action in ("close", "quit") or not self._edits

    def action_choose(self, kind: Literal["retry", "log_in", "choose", "new", "allow"]) -> None:
        """Dismiss with a choice."""
        self.dismiss(FailureChoice(kind))

    def action_edit(self) -> None:
        """Edit the command in place."""
        self._edit(True)

    def action_copy(self) -> None:
        """Copy all facts, for a bug report."""
        parts = (shlex.join(self._command), self._title, self._reason, self._stderr)
        self.app.copy_to_clipboard("\n".join(part for part in parts if part))
        self.notify("Command, reason and output copied.")

    def action_close(self) -> None:
        """Stop editing, or close."""
        if self._edits:
            self._edit(False)
        else:
            self.dismiss(None)

    def _edit(self, edits: bool) -> None:
        """Show the command in a field, or as text."""
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
        mark, rest = [("list-marker", f"{self.theme_styles.symbol('bullet')} ")], [("text", "  ")]
        lines = [TextBlock([("text", safe_line(one))], first=mark, rest=rest) for one in self._advice]
        return [TextBlock([("heading", "What to try")]), *lines]
