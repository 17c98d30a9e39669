"""Menus about the agent: modes, models, options, and what to do if it ignores a stop."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from acp_tui.conversation.approval import ASKS, LESS
from acp_tui.formatting import size
from acp_tui.protocol.schema import BooleanOption, OptionValue, OptionValueGroup, SelectOption
from acp_tui.session.options import Consent, Option, asks_less, consent_in
from acp_tui.store.settings import Policy
from acp_tui.ui.screens.base import menu
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.text import safe_line
from acp_tui.ui.widgets.textual_internals import withdraw_notices

IGNORED: Final = 10.0
"""Seconds within which a turn should end after a stop."""
_NOTICE: Final = "Not stopped yet"


class UnresponsiveAgent:
    """Offers to wait for, kill or restart an agent that ignores a stop."""

    def __init__(self, screen: ConversationScreen, restart: Callable[[], None]) -> None:
        self._screen = screen
        self._restart = restart
        self._stopped_at: float | None = None
        self._has_told = False

    def tick(self, now: float) -> None:
        """Notify once that the agent ignores a stop; `now` is on the monotonic clock."""
        session = self._screen.conversation.session
        if session is None or session.turn_state != "cancelling":
            if self._has_told:
                self._take_notice_away()
            self._stopped_at, self._has_told = None, False
            return
        if self._stopped_at is None:
            self._stopped_at = now
        if now - self._stopped_at >= IGNORED and not self._has_told:
            self._has_told = True
            self._screen.notify(
                f"{self._screen.conversation.agent_name} was asked to stop but is still working. "
                f"{key_of(self._screen, 'session.ladder')}: wait, kill it, or restart it.",
                title=_NOTICE,
                severity="warning",
                timeout=15,
            )

    def _take_notice_away(self) -> None:
        """Remove the notice: the turn has ended."""
        withdraw_notices(self._screen.app, _NOTICE)

    async def choose(self) -> None:
        """Let the user choose: wait, stop, kill or restart."""
        conversation = self._screen.conversation
        if conversation.running is None:
            self._screen.notify("No agent is running.")
            return
        agent = conversation.running
        what = await menu.choose(self._screen, self._heading(), list(self._items()), "wait")
        if conversation.running is not agent:
            return  # it has ended in the meantime
        if what == "stop":
            conversation.stop()
        elif what == "kill":
            self._screen.run_worker(agent.agent.stop(), group="kill")
        elif what == "restart":
            self._restart()

    def _heading(self) -> str:
        conversation = self._screen.conversation
        assert conversation.agent is not None
        connection = conversation.agent.connection
        heard = f"last heard {time.monotonic() - connection.last_heard:.0f} s ago"
        unread = f", not reading its input ({size(connection.unread)})" if connection.unread else ""
        return f"{conversation.agent_name}: {heard}{unread}"

    def _items(self) -> Iterator[menu.MenuItem]:
        running, session = self._screen.conversation.running, self._screen.conversation.session
        others = " and its other sessions here" if running is not None and running.is_shared else ""
        yield menu.MenuItem("wait", "Keep waiting", "leave the agent alone")
        if session is not None and session.turn_state == "running":
            yield menu.MenuItem("stop", "Stop the turn", "ask the agent to end it")
        yield menu.MenuItem(
            "kill", "Kill the agent process", f"kill its process{others}; the conversation is kept"
        )
        yield menu.MenuItem("restart", "Restart the agent", "restart its process and resume the session")


class OptionMenus:
    """Menus for the modes, models and options of the agent."""

    def __init__(self, screen: ConversationScreen) -> None:
        self._screen = screen

    def next_mode(self) -> None:
        """Switch to the next mode."""
        option = self._option("mode")
        if option is None:
            self._say_none("modes")
            return
        values = [choice.value for choice in option.config.choices()]
        current = self._screen.conversation.choices.pending_value(option)
        place = values.index(current) + 1 if current in values else 0
        if values:
            self._set(option, values[place % len(values)])

    async def choose(self, category: str) -> None:
        """Let the user choose a value of the `mode` or the `model`."""
        option = self._option(category)
        if option is None:
            self._say_none(f"{category}s")
        else:
            await self._choose_value(option)

    async def choose_option(self) -> None:
        """Let the user choose any option, and then its value."""
        if not self._options:
            self._say_none("options")
            return

        def items() -> list[menu.MenuItem]:
            return [menu.MenuItem(one.config.id, one.config.name, one.value_name) for one in self._options]

        option_id = await menu.choose(self._screen, "Options", items)
        if option_id is not None and (option := self._by_id(option_id)) is not None:
            await self._choose_value(option)

    async def _choose_value(self, option: Option) -> None:
        config = option.config
        if isinstance(config, BooleanOption):
            self._set(option, not self._screen.conversation.choices.pending_value(option))
            return

        def now() -> SelectOption | None:
            known = self._by_id(config.id)
            return known.config if known is not None and isinstance(known.config, SelectOption) else None

        shown = option

        def items() -> list[menu.MenuItem]:
            nonlocal shown
            shown = self._by_id(config.id) or shown
            policy = self._screen.conversation.choices.policy
            return _items(known, policy) if (known := now()) is not None else []

        def current() -> str | None:
            return known.current_value if (known := now()) is not None else None

        gone = "the agent no longer offers this"
        value = await menu.choose(self._screen, config.name, items, current, nothing=gone)
        if value is not None and self._by_id(config.id) is not None:
            # The chosen one, even if the options have changed since. A name that came while the menu was open
            # is no consent: it may have come just before the key.
            consent = consent_in(shown.config, value)
            self._set(shown, value, consent if consent_in(config, value) == consent else "")

    def _say_none(self, what: str) -> None:
        conversation = self._screen.conversation
        ready = conversation.phase == "ready"
        self._screen.notify(f"This agent has no {what}." if ready else "The agent is not ready.")

    def _set(self, option: Option, value: str | bool, consent: Consent | None = None) -> None:
        if option.fixed:
            name = safe_line(option.config.name)
            self._screen.notify(f"{name} cannot be changed in this agent.")
            return
        setting = self._screen.conversation.choices.set_option(option, value, consent=consent)
        self._screen.run_worker(setting, group="options")

    @property
    def _options(self) -> Sequence[Option]:
        """The options that the agent offers now."""
        session = self._screen.conversation.session
        return session.options if session is not None else ()

    def _by_id(self, option_id: str) -> Option | None:
        return next((option for option in self._options if option.config.id == option_id), None)

    def _option(self, category: str) -> Option | None:
        session = self._screen.conversation.session
        return session.option(category) if session is not None else None


def _items(config: SelectOption, policy: Policy | None) -> list[menu.MenuItem]:
    items = []
    for choice in config.options:
        is_group = isinstance(choice, OptionValueGroup)
        for one in choice.options if isinstance(choice, OptionValueGroup) else [choice]:
            about = _about(config, one, policy)
            items.append(menu.MenuItem(one.value, one.name, about, choice.name if is_group else ""))
    return items


def _about(config: SelectOption, value: OptionValue, policy: Policy | None) -> str:
    """Return the agent's description of a value; for a mode, first whether the agent asks in it."""
    about = value.description or ""
    less = asks_less(config, value.value)
    if less is None and (not config.is_mode or policy is None):
        return about
    asks = LESS[less] if less is not None else ASKS[policy] if policy is not None else ""
    return f"{asks}. {about}" if about else asks
