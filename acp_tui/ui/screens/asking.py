"""What passes between the conversation and the dialogs over its screen: questions and choices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acp_tui.ui.screens.withdrawing import withdraw
from acp_tui.ui.widgets.text import safe_line

if TYPE_CHECKING:
    from acp_tui.session.options import Option
    from acp_tui.session.questions import Elicitation, Permission, Question, StaleWrite
    from acp_tui.ui.screens.dialog import Dialog
    from acp_tui.ui.screens.session import SessionScreen

Key = tuple[str, str]
"""Names a question: the id of its session, and its key there."""


class Asking:
    """Brings up one dialog at a time; a question that is put aside stays open and can be brought up again."""

    def __init__(self, screen: SessionScreen) -> None:
        self._screen = screen
        self._shown: tuple[Key, Dialog[Any]] | None = None
        self._aside: set[Key] = set()
        self._wanted: Key | None = None
        """The question that the person has chosen."""

    # ------------------------------------------------------------------ questions

    def show_next(self) -> None:
        """Bring up the oldest open question; take away a dialog whose question has its answer."""
        questions = self._screen.conversation.questions
        self._aside &= questions.keys()
        if self._shown is not None and (gone := self._shown[0]) not in questions:
            self.close()
            self._screen.tabs.come_back(self._screen, gone)
        if self._shown is not None:
            self._show_waiting()
        if self._shown is not None or not self._screen.presence.is_seen:
            return
        for key in sorted(questions, key=lambda key: key != self._wanted):
            if key not in self._aside:
                self._show(key, questions[key])
                return

    def want(self, key: Key) -> None:
        """Bring up this question before all others, now or as soon as the session is seen."""
        self._aside.discard(key)
        self._wanted = key
        if self._shown is not None and self._shown[0] != key:
            self.close()
        elif self._shown is not None:
            self._shown[1].show_note(self._screen.tabs.note(self._screen))
        self.show_next()

    def reopen(self) -> None:
        """Bring up what was put aside."""
        self._aside.clear()
        self.show_next()

    def close(self) -> None:
        """Take the dialog away without an answer: there is nothing to answer any more."""
        if self._shown is not None:
            dialog = self._shown[1]
            self._shown = None
            withdraw(dialog)

    def refresh(self) -> None:
        """Make the dialog equal to the call that it is about, which the agent may have changed."""
        from acp_tui.ui.screens.permission import PermissionDialog

        if self._shown is not None and isinstance(self._shown[1], PermissionDialog):
            self._shown[1].refresh_call()

    def _go(self, step: int) -> None:
        """Show the question so many places after the one that is shown."""
        keys = list(self._screen.conversation.questions)
        if self._shown is not None and self._shown[0] in keys:
            self.want(keys[(keys.index(self._shown[0]) + step) % len(keys)])

    def _counter(self, key: Key) -> tuple[int, int]:
        keys = list(self._screen.conversation.questions)
        return keys.index(key) + 1, len(keys)

    def _waiting(self) -> list[str]:
        from acp_tui.ui.inbox import about

        conversation = self._screen.conversation
        return [about(question, conversation.session) for question in conversation.questions.values()]

    def _show_waiting(self) -> None:
        """Have the dialog list what waits by now."""
        from acp_tui.ui.screens.permission import PermissionDialog

        assert self._shown is not None
        key, dialog = self._shown
        if isinstance(dialog, PermissionDialog) and key in self._screen.conversation.questions:
            dialog.show_waiting(self._waiting(), self._counter(key))

    def _show(self, key: Key, question: Question) -> None:
        from acp_tui.session.questions import Permission, StaleWrite

        dialog: Dialog[Any]
        if isinstance(question, Permission):
            dialog = self._permission(key, question)
        elif isinstance(question, StaleWrite):
            dialog = self._stale_write(key, question)
        else:
            dialog = self._elicitation(question)
        dialog.note = self._screen.tabs.note(self._screen)
        self._shown = (key, dialog)
        self._screen.app.push_screen(dialog, lambda answer: self._answered(key, dialog, answer))

    def _is_lent(self, path: str) -> bool:
        conversation = self._screen.conversation
        host, session = conversation.host, conversation.session
        return host is not None and session is not None and host.lends(session.id, path)

    def _permission(self, key: Key, question: Permission) -> Dialog[Any]:
        from acp_tui.session.entries import ToolCall
        from acp_tui.ui.background import background_of
        from acp_tui.ui.screens.permission import PermissionDialog

        conversation = self._screen.conversation
        session = conversation.session
        known = session.tool_call(question.tool_call_id) if session is not None else None
        call = known or ToolCall(question.tool_call_id)
        return PermissionDialog(
            question,
            call,
            agent=conversation.agent_name,
            cwd=session.cwd if session is not None else "",
            inside=self._is_lent,
            look=self._screen.look,
            counter=self._counter(key),
            background=background_of(conversation, call),
            waiting=self._waiting(),
            go=self._go,
            make_rule=self._screen.rooms.ruling.make,
        )

    def _stale_write(self, key: Key, question: StaleWrite) -> Dialog[Any]:
        from acp_tui.ui.screens.stale_write import StaleWriteDialog

        conversation = self._screen.conversation
        return StaleWriteDialog(
            question,
            agent=conversation.agent_name,
            cwd=conversation.session.cwd if conversation.session is not None else "",
            look=self._screen.look,
            counter=self._counter(key),
        )

    def _elicitation(self, question: Elicitation) -> Dialog[Any]:
        agent, look = self._screen.conversation.agent_name, self._screen.look
        if question.url is not None:
            from acp_tui.ui.screens.address import AddressDialog

            return AddressDialog(question, agent=agent, look=look)
        from acp_tui.ui.screens.form import FormDialog

        return FormDialog(question, agent=agent, look=look)

    def _answered(self, key: Key, dialog: Dialog[Any], answer: Any) -> None:
        from acp_tui.ui.screens.permission import Answer

        if self._shown is None or self._shown[1] is not dialog:
            return  # taken away: the question had its answer
        self._shown = None
        conversation = self._screen.conversation
        self._aside.add(key)  # also what stays open after its answer: an address that is being visited
        if isinstance(answer, Answer):
            conversation.answer(key, answer.option_id, answer.how)
            if answer.reason:
                conversation.say(answer.reason)
        elif answer == "stop":
            conversation.answer(key, None)
            conversation.stop()
        elif isinstance(answer, str):
            conversation.answer(key, answer)
        elif answer is not None:
            conversation.answer_form(key, answer.action, answer.content)
        self._screen.show_status()
        if not self._screen.tabs.come_back(self._screen, key):
            self.show_next()
        self._screen.rooms.ruling.look()

    # ------------------------------------------------------------------ modes, models, options

    def next_mode(self) -> None:
        """Go to the next mode of the agent."""
        option = self._option("mode")
        if option is None:
            self._say_none("modes")
            return
        values = [choice.value for choice in _choices(option)]
        current = self._screen.conversation.choosing.pending_value(option)
        place = values.index(current) + 1 if current in values else 0
        if values:
            self._set(option, values[place % len(values)])

    def choose(self, category: str | None) -> None:
        """Let the person choose a value from a menu; without a category, the option first."""
        if category is not None:
            option = self._option(category)
            if option is None:
                self._say_none(f"{category}s")
            else:
                self._choose_value(option)
            return
        self._choose_option()

    def _choose_option(self) -> None:
        from acp_tui.ui.screens.menu import Item, Menu

        session = self._screen.conversation.session
        options = session.options if session is not None else []
        if not options:
            self._say_none("options")
            return
        items = [Item(option.config.id, option.config.name, option.value_name) for option in options]
        by_id = {option.config.id: option for option in options}

        def chosen(option_id: str | None) -> None:
            if option_id is not None:
                self._choose_value(by_id[option_id])

        self._screen.app.push_screen(Menu("Options", items, None, self._screen.look), chosen)

    def _choose_value(self, option: Option) -> None:
        from acp_tui.acp.modes import BooleanOption
        from acp_tui.ui.screens.menu import Menu

        config = option.config
        if isinstance(config, BooleanOption):
            self._set(option, not self._screen.conversation.choosing.pending_value(option))
            return

        def chosen(value: str | None) -> None:
            if value is not None:
                self._set(option, value)

        menu = Menu(config.name, _items(option), config.current_value, self._screen.look)
        self._screen.app.push_screen(menu, chosen)

    def _say_none(self, what: str) -> None:
        conversation = self._screen.conversation
        ready = conversation.phase == "ready"
        self._screen.notify(
            f"This agent has no {what}." if ready else "The agent is not ready.", markup=False
        )

    def _set(self, option: Option, value: str | bool) -> None:
        if option.fixed:
            name = safe_line(option.config.name)
            self._screen.notify(f"This agent does not let anybody set {name}.", markup=False)
            return
        self._screen.run_worker(self._screen.conversation.choosing.set_option(option, value), group="options")

    def _option(self, category: str) -> Option | None:
        session = self._screen.conversation.session
        return session.option(category) if session is not None else None


def _choices(option: Option) -> list[Any]:
    from acp_tui.acp.modes import SelectOption

    return option.config.choices() if isinstance(option.config, SelectOption) else []


def _items(option: Option) -> list[Any]:
    from acp_tui.acp.modes import ChoiceGroup, SelectOption
    from acp_tui.ui.screens.menu import Item

    assert isinstance(option.config, SelectOption)
    items = []
    for choice in option.config.options:
        if isinstance(choice, ChoiceGroup):
            items += [Item(one.value, one.name, one.description or "", choice.name) for one in choice.options]
        else:
            items.append(Item(choice.value, choice.name, choice.description or ""))
    return items
