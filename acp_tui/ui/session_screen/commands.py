"""The functions of the commands, and the slash commands."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, Final

from textual.command import CommandPalette

from acp_tui.conversation.login import can_log_out, log_out
from acp_tui.protocol.schema import AvailableCommand, AvailableCommandInput
from acp_tui.session.events import RangeChosen
from acp_tui.session.session import THIS_TURN, Session
from acp_tui.store.folders import places
from acp_tui.store.prompts import Prompt
from acp_tui.store.settings import Policy
from acp_tui.ui.app import AcpApp
from acp_tui.ui.commands import COMMANDS, Command
from acp_tui.ui.keys import Palette, commands
from acp_tui.ui.screens.help import HelpScreen
from acp_tui.ui.screens.menu import Menu, MenuItem, ThemeMenu, choose
from acp_tui.ui.screens.unasked import answer_of
from acp_tui.ui.session_screen.find import find
from acp_tui.ui.session_screen.hand_over import hand_over
from acp_tui.ui.session_screen.inbox import Inbox, InboxMenu
from acp_tui.ui.session_screen.prompt import PromptArea
from acp_tui.ui.session_screen.queue import show_queue
from acp_tui.ui.session_screen.restore import restore_turn
from acp_tui.ui.session_screen.sessions import SessionList, can_fork, fork
from acp_tui.ui.session_screen.shell import choose_what_to_stop
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.text import exact_line, is_exact, shortened

if TYPE_CHECKING:
    from acp_tui.ui.session_screen.screen import SessionScreen


Run = Callable[["SessionScreen"], Awaitable[None] | None]


def _in_worker(group: str, run: Callable[[SessionScreen], Coroutine[Any, Any, None]]) -> Run:
    """Wrap a coroutine, such as a menu, to run in a worker."""

    def begin(screen: SessionScreen) -> None:
        screen.app.run_worker(run(screen), group=group, exclusive=True)

    return begin


def _new_session(screen: SessionScreen) -> None:
    """Open another session with the same agent, or choose one."""
    running = screen.conversation.running
    usable = running is not None and running.is_running
    screen.app.run_worker(screen.tabs.open(running=running if usable else None), group="tabs")


def _other_agent(screen: SessionScreen) -> None:
    """Open a session with another agent, or a recorded one."""
    screen.app.run_worker(screen.tabs.open(), group="tabs")


def _sessions(screen: SessionScreen) -> None:
    screen.app.run_worker(SessionList(screen).show(), group="sessions", exclusive=True)


def _inbox(screen: SessionScreen) -> None:
    """Open the inbox, also from over a question."""
    if not isinstance(screen.app.screen, InboxMenu):
        screen.app.run_worker(Inbox(screen.tabs).open(), group="inbox", exclusive=True)


def _close(screen: SessionScreen) -> None:
    screen.app.run_worker(screen.tabs.close(screen), group="tabs")


def _go(step: int) -> Run:
    """Return a command that shows the tab `step` places further."""

    def go(screen: SessionScreen) -> None:
        screen.app.run_worker(screen.tabs.go(step), group="tabs")

    return go


def _go_to(place: int) -> Run:
    """Return a command that shows the tab at a place, from 0."""

    def go(screen: SessionScreen) -> None:
        screen.app.run_worker(screen.tabs.go_to(place), group="tabs")

    return go


async def _theme(screen: SessionScreen) -> None:
    """Choose a theme from a menu."""
    app = _app(screen)
    theme, before = app.app_theme, app.app_theme.name
    if isinstance(app.screen, Menu):
        return  # a menu is open already
    name = await answer_of(app, ThemeMenu(theme.names(), before, theme.look, theme.use))
    if name is not None:
        theme.choose(name)
    elif theme.name != before:
        theme.use(before)


def _help(screen: SessionScreen) -> None:
    app = _app(screen)
    if isinstance(app.screen, HelpScreen):
        app.screen.dismiss(None)
    else:
        app.push_screen(
            HelpScreen(app.app_theme.look, places(), [str(problem) for problem in app.key_problems])
        )


def _palette(screen: SessionScreen) -> None:
    """Offer every command, the agent's commands and the themes."""
    app, slash = _app(screen), screen.parts.slash
    if not isinstance(app.screen, CommandPalette):
        provider = commands(slash.of_agent, slash.write, app.app_theme.names, app.app_theme.choose)
        app.push_screen(Palette([provider]))


