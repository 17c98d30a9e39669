"""The prompt queue: each prompt is sent after the turn before it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from acp_tui.agent.agent import Agent
from acp_tui.agent.capabilities import AgentError, LoginRequired
from acp_tui.conversation import attachments
from acp_tui.conversation.line_notes import LineNotes
from acp_tui.conversation.rejections import Rejections
from acp_tui.conversation.state import ConversationListener, ConversationState
from acp_tui.protocol.schema import TAKEN_BACK, ContentBlock, TextContent
from acp_tui.session.events import Noted
from acp_tui.session.session import Session
from acp_tui.store.prompts import Prompt, join_prompts

ANSWER_TIME: Final = 5.0
"""Most seconds after a turn to wait for the agent's answer about text sent into it."""
_BEFORE_ALL_IS_READ: Final = (
    "The agent started before the first snapshot was complete. "
    "Changes that it makes until then are not listed, and cannot be restored."
)
LogIn = Callable[[LoginRequired, Agent, Session], Awaitable[tuple[Agent, Session]]]
"""Logs the user in; returns the agent and the session to continue with."""


class PromptQueue:
    """The queued prompts of one conversation, and the task that sends them."""

    def __init__(
        self,
        conversation: ConversationState,
        listener: ConversationListener,
        rejections: Rejections,
        line_notes: LineNotes,
        log_in: LogIn,
    ) -> None:
        self.queue: list[Prompt] = []
        """The prompts, the next one first."""
        self._conversation = conversation
        self._listener = listener
        self._rejections = rejections
        self._line_notes = line_notes
        self._log_in = log_in
        self._task: asyncio.Task[None] | None = None
        self._preparing: Prompt | None = None
        """The prompt that is about to be sent; the agent does not have it yet."""
        self._is_preparing = False
        self.given: list[Prompt] = []
        """Prompts sent into the running turn that the agent has not confirmed yet."""
        self._ahead: dict[int, list[Prompt]] = {}
        """The prompts that were before each of these in the queue, by `id`."""
        self._steering: asyncio.Task[None] | None = None

    def add(self, prompt: Prompt) -> None:
        """Send a prompt; queue it while the agent is busy or starting, give it back if it has ended.

        A prompt that is meant for the running turn goes there if possible.
        """
        self.queue.append(prompt)
        self._listener.queue_changed()
        if self._conversation.is_over:
            self.give_back()
            return
        if prompt.steers:
            self.steer(len(self.queue) - 1)
        self.go_on()

    def steer(self, index: int) -> str:
        """Send a queued prompt into the running turn; return the reason why it stays in the queue, or "".

        For an agent that asks for queued text by itself, the prompt is marked until then.
        """
        prompt, agent, session = self.queue[index], self._conversation.agent, self._conversation.session
        if agent is None or session is None or session.turn_state != "running":
            self.send_after_turn(index)
            return "No turn is running that could take it: it is sent as a prompt."
        if _is_slash_command(prompt):
            self.send_after_turn(index)
            return "A slash command is queued until the turn ends: it would not run within it."
        if agent.can_steer:
            given = self.queue.pop(index)._replace(steers=False)
            self._ahead[id(given)] = [*self.given, *self.queue[:index]]
            self.given.append(given)
            if self._steering is None or self._steering.done():
                self._steering = asyncio.create_task(self._give_all())
        else:
            self.queue[index] = prompt._replace(steers=True)
        self._listener.queue_changed()
        return ""

    def steer_all(self) -> None:
        """Give all queued prompts to the running turn, in their order; commands stay in the queue."""
        index = 0
        while index < len(self.queue):
            count = len(self.queue)
            self.steer(index)
            index += len(self.queue) == count

    def send_after_turn(self, index: int) -> None:
        """Unmark a prompt that was marked for the running turn: it is sent after the turn."""
        self.queue[index] = self.queue[index]._replace(steers=False)
        self._listener.queue_changed()

    def drain(self) -> tuple[list[str], bool]:
        """Remove the marked prompts for an agent that asks; return (their texts, whether more are queued)."""
        marked = [prompt for prompt in self.queue if prompt.steers]
        self.queue[:] = [prompt for prompt in self.queue if not prompt.steers]
        if marked:
            self._listener.queue_changed()
        return [prompt.whole for prompt in marked], bool(self.queue)

    async def _give_all(self) -> None:
        """Send prompts into the turn one by one: agents take one at a time."""
        while self.given:
            prompt = self.given[0]
            outcome, reason = await self._give(prompt)
            del self.given[0]
            ahead = self._ahead.pop(id(prompt))
            if outcome not in ("injected", "startedNewTurn"):
                self.queue.insert(self._place_behind(ahead), prompt)
                if reason:
                    self._conversation.note(Noted(f"It was not taken during the turn: {reason}", "warning"))
            self._listener.queue_changed()
            if self._conversation.is_over:
                self.give_back()
            else:
                self.go_on()

    def _place_behind(self, ahead: list[Prompt]) -> int:
        """Return the queue index after the last of these prompts that is still queued."""
        known = {id(prompt) for prompt in ahead}
        return max((place for place, each in enumerate(self.queue, 1) if id(each) in known), default=0)

    async def _give(self, prompt: Prompt) -> tuple[str, str]:
        """Send a prompt into the running turn; return (the agent's outcome, the reason for a refusal)."""
        agent, session = self._conversation.agent, self._conversation.session
        if agent is None or session is None:
            return "", ""
        blocks = await self._blocks(agent, session, prompt)
        if session.turn_state != "running":
            return "promptRequired", ""
        try:
            outcome = await agent.steer(session.id, blocks)
        except AgentError as error:
            return "", str(error)
        return outcome, "" if outcome == "promptRequired" else f"the agent says {outcome}"

    def take(self, index: int) -> Prompt:
        """Remove a prompt and return it."""
        prompt = self.queue.pop(index)
        self._listener.queue_changed()
        return prompt

    def move(self, index: int, step: int) -> None:
        """Move a prompt by some places."""
        self.queue.insert(max(0, index + step), self.queue.pop(index))
        self._listener.queue_changed()

    @property
    def unsent(self) -> list[Prompt]:
        """Prompts that were not sent yet, in order."""
        return [*self.given, *([self._preparing] if self._preparing is not None else []), *self.queue]

    def withdraw(self) -> bool:
        """Move a prompt that is about to be sent back into the queue; return whether any is queued."""
        if not self._is_preparing:
            return False
        if self._preparing is not None:
            self.queue.insert(0, self._preparing)
            self._preparing = None
        return bool(self.queue)

    def give_back(self) -> None:
        """Return all prompts to the user, as one."""
        if self.queue:
            prompt = join_prompts(self.queue)
            self.queue.clear()
            self._listener.queue_changed()
            self._listener.prompt_failed(prompt)

    def go_on(self) -> None:
        """Send prompts while the agent is ready."""
        is_sending = self._task is not None and not self._task.done()
        if self._conversation.phase == "ready" and (self.queue or self.given) and not is_sending:
            self._task = asyncio.create_task(self._send_all())

    async def end(self) -> None:
        """Wait until no prompt is being sent, then give back the rest."""
        tasks = [task for task in (self._task, self._steering) if task is not None]
        if tasks:
            await asyncio.wait(tasks)
        self.give_back()

    async def _send_all(self) -> None:
        this = self._conversation.round
        while this == self._conversation.round and self._conversation.phase == "ready":
            if self.given and self._steering is not None:
                await self._settle_steering(self._steering)  # prompts meant for the turn before come first
                continue
            if not self.queue:
                return
            prompt = self.queue.pop(0)
            self._listener.queue_changed()
            await self._prompt(prompt)

    async def _settle_steering(self, steering: asyncio.Task[None]) -> None:
        """Wait for the agent's answers about text sent into the turn; give back unconfirmed text."""
        await asyncio.wait([steering], timeout=ANSWER_TIME)
        if not self.given:
            return
        steering.cancel()  # the agent may have them: only the user can decide whether to send them again
        prompt = join_prompts(self.given)
        self.given.clear()
        self._ahead.clear()
        self._conversation.note(
            Noted("The agent did not confirm the text that was sent into its turn.", "warning")
        )
        self._listener.queue_changed()
        self._listener.prompt_failed(prompt)

    async def _prompt(self, prompt: Prompt) -> None:
        """Send one prompt and wait for the end of the turn."""
        agent, session = self._conversation.agent, self._conversation.session
        tracker = self._conversation.tracker
        assert agent is not None
        assert session is not None
        blocks = await self._prepared(agent, session, prompt)
        try:
            if blocks is None:
                self._rejections.give_back()
            else:
                await self._send(agent, session, prompt, blocks)
        finally:
            if tracker is not None:
                tracker.after_turn()

    async def _prepared(self, agent: Agent, session: Session, prompt: Prompt) -> list[ContentBlock] | None:
        """Return the blocks of a prompt once the snapshot is taken; None if it was withdrawn by then."""
        this, tracker = self._conversation.round, self._conversation.tracker
        self._preparing, self._is_preparing = prompt, True
        self._rejections.arrived()
        self._line_notes.arrived()
        blocks = await self._blocks(agent, session, prompt)
        blocks += self._note(prompt)
        await self._line_notes.follow()
        if tracker is not None:
            await tracker.before_turn(len(session.turns) + 1)
            if tracker.is_late and tracker.first is None:
                agent.note(session.id, Noted(_BEFORE_ALL_IS_READ, "warning"))
        if this != self._conversation.round:
            self.withdraw()  # the end of this round gives the prompt back
        is_withdrawn = self._preparing is None
        self._preparing, self._is_preparing = None, False
        self._listener.queue_changed()
        if is_withdrawn:
            return None
        takes_notes = not _is_slash_command(prompt)  # last: from here on the prompt is sent, or fails
        return [*blocks, *(self._line_notes.take(self._conversation.roots) if takes_notes else [])]

    async def _send(self, agent: Agent, session: Session, prompt: Prompt, blocks: list[ContentBlock]) -> None:
        """Send a prompt, after a login if needed; a failure gives the queue back."""
        turns = len(session.turns)
        try:
            try:
                ended = await agent.prompt(session.id, blocks)
                if ended.stop_reason == TAKEN_BACK:
                    self._listener.prompt_failed(prompt)
            except LoginRequired as required:
                turns = len(session.turns)  # refused: it was not sent
                agent, session = await self._log_in(required, agent, session)
                turns = len(session.turns)
                await self._after_login(agent, session, blocks)
        except AgentError:
            # The chat shows the error. A prompt that was sent is in the chat; others are given back.
            if len(session.turns) == turns:
                self.queue.insert(0, prompt)
                self._rejections.give_back()
                self._line_notes.give_back()
            self.give_back()

    async def _after_login(self, agent: Agent, session: Session, blocks: list[ContentBlock]) -> None:
        """Send a prompt again after a login, with a notice in the chat if that did not help."""
        try:
            await agent.prompt(session.id, blocks)
        except LoginRequired:
            agent.note(session.id, Noted("The login did not work: the agent still asks for one.", "warning"))
            raise

    def _note(self, prompt: Prompt) -> list[ContentBlock]:
        """Return the note about rejected changes as a block; none without one, or for a slash command."""
        note = "" if _is_slash_command(prompt) else self._rejections.take()
        return [TextContent(text=f"\n\n{note}")] if note else []  # some agents join the blocks

    async def _blocks(self, agent: Agent, session: Session, prompt: Prompt) -> list[ContentBlock]:
        """Return a prompt as content blocks, with the files that it mentions."""
        if "@" not in prompt.text:
            return [TextContent(text=prompt.whole)]
        takes, sandbox = agent.can.prompt_capabilities, self._conversation.sandbox
        make_visible = (sandbox.make_visible,) if sandbox is not None else ()
        made, problems = await asyncio.to_thread(
            attachments.blocks, prompt, self._conversation.roots, takes, *make_visible
        )
        for problem in problems:
            agent.note(session.id, Noted(problem, "warning"))
        return made


def _is_slash_command(prompt: Prompt) -> bool:
    return prompt.text.lstrip().startswith("/")
