"""The user's choices in a session: mode, model and other options, and the policy."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from acp_tui.agent.agent import Agent
from acp_tui.agent.capabilities import AgentError
from acp_tui.conversation.approval import Approval, approval_of
from acp_tui.conversation.start_options import Start
from acp_tui.conversation.state import ConversationState
from acp_tui.rules.model import WORDS
from acp_tui.session.entries import Severity
from acp_tui.session.events import Noted
from acp_tui.session.options import Consent, Option, acts_unasked, asks_less, consent_typed
from acp_tui.session.session import Session
from acp_tui.store.agents import Launch
from acp_tui.store.folders import state_folder
from acp_tui.store.preferences import RememberedChoices, Value
from acp_tui.store.settings import Policy

_LOOKS: Final = "read-only"
"""The common name of a mode in which agents change nothing."""


class SessionChoices:
    """The choices in one conversation."""

    def __init__(self, conversation: ConversationState, start: Start) -> None:
        self._conversation = conversation
        self._start = start
        self._last_choices = LastChoices(start)

    async def begin(self, agent: Agent, session: Session, *, is_new: bool) -> None:
        """Apply the choices of the command line and the settings, and the last ones of the user."""
        chosen: frozenset[str] = frozenset()
        option = session.option("mode")
        if self._start.mode is not None:
            await self._apply_mode(agent, session, self._start.mode)
            chosen = frozenset([option.config.id] if option is not None else [])
        if self._start.policy == "read-only":
            # A mode of an earlier session may let the agent act without asking, which no policy can prevent.
            chosen = frozenset(one.config.id for one in session.options if one.config.category != "model")
            await self._choose_to_look(agent, session)
        launch = self._conversation.launch
        if is_new and launch is not None:
            await self._last_choices.repeat(agent, session, launch, chosen)

    async def set_option(self, option: Option, value: str | bool, *, consent: Consent | None = None) -> None:
        """Change a mode, a model or another option; a refusal is a notice in the chat.

        `consent`: the unasked actions that the user accepts; None: as `option` says.
        """
        agent, session = self._conversation.agent, self._conversation.session
        if agent is None or session is None:
            return
        try:
            await agent.set_option(session.id, option, value, consent=consent)
        except AgentError:
            return  # the session shows the error
        self._last_choices.remember(agent, session, self._conversation.launch, option.config.id)

    def pending_value(self, option: Option) -> str | bool:
        """Return the value of an option, or the pending one."""
        session = self._conversation.session
        pending = session.pending if session is not None else {}
        return pending.get(option.config.id, option.config.current_value)

    @property
    def policy(self) -> Policy | None:
        """The policy of the session, for requests that no rule matches; None without a session."""
        access, session = self._conversation.access, self._conversation.session
        if access is None or session is None or self._conversation.is_over:
            return None
        return access.policy_of(session.id)

    @property
    def to_go_on_with(self) -> tuple[Policy | None, str | None]:
        """The policy and the mode of another session that goes on with the work of this one.

        None for those that ask nothing: the user has allowed them for this session alone.
        """
        session, policy = self._conversation.session, self.policy
        option = session.option("mode") if session is not None else None
        if session is None or policy is None:
            return None, None
        value = self.pending_value(option) if option is not None else ""
        mode = str(value) if option is not None and asks_less(option.config, value) is None else None
        return policy if policy != "allow-everything" else None, mode

    @property
    def approval(self) -> Approval | None:
        """The approval state of the session; None without a session."""
        policy, session = self.policy, self._conversation.session
        return approval_of(policy, session.options) if policy is not None and session is not None else None

    def apply_policy(self, session: Session) -> None:
        """Set the policy of the start options, before the first prompt is sent."""
        access = self._conversation.access
        if access is not None and self._start.policy is not None:
            access.set_policy(session.id, self._start.policy)

    def set_policy(self, policy: Policy) -> None:
        """Set the policy of the session, with a notice in the chat."""
        access, session = self._conversation.access, self._conversation.session
        if access is None or session is None:
            return
        access.set_policy(session.id, policy)
        is_open = policy == "allow-everything"
        said = f"From now on this session {WORDS[policy]}."
        self._conversation.note(Noted(said, "warning" if is_open else "info"))

    async def _choose_to_look(self, agent: Agent, session: Session) -> None:
        """Set a mode that only reads, else one that asks; add a notice if the agent still acts unasked."""
        option = session.option("mode")
        mode = mode_named(option, _LOOKS) or mode_named(option, _LOOKS.replace("-", " "))
        if mode is None and option is not None and self._start.mode is None:
            mode = _asking_mode(option)
        if option is not None and mode is not None and mode != option.config.current_value:
            with suppress(AgentError):  # the session shows the error
                await agent.set_option(session.id, option, mode)
        approval = approval_of("read-only", session.options)
        if approval.due_to == "mode":
            said = f"{approval.words}. What it does by itself is not refused."
            agent.note(session.id, Noted(f"{said[0].upper()}{said[1:]}", "warning"))

    async def _apply_mode(self, agent: Agent, session: Session, name: str) -> None:
        """Set the mode of the command line, which counts for this run only."""
        option = session.option("mode")
        mode = mode_named(option, name)
        if option is None or mode is None:
            agent.note(session.id, Noted(f"This agent has no mode {name}.", "warning"))
        else:
            with suppress(AgentError):  # the session shows the error
                await agent.set_option(session.id, option, mode, consent=consent_typed(name))


class LastChoices:
    """The last choices for an agent: saved when they are made, repeated in a new session."""

    def __init__(self, start: Start) -> None:
        self._start = start
        self._choices: RememberedChoices | None = None
        self._again: asyncio.Task[None] | None = None

    def remember(self, agent: Agent, session: Session, launch: Launch | None, option_id: str) -> None:
        """Remember the value of an option that the user has chosen and the agent has set."""
        if not self._start.settings.remember_choices or launch is None:
            return
        option = next((one for one in session.options if one.config.id == option_id), None)
        if option is not None:
            choices = self._store()
            choices.keep(_key(agent, launch), option_id, option.config.current_value)
            self._tell_problem(agent, session)

    async def repeat(self, agent: Agent, session: Session, launch: Launch, chosen: frozenset[str]) -> None:
        """Set the last choices again, except for the options `chosen` for this run.

        Returns once the requests are sent, so that the next prompt follows them on the wire.
        """
        by_hand = _of_settings(self._start, agent, launch)
        remembered = self._store().of(_key(agent, launch)) if self._start.settings.remember_choices else {}
        wanted = {**remembered, **by_hand}
        wanted = {name: value for name, value in wanted.items() if name not in chosen}
        self._tell_problem(agent, session)
        if wanted:
            # An agent chooses its own name, so that must not let it act unasked.
            named = frozenset(by_hand) if launch.name in self._start.settings.options else frozenset[str]()
            repetition = _Repetition(agent, session, wanted, frozenset(by_hand), consented=named)
            self._again = asyncio.create_task(
                self._finish(repetition, _key(agent, launch), repetition.begin())
            )
            await asyncio.sleep(0)  # the tasks write their requests in their first step

    async def _finish(self, repetition: _Repetition, key: str, asked: list[asyncio.Task[None]]) -> None:
        """Wait for the answers, and set values that are offered only after them."""
        if asked:
            await asyncio.wait(asked)
            more = repetition.begin()
            if more:
                await asyncio.wait(more)
        for option_id in repetition.end():
            self._store().drop(key, option_id)

    def _store(self) -> RememberedChoices:
        if self._choices is None:
            self._choices = RememberedChoices(state_folder() / "choices.json")
        return self._choices

    def _tell_problem(self, agent: Agent, session: Session) -> None:
        """Show once in the chat that choices are not saved."""
        problem = self._choices.problem if self._choices is not None else None
        is_shown = any(getattr(entry, "text", "") == str(problem) for entry in session.entries)
        if problem is not None and not is_shown:
            agent.note(session.id, Noted(str(problem), "warning"))


class _Repetition:
    """The repetition of choices in one session."""

    def __init__(
        self,
        agent: Agent,
        session: Session,
        wanted: Mapping[str, Value],
        by_hand: frozenset[str],
        *,
        consented: frozenset[str],
    ) -> None:
        """Repeat choices.

        Args:
            agent: the agent.
            session: the session.
            wanted: the values by option id.
            by_hand: the options whose values come from the settings.
            consented: those that the settings have under the user's name for the agent.
        """
        self._agent = agent
        self._session = session
        self._wanted = dict(wanted)
        self._by_hand = by_hand
        self._consented = consented

    def begin(self) -> list[asyncio.Task[None]]:
        """Set all values that are offered and allowed, in the agent's order."""
        return [
            asyncio.create_task(self._ask(option, self._wanted.pop(option.config.id)))
            for option in list(self._session.options)
            if self._is_due(option)
        ]

    def end(self) -> list[str]:
        """Show in the chat which values were not set, and why; return options whose value is gone."""
        gone = []
        for option in self._session.options:
            value = self._wanted.get(option.config.id)
            if value is None or option.config.current_value == value:
                continue
            named = f"{option.config.name} {option.name_of(value)}"
            if option.offers(value):
                self._tell(f"{named} was not restored: with it, the agent may act without asking.")
            elif option.config.id in self._by_hand:
                self._tell(f"The settings choose {named}, which the agent does not offer.", "warning")
            else:
                gone.append(option.config.id)
                self._tell(f"{named} was not restored: the agent no longer offers it.")
        return gone

    def _is_due(self, option: Option) -> bool:
        value = self._wanted.get(option.config.id)
        if value is None or option.fixed or option.config.current_value == value:
            return False
        may = option.config.id in self._by_hand or not acts_unasked(option.config, value)
        return may and option.offers(value)

    async def _ask(self, option: Option, value: Value) -> None:
        # The user chose the value before the agent described it as it does now.
        is_consented = option.config.id in self._consented and option.config.is_mode
        consent = consent_typed(str(value)) if is_consented else ""
        try:
            await self._agent.set_option(self._session.id, option, value, consent=consent)
        except AgentError:
            pass  # the session shows the error

    def _tell(self, text: str, severity: Severity = "info") -> None:
        self._agent.note(self._session.id, Noted(text, severity))


