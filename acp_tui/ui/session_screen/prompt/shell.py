"""The user's shell commands after `!`, and their output for the next prompt."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Final

from acp_tui.conversation.start_options import Start
from acp_tui.formatting import exit_words
from acp_tui.protocol.schema import BackgroundWork
from acp_tui.session.entries import OwnTerminal, Subagent, ToolCall
from acp_tui.session.events import CommandEnded, CommandPrinted, CommandStarted, Event, Noted
from acp_tui.store.prompts import Prompt
from acp_tui.ui.entries.tool_call_words import call_title
from acp_tui.ui.screens.base import menu
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.ui.widgets.terminal import log as terminal_log
from acp_tui.ui.widgets.text import safe_line, shortened
from acp_tui.workspace.guard import Guard
from acp_tui.workspace.terminals import KEPT_OUTPUT, Terminal, TerminalError, Terminals, UnknownTerminal


class UserShell:
    """Runs the user's commands from the prompt of one screen."""

    def __init__(self, screen: ConversationScreen, start: Start) -> None:
        self._screen = screen
        self.commands = ShellCommands(start.guard)
        """The commands so far."""

    def run(self, prompt: Prompt) -> None:
        """Start the command after the `!`."""
        self._screen.run_worker(self._run(prompt), group="own-commands")

    def run_for_user(self, command: str, name: str) -> None:
        """Start a command whose output is for the user, not for the prompt; `name` is shown in its place."""
        self._screen.run_worker(self._run_for_user(command, name), group="own-commands")

    def kill(self) -> bool:
        """Kill the newest running command; return False if there is none."""
        if not self.commands.is_running:
            return False
        self._screen.run_worker(self.commands.kill(), group="own-commands")
        return True

    def terminal(self, name: str) -> Terminal | None:
        """Return a terminal of the user or of the session by its id, or None."""
        own = self.commands.terminal(name)
        access, session = self._screen.conversation.access, self._screen.conversation.session
        if own is not None or access is None or session is None:
            return own
        return access.terminals.find(session.id, name)

    async def _run(self, prompt: Prompt) -> None:
        """Run a command, and attach its output to the next prompt."""
        note = self._note()
        if note is None:
            self._screen.prompt.give_back(prompt)
            return
        ended = await self.commands.run(prompt.whole[1:].strip(), self._screen.conversation.cwd, note)
        if ended is not None:
            self._screen.prompt.add_chip(*ended)

    async def _run_for_user(self, command: str, name: str) -> None:
        if (note := self._note()) is not None:
            await self.commands.run(command, self._screen.conversation.cwd, note, name)

    def _note(self) -> Callable[[Event], None] | None:
        """Return what takes the events of a command; None, and a notice, without a session."""
        agent, session = self._screen.conversation.agent, self._screen.conversation.session
        if agent is None or session is None:
            self._screen.notify("A command needs an open session.", severity="warning")
            return None
        return lambda event: agent.note_own(session.id, event)


_OWNER: Final = "the user"
_ID: Final = "own-"
"""Prefix of ids, to distinguish them from the agent's terminals."""

CONTEXT: Final = 32 * 1024
"""Number of characters at the end of an output that are attached."""


class ShellCommands:
    """The shell commands of one conversation."""

    def __init__(self, guard: Guard) -> None:
        self._terminals = Terminals(guard=guard)
        self._running: list[Terminal] = []

    async def run(
        self, command: str, cwd: str, note: Callable[[Event], None], shown: str = ""
    ) -> tuple[str, str] | None:
        """Run a command line in the user's shell to its end; `note` receives the events.

        `shown` is shown in place of the command. Returns the attachment as (name, text); None for a command
        without output.
        """
        try:
            terminal = await self._terminals.create(_OWNER, _shell(), ("-c", command), cwd=cwd)
        except TerminalError as error:
            note(Noted(str(error), "error"))
            return None
        self._running.append(terminal)
        name = f"{_ID}{terminal.id}"
        note(CommandStarted(name, shown or command))
        terminal.on_output = lambda _, text: note(CommandPrinted(name, text))
        status = await terminal.wait()
        self._running.remove(terminal)
        output = terminal.kept()
        note(CommandEnded(name, status.exit_code, output[-KEPT_OUTPUT:].decode("utf-8", "replace")))
        if not output.strip():
            return None
        return f"output of {_short(command)}", as_context(command, output, status.exit_code)

    def terminal(self, name: str) -> Terminal | None:
        """Return a terminal by the id in the events of `run`; None for other ids."""
        if not name.startswith(_ID):
            return None
        try:
            return self._terminals.get(_OWNER, name.removeprefix(_ID))
        except UnknownTerminal:
            return None

    async def kill(self) -> None:
        """Kill the newest running command with all of its processes."""
        if self._running:
            await self._running[-1].kill()

    @property
    def is_running(self) -> bool:
        """True while a command runs."""
        return bool(self._running)

    @property
    def has_any(self) -> bool:
        """True while a command, or a process that it has left behind, may be running."""
        return self._terminals.has_any(_OWNER)

    def background(self) -> list[Terminal]:
        """Return the terminals of ended commands that have left processes running."""
        return self._terminals.background(_OWNER)

    async def end(self) -> None:
        """End all commands and background processes."""
        await self._terminals.close()


