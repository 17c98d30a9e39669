"""The form dialog: fields that are validated before they are sent to the agent."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final, Literal

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Button, Input, Static
from typing_extensions import override

from acp_tui.session.questions import Elicitation
from acp_tui.ui.screens.base.dialog import Details, Dialog, message_block
from acp_tui.ui.screens.questions.form_fields import (
    Entry,
    FormField,
    InvalidEntry,
    Value,
    can_be_sent,
    fields_of,
    limits_of,
    matches,
    names_secret,
    value_of,
)
from acp_tui.ui.widgets.controls import NUMBERED, Choices
from acp_tui.ui.widgets.delay import draws
from acp_tui.ui.widgets.input_line import InputLine
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import safe, safe_line
from acp_tui.ui.widgets.transcript.blocks import TextBlock

_PLAIN_TEXT: Final = "The agent gets what you write as plain text: no password, no key."
"""Shown in every form with a field to write in: no list knows the words of all languages."""
_WAYS_OUT: Final = "Decline: say no. Cancel: give no answer."
"""The difference between the two buttons, shown beside them."""


@dataclass(frozen=True)
class ElicitationAnswer:
    """The user's answer to an elicitation."""

    action: Literal["accept", "decline", "cancel"]
    content: dict[str, Value] = field(default_factory=dict)
    """Values by property; empty unless a form was accepted."""


class FieldRow(Vertical):
    """A field of a form: title, description, control and problem."""

    def __init__(self, about: FormField, styles: Styles, entry: Entry) -> None:
        """Show a field with its initial entry."""
        super().__init__()
        self.about = about
        self.theme_styles = styles
        self._first = entry

    @override
    def compose(self) -> ComposeResult:
        yield Static(self._title(), classes="title")
        if self.about.description:
            yield Static(Content(safe(self.about.description)), classes="description")
        yield self._control()
        yield Static(classes="problem")

    @property
    def control(self) -> Widget | None:
        """The control; None for an unknown kind of field."""
        return next(iter(self.query("Input, Choices")), None)

    @property
    def entry(self) -> Entry:
        """The current entry."""
        control = self.control
        if isinstance(control, Input):
            return control.value
        if not isinstance(control, Choices):
            return None
        chosen = [self.about.choices[index].value for index in sorted(control.chosen)]
        if self.about.kind == "choices":
            return tuple(chosen)
        if not chosen:
            return None
        return chosen[0] == "yes" if self.about.kind == "boolean" else chosen[0]

    def show_problem(self, message: str) -> None:
        """Show a problem; "" for none."""
        problem = self.query_one(".problem", Static)
        problem.update(Content(f"{self.theme_styles.symbol('failed')} {message}" if message else ""))
        problem.display = bool(message)

    def _title(self) -> Content:
        limits = limits_of(self.about)
        return Content.assemble(
            (safe_line(self.about.title), "bold"),
            (" *" if self.about.required else "", "$warning"),
            (f"  {safe_line(limits)}" if limits else "", "$muted"),
            (f"  {self.theme_styles.symbol('warning')} asks for a secret?", "$warning")
            if self.about.asks_for_secret
            else "",
        )

    def _control(self) -> Widget:
        about = self.about
        if about.kind == "unknown":
            what = "so this form cannot be sent" if about.required else "so it is left out"
            return Static(Content(f"This cannot be filled in, {what}."), classes="unknown")
        if not about.choices:
            return InputLine(self._first if isinstance(self._first, str) else "", select_on_focus=False)
        return Choices(
            [(choice.title, choice.about if about.kind != "boolean" else "") for choice in about.choices],
            self.theme_styles,
            chosen=self._chosen(),
            several=about.kind == "choices",
            needed=about.required,
        )

    def _chosen(self) -> list[int]:
        first = self._first
        if isinstance(first, bool):
            first = "yes" if first else "no"
        values = first if isinstance(first, tuple) else (first,)
        return [index for index, choice in enumerate(self.about.choices) if choice.value in values]


