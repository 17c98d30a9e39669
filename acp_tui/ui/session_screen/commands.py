"""What a key, the palette or a command behind `/` opens over a session, by name: a row a door."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from textual.actions import parse
from textual.binding import Binding, BindingType

from acp_tui.conversation.opening import Attach
from acp_tui.session.session import THIS_TURN
from acp_tui.ui.screens.menu import Menu, MenuItem, choose
from acp_tui.ui.screens.unasked import answer_of
from acp_tui.ui.widgets.key_names import key_of, pair_of
from acp_tui.ui.widgets.text import exact_line, is_exact, shortened

if TYPE_CHECKING:
    from acp_tui.conversation.conversation import Conversation
    from acp_tui.protocol.schema import AvailableCommand, SessionInfo
    from acp_tui.session.session import Session
    from acp_tui.store.prompts import Prompt
    from acp_tui.store.settings import Policy
    from acp_tui.ui.session_screen.screen import SessionScreen


async def open_door(screen: SessionScreen, name: str) -> None:
    """Open what has this name; return when it can take keys, for those that come right after."""
    opening = DOORS[name](screen)
    if opening is not None:
        await opening
    await asyncio.sleep(0)  # a worker opens its menu now, and the menu has the keys that come right after


def can_open(screen: SessionScreen, name: str) -> bool:
    """Whether there is something behind a door now; most can always be opened, and say what is missing."""
    can = _SOMETIMES.get(name)
    return can is None or can(screen)


def _find(screen: SessionScreen) -> Awaitable[None]:
    from acp_tui.ui.session_screen.find import find

    return find(screen)


def _fork(screen: SessionScreen) -> None:

    screen.run_worker(fork(screen), group="fork", exclusive=True)


def _background(screen: SessionScreen) -> None:
    from acp_tui.ui.session_screen.shell import choose_what_to_stop

    screen.run_worker(choose_what_to_stop(screen), group="background", exclusive=True)


def _can_fork(screen: SessionScreen) -> bool:

    return can_fork(screen.conversation)


def _hand_over(screen: SessionScreen) -> None:

    hand_over(screen)


def _can_hand_over(screen: SessionScreen) -> bool:
    return screen.conversation.above is not None


def _log_out(screen: SessionScreen) -> None:
    from acp_tui.conversation.login import log_out

    conversation = screen.conversation
    screen.run_worker(log_out(conversation.agent, conversation.session), group="log-out", exclusive=True)


def _can_log_out(screen: SessionScreen) -> bool:
    from acp_tui.conversation.login import can_log_out

    return can_log_out(screen.conversation.agent)


def _menu(choice: Callable[[SessionScreen], Coroutine[Any, Any, None]]) -> Callable[[SessionScreen], None]:
    """Return what opens a menu in a worker and does what is chosen."""

    def opened(screen: SessionScreen) -> None:
        screen.run_worker(choice(screen), group="menu", exclusive=True)

    return opened


def _range(screen: SessionScreen) -> None:

    screen.run_worker(choose_range(screen), group="range", exclusive=True)


def _restore(screen: SessionScreen) -> None:
    from acp_tui.ui.session_screen.restore import restore_turn

    screen.run_worker(restore_turn(screen), group="restore", exclusive=True)


DOORS: Final[Mapping[str, Callable[[SessionScreen], Awaitable[None] | None]]] = {
    "answer": lambda screen: screen.asking.reopen(),
    "background": _background,
    "call": lambda screen: screen.rooms.opened.some_call(),
    "decisions": lambda screen: screen.rooms.opened.decisions(),
    "details": lambda screen: screen.rooms.opened.session_details(),
    "export": _menu(lambda screen: screen.rooms.exporting.choose()),
    "find": _find,
    "fork": _fork,
    "hand-over": _hand_over,
    "ladder": _menu(lambda screen: screen.rooms.unresponsive.choose()),
    "log-out": _log_out,
    "mode": _menu(lambda screen: screen.rooms.option_menus.choose("mode")),
    "model": _menu(lambda screen: screen.rooms.option_menus.choose("model")),
    "option": _menu(lambda screen: screen.rooms.option_menus.choose_option()),
    "policy": _menu(lambda screen: choose_policy(screen)),
    "protocol": lambda screen: screen.rooms.opened.protocol(),
    "queue": _menu(lambda screen: show_queue(screen)),
    "range": _range,
    "rename": lambda screen: screen.rooms.naming.ask(),
    "restore": _restore,
    "rules": lambda screen: screen.rooms.ruling.show(),
    "source": lambda screen: screen.rooms.copying.show_source(),
}
_SOMETIMES: Final[Mapping[str, Callable[[SessionScreen], bool]]] = {
    "fork": _can_fork,
    "hand-over": _can_hand_over,
    "log-out": _can_log_out,
}
"""Doors that are not there at all for some agents."""


class Own(NamedTuple):
    """A command of ours."""

    name: str
    about: str
    action: str
    """What is run, as a key would run it."""
    hint: str = ""
    """What may follow the name."""


OWN: Final = (
    Own("new", "open another session of this agent", "app.new_session"),
    Own("sessions", "take up an earlier session", "app.sessions"),
    Own("fork", "go on from here in another session", "screen.open('fork')"),
    Own("hand-over", "tell the agent what stands above", "screen.open('hand-over')"),
    Own("rename", "give this session a name of your own", "screen.open('rename')", "name"),
    Own("inbox", "what waits for you in all sessions", "app.inbox"),
    Own("close", "end this session", "app.close_session"),
    Own("mode", "choose a mode", "screen.open('mode')"),
    Own("model", "choose a model", "screen.open('model')"),
    Own("rules", "what agents may do unasked", "screen.open('rules')"),
    Own("details", "what is known of this session", "screen.open('details')"),
    Own("copy", "copy the last answer", "screen.copy('answer')"),
    Own("export", "write this session into a file", "screen.open('export')"),
    Own("find", "search the chat", "screen.open('find')"),
    Own("theme", "choose a theme", "app.theme"),
    Own("keys", "all keys", "app.help"),
    Own("quit", "end the agent and quit", "app.leave"),
)
"""A new command is a row here and an action with a key. The agent's command of the same name comes first."""


