"""The application: themes, screens, and the way out."""

from __future__ import annotations

import asyncio
import gc
import importlib
import logging
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol

from rich.text import Text
from textual import work
from textual.app import App
from textual.binding import Binding, BindingType
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.driver import Driver
from textual.events import AppBlur, AppFocus, Event, InputEvent, Key, Paste
from textual.filter import LineFilter
from textual.message import Message
from textual.notifications import SeverityLevel
from textual.screen import ModalScreen, Screen
from textual.worker import WorkerFailed
from textual.worker_manager import WorkerManager
from typing_extensions import override

from acp_tui.conversation.start_options import Start
from acp_tui.desktop import Colors, colors_of_terminal, speaks_777
from acp_tui.platform import load_hashlib
from acp_tui.store.folders import config_folder
from acp_tui.store.preferences import DiffPreferences
from acp_tui.store.settings import Settings
from acp_tui.store.toml_check import Problem
from acp_tui.ui.application.app_theme import AppTheme, AsciiFilter, is_ascii
from acp_tui.ui.application.attention import Attention, Seat
from acp_tui.ui.application.clipboard import Clipboard
from acp_tui.ui.application.command_table import COMMANDS, bindings
from acp_tui.ui.application.first_frame import ENTER, FirstFrame, prompt_hint, welcome
from acp_tui.ui.application.key_guard import is_kept_back
from acp_tui.ui.application.terminal import TerminalTaken, has_shell, on_end
from acp_tui.ui.application.terminal_input import PasteDropped, TerminalDriver, modes_kept, teach_alt_keys
from acp_tui.ui.widgets.key_names import key_of, key_text, shown_key
from acp_tui.ui.widgets.text import plain, safe, safe_line
from acp_tui.ui.widgets.textual_internals import (
    KeptStylesheet,
    binding_chain,
    driver_of,
    fail_with,
    is_pruned,
    keymap_of,
    mount_mode,
    screen_stacks,
    set_clipboard,
    take_mode_away,
    write_raw,
)

if TYPE_CHECKING:  # for annotations only: the first frame needs none of them
    from acp_tui.ui.widgets.diff.view import DiffView
    from acp_tui.ui.widgets.links import LinksWanted

_UI: Final = Path(__file__).parents[1]

FIRST_SHEET: Final = _UI / "application" / "first_frame.tcss"
"""The style sheet of the first frame; the others are read after it."""

SETTLED: Final = 3.0
"""Seconds after the session screen is there until late imports are done, and sheets of dialogs are read."""

SOONER: Final = 0.001
"""Seconds that a thread runs before it must yield (default 5 ms): the echo of a key takes several turns."""

COLLECT_AFTER: Final = (5_000, 5, 400)
"""Thresholds of the garbage collector.

A collection stops the program: for 8 ms at 25,000 objects, a tenth of a second in a long session.
"""


def other_sheets() -> tuple[list[Path], list[Path]]:
    """Return the other style sheets: (those of a session, those of dialogs and full screens).

    The latter take 17 ms of processor time to read, which a new session need not wait for.
    """
    sheets = [path for path in sorted(_UI.rglob("*.tcss")) if path != FIRST_SHEET]
    screens = [path for path in sheets if path.is_relative_to(_UI / "screens")]
    return [path for path in sheets if path not in screens], screens


async def read_sheets(stylesheet: Stylesheet, sheets: list[Path]) -> None:
    """Take style sheets off a list and read them, one at a time, so that keys are handled in between."""
    while sheets:
        stylesheet.read(sheets.pop(0))
        stylesheet.parse()  # sheets that were parsed before are kept
        await asyncio.sleep(0)


def collect_again() -> None:
    """Turn garbage collection on again, only for objects created from now on.

    A full collection of all modules would block keys for a tenth of a second.
    """
    if not gc.isenabled():
        gc.freeze()
        gc.set_threshold(*COLLECT_AFTER)
        gc.enable()


def crash_report_of(mistake: BaseException) -> str:
    """Return the crash report for the terminal, without values of variables: they may be secrets."""
    try:
        lines = traceback.format_exception(mistake)
    except Exception:  # the interface must end anyway, and not stay frozen on the screen
        log.exception("showing why the interface ended")
        lines = []
    return (
        safe("".join(lines)) + "\nThis is a mistake of acp-tui. Its log says the same; sessions are on disk."
    )


log = logging.getLogger(__name__)


