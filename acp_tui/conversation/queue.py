"""What the person says: one thing after the other, each when the turn before is over."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

from acp_tui.store.prompts import Prompt, together

if TYPE_CHECKING:
    from acp_tui.agent.agent import Agent
    from acp_tui.conversation.conversation import Conversation, Start
    from acp_tui.protocol.schema import ContentBlock
    from acp_tui.session.session import Session


class Person(Protocol):
    """Whoever speaks."""

    def queue_changed(self) -> None:
        """What waits to be said changed."""

    def prompt_failed(self, prompt: Prompt) -> None:
        """What was said did not arrive: the person gets it back."""


class Speaking:
    """The queue of one conversation, and the task that empties it."""

    def __init__(self, conversation: Conversation, person: Person, start: Start) -> None:
        self.queue: list[Prompt] = []
        """What is said when the turn, or the start, is over; the first goes first."""
        self._conversation = conversation
        self._person = person
        self._start = start
        self._task: asyncio.Task[None] | None = None
        self._preparing: Prompt | None = None
        """What is about to be sent; the agent knows nothing of it."""
        self._is_preparing = False

    def say(self, prompt: Prompt) -> None:
        """Send a prompt, or queue it while the agent is busy or starting; give it back when all is over."""
        self.queue.append(prompt)
        self._person.queue_changed()
        if self._conversation.is_over:
            self.give_back()
        else:
            self.go_on()

    def take(self, index: int) -> Prompt:
        """Take back something that was not sent yet."""
        prompt = self.queue.pop(index)
        self._person.queue_changed()
        return prompt

    def withdraw(self) -> bool:
        """Let what is about to be sent wait before the others; return whether that keeps anything back."""
        if not self._is_preparing:
            return False
        if self._preparing is not None:
            self.queue.insert(0, self._preparing)
            self._preparing = None
        return bool(self.queue)

    def give_back(self) -> None:
        """Return to the person all that waited to be said."""
        if self.queue:
            prompt = together(self.queue)
            self.queue.clear()
            self._person.queue_changed()
            self._person.prompt_failed(prompt)

    def go_on(self) -> None:
        """Say what waits, if the agent is ready to hear it."""
        is_speaking = self._task is not None and not self._task.done()
        if self._conversation.phase == "ready" and self.queue and not is_speaking:
            self._task = asyncio.create_task(self._speak())

    async def end(self) -> None:
        """Wait until nothing is being said any more, then give back the rest."""
        if self._task is not None:
            await asyncio.wait([self._task])
        self.give_back()

    async def _speak(self) -> None:
        this = self._conversation.round
        while self.queue and this == self._conversation.round and self._conversation.phase == "ready":
            prompt = self.queue.pop(0)
            self._person.queue_changed()
            await self._prompt(prompt)

    async def _prompt(self, prompt: Prompt) -> None:
        """Say one thing, and wait for the end of the turn."""
        agent, session = self._conversation.agent, self._conversation.session
        tracking = self._conversation.tracking
        assert agent is not None
        assert session is not None
        blocks = await self._prepared(agent, session, prompt)
        try:
            if blocks is None:
                self._conversation.rejections.give_back()
            else:
                await self._send(agent, session, prompt, blocks)
        finally:
            if tracking is not None:
                tracking.after_turn()

    async def _prepared(self, agent: Agent, session: Session, prompt: Prompt) -> list[ContentBlock] | None:
        """Return what is to be sent, once the files were looked at; None if it was withdrawn meanwhile."""
        this, tracking = self._conversation.round, self._conversation.tracking
        self._preparing, self._is_preparing = prompt, True
        blocks = await self._blocks(agent, session, prompt)
        blocks += self._note(prompt)
        if tracking is not None:
            await tracking.before_turn(len(session.turns) + 1)
        if this != self._conversation.round:
            self.withdraw()  # and given back by what has ended the round
        is_withdrawn = self._preparing is None
        self._preparing, self._is_preparing = None, False
        return None if is_withdrawn else blocks

    async def _send(self, agent: Agent, session: Session, prompt: Prompt, blocks: list[ContentBlock]) -> None:
        """Send a prompt, after a login where it needs one; what waits is not sent into a failure."""
        from acp_tui.agent.capabilities import AgentError, LoginRequired

        turns = len(session.turns)
        try:
            try:
                await agent.prompt(session.id, blocks)
            except LoginRequired as required:
                turns = len(session.turns)  # refused: it counts as not said
                asked = agent
                agent = await self._conversation.beginning.log_in(required)
                if agent is not asked:
                    session = await self._conversation.beginning.open_again(agent, session)
                    turns = len(session.turns)
                await self._after_login(agent, session, blocks)
        except AgentError:
            # The session has noted why. What was said is in the chat; what was not is given back.
            if len(session.turns) == turns:
                self.queue.insert(0, prompt)
                self._conversation.rejections.give_back()
            self.give_back()

    async def _after_login(self, agent: Agent, session: Session, blocks: list[ContentBlock]) -> None:
        """Send a prompt once more; say so where the login was of no use."""
        from acp_tui.agent.capabilities import LoginRequired
        from acp_tui.session.events import Noted

        try:
            await agent.prompt(session.id, blocks)
        except LoginRequired:
            agent.note(
                session.id, Noted("The login did not help: the agent wants one all the same.", "warning")
            )
            raise

    def _note(self, prompt: Prompt) -> list[ContentBlock]:
        """Return what else there is to tell; it waits for a prompt that is no command."""
        from acp_tui.protocol.schema import TextContent

        is_command = prompt.text.lstrip().startswith("/")
        note = "" if is_command else self._conversation.rejections.take()
        return [TextContent(text=f"\n\n{note}")] if note else []  # some agents join blocks as they are

    async def _blocks(self, agent: Agent, session: Session, prompt: Prompt) -> list[ContentBlock]:
        """Return a prompt as the agent takes it, with the files that it mentions."""
        from acp_tui.conversation.attachments import blocks
        from acp_tui.protocol.schema import TextContent
        from acp_tui.session.events import Noted

        if "@" not in prompt.text:
            return [TextContent(text=prompt.whole)]
        made, problems = await asyncio.to_thread(
            blocks, prompt, self._conversation.roots, agent.can.prompt_capabilities
        )
        for problem in problems:
            agent.note(session.id, Noted(problem, "warning"))
        return made