def _key(agent: Agent, launch: Launch) -> str:
    """Return the key of an agent's choices: the user's name for it and its own."""
    own = _own_name(agent)
    return launch.name if own is None else f"{launch.name}/{own}"


def _of_settings(start: Start, agent: Agent, launch: Launch) -> Mapping[str, Value]:
    """Return the table for the user's name for an agent, else that for its own name."""
    tables = start.settings.options
    return tables[launch.name] if launch.name in tables else tables.get(_own_name(agent) or "", {})


def _own_name(agent: Agent) -> str | None:
    """Return the agent's own name, if it has sent one."""
    info = agent.info.agent_info if agent.info is not None else None
    return info.name if info is not None else None


def _asking_mode(option: Option) -> str | None:
    """Return the first mode that asks before every action, if the current one does not; else None."""
    if asks_less(option.config, option.config.current_value) is None:
        return None
    asking = [one for one in option.config.choices() if asks_less(option.config, one.value) is None]
    working = [one for one in asking if "plan" not in f"{one.value} {one.name}".lower()]
    return next((one.value for one in working or asking), None)


def mode_named(option: Option | None, name: str) -> str | None:
    """Return the mode with an id, the end of a long id, or a name; else None."""
    choices = option.config.choices() if option is not None else []
    ways: list[Any] = [
        lambda choice: choice.value == name,
        lambda choice: choice.value.lower().endswith(("#" + name.lower(), "/" + name.lower())),
        lambda choice: choice.name.lower() == name.lower() or choice.value.lower() == name.lower(),
    ]
    return next((choice.value for way in ways for choice in choices if way(choice)), None)