def _app(screen: SessionScreen) -> AcpApp:
    app = screen.app
    assert isinstance(app, AcpApp)
    return app


def _is_on_top(screen: SessionScreen) -> bool:
    """Return True if no question, menu or list covers the session; the palette does not count."""
    stack = [one for one in screen.app.screen_stack if not isinstance(one, CommandPalette)]
    return bool(stack) and stack[-1] is screen


def interrupt(screen: SessionScreen) -> None:
    """Copy a selection, else empty the focused prompt, else stop the turn, else name the key to quit."""
    if screen.parts.chat_copy.selection():
        return
    if screen.prompt.has_focus and screen.prompt.text:
        screen.prompt.replace_all("")
        screen.notify("The prompt is empty. Ctrl+Z in it brings the text back.", timeout=3)
    elif not _stops_work(screen):
        screen.notify(f"{key_of(screen, 'app.quit')} ends the agent and quits.", timeout=3)


def stop(screen: SessionScreen) -> None:
    """Hide completions or a zoom, else stop the turn, else go back to the prompt."""
    if screen.query_one(PromptArea).dismiss():
        return
    if screen.maximized is not None:
        screen.pane_layout.toggle_zoom()
    elif not _stops_work(screen):
        screen.pane_layout.leave()


def _stops_work(screen: SessionScreen) -> bool:
    """End the user's shell command, else the turn, and answer its open questions `cancelled`."""
    return screen.parts.shell.kill() or screen.conversation.stop()


def _send_now(screen: SessionScreen) -> None:
    """Stop the turn, then send the draft and the queue."""
    if not screen.conversation.cancel():
        screen.conversation.stop()  # what is about to be sent goes with what is written
    screen.prompt.action_send()


def _edit_queue(screen: SessionScreen) -> None:
    """Take the last queued prompt back into the prompt box."""
    queue = screen.conversation.queue
    if queue:
        screen.prompt.give_back(screen.conversation.take_from_queue(len(queue) - 1))


async def _log_out(screen: SessionScreen) -> None:
    await log_out(screen.conversation.agent, screen.conversation.session)


def _answer(screen: SessionScreen) -> None:
    screen.question_dialogs.reopen()