class Slash:
    """Offers and runs our commands over one session."""

    def __init__(self, screen: SessionScreen) -> None:
        self._screen = screen
        self._told: set[str] = set()
        """Names that it was said of that they are not offered."""

    def of_agent(self) -> list[AvailableCommand]:
        """Return the agent's commands as of now, but those whose name cannot be printed."""
        return [command for command in self._all() if is_exact(command.name)]

    def _all(self) -> list[AvailableCommand]:
        session = self._screen.conversation.session
        return session.commands if session is not None else []

    def tell_unprintable(self) -> None:
        """Say once of each command that it is not offered, for its name cannot be printed."""
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
        """Write one of the agent's commands in the prompt."""
        self._screen.prompt.replace_all(f"/{name} ")
        self._screen.arranging.leave()

    def commands(self) -> list[AvailableCommand]:
        """Return the commands that the agent has none of the same name for, in the agent's words."""
        from acp_tui.protocol.schema import AvailableCommand, AvailableCommandInput

        return [
            AvailableCommand(
                name=own.name,
                description=own.about,
                input=AvailableCommandInput(hint=own.hint) if own.hint else None,
            )
            for own in self._ours()
        ]

    async def run(self, text: str) -> bool:
        """Run what was written if it is a command of ours; return whether it is."""
        name, _, rest = text.removeprefix("/").partition(" ")
        own = next((own for own in self._ours() if own.name == name), None)
        if own is None or not text.startswith("/") or (rest.strip() and not own.hint):
            return False
        if own.name == "rename" and rest.strip():
            self._screen.rooms.naming.rename(rest)
        else:
            await self._screen.run_action(own.action)
        return True

    def _ours(self) -> list[Own]:
        taken = {command.name for command in self.of_agent()}
        return [own for own in OWN if own.name not in taken and self._can(own.action)]

    def _can(self, action: str) -> bool:
        """Whether there is something for an action to act on now, as in the palette."""
        where, name, parameters = parse(action)
        node = self._screen.app if where == "app" else self._screen
        return node.check_action(name, parameters) is not False


async def say(screen: SessionScreen, prompt: Prompt) -> None:
    """Say it, or let it wait; what was typed as a command is run."""
    conversation = screen.conversation
    if prompt.is_command:
        screen.rooms.own_shell.run(prompt)
    elif await screen.rooms.slash.run(prompt.text):
        return
    elif conversation.phase == "recorded":
        screen.rooms.beginning.continue_recorded(prompt)
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
    """Let the user choose from a menu; it counts for this session, and no longer than it is open."""
    current = screen.conversation.choosing.policy
    if current is None:
        screen.notify("A policy needs a session to count in.", severity="warning")
        return
    items = [MenuItem(policy, *words) for policy, words in _OFFERS.items()]
    policy = await choose(screen, "Where no rule of yours matches", items, current)
    if policy is not None and policy != screen.conversation.choosing.policy:
        screen.conversation.choosing.set_policy(policy)  # type: ignore[arg-type]  # one of the offers
        screen.show_status()


async def choose_range(screen: SessionScreen) -> None:
    """Let the person choose; the pane follows."""
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
        from acp_tui.session.events import RangeChosen

        change = session.apply(RangeChosen(int(chosen)))
        if change is not None:
            screen.showing.session_changed(change)


def choices(session: Session) -> list[MenuItem]:
    """Return what there is to choose from, the newest turn first."""
    return [
        MenuItem("0", "the whole session"),
        MenuItem(str(THIS_TURN), "this turn", "the newest one, whichever that is"),
        *(
            MenuItem(str(number), f"since turn {number}", session.prompt_of(number), "since a turn")
            for number in range(len(session.turns), 0, -1)
        ),
    ]


