"""The rule editor with its preview, and a trial of rules on a typed request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, time, timedelta
from typing import ClassVar, Final, get_args

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.suggester import SuggestFromList
from textual.widget import Widget
from textual.widgets import Button, Input, Static
from typing_extensions import override

from acp_tui.rules.command_rules import prefix_mistake
from acp_tui.rules.model import TOOL_KINDS, Decision, Rule, ToolUse, decide
from acp_tui.rules.path_rules import glob_mistake
from acp_tui.rules.rule_book import SCOPES, RuleBook, RuleDraft, Scope
from acp_tui.ui.screens.base.dialog import Dialog
from acp_tui.ui.screens.rules.rule_list import ROLES, because, until
from acp_tui.ui.widgets.controls import OneOf
from acp_tui.ui.widgets.input_line import InputLine
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import safe_line

DECISIONS: Final[tuple[Decision, ...]] = get_args(Decision)
TEXTS: Final = {
    "tool_kind": ("kind", f"any, or one of {', '.join(TOOL_KINDS)}"),
    "tool_name": ("tool", "any, or its name or a glob, such as: mcp__docs__*"),
    "command": ("command", "any, or the first words of a command, such as: git status"),
    "path": ("path", "any, or a glob, such as: src/** or *.md"),
    "agent": ("agent", "any, or the name of an agent"),
    "mode": ("mode", "any, or the id of a mode"),
    "note": ("note", "your note, shown where the rule applies"),
}
"""Text fields by name, as (label, placeholder)."""

_ENDS: Final = ("never", "in 1 hour", "today", "in 7 days", "in 30 days")

Preview = Callable[[RuleDraft], Sequence[str]]
"""Describes the matches of a rule in a few lines."""


class RuleEditor(Dialog[RuleDraft]):
    """Asks for the fields of a rule; dismisses with it, or None."""

    IS_GUARDED = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "put_aside", "Cancel", id="rule-editor.cancel"),
        Binding("ctrl+s", "save", "Save", id="rule-editor.save"),
        Binding("tab,down", "app.focus_next", "Next field", show=False, id="rule-editor.next"),
        Binding(
            "shift+tab,up", "app.focus_previous", "Previous field", show=False, id="rule-editor.previous"
        ),
    ]

    def __init__(
        self,
        heading: str,
        draft: RuleDraft,
        styles: Styles,
        preview: Preview,
        *,
        scopes: Sequence[Scope] = SCOPES,
    ) -> None:
        """Edit a rule; `scopes` are the possible ones."""
        super().__init__(heading, styles)
        self._draft = draft
        self._preview = preview
        self._scopes = list(scopes)
        kept = until(draft.rule.expires)
        self._ends = [*_ENDS, *([kept] if kept else [])]

    @override
    def compose_body(self) -> ComposeResult:
        rule = self._draft.rule
        yield self._row(
            "decision",
            OneOf(DECISIONS, self.theme_styles, chosen=DECISIONS.index(rule.decision), id="decision"),
        )
        for name, (label, hint) in TEXTS.items():
            value = getattr(rule, name) or ""
            suggester = SuggestFromList(TOOL_KINDS) if name == "tool_kind" else None
            yield self._row(
                label, InputLine(value, placeholder=hint, id=name, suggester=suggester, select_on_focus=False)
            )
        scopes = {"session": "this session", "workspace": "this workspace", "everywhere": "everywhere"}
        place = self._scopes.index(self._draft.scope) if self._draft.scope in self._scopes else 0
        words = [scopes[scope] for scope in self._scopes]
        yield self._row("for", OneOf(words, self.theme_styles, chosen=place, id="scope"))
        chosen = len(self._ends) - 1 if len(self._ends) > len(_ENDS) else 0
        yield self._row("ends", OneOf(self._ends, self.theme_styles, chosen=chosen, id="expires"))

    @override
    def compose_answers(self) -> ComposeResult:
        yield Static(id="preview")
        with Horizontal():
            yield Button("Save", id="save", variant="primary", compact=True)
            yield Button("Cancel", id="cancel", compact=True)

    def on_mount(self) -> None:
        """Show the first preview."""
        self._show_preview()

    @override
    def hints(self) -> Sequence[tuple[str, str]]:
        sides = "Left/Right" if self.theme_styles.ascii else "← →"
        following, save = key_of(self, "rule-editor.next"), key_of(self, "rule-editor.save")
        cancel = key_of(self, "rule-editor.cancel")
        return [(following, "next"), (sides, "choose"), (save, "save"), (cancel, "cancel")]

    @override
    def first_focus(self) -> Widget | None:
        return self.query_one("#decision")

    @property
    def draft(self) -> RuleDraft:
        """The rule as entered."""
        texts = {name: self.query_one(f"#{name}", Input).value.strip() or None for name in TEXTS}
        scope = self._scopes[self.query_one("#scope", OneOf).chosen]
        rule = Rule(
            decision=DECISIONS[self.query_one("#decision", OneOf).chosen],
            expires=None if scope == "session" else self._expires(),
            **{**texts, "note": texts["note"] or ""},  # type: ignore[arg-type]  # all of them are texts
        )
        return RuleDraft(replace(rule, workspace=self._draft.rule.workspace), scope)

    def mistake(self) -> str:
        """Return the mistake in the rule, or ""."""
        rule = self.draft.rule
        if rule.tool_kind is not None and rule.tool_kind not in TOOL_KINDS:
            return f"Unknown kind '{rule.tool_kind}'."
        if rule.command is not None and (found := prefix_mistake(rule.command)):
            return f"{found}."
        if rule.path is not None and (found := glob_mistake(rule.path)):
            return f"The path must not contain {found}"
        if rule.decision == "allow" and not (rule.tool_kind or rule.tool_name or rule.command or rule.path):
            return "An allow rule needs a kind, a tool, a command or a path."
        return ""

    @on(Input.Changed)
    @on(OneOf.Switched)
    def _show_preview(self) -> None:
        mistake = self.mistake()
        if mistake:
            text = Content.styled(f"{self.theme_styles.symbol('failed')} {safe_line(mistake)}", "$error")
        else:
            text = Content("\n").join(Content(safe_line(line)) for line in self._preview(self.draft))
        self.query_one("#preview", Static).update(text)
        self.query_one("#save", Button).disabled = bool(mistake)
        self.after_refresh(self.fit)

    @on(Input.Submitted)
    def _next(self, event: Input.Submitted) -> None:
        event.stop()
        self.focus_next()

    @on(Button.Pressed, "#save")
    def action_save(self) -> None:
        """Save the rule if it has no mistake."""
        if not self.mistake():
            self.dismiss(self.draft)

    @on(Button.Pressed, "#cancel")
    def _cancel(self) -> None:
        self.dismiss(None)

    def _row(self, label: str, control: Widget) -> Widget:
        return Horizontal(Static(label, classes="label"), control, classes="field")

    def _expires(self) -> datetime | None:
        now = datetime.now().astimezone()
        today = datetime.combine(now.date(), time(23, 59, 59)).astimezone()
        place = self.query_one("#expires", OneOf).chosen
        if place >= len(_ENDS):
            return self._draft.rule.expires
        return (None, now + timedelta(hours=1), today, today + timedelta(days=7), today + timedelta(days=30))[
            place
        ]


_FIELDS: Final = {
    "kind": f"{', '.join(TOOL_KINDS)}",
    "command": "a full command line, as an agent would request it",
    "path": "a file, absolute or relative to the workspace",
    "tool": "the program's name of the tool",
    "agent": "the name of an agent",
    "mode": "the id of a mode",
}


class RuleTrial(Dialog[None]):
    """Shows the decision of the rules about a request while it is typed."""

    IS_GUARDED = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "put_aside", "Close", id="rule-trying.close"),
        Binding("tab,down,enter", "app.focus_next", "Next field", show=False, id="rule-trying.next"),
        Binding(
            "shift+tab,up", "app.focus_previous", "Previous field", show=False, id="rule-trying.previous"
        ),
    ]

    def __init__(self, book: RuleBook, ask: ToolUse, styles: Styles) -> None:
        """Try rules on a request that starts with the agent, mode, workspace and session of `ask`."""
        super().__init__("Try the rules", styles)
        self._book = book
        self._ask = ask

    @override
    def compose_body(self) -> ComposeResult:
        values = {"kind": self._ask.tool_kind, "agent": self._ask.agent, "mode": self._ask.mode or ""}
        for name, hint in _FIELDS.items():
            suggester = SuggestFromList(TOOL_KINDS) if name == "kind" else None
            control = InputLine(values.get(name, ""), placeholder=hint, id=name, suggester=suggester)
            yield Horizontal(Static(name, classes="label"), control, classes="field")

    @override
    def compose_answers(self) -> ComposeResult:
        yield Static(id="preview")

    def on_mount(self) -> None:
        """Show the first decision."""
        self._show()

    @override
    def hints(self) -> Sequence[tuple[str, str]]:
        return [(key_of(self, "rule-trying.next"), "next"), (key_of(self, "rule-trying.close"), "close")]

    @override
    def first_focus(self) -> Widget | None:
        return self.query_one("#command")

    @property
    def ask(self) -> ToolUse:
        """The request as typed."""
        texts = {name: self.query_one(f"#{name}", Input).value.strip() for name in _FIELDS}
        path = texts["path"]
        whole = path if path.startswith("/") else f"{self._ask.workspace.rstrip('/')}/{path}"
        return ToolUse(
            texts["agent"],
            texts["kind"] or "other",
            (whole,) if path else (),
            texts["command"] or None,
            texts["mode"] or None,
            self._ask.workspace,
            self._ask.session,
            tool_name=texts["tool"],
        )

    @on(Input.Changed)
    def _show(self) -> None:
        verdict = decide(self._book, self.ask)
        said = because(verdict)
        text = Content.styled(safe_line(said), f"${ROLES[verdict.decision]}")
        self.query_one("#preview", Static).update(text)
        self.after_refresh(self.fit)