class SessionInView(Protocol):
    """The session in view, as the application knows it."""

    async def action_run(self, name: str) -> None:
        """Run a command of the table."""

    def can_run(self, name: str) -> bool:
        """Return False for a command with nothing to act on."""

    def open_links(self, links: dict[str, str]) -> None:
        """Show the targets of links; open one on request."""

    def edit_file(self, path: str, line: int) -> None:
        """Open a file of the workspace in the user's editor."""

    def bring_home(self, event: Key | Paste) -> None:
        """Move the focus to the prompt for text that is no command of the focused pane."""


class OpenSessions(Protocol):
    """The open sessions, as the application sees them: their modules are loaded after it."""

    first: str
    """The name of the first mode."""

    @property
    def current(self) -> SessionInView:
        """The session in view."""

    @property
    def screens(self) -> Sequence[Screen[Any]]:
        """The screens of all sessions."""

    def settings_changed(self, before: Settings) -> None:
        """Apply the settings in all sessions; `before` are the earlier ones."""

    @property
    def resumable(self) -> str:
        """The id of a session that can be resumed in another run, if possible the last in view; else ""."""

    def leave(self) -> None:
        """Quit, after a question if something is unfinished in any session."""

    async def end(self) -> None:
        """End all conversations."""


class AcpApp(App[int]):
    """The application."""

    TITLE = "acp-tui"
    ENABLE_COMMAND_PALETTE = False  # the palette of acp-tui is a command like the others
    DEFAULT_MODE = "first-frame"
    SUSPENDED_SCREEN_CLASS = "-behind"
    CSS_PATH: ClassVar[list[Any]] = [FIRST_SHEET]
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("app")]

    def __init__(self, start: Start, colors: Colors = "many", ascii: bool = False) -> None:
        """Set the interface up for one start.

        Args:
            start: the command line and the settings.
            colors: the number of colours of the terminal.
            ascii: True if the terminal shows ASCII only; the settings override it.
        """
        super().__init__(ansi_color=True if colors == "none" else None)
        self.stylesheet = KeptStylesheet(variables=self.get_css_variables())
        self._start = start
        self._ascii = ascii if start.settings.ascii is None else start.settings.ascii
        self._marks_in_ascii = [AsciiFilter()] if self._ascii else []
        self.set_class(colors != "many", "-few-colors")
        self.set_class(self._ascii, "-ascii")
        self._moves = self.animation_level
        self._set_motion()
        self.on_return: Callable[[], None] = lambda: None
        """Called when the terminal gets the focus, and at each Enter."""
        self._tabs: OpenSessions | None = None
        self._is_drawn = False
        self._sheets_of_screens: list[Path] = []
        """The sheets of dialogs and full screens that are not read yet."""
        self._leaves = False
        self._is_lent = False
        """True while another program has the terminal."""
        self.diff_preferences: DiffPreferences
        """The user's diff layout in all views; set once everything is loaded."""
        self.seat = Seat()
        """The focus of the terminal and the time of the last key."""
        self.attention = Attention(
            self.write_to_terminal, self.seat, start.settings.notifications, speaks_777(os.environ)
        )
        self.app_theme = AppTheme(self, self._every_screen, config_folder() / "themes", colors, self._ascii)
        """The theme, fitted to the terminal."""
        self.app_theme.begin(start.theme, start.settings.theme)
        self.stylesheet.set_variables(self.get_css_variables())
        self.key_problems: Sequence[Problem] = ()
        """Problems in the key settings."""
        self._first: FirstFrame | None = self._first_frame()
        """The first frame, until the session screen takes its place."""
        self.add_mode(self.DEFAULT_MODE, lambda: self._first or self._first_frame())

    def _first_frame(self) -> FirstFrame:
        start = self._start
        keys = {command.name: command.keys for command in COMMANDS} | dict(start.settings.keys)

        def key(name: str) -> str:
            return key_text(keys[name].partition(",")[0], ascii=self._ascii)

        name = start.launch.title or start.launch.name if start.launch is not None else ""
        status = [("accent", safe_line(name)), ("muted", "")] if name else []
        enter = [keys.get(name, default).split(",") for name, default in ENTER.items()]
        send, new_line = enter if start.settings.enter_sends else reversed(enter)
        return FirstFrame(
            self.app_theme.styles,
            welcome(start.cwd, key),
            prompt_hint(key),
            status,
            self.load,
            send=send,
            new_line=new_line,
        )

    @property
    def tabs(self) -> OpenSessions:
        """The open sessions; unset until everything is loaded."""
        assert self._tabs is not None
        return self._tabs

    @property
    def resumable(self) -> str:
        """The id of the session in view, if it can be resumed in another run; else ""."""
        return self._tabs.resumable if self._tabs is not None else ""

    @property
    def is_complete(self) -> bool:
        """True once the session screen has replaced the first frame."""
        return self._first is None

    @override
    def get_driver_class(self) -> type[Driver]:
        from textual.drivers.linux_driver import LinuxDriver  # missing on some platforms

        chosen = super().get_driver_class()
        return TerminalDriver if chosen is LinuxDriver else chosen

    @override
    async def on_event(self, event: Event) -> None:
        if isinstance(event, Key | Paste) and not self.screen_stack:
            return  # it comes after the screens are closed: the program ends
        if isinstance(event, InputEvent | Paste):
            self.seat.touch()
        elif isinstance(event, AppFocus | AppBlur):
            self.seat.focus = isinstance(event, AppFocus)
        if isinstance(event, AppFocus) or (isinstance(event, Key) and event.key == "enter"):
            self.on_return()
        if isinstance(event, Key) and self._quits(event.key):
            self._leave_or_ask()  # also from the first frame, and over a question that holds other keys back
        elif not self.take_at_once(event) and (
            not isinstance(event, Key | Paste) or not is_kept_back(self, event)
        ):
            if isinstance(event, Key | Paste) and not event.is_forwarded and self._tabs is not None:
                self._tabs.current.bring_home(event)
            await super().on_event(event)

    def take_at_once(self, message: Message) -> bool:
        """Show a key or a paste in the first frame, which need not wait for messages of other widgets."""
        if self._first is None or not isinstance(message, Key | Paste):
            return False
        if isinstance(message, Key) and self._quits(message.key):
            return False
        self.seat.touch()
        self._first.keep(message)
        return True

    def _leave_or_ask(self) -> None:
        """Quit, after a question if something is unfinished; at once while loading or already quitting."""
        if self._tabs is None or self._first is not None or self._leaves:
            self.action_leave()
        else:
            self._tabs.leave()

    def _quits(self, key: str) -> bool:
        return key in self._start.settings.keys.get("app.quit", "ctrl+q").split(",")

    @property
    def was_typed_early(self) -> bool:
        """True while the first frame keeps text for the prompt."""
        return self._first is not None and self._first.has_text

    async def take_place_of_first_frame(self, tabs: OpenSessions) -> None:
        """Show the session screen and replay the keys that the first frame kept."""
        self._tabs = tabs
        await mount_mode(self, tabs.first)  # 90 ms, during which the first frame still shows keys
        await self.switch_mode(tabs.first)
        first = self._first
        assert first is not None
        while (event := first.take()) is not None:
            if not is_kept_back(self, event):
                await super().on_event(event)
        self._first = None
        await take_mode_away(self, self.DEFAULT_MODE)

    def on_paste_dropped(self, event: PasteDropped) -> None:
        """Notify of a dropped paste."""
        size = f"{event.size:,} characters"
        if event.ended:
            self.warn(f"Too long: {size}.", "Paste")
        else:
            self.warn(f"It never ended, so its {size} were dropped. Press any key to continue.", "Paste")

    def on_mount(self) -> None:
        """Install signal handlers; show the problems of the settings."""
        loop = asyncio.get_running_loop()
        for ending in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(ending, self.action_leave)
        if not self.is_headless:
            loop.remove_signal_handler(signal.SIGTERM)
            on_end(lambda: loop.call_soon_threadsafe(self.action_leave))
        # Another program has drawn over the screen in the meantime.
        self.app_resume_signal.subscribe(self, lambda _: self.refresh(layout=True))
        for problem in self._start.problems:
            self.warn(str(problem), "Settings")

    def use_settings(self, before: Settings, now: Settings) -> None:
        """Apply saved settings."""
        self.attention.calls = now.notifications
        self._set_motion()
        if now.theme != before.theme:
            self.app_theme.use_saved(now.theme)
        self.tabs.settings_changed(before)

    def _set_motion(self) -> None:
        self.animation_level = "none" if self._start.settings.reduced_motion else self._moves

    @override
    def refresh_css(self, animate: bool = True) -> None:
        if self._is_drawn:
            super().refresh_css(animate)

    @work(group="start")
    async def load(self) -> None:
        """Load the other modules in a thread, so that keys are handled in the meantime."""
        self._is_drawn = True
        sys.setswitchinterval(SOONER)
        await asyncio.to_thread(load_hashlib)
        late = await asyncio.to_thread(importlib.import_module, "acp_tui.lazy_modules")
        late.install()
        module = await asyncio.to_thread(importlib.import_module, "acp_tui.conversation.running_agent")
        running = module.begin_early(self._start)  # it initializes while the interface is loaded
        rest = await asyncio.to_thread(importlib.import_module, "acp_tui.ui.after_start")
        sheets, self._sheets_of_screens = other_sheets()
        await read_sheets(self.stylesheet, sheets)
        await rest.begin(self, self._start, running)
        self.set_timer(SETTLED, self._settle)

    @work(group="start")
    async def _settle(self) -> None:
        await read_sheets(self.stylesheet, self._sheets_of_screens)
        collect_again()

    @override
    def push_screen(self, *args: Any, **options: Any) -> Any:
        if self._sheets_of_screens:  # it comes before its sheet was read
            while self._sheets_of_screens:
                self.stylesheet.read(self._sheets_of_screens.pop(0))
            self.stylesheet.parse()
        return super().push_screen(*args, **options)

    @override
    def delay_update(self, delay: float = 0.05) -> None:
        """Draw at once: Textual hides a change of tabs for 50 ms, and typed keys with it."""

    @override
    def get_line_filters(self) -> Sequence[LineFilter]:
        return (*super().get_line_filters(), *self._marks_in_ascii)

    @override
    async def _check_bindings(self, key: str, priority: bool = False) -> bool:
        if priority and keymap_of(self) and await self._acts_by_settings(key):
            return True
        return await super()._check_bindings(key, priority)

    @override
    async def _dispatch_action(self, namespace: DOMNode, action_name: str, params: Any) -> bool:
        # A key may come before a screen has its parts, and when it has lost them again.
        is_early = isinstance(namespace, ModalScreen) and not namespace.is_mounted
        if is_early or is_pruned(namespace):
            return False
        return await super()._dispatch_action(namespace, action_name, params)

    async def _acts_by_settings(self, key: str) -> bool:
        """Run the settings' action of a key before the focused field takes the key."""
        chain = binding_chain(self.screen)
        _, bindings = chain[0]
        if not bindings.key_to_bindings.get(key) or any(one.id for one in bindings.key_to_bindings[key]):
            return False  # no setting uses it, or the field handles it itself
        for node, bindings in chain[1:]:
            for binding in bindings.key_to_bindings.get(key, ()):
                if binding.id in keymap_of(self) and await self.run_action(binding.action, node):
                    return True
        return False

    @override
    def get_key_display(self, binding: Binding) -> str:
        return shown_key(binding, ascii=self._ascii)

    async def action_run(self, name: str) -> None:
        """Run a command of the table."""
        if self._tabs is not None:
            await self.tabs.current.action_run(name)

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "run" and self._tabs is not None:
            return self.tabs.current.can_run(str(parameters[0]))
        return True

    def on_links_wanted(self, event: LinksWanted) -> None:
        """Show the targets of links; open one on request."""
        self.tabs.current.open_links(event.links)

    def on_diff_view_edit_wanted(self, event: DiffView.EditWanted) -> None:
        """Open a file of a difference in the user's editor."""
        self.tabs.current.edit_file(event.path, event.line)

    def action_leave(self) -> None:
        """End all agents and their processes, then quit; the second time quit at once."""
        if self._leaves:
            self.exit(0)  # the guard ends what is left
        self._leaves = True
        self._leave()

    @work(group="leave")
    async def _leave(self) -> None:
        self._start.guard.linger()
        if self._tabs is not None:
            await self._tabs.end()
        elif self._start.process is not None:
            await self._start.process.stop()
        self.exit(0)

    @override
    def copy_to_clipboard(self, text: str) -> None:
        clean, dropped = plain(text)  # without control sequences and invisible characters
        if dropped:
            what = f"{dropped:,} control or invisible character{'s' if dropped > 1 else ''}"
            self.notify(f"Copied without {what}.", title="Clipboard")
        set_clipboard(self, clean)
        self._copy(clean)

    def on_text_selected(self) -> None:
        """Copy text selected with the mouse on any screen, if the settings enable that."""
        if self._start.settings.copy_on_select and (text := self.screen.get_selected_text()):
            self.copy_to_clipboard(text)

    @work(group="clipboard", exclusive=True)
    async def _copy(self, text: str) -> None:
        if problem := await self.outer_clipboard.put(text):
            self.notify(problem, title="Clipboard", timeout=15)

    @cached_property
    def outer_clipboard(self) -> Clipboard:
        """The clipboard outside the program, created by the first copy."""
        env = {} if self.is_headless else os.environ  # tests must not change the user's clipboard
        export = key_of(self.screen_stack[0], "session.export")  # the session below all dialogs
        return Clipboard(lambda sequence: self.write_to_terminal(sequence), env, export=export)

    @override
    @contextmanager
    def suspend(self) -> Iterator[None]:
        if self._is_lent:
            raise TerminalTaken  # by another program that acp-tui has started
        suspension = super().suspend()
        suspension.__enter__()
        try:
            with modes_kept():
                self._is_lent = True
                yield
        finally:
            self._is_lent = False
            # Textual would take the terminal back only if there was no error.
            # Not while quitting: nothing would stop a reader of keys that starts again.
            suspension.__exit__(*(sys.exc_info() if self._exit else (None, None, None)))

    @override
    def action_suspend_process(self) -> None:
        if self._is_lent:
            return
        if has_shell():
            super().action_suspend_process()
        else:
            self.notify("acp-tui was not started by a shell, so it could not be resumed.")

    def write_to_terminal(self, sequence: str) -> None:
        """Send a control sequence to the terminal, unless another program has it."""
        if not self._is_lent:
            write_raw(self, sequence)

    def _every_screen(self) -> set[Screen[Any]]:
        """Return all screens, in view or not."""
        tabs = self._tabs.screens if self._tabs is not None else ()
        return {*tabs, *(screen for stack in screen_stacks(self) for screen in stack)}

    async def on_unmount(self) -> None:
        """Restore the title of the terminal and wait for the workers."""
        self.attention.end()
        await wait_for_workers(self.workers)

    @override
    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        # Never as markup: the text may come from an agent.
        super().notify(
            safe(message), title=safe_line(title), severity=severity, timeout=timeout, markup=False
        )

    def warn(self, text: str, title: str) -> None:
        """Show a warning for 15 seconds."""
        self.notify(text, title=title, severity="warning", timeout=15)

    @override
    def _handle_exception(self, error: Exception) -> None:
        mistake = error.error if isinstance(error, WorkerFailed) else error
        log.critical("the interface ended", exc_info=mistake)
        self._return_code = 1
        fail_with(self, error, Text(crash_report_of(mistake)))