def _short(command: str) -> str:
    """Shorten a command for a chip."""
    return shortened("".join(" " if letter in "[]\n\t" else letter for letter in command), 40)


def _shell() -> str:
    return os.environ.get("SHELL") or "/bin/sh"


def as_context(command: str, output: bytes, exit_code: int | None) -> str:
    """Return the attachment about a command: its exit code and the end of its output."""
    printed = terminal_log.text_of(output)
    if len(printed) > CONTEXT:
        printed = "[…]\n" + printed[-CONTEXT:].partition("\n")[2]
    end = exit_words(exit_code) if exit_code is not None else "ended by a signal"
    fence = "```"
    while fence in printed:
        fence += "`"
    return f"I ran `{command}` ({end}):\n{fence}\n{printed}\n{fence}\n"


_ALL = "all"
_ON_ITS_OWN = "on its own"


async def choose_what_to_stop(screen: ConversationScreen, shell: UserShell) -> None:
    """Let the user stop background processes of the agent's commands, or of their own."""
    conversation, session = screen.conversation, screen.conversation.session
    left = [*conversation.background, *shell.commands.background()]
    agents = session.working if session is not None else []
    calls = session.background_calls if session is not None else []
    terminals = session.background_terminals if session is not None else []
    others = session.background_others if session is not None else []
    is_alone = conversation.works_by_itself
    if not (left or agents or calls or terminals or others or is_alone):
        screen.notify("Nothing is running in the background.")
        return
    own = {f"call {each.tool_call_id}": each for each in calls}
    ran = {f"terminal {each.terminal_id}": each for each in terminals}
    items = [*_items(left), *map(_subagent, agents), *(_call(call, conversation.cwd) for call in calls)]
    is_told = session is None or session.is_background_current
    items += [_terminal(one, is_told=is_told) for one in terminals]
    items += [_other(place, one, is_told=is_told) for place, one in enumerate(others)]
    if is_alone:
        items.append(menu.MenuItem(_ON_ITS_OWN, "What the agent does on its own", "", "without a prompt"))
    chosen = await menu.choose(screen, "Running in the background: Enter stops it", items)
    for number, terminal in enumerate(left):
        if chosen in (_ALL, str(number)):
            await terminal.kill()
    for one in agents:
        if chosen == f"agent {one.session_id}" and not conversation.cancel_child(one.session_id):
            screen.notify("The agent cannot stop this alone.", title=one.name)
    if chosen == _ON_ITS_OWN:
        conversation.cancel()
    one_of_agent = own.get(chosen or "") or ran.get(chosen or "")
    is_unknown = chosen is not None and chosen.startswith("other ")
    if is_unknown or (one_of_agent is not None and not one_of_agent.can_cancel):
        screen.notify("The agent runs this and cannot stop it alone: ask for that in a prompt.")
    elif one_of_agent is not None and (why_not := await conversation.cancel_alone(one_of_agent)):
        screen.notify(why_not, severity="warning")
    screen.show_status()


def _subagent(one: Subagent) -> menu.MenuItem:
    about = "" if one.can_cancel else "cannot be stopped alone"
    return menu.MenuItem(f"agent {one.session_id}", one.name, about, "subagents")


def _call(call: ToolCall, cwd: str) -> menu.MenuItem:
    return menu.MenuItem(
        f"call {call.tool_call_id}", call_title(call, cwd), "run by the agent", "its commands"
    )


_UNSURE: Final = "as last reported by the agent"


def _terminal(one: OwnTerminal, *, is_told: bool) -> menu.MenuItem:
    words = safe_line(one.command) or safe_line(one.terminal_id)
    about = "run by the agent" if is_told else _UNSURE
    return menu.MenuItem(f"terminal {one.terminal_id}", words, about, "its commands")


def _other(place: int, work: BackgroundWork, *, is_told: bool) -> menu.MenuItem:
    about = "of an unknown kind" if is_told else _UNSURE
    return menu.MenuItem(f"other {place}", safe_line(work.type), about, "its other work")


def _items(left: Sequence[Terminal]) -> list[menu.MenuItem]:
    items = [menu.MenuItem(str(number), one.command_line, _processes(one)) for number, one in enumerate(left)]
    return [*items, menu.MenuItem(_ALL, "all of them", "")] if len(left) > 1 else items


def _processes(terminal: Terminal) -> str:
    pids = terminal.outlived
    return f"process{'es' if len(pids) > 1 else ''} {', '.join(map(str, pids))}"
