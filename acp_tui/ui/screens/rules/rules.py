"""The rules screen, and the question whether to trust the rules of a workspace."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Final

from textual.binding import Binding, BindingType
from typing_extensions import override

from acp_tui.formatting import from_home
from acp_tui.rules.model import Rule, ToolUse
from acp_tui.rules.rule_book import SCOPES, ListedRule, RuleChanges, RuleDraft, Scope
from acp_tui.rules.rule_files import CannotWrite, RuleFile
from acp_tui.ui.screens.base.full_screens import ListScreen
from acp_tui.ui.screens.rules.rule_editor import Preview, RuleEditor, RuleTrial
from acp_tui.ui.screens.rules.rule_list import ROLES, RuleList, matches
from acp_tui.ui.screens.rules.trust import TrustDialog
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.rows.row_view import StatusRow
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import exact_line, safe_line
from acp_tui.ui.widgets.transcript.blocks import TextBlock


class RuleTrust(TrustDialog):
    """Asks whether to trust the rules of a file; dismisses with True, or None."""

    def __init__(self, file: RuleFile, styles: Styles) -> None:
        blocks = []
        for number, rule in enumerate(file.rules):
            note = [("muted", f"  {safe_line(rule.note)}")] if rule.note else []
            line = [(ROLES[rule.decision], f"{rule.decision:<6}"), ("text", exact_line(matches(rule))), *note]
            blocks.append(TextBlock(line, above=0 if number else 1))
        about = "Its deny and ask rules apply; its allow rules apply once you trust it."
        super().__init__("Trust the rules of this workspace?", file.path, about, blocks, styles)


_MISTAKES: Final = 3
"""Most mistakes in files that are shown above the rules."""


class RulesScreen(ListScreen):
    """Lists all rules, with the reasons why some do not apply."""

    NOTHING = """\
No rules yet. You are asked for everything the policy does not allow.

n creates a rule, and so does m in a question. Deny wins over ask, ask over allow."""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Close", id="rules.close"),
        Binding("n", "new", "New", id="rules.new"),
        Binding("d,delete", "remove", "Delete", id="rules.delete"),
        Binding("u", "undo", "Undo", id="rules.undo"),
        Binding("t", "try", "Try", id="rules.try"),
        Binding("w", "trust", "Trust", id="rules.trust"),
    ]

    def __init__(self, changes: RuleChanges, ask: ToolUse, styles: Styles, preview: Preview) -> None:
        """Show the rules of a book.

        Args:
            changes: the book, with its changes.
            ask: agent, mode, workspace and session of the current session.
            styles: the theme's styles.
            preview: describes the matches of a rule.
        """
        super().__init__(styles)
        self._book = changes.book
        self._changes = changes
        self._ask = ask
        self._preview = preview

    @override
    def make_list(self) -> RuleList:
        return RuleList(self.theme_styles, self._ask.workspace)

    def on_mount(self) -> None:
        """List the rules."""
        self.show_rules()

    def on_screen_resume(self) -> None:
        """List the rules again: their files may have changed."""
        self.show_rules()

    def on_row_list_opened(self, event: RuleList.Opened) -> None:
        """Edit a rule."""
        listed: ListedRule = event.item
        rule = listed.rule
        if rule.exact:
            self.app.notify("It is for one exact command. Delete it and create another rule.")
            return
        scopes: tuple[Scope, ...] = SCOPES if self._ask.session else SCOPES[1:]
        if rule.file not in (None, self._book.user_file):
            scopes = ("workspace",)
        scope: Scope = "session" if rule.file is None else "workspace" if rule.workspace else "everywhere"
        editor = RuleEditor(
            "Edit rule", RuleDraft(rule, scope), self.theme_styles, self._preview, scopes=scopes
        )
        self.app.push_screen(editor, lambda draft: self._changed(listed, draft))

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "undo":
            return self._changes.can_undo
        if action == "trust":
            return bool(self._book.not_trusted())
        return action != "remove" or not self.is_mounted or self.rows.current is not None

    def action_new(self) -> None:
        """Create a rule."""
        scope: Scope = "workspace"
        scopes = SCOPES if self._ask.session else SCOPES[1:]
        draft = RuleDraft(Rule("allow"), scope)
        editor = RuleEditor("New rule", draft, self.theme_styles, self._preview, scopes=scopes)
        self.app.push_screen(editor, self._made)

    def action_remove(self) -> None:
        """Delete the rule under the cursor; that can be undone."""
        listed = self.rows.current
        if listed is not None and self._done(lambda: self._changes.remove(listed)):
            self.notify(f"{key_of(self, 'rules.undo')} restores it.", title="Rule deleted")

    def action_undo(self) -> None:
        """Undo the last change."""
        self._done(self._changes.undo)

    def action_try(self) -> None:
        """Try the rules on a typed question."""
        self.app.push_screen(RuleTrial(self._book, self._ask, self.theme_styles))

    def action_trust(self) -> None:
        """Ask whether to trust the file of the workspace."""
        files = self._book.not_trusted()
        if files:
            question = RuleTrust(files[0], self.theme_styles)
            question.guard.note_asked_for()
            self.app.push_screen(question, lambda trusted: self._trusted(files[0], trusted))

    def _trusted(self, file: RuleFile, trusted: bool | None) -> None:
        if trusted:
            self._done(lambda: self._book.trust.give(file.path, file.digest))

    def _made(self, draft: RuleDraft | None) -> None:
        if draft is not None:
            self._done(lambda: self._changes.add(draft, self._ask.workspace, self._ask.session))

    def _changed(self, listed: ListedRule, draft: RuleDraft | None) -> None:
        if draft is not None:
            self._done(lambda: self._changes.change(listed, draft, self._ask.workspace, self._ask.session))

    def _done(self, change: Callable[[], None]) -> bool:
        """Make a change, or show why it failed; then list the rules again."""
        try:
            change()
        except CannotWrite as error:
            self.notify(str(error), title="Not changed", severity="error")
            return False
        except OSError as error:
            self.notify(str(error.strerror), title="Not written", severity="error")
            return False
        finally:
            self.show_rules()
        return True

    def show_rules(self) -> None:
        """List the rules as they are now."""
        listed = self._book.listed()
        self.rows.show(listed)
        self.show_nothing(not listed)
        if listed:
            self.rows.focus()
        count = sum(one.state in ("counts", "mistake") for one in listed)
        counted = f"{count} of {len(listed)} active  " if listed else ""
        where = safe_line(from_home(str(self._book.user_file)))
        left = [("strong", " Rules"), ("muted", f"  {counted}{where}")]
        problems = self._book.problems()
        lines: list[StatusRow] = [(left, ())]
        lines += [
            ([("warning", f" {safe_line(from_home(str(problem)))}")], ()) for problem in problems[:_MISTAKES]
        ]
        self.show_title(*lines)
        self.refresh_bindings()