RUN: Final[Mapping[str, Run]] = {
    "app.quit": lambda screen: _app(screen).action_leave(),
    "app.help": lambda screen: _help(screen),
    "app.palette": lambda screen: _palette(screen),
    "app.theme": _in_worker("theme", _theme),
    "app.inbox": _inbox,
    "app.suspend": lambda screen: _app(screen).action_suspend_process(),
    "app.next": _go(1),
    "app.previous": _go(-1),
    **{f"app.go-{number}": _go_to(number - 1) for number in range(1, 10)},
    "session.new": _new_session,
    "session.other-agent": _other_agent,
    "session.sessions": _sessions,
    "session.close": _close,
    "session.stop": lambda screen: stop(screen),
    "session.interrupt": lambda screen: interrupt(screen),
    "session.next-mode": lambda screen: screen.parts.option_menus.next_mode(),
    "session.details": lambda screen: screen.parts.details.some_call(),
    "session.plan": lambda screen: screen.pane_layout.go_to("plan"),
    "session.chat": lambda screen: screen.pane_layout.go_to("chat"),
    "session.plan-pane": lambda screen: screen.pane_layout.go_to("plan"),
    "session.tool-calls": lambda screen: screen.pane_layout.go_to("tool-calls"),
    "session.changes": lambda screen: screen.pane_layout.go_to("changes"),
    "session.mode": _in_worker("options", lambda screen: screen.parts.option_menus.choose("mode")),
    "session.model": _in_worker("options", lambda screen: screen.parts.option_menus.choose("model")),
    "session.options": _in_worker("options", lambda screen: screen.parts.option_menus.choose_option()),
    "session.hide-pane": lambda screen: screen.pane_layout.hide(),
    "session.side": lambda screen: screen.pane_layout.toggle_side(),
    "session.zoom": lambda screen: screen.pane_layout.toggle_zoom(),
    "session.answer": _answer,
    "session.protocol": lambda screen: screen.parts.details.protocol(),
    "session.send-now": _send_now,
    "session.edit-queue": _edit_queue,
    "session.policy": _in_worker("policy", lambda screen: choose_policy(screen)),
    "session.rules": lambda screen: screen.parts.rules.show(),
    "session.decisions": lambda screen: screen.parts.details.decisions(),
    "session.queue": _in_worker("queue", lambda screen: show_queue(screen)),
    "session.about": lambda screen: screen.parts.details.session_details(),
    "session.rename": lambda screen: screen.parts.session_name.ask(),
    "session.log-out": _in_worker("log-out", _log_out),
    "session.fork": _in_worker("fork", fork),
    "session.hand-over": lambda screen: hand_over(screen),
    "session.copy": lambda screen: screen.parts.chat_copy.last_answer(),
    "session.export": _in_worker("export", lambda screen: screen.parts.export.choose()),
    "session.restore": _in_worker("restore", restore_turn),
    "session.drop-note": lambda screen: screen.conversation.rejections.drop(),
    "session.range": _in_worker("range", lambda screen: choose_range(screen)),
    "session.find": find,
    "session.restart": lambda screen: screen.parts.startup.restart(),
    "session.ladder": _in_worker("ladder", lambda screen: screen.parts.unresponsive_agent.choose()),
    "session.background": _in_worker("background", choose_what_to_stop),
    "session.prompt": lambda screen: screen.pane_layout.leave(),
    "chat.copy": lambda screen: screen.parts.chat_copy.block(),
    "chat.copy-code": lambda screen: screen.parts.chat_copy.code(),
    "chat.source": lambda screen: screen.parts.chat_copy.show_source(),
}
"""The function of each command."""

WHEN: Final[Mapping[str, Callable[[SessionScreen], bool]]] = {
    **dict.fromkeys(("session.new", "session.other-agent", "session.sessions", "session.close"), _is_on_top),
    "session.fork": lambda screen: can_fork(screen.conversation),
    "session.hand-over": lambda screen: screen.conversation.above is not None,
    "session.log-out": lambda screen: can_log_out(screen.conversation.agent),
}
"""Conditions of commands; all others are always there."""

_WITH_ARGUMENT: Final[Mapping[str, Callable[[SessionScreen, str], None]]] = {
    "session.rename": lambda screen, name: screen.parts.session_name.rename(name),
}
"""Functions of slash commands with an argument."""


