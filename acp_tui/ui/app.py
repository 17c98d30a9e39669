"""The application: themes, screens, and the way out."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import sys
import traceback
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from rich.text import Text
from textual import work
from textual.app import App
from textual.binding import Binding, BindingType
from textual.events import AppBlur, AppFocus, Event, InputEvent, Key, Paste
from textual.worker import WorkerFailed

from acp_tui.store.folders import config_folder, state_folder
from acp_tui.store.preferences import SessionNames
from acp_tui.ui.screens.key_guard import is_kept_back
from acp_tui.ui.session_screen.screen import SessionScreen
from acp_tui.ui.tabs import FIRST, Tabs
from acp_tui.ui.terminal import Attention, Seat, speaks_777, when_terminal_goes
from acp_tui.ui.theme import Colors, colors_of_terminal
from acp_tui.ui.theming import EVERY, Theming, is_ascii
from acp_tui.ui.widgets.key_names import key_of, shown_key
from acp_tui.ui.widgets.text import plain, safe, safe_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.css.stylesheet import Stylesheet
    from textual.driver import Driver
    from textual.filter import LineFilter
    from textual.notifications import SeverityLevel
    from textual.screen import Screen
    from textual.worker_manager import WorkerManager

    from acp_tui.conversation.agents import RunningAgent
    from acp_tui.conversation.conversation import Start
    from acp_tui.conversation.opening import Attach
    from acp_tui.store.folders import Problem
    from acp_tui.store.recordings import RecordedSession
    from acp_tui.ui.terminal import Clipboard
    from acp_tui.ui.terminal_input import PasteDropped
    from acp_tui.ui.widgets.diff.view import DiffHabits, DiffView
    from acp_tui.ui.widgets.markdown.inline import LinksWanted


FIRST_SHEETS: Final = [
    Path(__file__).parent / name
    for name in ("session_screen/screen.tcss", "widgets/transcript/transcript.tcss")
]
"""What the first frame needs; the other sheets are read after it."""

SETTLED: Final = 3.0
"""Seconds after the start, when what is imported one by one after the first frame is in."""

CLEANED: Final = 30.0
"""Seconds after the start, when nobody waits for the disk any more and recorded sessions may be deleted."""

COLLECT_AFTER: Final = (5_000, 5, 400)
"""Objects before the youngest are looked through, and how often that is done before the older ones are.

