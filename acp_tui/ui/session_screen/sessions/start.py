"""Start and restart of a conversation: agent choice, failures, logins and recorded sessions."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import time
from collections.abc import Coroutine, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any, Final

from acp_tui.agent.agent import Agent
from acp_tui.conversation import failure as failures
from acp_tui.conversation import login as logging_in
from acp_tui.conversation.running_agent import RunningAgent
from acp_tui.conversation.start_options import Start
from acp_tui.formatting import expand_home
from acp_tui.lazy_regex import regex
from acp_tui.protocol.schema import AuthMethod
from acp_tui.store.agents import LaunchError, demo_launch, resolve
from acp_tui.store.folders import data_folder
from acp_tui.store.launch import Launch
from acp_tui.store.prompts import Prompt, prompt_with_piped
from acp_tui.store.recordings import RecordedSession, recent_sessions
from acp_tui.ui.screens import start as start_screen
from acp_tui.ui.screens.base import menu
from acp_tui.ui.screens.questions import login as login_screens
from acp_tui.ui.session_screen.agent.sandbox import SessionSandbox
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.workspace.processes import StartFailed, find_program
from acp_tui.workspace.terminals import TerminalError

_RECENT = 50
"""Newest journals searched for sessions to offer."""
_EXPLAINING = "failure"
"""The worker group of the failure screen; a new screen replaces the old one."""


class Startup:
    """Brings a screen from the first frame to a session."""

    def __init__(self, screen: ConversationScreen, start: Start, sandbox: SessionSandbox) -> None:
        self._screen = screen
        self._start = start
        self._sandbox = sandbox
        self._explained_wait: float | None = None
        """Start of the last wait that was explained."""

    async def begin(self) -> None:
        """Resume the wanted session, start the agent of the command line, or let the user choose one."""
        start, conversation = self._start, self._screen.conversation
        if start.misplaced:
            were = "was" if len(start.misplaced) == 1 else "were"
            told = f"{', '.join(start.misplaced)} {were} passed to the agent."
            self._screen.notify(f"{told} Options of acp-tui go before --agent.", timeout=10)
            start.misplaced = ()
        if start.prompt or start.piped:
            conversation.say(prompt_with_piped(start.prompt, start.piped))
        if (start.continues or start.resume) and await self._resume():
            return
        if conversation.launch is not None or conversation.running is not None:
            await self._screen.conversation.begin()
        else:
            await self.choose()

    async def _resume(self) -> bool:
        """Resume the session of the command line; return False if there is none."""
        conversation, wanted = self._screen.conversation, self._start.resume
        agent = conversation.launch.name if conversation.launch is not None else None
        found = await self.newest(agent) if wanted is None else await self._with_id(wanted)
        if found is not None and await self.show_recorded(found):
            self.continue_recorded()
            return True
        if found is None and wanted is None:
            self._say("No earlier session in this folder", "Starting a new one.")
        elif found is None:
            self._say(f"No session {wanted}", "Choose a recorded session from the list.")
        return False

    async def newest(self, agent: str | None = None) -> RecordedSession | None:
        """Return the newest recorded session of this folder that is not open; of one agent, if given."""
        cwd = self._screen.conversation.cwd
        found = await self._recorded()
        same = (one for one in found if one.cwd == cwd and agent in (None, one.agent))
        return next(same, None)

    async def _with_id(self, beginning: str) -> RecordedSession | None:
        found = await self._recorded()
        return next((one for one in found if one.session_id.startswith(beginning)), None)

    async def _recorded(self) -> list[RecordedSession]:
        """Return the recorded sessions that are not open, newest first."""
        sessions = (screen.conversation.session for screen in self._screen.tabs.screens)
        shown = {session.id for session in sessions if session is not None}
        found = await asyncio.to_thread(recent_sessions, data_folder() / "journals", _RECENT)
        return [one for one in found if one.session_id not in shown]

    async def choose(self) -> None:
        """Show the start screen until an agent or a recorded session is open, or the user goes back."""
        wanted, tabs = "", self._screen.tabs
        while (choice := await self._choice(wanted)) is not None:
            wanted = choice.agent
            if choice.kind == "recorded":
                assert choice.recorded is not None
                if await self.show_recorded(choice.recorded):
                    return
            elif (launch := self._launch(choice)) is not None:
                self.again(launch)
                return
        if not self._has_something:
            self._screen.app.run_worker(tabs.close(self._screen), group="tabs")

    @property
    def _has_something(self) -> bool:
        """True for a tab with an agent or a session, to which the user can go back from the start screen."""
        conversation = self._screen.conversation
        return conversation.session is not None or bool(conversation.command)

    def again(self, launch: Launch | None = None) -> None:
        """Restart the agent, or start another one."""
        self._work(self._screen.conversation.restart(launch))

    def restart(self) -> None:
        """Restart the agent; without one, let the user choose."""
        if self._screen.conversation.phase == "recorded":
            self.continue_recorded()
        elif self._screen.conversation.launch is not None:
            self.again()
        else:
            self._work(self.choose())

    def continue_recorded(self, prompt: Prompt | None = None) -> None:
        """Continue a recorded session, or show the start screen if its agent is unknown."""
        conversation = self._screen.conversation
        recorded = conversation.recorded
        launch = self._launch_of(recorded) if recorded is not None else None
        if launch is not None and recorded is not None:
            if conversation.launch is not None and conversation.launch.name == recorded.agent:
                launch = conversation.launch  # with the arguments of this run, and perhaps already running
            self._work(self._go_on(launch, prompt))
            return
        if prompt is not None:
            self._screen.prompt.give_back(prompt)
        self._work(self.choose())

    async def _go_on(self, launch: Launch, prompt: Prompt | None) -> None:
        """Continue the recorded session in its folder, or in one that the user chooses."""
        conversation = self._screen.conversation
        cwd = conversation.session.cwd if conversation.session is not None else ""
        folder = await folder_to_continue_in(self._screen, cwd, self._start.cwd)
        if folder is not None:
            await conversation.continue_recorded(launch, prompt, folder)
        elif prompt is not None:
            self._screen.prompt.give_back(prompt)

    def _work(self, beginning: Coroutine[Any, Any, None]) -> None:
        """Run a start in the background, replacing an earlier one."""
        self._screen.run_worker(beginning, group="begin", exclusive=True)

    async def _choice(self, wanted: str) -> start_screen.StartChoice | None:
        """Return the choice on the start screen; `wanted` fills in a command that could not be started."""
        recorded = await asyncio.to_thread(recent_sessions, data_folder() / "journals", _RECENT)
        screen = start_screen.StartScreen(
            self._start.known,
            recorded,
            self._start.cwd,
            self._start.problems,
            self._screen.theme_styles,
            wanted=wanted,
            has_back=self._has_something or len(self._screen.tabs.screens) > 1,
            resumes=self._start.resume is not None and not self._has_something,
        )
        return await self._screen.ask(screen)

    async def show_recorded(self, recorded: RecordedSession) -> bool:
        """Show a recorded session; return False if there is none."""
        try:
            shown = await self._screen.conversation.show_recorded(recorded)
        except OSError as error:
            self._say("This recording cannot be read", f"{recorded.path}: {error.strerror}")
            return False
        if not shown:
            self._say("No session in this recording", str(recorded.path))
        return shown

    @property
    def is_wait_explained(self) -> bool:
        """True once the current wait was explained to the user."""
        return self._explained_wait == self._screen.conversation.waiting_since

    def explain_soon(self) -> None:
        """Show the failure screen, in the background."""
        self._screen.run_worker(self.explain(), group=_EXPLAINING, exclusive=True)

    def stop_explaining(self) -> None:
        """Remove the failure screen."""
        self._screen.workers.cancel_group(self._screen, _EXPLAINING)

    async def explain(self, edited: str = "") -> None:
        """Show a failure or a long wait, and act on the user's choice.

        `edited` is a command of the user that could not be started either.
        """
        conversation = self._screen.conversation
        failure, waited = conversation.failure, None
        if failure is None:
            failure, waited = self._silence()
        if failure is None:
            return
        explanation = self._explanation(failure, waited, edited)
        if edited:
            explanation.guard.note_asked_for()
        choice = await self._screen.ask(explanation)
        if choice is None:
            return
        if choice.kind == "choose":
            await self.choose()
        elif choice.kind == "edit":
            command = shlex.join(choice.command)
            launch = self._resolved(command)
            if launch is None:
                await self.explain(command)
            else:
                self.again(launch)
        elif choice.kind == "new":
            self._work(conversation.begin_new())
        elif choice.kind == "allow":
            self._sandbox.open_for_agent()
            self.again()
        else:
            self.again()

    def _silence(self) -> tuple[failures.Failure | None, float | None]:
        """Return (failure of an unresponsive agent, seconds of waiting), or (None, None)."""
        conversation = self._screen.conversation
        agent = conversation.agent
        if agent is None or not conversation.waits_too_long:
            return None, None
        self._explained_wait = conversation.waiting_since
        waits_for = ", ".join(agent.connection.starts)
        asked = f"No reply to `{waits_for}` yet. " if waits_for else ""
        reason = f"{asked}Close this to keep waiting."
        failure = failures.Failure(
            "silent",
            reason,
            stderr=agent.stderr_tail,
            stdout=agent.connection.strays,
            no_agent=agent.connection.has_only_strays,
        )
        return failure, time.monotonic() - conversation.waiting_since

    def _explanation(
        self, failure: failures.Failure, waited: float | None, edited: str
    ) -> start_screen.FailureScreen:
        conversation = self._screen.conversation
        login = conversation.launch.login if conversation.launch is not None else ""
        can_log_in = self._can_log_in(failure)
        said = explain(failure, login=login, can_log_in=can_log_in, waited=waited)
        refused = self._sandbox.refused_to_agent()
        return start_screen.FailureScreen(
            conversation.command,
            said.title,
            said.reason,
            failure.stderr,
            [*(f"The sandbox keeps it from writing {place}." for place in refused), *said.advice],
            can_log_in,
            self._screen.theme_styles,
            can_begin_new=failure.kind == "not_taken_up",
            can_allow=bool(refused),
            edited=edited,
            stdout=failure.stdout,
        )

    def _can_log_in(self, failure: failures.Failure) -> bool:
        agent = self._screen.conversation.agent
        return failure.kind == "login" and agent is not None and bool(agent.logins.methods())

    def _launch(self, choice: start_screen.StartChoice) -> Launch | None:
        if choice.kind == "demo":
            return demo_launch()
        return self._resolved(choice.agent)

    def _launch_of(self, recorded: RecordedSession) -> Launch | None:
        """Return the launch of the agent of a recorded session."""
        if recorded.agent == "demo":
            return demo_launch()
        name = recorded.agent if recorded.agent in self._start.known else "".join(recorded.argv[:1])
        launch = self._resolved(name, recorded.argv[1:]) if name else None
        return launch._replace(name=recorded.agent) if launch is not None else None

    def _resolved(self, command: str, args: Sequence[str] = ()) -> Launch | None:
        """Return the launch of a command, or notify the user of its problem."""
        try:
            return resolve(command, args, self._start.known)
        except LaunchError as error:
            self._say(error.title, error.advice)
            return None

    def _say(self, title: str, text: str) -> None:
        self._screen.notify(text, title=title, severity="error", timeout=10)


@dataclass(frozen=True)
class Explanation:
    """The text about a failure, the most helpful advice first."""

    title: str
    """The event, and the end of the process."""
    reason: str
    """Further facts; may be empty."""
    advice: tuple[str, ...]


_RUNTIME: Final = "Its runtime may be too old or incomplete: update it, or install the agent again."
_SIGNS: Final = (
    (r"unknown (option|argument|flag)|unrecognized (option|argument)|no such option|unexpected argument",
     "It rejected an argument. This version may use another option for ACP, or not support it."),
    (r"cannot find module|modulenotfounderror|importerror|no module named|err_module_not_found", _RUNTIME),
    (r"syntaxerror|unsupported engine|requires? (node|python)|node version|glibc", _RUNTIME),
    (r"\bE?40[13]\b|unauthorized|not logged in|log ?in|sign in|api[_ ]key|authenticat|credential",
     "It seems to need a login or an API key: log in, or set the variable it names."),
    (r"enotfound|econnrefused|etimedout|econnreset|\bnetwork\b|getaddrinfo|\bproxy\b|certificate",
     "It could not reach its service: check network, proxy and certificates."),
    (r"E404|404 not found|no matching (version|distribution)",
     "Its package was not found: check the name in the command."),
    (r"eacces|permission denied", "Permission denied: check the files it names."),
    (r"enospc|no space left", "The disk is full."),
    (r"out of memory|heap limit|\boom\b|oom-?kill", "It ran out of memory."),
)  # fmt: skip
"""(Pattern of the output, advice); the first match is shown."""

_TAIL: Final = 16_384
"""Characters of each output that are searched."""

_WORKSPACE: Final = regex(r"\bcwd\b|workspace|working directory|directory|folder|trust", re.I)


def explain(
    failure: failures.Failure, *, login: str = "", can_log_in: bool = False, waited: float | None = None
) -> Explanation:
    """Return the text about a failure.

    Args:
        failure: the facts.
        login: one line of advice on logging in outside acp-tui, if known.
        can_log_in: True if the agent offers a login from here.
        waited: seconds without an answer, if that is the failure.
    """
    advice = dict.fromkeys(_advice(failure, login, can_log_in, waited))
    # The title has the end of the process; the reason would only repeat it.
    reason = "" if failure.kind in ("exited", "ended") else failure.reason
    if failure.closed_output:
        reason = "It closed its output, so it was killed."
    return Explanation(_title(failure, waited), reason, tuple(advice))


_TAKES_UP: Final = "The conversation is kept: retry restarts the agent and resumes it."
_BEGINS_ANEW: Final = (
    "The conversation stays on the screen: retry starts a new session below it. "
    "This agent cannot resume the old one; /hand-over adds it to your next prompt."
)


def _title(failure: failures.Failure, waited: float | None) -> str:
    ended = failure.exit.as_verb if failure.exit is not None else "ended"
    if failure.no_agent:
        return "This does not seem to be an ACP agent"
    if waited is not None:
        return f"The agent has not answered for {waited:.0f} s"
    match failure.kind:
        case "spawn":
            return "The agent could not be started"
        case "exited":
            return f"The agent {ended} before it answered"
        case "version":
            return "The agent speaks another version of the protocol"
        case "login":
            return "The agent needs a login"
        case "not_taken_up":
            return "The agent could not resume this session"
        case "ended":
            return f"The agent {ended}"
        case _:
            return "The agent refused to open a session"


_INSTALLING: Final = (
    "It may still be installing, or waiting for a login elsewhere: retry, or run it in a shell."
)


def _advice(failure: failures.Failure, login: str, can_log_in: bool, waited: float | None) -> Iterator[str]:
    if failure.advice:
        yield failure.advice
    if failure.no_agent:
        yield "It prints plain text instead of ACP messages: it may need an option such as --acp."
        yield from _signs(failure)
        yield _INSTALLING if waited is not None else "Run the command in a shell to see what it does."
        return
    if failure.kind == "login":
        yield from _login_advice(login, can_log_in)
        return
    if failure.kind == "version":
        yield "Update the agent or acp-tui, whichever is older."
        return
    if failure.kind != "not_taken_up":
        yield from _signs(failure)
    if waited is not None:
        yield _INSTALLING
    if failure.kind == "exited":
        yield from _exit_advice(failure)
    if failure.kind == "refused" and _WORKSPACE.search(failure.reason):
        yield "Check that the workspace exists and that the agent may use it (--cwd chooses another one)."
    if failure.kind == "not_taken_up":
        yield "Start a new session: the agent may no longer have this one."
        yield "If it was recorded here, you can still read it from the list of sessions."
        return
    if failure.kind == "ended":
        yield _TAKES_UP if failure.is_resumed_start else _BEGINS_ANEW


def _login_advice(login: str, can_log_in: bool) -> Iterator[str]:
    if can_log_in:
        yield "Log in here with one of the agent's methods."
    if login:
        yield f"In a shell: {login}."
    if not can_log_in and not login:
        yield "It cannot log in from here: run it in a shell once and log in there."


def _exit_advice(failure: failures.Failure) -> Iterator[str]:
    status = failure.exit
    if status is not None and status.exit_code == 0:
        yield "It exited normally (code 0): it may need an option to speak ACP."
    elif status is not None and status.exit_code in (126, 127):
        yield "A program it runs is missing or not executable."
    elif not failure.stderr.strip() and not failure.stdout.strip():
        yield "It gave no reason: run the command in a shell to see more."


def _signs(failure: failures.Failure) -> Iterator[str]:
    printed = f"{failure.stdout[-_TAIL:]}\n{failure.stderr[-_TAIL:]}"
    for pattern, advice in _SIGNS:
        if re.search(pattern, printed, re.I):
            yield advice
            return


class LoginDialogs:
    """The screens of a login; each closes when its call is cancelled."""

    def __init__(self, screen: ConversationScreen, cwd: str) -> None:
        self._screen = screen
        self._cwd = cwd

    async def choose_login(self, agent: Agent, methods: Sequence[AuthMethod], error: str) -> str | None:
        """Return the id of the chosen login method, or None."""
        conversation = self._screen.conversation
        dialog = login_screens.LoginDialog(
            methods,
            agent=conversation.agent_name,
            hint=conversation.launch.login if conversation.launch is not None else "",
            styles=self._screen.theme_styles,
            error=error,
        )
        return await self._screen.ask(dialog)

    async def wait_for_login(self, agent: Agent, method: AuthMethod) -> None:
        """Show a running login until the user cancels it."""
        name = self._screen.conversation.agent_name
        dialog = login_screens.LoginWait(
            agent, name=name, method=method.name, styles=self._screen.theme_styles
        )
        await self._screen.ask(dialog)

    async def log_in_in_terminal(self, running: RunningAgent, method: AuthMethod) -> str:
        """Run the agent's own program with the method's arguments in a terminal; return its error, or "".

        The agent chooses arguments and variables, never the program.
        """
        program, *arguments = running.launch.argv
        terminals = running.host.terminals
        # The agent must not reach this terminal: its sessions have names of its own choice.
        owner = token_hex()
        try:
            # A PATH of the method must not name another program.
            found = find_program(program, {**os.environ, **running.launch.env}, self._cwd)
            terminal = await terminals.create(
                owner,
                found,
                [*arguments, *method.args],
                env={**running.launch.env, **method.env},
                cwd=self._cwd,
                enclosure=running.sandbox.agent
                if running.sandbox is not None
                else None,  # in the agent's sandbox, with its network
            )
        except (StartFailed, TerminalError) as error:
            return str(error)
        title = f"Log in to {self._screen.conversation.agent_name}: {method.name}"
        screen = login_screens.TerminalLoginScreen(terminal, title=title, styles=self._screen.theme_styles)
        try:
            failure = await self._screen.ask(screen)
            return logging_in.STOPPED if failure is None else failure
        finally:
            await terminals.release(owner, terminal.id)


async def folder_to_continue_in(screen: ConversationScreen, cwd: str, here: str) -> str | None:
    """Return the folder to continue a session in: its own, or one that the user chooses.

    Args:
        screen: the screen below the question.
        cwd: the folder of the session; empty if unknown.
        here: the folder of this run.

    Returns None if the user wants only to read it.
    """
    if not cwd or _is_folder(cwd):
        return cwd or here
    choice = await screen.ask(menu.folder_menu(cwd, here, screen.theme_styles))
    if choice == menu.HERE:
        return here
    title = "Folder of the session"
    path: str | None = here
    while choice == menu.OTHER and path is not None:
        dialog = menu.LineDialog(
            title, path, screen.theme_styles, placeholder="an existing folder", does="continue there"
        )
        path = await screen.ask(dialog)
        if path is not None:
            if (chosen := _folder(path)) is not None:
                return chosen
            title = "The folder does not exist"
    return None


def _is_folder(path: str) -> bool:
    return Path(path).is_absolute() and Path(path).is_dir()


def _folder(typed: str) -> str | None:
    """Return a typed folder as an absolute path, or None if there is none."""
    path = Path(expand_home(typed)).absolute()
    return str(path) if typed and path.is_dir() else None