def run(start: Start) -> tuple[int, str]:
    """Run the interface until the user quits; return (exit code, id of a session to resume, or "")."""
    colors = colors_of_terminal(os.environ)
    if colors == "none":
        os.environ["NO_COLOR"] = "1"  # Textual searches for it and removes it
    teach_alt_keys()
    app = AcpApp(start, colors, is_ascii(os.environ))
    result = _run_loop(app)
    driver = driver_of(app)
    if isinstance(driver, TerminalDriver) and driver.is_stuck:
        os._exit(app.return_code or 0)  # Python would wait for the terminal on exit
    return result if isinstance(result, int) else app.return_code or 0, app.resumable


def _run_loop(app: AcpApp) -> int | None:
    """Run an application; abandon tasks that ignore their cancellation for two seconds.

    `asyncio.run` would wait for them forever, and so would the shell.
    """
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    threads = ThreadPoolExecutor(thread_name_prefix="work")
    loop.set_default_executor(threads)
    try:
        return loop.run_until_complete(app.run_async())
    finally:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.wait(left, timeout=PATIENCE))
        loop.run_until_complete(loop.shutdown_asyncgens())
        threads.shutdown(wait=False, cancel_futures=True)  # idle threads end; busy ones are abandoned
        loop.stop()
        asyncio.set_event_loop(None)


PATIENCE: Final = 2.0
"""Most seconds to wait for cancelled tasks and workers."""


async def wait_for_workers(workers: WorkerManager) -> None:
    """Wait up to two seconds for cancelled workers, so that their programs end first."""
    ending = asyncio.gather(*(worker.wait() for worker in list(workers)), return_exceptions=True)
    await asyncio.wait([ending], timeout=PATIENCE)