Each look stops everything: at 25,000 objects for 8 ms, at the many of a long session for a tenth of a second.
"""


def read_other_sheets(stylesheet: Stylesheet) -> None:
    """Read the style sheets that the first frame does without."""
    stylesheet.read_all(
        sorted(path for path in Path(__file__).parent.rglob("*.tcss") if path not in FIRST_SHEETS)
    )
    stylesheet.parse()


def collect_again() -> None:
    """Collect garbage again, which the command line has put off, but only among what is made from now on.

    A full collection of all modules takes a tenth of a second in which no key is answered.
    """
    if not gc.isenabled():
        gc.freeze()
        gc.set_threshold(*COLLECT_AFTER)
        gc.enable()


def left_of(mistake: BaseException) -> str:
    """Return what is left on the terminal: never the values of variables, which may be secrets."""
    try:
        lines = traceback.format_exception(mistake)
    except Exception:  # the interface must end all the same, and not stay as a dead picture
        log.exception("showing why the interface ended")
        lines = []
    return (
        safe("".join(lines)) + "\nThis is a mistake of acp-tui. Its log says the same; sessions are on disk."
    )


log = logging.getLogger(__name__)

_OF_SESSIONS: Final = frozenset(("new_session", "other_agent", "sessions", "close_session"))


class AcpApp(App[int]):
    """acp-tui."""

    TITLE = "acp-tui"
    DEFAULT_MODE = FIRST
    SUSPENDED_SCREEN_CLASS = "-behind"
    CSS_PATH: ClassVar[list[Any]] = [*FIRST_SHEETS]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "leave", "Quit", id="app.quit", priority=True),
        Binding("f1", "help", "Help", id="app.help", priority=True),
        Binding("ctrl+p", "command_palette", "Palette", id="app.palette", show=False, priority=True),
        Binding("f10", "theme", "Theme", id="app.theme", priority=True),
        Binding("ctrl+n", "new_session", "New session", id="session.new", show=False, priority=True),
        Binding("alt+n", "other_agent", "Another agent", id="session.other-agent", show=False, priority=True),
        Binding("alt+s", "sessions", "Sessions", id="session.sessions", show=False, priority=True),
        Binding("alt+w", "close_session", "Close session", id="session.close", show=False, priority=True),
        Binding(
            "alt+a", "inbox", "Inbox: what waits in all sessions", id="app.inbox", show=False, priority=True
        ),
        Binding("ctrl+z", "suspend_process", "Suspend, until fg in the shell", id="app.suspend", show=False),
        Binding("ctrl+pagedown", "go(1)", "Next session", id="app.next", show=False, priority=True),
        Binding("ctrl+pageup", "go(-1)", "Previous session", id="app.previous", show=False, priority=True),
        *(
            Binding(
                f"alt+{n}", f"go_to({n - 1})", f"Session {n}", id=f"app.go-{n}", show=False, priority=True
            )
            for n in range(1, 10)
        ),
    ]

    def __init__(self, start: Start, colors: Colors = "many", ascii: bool = False) -> None:
        """Make the interface of one start.

        Args:
            start: what the command line and the settings say.
            colors: how many colours the terminal has.
            ascii: whether it shows ASCII only, unless the settings know better.
        """
        super().__init__(ansi_color=True if colors == "none" else None)
        self._start = start
        self._ascii = ascii if start.settings.ascii is None else start.settings.ascii
        self._marks_in_ascii = _marks_in_ascii() if self._ascii else []
        self.set_class(colors != "many", "-few-colors")
        self.set_class(self._ascii, "-ascii")
        if start.settings.reduced_motion:
            self.animation_level = "none"
        self._is_drawn = False
        self._leaves = False
        self._is_lent = False
        """Whether another program has the terminal for a while."""
        self.seat = Seat()
        """Whether the user is there."""
        self.attention = Attention(
            self.write_to_terminal, self.seat, start.settings.notifications, speaks_777(os.environ)
        )
        kept = state_folder() / "names.json" if start.settings.journal else None
        self.tabs = Tabs(self, SessionNames(kept))
        self.theming = Theming(self, config_folder() / "themes", colors, self._ascii)
        """In what it is drawn."""
        self.theming.begin(start.theme, start.settings.theme)
        self.stylesheet.set_variables(self.get_css_variables())
        self.key_problems: list[Problem] = []
        """What is wrong with the keys of the settings."""
        if start.settings.keys:
            from acp_tui.ui.keys import usable

            self.set_keymap(usable(start.settings.keys))

        self.add_mode(FIRST, self._first_screen)

    def _first_screen(self) -> SessionScreen:
        """The session screen is there from the first frame."""
        screen = SessionScreen(self._start, self.theming.look, self.attention, self.tabs)
        self.tabs.add(screen)
        return screen

    def session_screen_for(
        self, running: RunningAgent | None, attach: Attach | None, recorded: RecordedSession | None
    ) -> SessionScreen:
        """Return a screen for one more session; without a running agent it begins with a choice."""
        start = self._start._replace(launch=None, process=None, spawn_error=None, mode=None)
        return SessionScreen(start, self.theming.look, self.attention, self.tabs, running, attach, recorded)

    @property
    def session_screen(self) -> SessionScreen:
        """The session screen that is seen."""
        return self.tabs.current

    def get_driver_class(self) -> type[Driver]:
        """Return what reads the terminal: Textual's own would act on what is pasted."""
        from textual.drivers.linux_driver import LinuxDriver

        from acp_tui.ui.terminal_input import TerminalDriver

        chosen = super().get_driver_class()
        return TerminalDriver if chosen is LinuxDriver else chosen

    async def on_event(self, event: Event) -> None:
        """Note whether the user is there; keep keys back that are not for what has come over the session."""
        if isinstance(event, InputEvent | Paste):
            self.seat.touch()
        elif isinstance(event, AppFocus | AppBlur):
            self.seat.focus = isinstance(event, AppFocus)
        if not isinstance(event, Key | Paste) or not is_kept_back(self, event):
            await super().on_event(event)

    def on_paste_dropped(self, event: PasteDropped) -> None:
        """Say that a paste came to nothing."""
        size = f"{event.size:,} characters"
        if event.ended:
            self.warn(f"It is too long to be taken: {size}.", "Paste")
        else:
            self.warn(f"It never ended, so its {size} are dropped. Press any key to go on.", "Paste")

    def on_mount(self) -> None:
        """Leave in good order on the signals that end programs; say what is wrong with the person's files."""
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, self.action_leave)
        if not self.is_headless:
            when_terminal_goes(lambda: loop.call_soon_threadsafe(self.action_leave))
        # Whoever had the terminal meanwhile has drawn over it.
        self.app_resume_signal.subscribe(self, lambda _: self.refresh(layout=True))
        for problem in self._start.problems:
            self.warn(str(problem), "Settings")
        self.call_after_refresh(self._after_first_frame)
        self.set_timer(SETTLED, collect_again)
        self.set_timer(CLEANED, self._free_space)
        self.set_interval(EVERY, self.theming.look_again)
        if self._start.settings.keys:
            self.call_after_refresh(self._check_keys)

    @work(group="space")
    async def _free_space(self) -> None:
        """Delete recorded sessions beyond the budget of the settings, and say so."""
        from acp_tui.ui.disk_space import free_space

        told = await asyncio.to_thread(free_space, self._start.settings.journals)
        if told:
            self.notify(told, title="Recorded sessions", timeout=20)

    @work(group="keys")
    async def _check_keys(self) -> None:
        """Say which keys of the settings cannot be used as written; F1 goes on saying so."""
        from acp_tui.ui.keys import problems

        self.key_problems = await problems(self, self._start.settings.keys, config_folder() / "settings.toml")
        for problem in self.key_problems:
            self.warn(str(problem), "Keys")

    def refresh_css(self, animate: bool = True) -> None:
        """Restyle everything after a change of theme; before the first frame there is nothing to restyle."""
        if self._is_drawn:
            super().refresh_css(animate)

    def _after_first_frame(self) -> None:
        self._is_drawn = True
        read_other_sheets(self.stylesheet)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return what every line goes through before it is drawn."""
        return (*super().get_line_filters(), *self._marks_in_ascii)

    async def _check_bindings(self, key: str, priority: bool = False) -> bool:
        """Act on a key; one of the settings is meant, also where a text field has it for itself."""
        if priority and self._keymap and await self._acts_by_settings(key):
            return True
        return await super()._check_bindings(key, priority)

    async def _acts_by_settings(self, key: str) -> bool:
        """Do what the settings have on a key that the field with the keys would take for itself."""
        chain = self.screen._modal_binding_chain
        _, bindings = chain[0]
        if not bindings.key_to_bindings.get(key) or any(one.id for one in bindings.key_to_bindings[key]):
            return False  # no other wants it, or the field acts on its own in its turn
        for node, bindings in chain[1:]:
            for binding in bindings.key_to_bindings.get(key, ()):
                if binding.id in self._keymap and await self.run_action(binding.action, node):
                    return True
        return False

    def get_key_display(self, binding: Binding) -> str:
        """Return how a key is written for people."""
        return shown_key(binding, ascii=self._ascii)

    async def action_theme(self) -> None:
        """Choose a theme from a menu."""
        from acp_tui.ui.screens.menu import Menu

        if not isinstance(self.screen, Menu):  # a menu is open already
            self.run_worker(self._choose_theme(), group="theme", exclusive=True)
            await asyncio.sleep(0)  # the menu opens now, and has the keys that come right after

    async def _choose_theme(self) -> None:
        from acp_tui.ui.screens.menu import ThemeMenu
        from acp_tui.ui.screens.unasked import answer_of

        theming, before = self.theming, self.theming.name
        name = await answer_of(self, ThemeMenu(theming.names(), before, theming.look, theming.use))
        if name is not None:
            theming.choose(name)
        elif theming.name != before:
            theming.use(before)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Open, take up and close sessions from a session only, not from over a question."""
        return action not in _OF_SESSIONS or isinstance(self.screen, SessionScreen)

    def action_new_session(self) -> None:
        """Open another session with the same agent, or choose one."""
        running = self.session_screen.conversation.running
        usable = running is not None and running.is_running
        self.run_worker(self.tabs.open(running=running if usable else None), group="tabs")

    def action_other_agent(self) -> None:
        """Open a session with another agent, or a recorded one."""
        self.run_worker(self.tabs.open(), group="tabs")

    @work(group="sessions", exclusive=True)
    async def action_sessions(self) -> None:
        """Choose an earlier session."""
        from acp_tui.ui.session_screen.sessions import SessionList

        await SessionList(self.session_screen).show()

    @work(group="inbox", exclusive=True)
    async def action_inbox(self) -> None:
        """Choose what waits, in whichever session; from over a question, too, which stays as it is."""
        from acp_tui.ui.session_screen.inbox import Inbox, InboxMenu

        if not isinstance(self.screen, InboxMenu):
            await Inbox(self.tabs).open()

    def action_close_session(self) -> None:
        """End the session that is seen; with the last one the program ends."""
        self.run_worker(self.tabs.close(self.session_screen), group="tabs")

    def action_go(self, step: int) -> None:
        """Show the session `step` further, from over any dialog: it stays where it is."""
        self.run_worker(self.tabs.go(step), group="tabs")

    def action_go_to(self, place: int) -> None:
        """Show a session by its place, from 0."""
        self.run_worker(self.tabs.go_to(place), group="tabs")

    def on_links_wanted(self, event: LinksWanted) -> None:
        """Show where links of a program lead, and open one if the user says so."""
        from acp_tui.ui.session_screen.links import open_link

        screen = self.session_screen
        opening = open_link(screen, event.links, screen.conversation.cwd)
        self.run_worker(opening, group="links", exclusive=True)

    def on_diff_view_edit_wanted(self, event: DiffView.EditWanted) -> None:
        """Open a file of a difference in the user's editor."""
        from acp_tui.ui.screens.editor import begin, edit_in_workspace

        cwd = self.session_screen.conversation.cwd
        begin(self, lambda: edit_in_workspace(self, cwd, event.path, event.line))

    def action_help(self) -> None:
        """Show the keys."""
        from acp_tui.store.folders import places
        from acp_tui.ui.screens.help import HelpScreen

        if isinstance(self.screen, HelpScreen):
            self.screen.dismiss(None)
            return
        self.push_screen(
            HelpScreen(self.theming.look, places(), [str(problem) for problem in self.key_problems])
        )

    def action_command_palette(self) -> None:
        """Offer every action, the agent's commands and the themes."""
        from textual.command import CommandPalette

        from acp_tui.ui.keys import Palette, commands

        if not isinstance(self.screen, CommandPalette):
            slash = self.session_screen.rooms.slash
            provider = commands(slash.of_agent, slash.write, self.theming.names, self.theming.choose)
            self.push_screen(Palette([provider]))

    def action_leave(self) -> None:
        """End the agent and everything that it started, then leave; asked again, leave at once."""
        if self._leaves:
            self.exit(0)  # what is left is ended by the guard
        self._leaves = True
        self._leave()

    @work(group="leave")
    async def _leave(self) -> None:
        await self.tabs.end()
        self.exit(0)

    def copy_to_clipboard(self, text: str) -> None:
        """Put a text on the user's clipboard, in the background; say what stands in the way.

        What a terminal would obey, or nobody could see, does not go along, and that is said.
        """
        clean, dropped = plain(text)
        if dropped:
            what = f"{dropped:,} control or invisible character{'s' if dropped > 1 else ''}"
            self.notify(f"Copied without {what}.", title="Clipboard")
        self._clipboard = clean
        self._copy(clean)

    @work(group="clipboard", exclusive=True)
    async def _copy(self, text: str) -> None:
        if problem := await self.clipboard_around.put(text):
            self.notify(problem, title="Clipboard", timeout=15)

    @cached_property
    def diff_habits(self) -> DiffHabits:
        """How differences are laid out, in all views."""
        from acp_tui.ui.widgets.diff.view import KeptHabits

        return KeptHabits(state_folder() / "differences.json")

    @cached_property
    def clipboard_around(self) -> Clipboard:
        """The clipboard outside the program; made for the first copy."""
        from acp_tui.ui.terminal import Clipboard

        env = {} if self.is_headless else os.environ  # tests leave the person's clipboard alone
        export = key_of(self.session_screen, "session.export")
        return Clipboard(lambda sequence: self.write_to_terminal(sequence), env, export=export)

    @contextmanager
    def suspend(self) -> Iterator[None]:
        """Lend the terminal to another program; nothing of ours is written to it meanwhile.

        Whatever happens, it comes back as it was lent: Textual takes it back only when nothing is raised.

        Raises:
            TerminalTaken: it is lent already.
        """
        from acp_tui.ui.screens.editor import TerminalTaken
        from acp_tui.ui.terminal_input import modes_kept

        if self._is_lent:
            raise TerminalTaken
        lending = super().suspend()
        lending.__enter__()
        try:
            with modes_kept():
                self._is_lent = True
                yield
        finally:
            self._is_lent = False
            # A program that ends lets it go as it is: nothing would stop what reads keys once more.
            lending.__exit__(*(sys.exc_info() if self._exit else (None, None, None)))

    def action_suspend_process(self) -> None:
        """Give the terminal back to the shell; agents work on meanwhile."""
        from acp_tui.ui.terminal import has_shell

        if self._is_lent:
            return
        if has_shell():
            super().action_suspend_process()
        else:
            self.notify("No shell started this program, so that nothing could bring it back.")

    def write_to_terminal(self, sequence: str) -> None:
        """Send a control sequence to the terminal."""
        if self._driver is not None and not self._is_lent:
            self._driver.write(sequence)

    @property
    def every_screen(self) -> set[Screen[Any]]:
        """All screens there are, seen or not."""
        return {*self.tabs.screens, *(screen for stack in self._screen_stacks.values() for screen in stack)}

    async def on_unmount(self) -> None:
        """Leave the terminal as it was, and nothing running that somebody here has waited for."""
        self.attention.end()
        await all_over(self.workers)

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Say something beside what the person is doing; never as markup, for it may be anybody's words."""
        super().notify(
            safe(message), title=safe_line(title), severity=severity, timeout=timeout, markup=False
        )

    def warn(self, text: str, title: str) -> None:
        """Say what is wrong, for longer."""
        self.notify(text, title=title, severity="warning", timeout=15)

    def _handle_exception(self, error: Exception) -> None:
        """Write a mistake of ours to the log, where it can be found again; the interface ends."""
        mistake = error.error if isinstance(error, WorkerFailed) else error
        log.critical("the interface ended", exc_info=mistake)
        self._return_code = 1
        if self._exception is None:
            self._exception = error
            self._exception_event.set()
            self._exit_renderables.append(Text(left_of(mistake)))
        self._close_messages_no_wait()


def _marks_in_ascii() -> list[LineFilter]:
    from acp_tui.ui.theming import AsciiFilter

    return [AsciiFilter()]


def run(start: Start) -> int:
    """Run the interface until the person leaves; return the exit code."""
    colors = colors_of_terminal(os.environ)
    if colors == "none":
        os.environ["NO_COLOR"] = "1"  # Textual looks for it, and takes it away
    from acp_tui.ui.terminal_input import teach_alt_keys

    teach_alt_keys()
    app = AcpApp(start, colors, is_ascii(os.environ))
    result = app.run()
    return result if isinstance(result, int) else app.return_code or 0


_PATIENCE: Final = 2.0  # seconds


async def all_over(workers: WorkerManager) -> None:
    """Wait a moment for workers that were cancelled: a program that one of them runs is to end before us."""
    ending = asyncio.gather(*(worker.wait() for worker in list(workers)), return_exceptions=True)
    await asyncio.wait([ending], timeout=_PATIENCE)