class QueueMenu(Menu):
    """Lists what waits, the next first; dismisses with the key of a prompt that is to be edited."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+up", "shift(-1)", "Say it earlier", id="queue.earlier", priority=True),
        Binding("ctrl+down", "shift(1)", "Say it later", id="queue.later", priority=True),
        Binding("ctrl+d", "drop", "Drop it", id="queue.drop", priority=True),
    ]

    def __init__(self, screen: SessionScreen) -> None:
        self._session_screen = screen
        super().__init__("Queue", self._queued, None, screen.look)

    def hints(self) -> Sequence[tuple[str, str]]:
        """Return what keys do."""
        move, drop = pair_of(self, "queue.earlier", "queue.later"), key_of(self, "queue.drop")
        return [("Enter", "edit"), (move, "move"), (drop, "drop"), (key_of(self, "menu.close"), "close")]

    def refresh_items(self) -> None:
        """List what waits by now; with nothing left the list goes away."""
        if not self._queue and self.is_current:
            self.dismiss(None)
        else:
            super().refresh_items()

    def action_shift(self, step: int) -> None:
        """Say the prompt that was moved to earlier or later."""
        queue, prompt = self._queue, self.highlighted()
        if prompt is not None:
            place = queue.index(prompt)
            queue.insert(max(0, place + step), queue.pop(place))
            self._session_screen.showing.queue_changed()

    def action_drop(self) -> None:
        """Forget the prompt that was moved to; the history still has it."""
        prompt = self.highlighted()
        if prompt is not None:
            left = self.place_without()
            self._queue.remove(prompt)
            self._session_screen.showing.queue_changed()
            if self._queue:
                self.move_to(left.key)

    def highlighted(self) -> Prompt | None:
        """Return the prompt that was moved to, while it waits."""
        return named(self._queue, self.highlighted_key())

    @property
    def _queue(self) -> list[Prompt]:
        return self._session_screen.conversation.queue

    def _queued(self) -> list[MenuItem]:
        return [MenuItem(str(id(prompt)), " ".join(prompt.text.split())) for prompt in self._queue]


def named(queue: Sequence[Prompt], key: str | None) -> Prompt | None:
    """Return the prompt that a key of the list stands for; None once it does not wait any more."""
    return next((prompt for prompt in queue if str(id(prompt)) == key), None)


async def show_queue(screen: SessionScreen) -> None:
    """Let the user put the queue in order, and take a prompt of it back."""
    if not screen.conversation.queue:
        screen.notify("Nothing waits to be said.")
        return
    prompt = named(screen.conversation.queue, await answer_of(screen.app, QueueMenu(screen)))
    if prompt is not None:
        place = screen.conversation.queue.index(prompt)
        screen.prompt.give_back(screen.conversation.take_from_queue(place))


def can_fork(conversation: Conversation) -> bool:
    """Return whether the agent has said that it forks sessions, and there is one to fork."""
    from acp_tui.protocol.schema import has

    agent = conversation.agent
    if agent is None or conversation.session is None or conversation.phase != "ready":
        return False
    return has(agent.can.session_capabilities.fork)


async def fork(screen: SessionScreen) -> None:
    """Fork the session of a screen; while a turn runs nobody could say where the fork begins."""
    from acp_tui.protocol.schema import SessionInfo

    conversation = screen.conversation
    session = conversation.session
    if session is None or not can_fork(conversation):
        screen.notify("This agent cannot fork sessions.", severity="warning")
    elif conversation.is_busy:
        screen.notify(
            f"Fork the session once the turn is over; {key_of(screen, 'session.stop')} stops it.",
            severity="warning",
        )
    else:
        cwd, *more = conversation.roots
        await fork_listed(screen, SessionInfo(session_id=session.id, cwd=cwd, additional_directories=more))


async def fork_listed(screen: SessionScreen, info: SessionInfo) -> None:
    """Fork a session that the agent has, and show the fork."""
    from acp_tui.agent.capabilities import AgentError

    try:
        forked = await screen.conversation.fork(info)
    except AgentError as error:
        screen.notify(str(error), title="Not forked", severity="error", timeout=10)
        return
    await screen.tabs.open(running=screen.conversation.running, attach=Attach(forked, is_open=True))


MOST: Final = 60_000
"""Characters that are handed over, the newest of them: what no model should have to read more of."""

_HEAD: Final = "This was said in an earlier session, which you do not know of. Go on from here.\n\n"
_CUT: Final = "[… earlier parts are left out …]\n\n"


def hand_over(screen: SessionScreen) -> None:
    """Put what stands above the session into the prompt."""
    above = screen.conversation.above
    if above is None:
        screen.notify("There is nothing above that the agent does not know.")
        return
    turns = len(above.turns)
    screen.prompt.add_chip(f"what stands above, {turns} turn{'s' if turns > 1 else ''}", told(above))
    screen.focus_prompt()


def told(session: Session) -> str:
    """Return what to tell an agent of a session: what both sides said, and a line for each tool call."""
    from acp_tui.ui.session_screen.export import talk

    text = talk(session)
    if len(text) > MOST:
        newest = text[-MOST:]
        text = _CUT + newest[newest.find("\n") + 1 :]
    return _HEAD + text
