"""How a conversation begins and begins again: the start screen, the failure screen, a recorded session."""

from __future__ import annotations

import asyncio
import shlex
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from acp_tui.conversation.failures import Failure
    from acp_tui.conversation.start import Start
    from acp_tui.store.launch import Launch
    from acp_tui.store.prompt import Prompt
    from acp_tui.store.recorded import Recorded
    from acp_tui.ui.screens.agents import StartChoice
    from acp_tui.ui.screens.failure import FailureScreen
    from acp_tui.ui.session_screen.screen import SessionScreen

_RECENT = 50
"""Journals that are looked at for sessions to offer."""
_EXPLAINING = "failure"
"""The workers that explain; a new explanation takes the place of the one before."""


class Beginning:
    """Leads from the first frame to a session, over whatever goes wrong on the way."""

    def __init__(self, screen: SessionScreen, start: Start) -> None:
        self._screen = screen
        self._start = start
        self._told_of: float | None = None
        """When the wait began of which the person was told."""

    async def begin(self) -> None:
        """Start the agent of the command line, or let the person choose one."""
        conversation = self._screen.conversation
        if conversation.launch is not None or conversation.running is not None:
            await self._screen.conversation.begin()
        else:
            await self.choose()

    async def choose(self) -> None:
        """Let the person choose an agent or a recorded session, until one of them can be shown."""
        wanted = ""
        while (choice := await self._choice(wanted)) is not None:
            wanted = choice.agent
            if choice.kind == "recorded":
                assert choice.recorded is not None
                if await self.show_recorded(choice.recorded):
                    return
            elif (launch := self._launch(choice)) is not None:
                self.again(launch)
                return

    def again(self, launch: Launch | None = None) -> None:
        """End the agent, and start it again or another one."""
        self._work(self._screen.conversation.restart(launch))

    def restart(self) -> None:
        """End the agent and start it again; without one, let the person choose one."""
        if self._screen.conversation.phase == "recorded":
            self.continue_recorded()
        elif self._screen.conversation.launch is not None:
            self.again()
        else:
            self._work(self.choose())

    def continue_recorded(self, prompt: Prompt | None = None) -> None:
        """Go on with a recorded session, and say this; let the person choose an agent if its own is gone."""
        conversation = self._screen.conversation
        recorded = conversation.recorded
        launch = self._launch_of(recorded) if recorded is not None else None
        if launch is not None:
            self._work(self._go_on(launch, prompt))
            return
        if prompt is not None:
            self._screen.prompt.give_back(prompt)
        self._work(self.choose())

    async def _go_on(self, launch: Launch, prompt: Prompt | None) -> None:
        """Go on with the recorded session in its folder, or in one that the user chooses for it."""
        from acp_tui.ui.session_screen.gone_folder import folder_to_go_on_in

        conversation = self._screen.conversation
        cwd = conversation.session.cwd if conversation.session is not None else ""
        folder = await folder_to_go_on_in(self._screen, cwd, self._start.cwd)
        if folder is not None:
            await conversation.recording.go_on(launch, prompt, folder)
        elif prompt is not None:
            self._screen.prompt.give_back(prompt)

    def _work(self, beginning: Coroutine[Any, Any, None]) -> None:
        """Begin in this way, in the background and in the place of what was begun before."""
        self._screen.run_worker(beginning, group="begin", exclusive=True)

    async def _choice(self, wanted: str) -> StartChoice | None:
        """Return what the person chooses; `wanted` is what they named before, which could not be started."""
        from acp_tui.store.folders import data_folder
        from acp_tui.store.recorded_sessions import recent_sessions
        from acp_tui.ui.screens.agents import StartScreen

        recorded = await asyncio.to_thread(recent_sessions, data_folder() / "journals", _RECENT)
        screen = StartScreen(
            self._start.known,
            recorded,
            self._start.cwd,
            self._start.problems,
            self._screen.look,
            wanted=wanted,
        )
        return await self._screen.presence.ask(screen)

    async def show_recorded(self, recorded: Recorded) -> bool:
        """Show a recorded session; return whether there is one to show."""
        try:
            shown = await self._screen.conversation.recording.show(recorded)
        except OSError as error:
            self._say("This recording cannot be read", f"{recorded.path}: {error.strerror}")
            return False
        if not shown:
            self._say("There is no session in this recording", str(recorded.path))
        return shown

    @property
    def has_told_of_waiting(self) -> bool:
        """Whether the person knows that the agent takes long."""
        return self._told_of == self._screen.conversation.waiting_since

    def explain_soon(self) -> None:
        """Explain over the session, in the background."""
        self._screen.run_worker(self.explain(), group=_EXPLAINING, exclusive=True)

    def stop_explaining(self) -> None:
        """What was explained is not so any more."""
        self._screen.workers.cancel_group(self._screen, _EXPLAINING)

    async def explain(self, edited: str = "") -> None:
        """Say what went wrong, or that the agent takes long, and do what the person wants to try.

        `edited` is the command as they changed it, where that could not be started either.
        """
        conversation = self._screen.conversation
        failure, waited = conversation.failure, None
        if failure is None:
            failure, waited = self._silence()
        if failure is None:
            return
        explanation = self._explanation(failure, waited, edited)
        if edited:
            explanation.guard.asked_for()
        choice = await self._screen.presence.ask(explanation)
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
        else:
            self.again()

    def _silence(self) -> tuple[Failure | None, float | None]:
        """Return (what is known of an agent that does not answer, seconds it has not)."""
        from acp_tui.conversation.failures import Failure

        conversation = self._screen.conversation
        agent = conversation.agent
        if agent is None or not conversation.waits_too_long:
            return None, None
        self._told_of = conversation.waiting_since
        waits_for = ", ".join(agent.connection.starts)
        asked = f"It was asked for {waits_for}. " if waits_for else ""
        reason = f"{asked}It may still answer: closing this goes on waiting."
        failure = Failure(
            "silent",
            reason,
            stderr=agent.stderr_tail,
            stdout=agent.connection.strays,
            noise=agent.connection.noise,
            strange=agent.connection.looks_strange,
        )
        return failure, time.monotonic() - conversation.waiting_since

    def _explanation(self, failure: Failure, waited: float | None, edited: str) -> FailureScreen:
        from acp_tui.ui.screens.failure import FailureScreen
        from acp_tui.ui.session_screen.failure_words import explain

        conversation = self._screen.conversation
        login = conversation.launch.login if conversation.launch is not None else ""
        can_log_in = self._can_log_in(failure)
        said = explain(failure, login=login, can_log_in=can_log_in, waited=waited)
        return FailureScreen(
            conversation.command,
            said.title,
            said.reason,
            failure.stderr,
            said.advice,
            can_log_in,
            self._screen.look,
            can_begin_new=failure.kind == "not_taken_up",
            edited=edited,
            stdout=failure.stdout,
        )

    def _can_log_in(self, failure: Failure) -> bool:
        agent = self._screen.conversation.agent
        return failure.kind == "login" and agent is not None and bool(agent.logins.methods())

    def _launch(self, choice: StartChoice) -> Launch | None:
        if choice.kind == "demo":
            from acp_tui.store.demo import demo_launch

            return demo_launch()
        return self._resolved(choice.agent)

    def _launch_of(self, recorded: Recorded) -> Launch | None:
        """Return how to start the agent of a recorded session again."""
        if recorded.agent == "demo":
            from acp_tui.store.demo import demo_launch

            return demo_launch()
        name = recorded.agent if recorded.agent in self._start.known else "".join(recorded.argv[:1])
        launch = self._resolved(name, recorded.argv[1:]) if name else None
        return launch._replace(name=recorded.agent) if launch is not None else None

    def _resolved(self, command: str, args: Sequence[str] = ()) -> Launch | None:
        """Return how to start what the person named, or say why it cannot be."""
        from acp_tui.store.agents import AgentError, resolve

        try:
            return resolve(command, args, self._start.known)
        except AgentError as error:
            self._say(error.title, error.advice)
            return None

    def _say(self, title: str, text: str) -> None:
        self._screen.notify(text, title=title, severity="error", timeout=10)
