"""Conversations without a screen: a true agent on one side, and a listener that takes notes on the other."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from acp_tui.agent.agent import Agent
from acp_tui.conversation.conversation import Conversation
from acp_tui.conversation.running_agent import RunningAgent
from acp_tui.conversation.session_start import KnownSession
from acp_tui.conversation.start_options import Start
from acp_tui.protocol.schema import AuthMethod
from acp_tui.session.entries import AgentMessage, Notice, UserMessage, text_of
from acp_tui.session.events import SessionChange
from acp_tui.session.session import Session
from acp_tui.store.agents import Launch
from acp_tui.store.prompts import Prompt
from acp_tui.store.settings import Settings
from acp_tui.workspace.guard import Guard

AGENT = Path(__file__).with_name("plain_agent.py")
PLAIN = Settings(journal=False, snapshots=False)
"""Settings of a test that is not about what is kept: snapshots of one turn take twenty runs of git."""
TRACKED = Settings(journal=False)
"""Settings with which the changed files are known."""


def launch(**like: Any) -> Launch:
    """Return how the plain agent is started with something special about it."""
    return Launch("plain", "Plain agent", (sys.executable, "-S", "-E", str(AGENT), json.dumps(like)))


def start(folder: Path, settings: Settings | None = None, /, **like: Any) -> Start:
    """Return a start of the plain agent in a folder; the guard is closed by whoever asked for it."""
    return Start(str(folder), settings or PLAIN, Guard(), launch=launch(**like))


class LeftOpen:
    """A screen of a login to which the user says nothing."""

    def __init__(self) -> None:
        self.is_gone = asyncio.Event()
        """True if it was taken away."""

    async def __call__(self, *_: object) -> Any:
        try:
            await asyncio.Event().wait()
        finally:
            self.is_gone.set()


class Notes:
    """A listener that writes down what it hears; logins are answered from a list, None is `not now`."""

    def __init__(self) -> None:
        self.phases: list[str] = []
        self.given_back: list[str] = []
        self.questions = 0
        self.dropped = 0
        self.errors: list[str] = []
        self.logins: list[str | None] = []
        self.offered: list[str] = []
        self.impatience = asyncio.Event()
        """Set when the user will not wait for a login any more."""
        self.terminals: list[AuthMethod] = []
        self.failures: list[str] = []
        """Reasons for which logins in a terminal fail, one after the other; empty: they do not."""
        self.conversation: Conversation

    def phase_changed(self) -> None:
        self.phases.append(self.conversation.phase)

    def session_changed(self, change: SessionChange) -> None:
        """Nothing is drawn here."""

    def child_changed(self, child: Session, change: SessionChange) -> None:
        """Nothing is drawn here."""

    def session_dropped(self) -> None:
        self.dropped += 1

    def questions_changed(self) -> None:
        self.questions += 1

    def comparison_changed(self) -> None:
        """Nothing is drawn here."""

    def queue_changed(self) -> None:
        """Nothing is drawn here."""

    def prompt_failed(self, prompt: Prompt) -> None:
        self.given_back.append(prompt.text)

    async def choose_login(self, agent: Agent, methods: Sequence[AuthMethod], error: str) -> str | None:
        self.errors.append(error)
        self.offered = [method.id for method in methods]
        return self.logins.pop(0)

    async def wait_for_login(self, agent: Agent, method: AuthMethod) -> None:
        await self.impatience.wait()

    async def log_in_in_terminal(self, running: RunningAgent, method: AuthMethod) -> str:
        self.terminals.append(method)
        return self.failures.pop(0)


@asynccontextmanager
async def talk(
    given: Start, known_session: KnownSession | None = None, **more: Any
) -> AsyncIterator[tuple[Conversation, Notes]]:
    """Make a conversation that has not begun, and end it, with an earlier session if there is one."""
    notes = Notes()
    notes.conversation = conversation = Conversation(
        replace(given, **more), notes, notes, known_session=known_session
    )
    try:
        yield conversation, notes
    finally:
        await conversation.end()
        given.guard.close()


def said(conversation: Conversation) -> list[str]:
    """Return what both sides said, and the notices."""
    assert conversation.session is not None
    return [
        entry.text if isinstance(entry, Notice) else text_of(entry)
        for entry in conversation.session.entries
        if isinstance(entry, UserMessage | AgentMessage | Notice)
    ]


def held_before_turns(conversation: Conversation) -> asyncio.Event:
    """Hold what is said back while it is prepared for the agent, until the event is set."""
    tracking, gate = conversation.tracker, asyncio.Event()
    assert tracking is not None
    before_turn = tracking.before_turn

    async def held(turn: int | None = None) -> None:
        await before_turn(turn)
        await gate.wait()

    tracking.before_turn = held  # type: ignore[method-assign]
    return gate