class FormDialog(Dialog[ElicitationAnswer]):
    """Asks the user to fill in a form; dismisses with the answer, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "send", "Send", id="form.send"),
        # Priority: keys right after one of these are for the other field, however fast they come.
        Binding("tab", "app.focus_next", "Next field", show=False, id="form.next", priority=True),
        Binding(
            "shift+tab", "app.focus_previous", "Previous field", show=False, id="form.previous", priority=True
        ),
    ]

    def __init__(
        self, elicitation: Elicitation, *, agent: str, styles: Styles, counter: tuple[int, int] = (1, 1)
    ) -> None:
        """Ask an elicitation.

        Args:
            elicitation: the question, with its schema.
            agent: the name of the agent.
            styles: the theme's styles.
            counter: the number of this question, and of all open ones.
        """
        super().__init__(f"{agent} asks", styles, counter=counter)
        self._elicitation = elicitation
        self._fields = fields_of(elicitation.schema)

    @override
    def compose_body(self) -> ComposeResult:
        yield Details(self._introduction(), self.theme_styles)
        for about in self._fields:
            yield FieldRow(about, self.theme_styles, self.entered.get(about.name, _default(about)))

    @override
    def compose_answers(self) -> ComposeResult:
        with Horizontal():
            yield Button(
                "Send", id="send", variant="primary", compact=True, disabled=not can_be_sent(self._fields)
            )
            yield Button("Decline", id="decline", compact=True)
            yield Button("Cancel", id="cancel", compact=True)
            yield Static(Content.styled(_WAYS_OUT, "$muted"), id="ways-out")

    @override
    def hints(self) -> Sequence[tuple[str, str]]:
        send = [(key_of(self, "form.send"), "send")] if can_be_sent(self._fields) else []
        numbers = [(f"1-{NUMBERED}", "choose")] if any(about.choices for about in self._fields) else []
        return [(key_of(self, "form.next"), "next"), *numbers, *send, *super().hints()]

    @override
    def first_focus(self) -> Widget | None:
        return next(
            (row.control for row in self._rows if row.control is not None), self.query_one("#decline")
        )

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "send" and not can_be_sent(self._fields):
            return False
        return super().check_action(action, parameters)

    @on(Input.Changed)
    @on(Choices.Changed)
    def _keep(self, event: Input.Changed | Choices.Changed) -> None:
        event.stop()
        row = event.control.query_ancestor(FieldRow)
        self.entered[row.about.name] = row.entry

    @override
    def words(self) -> str:
        texts = [(about, self.entered.get(about.name)) for about in self._fields if about.kind == "text"]
        return "\n".join(str(entry) for about, entry in texts if entry and entry != _default(about))

    @on(Input.Submitted)
    def _next_field(self, event: Input.Submitted) -> None:
        event.stop()
        self.focus_next()

    @on(Button.Pressed, "#send")
    def action_send(self) -> None:
        """Check the fields; send them, or show their problems."""
        if self.guard.turned and can_be_sent(self._fields):
            self._send()

    @on(Button.Pressed, "#decline")
    def _decline(self) -> None:
        if self.guard.turned:
            self.dismiss(ElicitationAnswer("decline"))

    @on(Button.Pressed, "#cancel")
    def _cancel(self) -> None:
        if self.guard.turned:
            self.dismiss(ElicitationAnswer("cancel"))

    @work(exclusive=True)
    async def _send(self) -> None:
        content: dict[str, Value] = {}
        problems: dict[str, str] = {}
        for row in self._rows:
            try:
                value = value_of(row.about, row.entry)
            except InvalidEntry as refused:
                problems[row.about.name] = str(refused)
            else:
                if value is not None:
                    content[row.about.name] = value
        problems |= await self._against_patterns(content)
        if not draws(self):
            return
        for row in self._rows:
            row.show_problem(problems.get(row.about.name, ""))
        if not problems:
            self.dismiss(ElicitationAnswer("accept", content))
            return
        wrong = next(row for row in self._rows if row.about.name in problems)
        if wrong.control is not None:
            wrong.control.focus()

    async def _against_patterns(self, content: dict[str, Value]) -> dict[str, str]:
        """Return problems with the agent's patterns, by field; a slow or invalid pattern is ignored."""
        asked = [about for about in self._fields if about.pattern and about.name in content]
        if not asked:
            return {}
        found = await asyncio.to_thread(
            matches, [(about.pattern, str(content[about.name])) for about in asked]
        )
        if None in found:
            self.notify("A pattern of the form could not be checked.", severity="warning")
        return {
            about.name: f"This should match {safe_line(about.pattern)}"
            for about, is_match in zip(asked, found, strict=True)
            if is_match is False
        }

    @property
    def _rows(self) -> list[FieldRow]:
        return list(self.query(FieldRow))

    def _introduction(self) -> list[TextBlock]:
        schema = self._elicitation.schema or {}
        blocks: list[TextBlock] = []
        is_written = any(about.is_written for about in self._fields)
        around = [self._elicitation.message, schema.get("title"), schema.get("description")]
        asks = is_written and any(names_secret(text) for text in around if isinstance(text, str))
        if asks or any(about.asks_for_secret for about in self._fields):
            warning = "This form seems to ask for a secret. Agents may not do that: do not enter one."
            blocks.append(TextBlock([("warning", f"{self.theme_styles.symbol('warning')} {warning}")]))
        blocks += message_block(self._elicitation.message)
        for role, text in (("strong", schema.get("title")), ("muted", schema.get("description"))):
            if isinstance(text, str) and text:
                blocks += message_block(text, role, above=1 if role == "strong" and blocks else 0)
        if is_written:
            blocks.append(TextBlock([("muted", _PLAIN_TEXT)]))
        return blocks


def _default(about: FormField) -> Entry:
    """Return the initial entry of a field without control characters: the shown text is sent."""
    return safe_line(about.default) if isinstance(about.default, str) and not about.choices else about.default