class Slash:
    """The slash commands of one session."""

    def __init__(self, screen: SessionScreen) -> None:
        self._screen = screen
        self._told: set[str] = set()
        """Unprintable names that the user was told of."""

    def of_agent(self) -> list[AvailableCommand]:
        """Return the agent's commands with a printable name."""
        return [command for command in self._all() if is_exact(command.name)]

    def _all(self) -> list[AvailableCommand]:
        session = self._screen.conversation.session
        return session.commands if session is not None else []

    def tell_unprintable(self) -> None:
        """Notify once of each command with an unprintable name."""
        names = {command.name for command in self._all() if not is_exact(command.name)} - self._told
        if names:
            self._told |= names
            shown = ", ".join(f"/{shortened(exact_line(name), 40)}" for name in sorted(names)[:3])
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            self._screen.notify(
                f"Not offered, for their names hold what cannot be printed: {shown}{more}.",
                title="Commands of the agent",
                severity="warning",
            )

    def offered(self) -> list[AvailableCommand]:
        """Return the agent's commands and ours."""
        return [*self.of_agent(), *self.commands()]

    def write(self, name: str) -> None:
        """Write one of the agent's commands into the prompt."""
        self._screen.prompt.replace_all(f"/{name} ")
        self._screen.pane_layout.leave()

    def commands(self) -> list[AvailableCommand]:
        """Return our slash commands as the protocol has them; the agent's own names come first."""
        return [
            AvailableCommand(
                name=own.slash,
                description=own.summary,
                input=AvailableCommandInput(hint=own.hint) if own.hint else None,
            )
            for own in self._ours()
        ]

    async def run(self, text: str) -> bool:
        """Run a text as a slash command; return False if it is none of ours."""
        word, _, rest = text.removeprefix("/").partition(" ")
        own = next((own for own in self._ours() if own.slash == word), None)
        if own is None or not text.startswith("/") or (rest.strip() and not own.hint):
            return False
        if rest.strip():
            _WITH_ARGUMENT[own.name](self._screen, rest)
        else:
            await self._screen.action_run(own.name)
        return True

    def _ours(self) -> list[Command]:
        taken = {command.name for command in self.of_agent()}
        return [
            own for own in COMMANDS if own.slash and own.slash not in taken and self._screen.can_run(own.name)
        ]


async def submit(screen: SessionScreen, prompt: Prompt) -> None:
    """Dispatch a submitted prompt: shell command, slash command or message."""
    conversation = screen.conversation
    if prompt.is_command:
        screen.parts.shell.run(prompt)
    elif await screen.parts.slash.run(prompt.text):
        return
    elif conversation.phase == "recorded":
        screen.parts.startup.continue_recorded(prompt)
    else:
        conversation.say(prompt)
        if conversation.is_over:
            key = key_of(screen, "session.restart")
            screen.notify(f"There is no agent to say this to. {key} starts one.", severity="warning")


_OFFERS: Final[dict[Policy, tuple[str, str]]] = {
    "ask": ("Ask for all", "nothing is allowed unasked"),
    "ask-edits-and-commands": ("Ask for edits and commands", "reads and searches in the workspace go on"),
    "allow-edits": ("Allow edits in the workspace", "not in .git; commands are asked for"),
    "allow-everything": ("Allow everything", "no question at all, for anything"),
}


async def choose_policy(screen: SessionScreen) -> None:
    """Open the menu of policies; the choice counts while this session is open."""
    current = screen.conversation.choices.policy
    if current is None:
        screen.notify("A policy needs a session to count in.", severity="warning")
        return
    items = [MenuItem(policy, *words) for policy, words in _OFFERS.items()]
    policy = await choose(screen, "Where no rule of yours matches", items, current)
    if policy is not None and policy != screen.conversation.choices.policy:
        screen.conversation.choices.set_policy(policy)  # type: ignore[arg-type]  # one of the offers
        screen.show_status()


async def choose_range(screen: SessionScreen) -> None:
    """Open the menu of baselines for the changes pane."""
    conversation = screen.conversation
    session = conversation.session
    if session is None:
        screen.notify("There is no session yet.", severity="warning")
        return
    chosen = await choose(screen, "Show changes of", choices(session), str(session.since))
    if chosen is None or session is not conversation.session:
        return
    if conversation.tracking is not None:
        await conversation.tracking.show_since(int(chosen))
    else:
        change = session.apply(RangeChosen(int(chosen)))
        if change is not None:
            screen.view.session_changed(change)


def choices(session: Session) -> list[MenuItem]:
    """Return the baselines, the newest turn first."""
    return [
        MenuItem("0", "the whole session"),
        MenuItem(str(THIS_TURN), "this turn", "the newest one, whichever that is"),
        *(
            MenuItem(str(number), f"since turn {number}", session.prompt_of(number), "since a turn")
            for number in range(len(session.turns), 0, -1)
        ),
    ]
