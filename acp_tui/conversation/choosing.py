"""What the person chooses for a session: modes, models and other options, and what is allowed unasked."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_tui.agent.agent import Agent
    from acp_tui.conversation.conversation import Conversation
    from acp_tui.conversation.last_choices import LastChoices
    from acp_tui.conversation.start import Start
    from acp_tui.host.policy import Policy
    from acp_tui.session.options import Option
    from acp_tui.session.session import Session


class Choosing:
    """The choices in one conversation, those of its beginning among them."""

    def __init__(self, conversation: Conversation, start: Start) -> None:
        self._conversation = conversation
        self._start = start

    @cached_property
    def _last_choices(self) -> LastChoices:
        from acp_tui.conversation.last_choices import LastChoices

        return LastChoices(self._start)

    async def begin(self, agent: Agent, session: Session, *, is_new: bool) -> None:
        """Choose what the command line, the settings, and the person's last choice say."""
        chosen: frozenset[str] = frozenset()
        option = session.option("mode")
        if self._start.mode is not None:
            await self._apply_mode(agent, session, self._start.mode)
            chosen = frozenset([option.config.id] if option is not None else [])
        launch = self._conversation.launch
        if is_new and launch is not None:
            await self._last_choices.choose_again(agent, session, launch, chosen)

    async def set_option(self, option: Option, value: str | bool) -> None:
        """Change a mode, a model or another option; a refusal is a notice in the chat."""
        from acp_tui.agent.errors import AgentError

        agent, session = self._conversation.agent, self._conversation.session
        if agent is None or session is None:
            return
        try:
            await agent.set_option(session.id, option, value)
        except AgentError:
            return  # the session has noted it
        self._last_choices.remember(agent, session, self._conversation.launch, option.config.id)

    def pending_value(self, option: Option) -> str | bool:
        """Return the value that an option has, or will have once the agent agrees."""
        session = self._conversation.session
        pending = session.pending if session is not None else {}
        return pending.get(option.config.id, option.config.current_value)

    @property
    def policy(self) -> Policy | None:
        """What is allowed in the session where no rule matches; None without one."""
        host, session = self._conversation.host, self._conversation.session
        if host is None or session is None or self._conversation.is_over:
            return None
        return host.policy_of(session.id)

    def set_policy(self, policy: Policy) -> None:
        """Let this count in the session from now on, and say so in the chat."""
        from acp_tui.host.policy import WORDS
        from acp_tui.session.events import Noted

        host, session = self._conversation.host, self._conversation.session
        if host is None or session is None:
            return
        host.set_policy(session.id, policy)
        is_open = policy == "allow-everything"
        said = f"From now on this session {WORDS[policy]}."
        self._conversation.note(Noted(said, "warning" if is_open else "info"))

    async def _apply_mode(self, agent: Agent, session: Session, name: str) -> None:
        """Ask for the mode of the command line, which counts for this run only."""
        from acp_tui.agent.errors import AgentError
        from acp_tui.conversation.equipment import mode_named
        from acp_tui.session.events import Noted
        from acp_tui.session.unasked import says_unasked

        option = session.option("mode")
        mode = mode_named(option, name)
        if option is None or mode is None:
            agent.note(session.id, Noted(f"This agent has no mode {name}.", "warning"))
        else:
            with suppress(AgentError):  # the session has noted it
                await agent.set_option(session.id, option, mode, lets=says_unasked(name))
