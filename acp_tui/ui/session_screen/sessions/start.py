"""Start and restart of a conversation: agent choice, failures and recorded sessions."""

from __future__ import annotations

import asyncio
import shlex
import time
from collections.abc import Coroutine, Sequence
from typing import Any

from acp_tui.conversation import failure as failures
from acp_tui.conversation.start_options import Start
from acp_tui.store.agents import Launch, LaunchError, demo_launch, resolve
from acp_tui.store.folders import journals_folder
from acp_tui.store.prompts import Prompt, prompt_with_piped
from acp_tui.store.recordings import RecordedSession, recent_sessions
from acp_tui.ui.screens import start as start_screen
from acp_tui.ui.session_screen.agent.sandbox import SessionSandbox
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.ui.session_screen.sessions import failure_text, folder_choice

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
        found = await asyncio.to_thread(recent_sessions, journals_folder())
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
        folder = await folder_choice.folder_to_continue_in(self._screen, cwd, self._start.cwd)
        if folder is not None:
            await conversation.continue_recorded(launch, prompt, folder)
        elif prompt is not None:
            self._screen.prompt.give_back(prompt)

    def _work(self, beginning: Coroutine[Any, Any, None]) -> None:
        """Run a start in the background, replacing an earlier one."""
        self._screen.run_worker(beginning, group="begin", exclusive=True)

    async def _choice(self, wanted: str) -> start_screen.StartChoice | None:
        """Return the choice on the start screen; `wanted` fills in a command that could not be started."""
        recorded = await asyncio.to_thread(recent_sessions, journals_folder())
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
        said = failure_text.explain(failure, login=login, can_log_in=can_log_in, waited=waited)
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
