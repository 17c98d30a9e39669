"""Choosing the agent's mode, its model and its other options from menus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_tui.ui.widgets.text import safe_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_tui.acp.modes import SelectOption
    from acp_tui.session.options import Option
    from acp_tui.ui.screens.menu import Item
    from acp_tui.ui.session_screen.screen import SessionScreen


class OptionMenus:
    """Lets the person set what the agent of one screen lets them set."""

    def __init__(self, screen: SessionScreen) -> None:
        self._screen = screen

    def next_mode(self) -> None:
        """Go to the next mode of the agent."""
        option = self._option("mode")
        if option is None:
            self._say_none("modes")
            return
        values = [choice.value for choice in option.config.choices()]
        current = self._screen.conversation.choosing.pending_value(option)
        place = values.index(current) + 1 if current in values else 0
        if values:
            self._set(option, values[place % len(values)])

    def choose(self, category: str) -> None:
        """Let the person choose a value from a menu, of the `mode` or the `model`."""
        option = self._option(category)
        if option is None:
            self._say_none(f"{category}s")
        else:
            self._choose_value(option)

    def choose_option(self) -> None:
        """Let the person choose any option, and then its value."""
        from acp_tui.ui.screens.menu import Item, LiveMenu

        if not self._options:
            self._say_none("options")
            return

        def items() -> list[Item]:
            return [Item(one.config.id, one.config.name, one.value_name) for one in self._options]

        def chosen(option_id: str | None) -> None:
            if option_id is not None and (option := self._by_id(option_id)) is not None:
                self._choose_value(option)

        self._screen.app.push_screen(LiveMenu("Options", items, lambda: None, self._screen.look), chosen)

    def _choose_value(self, option: Option) -> None:
        from acp_tui.acp.modes import BooleanOption, SelectOption
        from acp_tui.ui.screens.menu import LiveMenu

        config = option.config
        if isinstance(config, BooleanOption):
            self._set(option, not self._screen.conversation.choosing.pending_value(option))
            return

        def now() -> SelectOption | None:
            known = self._by_id(config.id)
            return known.config if known is not None and isinstance(known.config, SelectOption) else None

        shown = option

        def items() -> list[Item]:
            nonlocal shown
            shown = self._by_id(config.id) or shown
            return _items(known) if (known := now()) is not None else []

        def current() -> str | None:
            return known.current_value if (known := now()) is not None else None

        def chosen(value: str | None) -> None:
            if value is not None and self._by_id(config.id) is not None:
                self._set(shown, value)  # as it was chosen, whatever has come since

        menu = LiveMenu(config.name, items, current, self._screen.look)
        menu.nothing = "the agent does not offer this any more"
        self._screen.app.push_screen(menu, chosen)

    def _say_none(self, what: str) -> None:
        conversation = self._screen.conversation
        ready = conversation.phase == "ready"
        self._screen.notify(f"This agent has no {what}." if ready else "The agent is not ready.")

    def _set(self, option: Option, value: str | bool) -> None:
        if option.fixed:
            name = safe_line(option.config.name)
            self._screen.notify(f"This agent does not let anybody set {name}.")
            return
        self._screen.run_worker(self._screen.conversation.choosing.set_option(option, value), group="options")

    @property
    def _options(self) -> Sequence[Option]:
        """What the agent lets the user set by now."""
        session = self._screen.conversation.session
        return session.options if session is not None else ()

    def _by_id(self, option_id: str) -> Option | None:
        return next((option for option in self._options if option.config.id == option_id), None)

    def _option(self, category: str) -> Option | None:
        session = self._screen.conversation.session
        return session.option(category) if session is not None else None


def _items(config: SelectOption) -> list[Item]:
    from acp_tui.acp.modes import ChoiceGroup
    from acp_tui.ui.screens.menu import Item

    items = []
    for choice in config.options:
        if isinstance(choice, ChoiceGroup):
            items += [Item(one.value, one.name, one.description or "", choice.name) for one in choice.options]
        else:
            items.append(Item(choice.value, choice.name, choice.description or ""))
    return items
