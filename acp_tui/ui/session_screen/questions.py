"""The dialogs over a session screen, for the open questions of its conversation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from time import monotonic
from typing import Any, Final, NamedTuple

from acp_tui.agent.permissions.old_texts import old_texts
from acp_tui.session.questions import Elicitation, OldText, Permission, Question, StaleWrite
from acp_tui.store.prompts import Prompt
from acp_tui.ui.application.key_guard import Press, key_history_of
from acp_tui.ui.screens.base import dialog as dialog_screens
from acp_tui.ui.screens.base.unasked_screen import withdraw
from acp_tui.ui.screens.questions import address as address_dialog
from acp_tui.ui.screens.questions import form, permission, permission_details, proposals, stale_write
from acp_tui.ui.session_screen.agent.rules import SessionRules
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen, Key
from acp_tui.ui.session_screen.sessions import inbox as inbox_menu
from acp_tui.ui.widgets.delay import after

_PAUSE: Final = 0.5
"""Seconds without a dialog after a question was withdrawn: the agent may be withdrawing them all."""


class _Shown(NamedTuple):
    """A question with its dialog. Agents reuse ids, so questions are compared by identity."""

    key: Key
    question: Question
    dialog: dialog_screens.Dialog[Any]


class QuestionDialogs:
    """Shows one dialog at a time; a question that is put aside stays open."""

    def __init__(self, screen: ConversationScreen, rules: SessionRules) -> None:
        self._screen = screen
        self._rules = rules
        self._shown: _Shown | None = None
        self._aside: dict[Key, Question] = {}
        self._wanted: Key | None = None
        """The question that the user wants to see."""
        self._wanted_by: Press | None = None
        """The last key before the user asked for a question."""
        self._last: dict[Key, _Shown] = {}
        """The last dialog of each open question, which has the text entered so far."""
        self._not_before = 0.0
        """The earliest time of the next automatic dialog: hundreds of withdrawals must not each show one."""
        self._is_wary = False
        """True after a withdrawal, until a dialog is shown: a question must then have stood for a moment."""
        self._since: dict[Key, tuple[Question, float]] = {}
        """The open questions, but for those answered here, with the times at which they were first seen."""
        self._looks_again = False

    def show_next(self, *, follows: bool = False) -> None:
        """Show the oldest open question; close the dialog of an answered one.

        `follows`: True if the user has just answered a dialog that listed the next ones.
        """
        questions = dict(self._screen.conversation.questions)
        self._aside = {key: one for key, one in self._aside.items() if questions.get(key) is one}
        now, before = monotonic(), self._since
        self._since = {
            key: before[key] if key in before and before[key][0] is one else (one, now)
            for key, one in questions.items()
        }
        if any(questions.get(key) is not one for key, (one, _) in before.items()):
            self._is_wary, self._not_before = True, now + _PAUSE
        if (shown := self._shown) is not None and questions.get(shown.key) is not shown.question:
            self._take_away()
            self._screen.tabs.come_back(self._screen, shown.key)
        self._rescue([key for key, last in self._last.items() if questions.get(key) is not last.question])
        if self._shown is not None:
            self._show_waiting()
        if self._shown is not None or not self._screen.is_seen:
            return
        is_asked_for = follows or self._wanted_by is not None
        wanted = [self._wanted] if self._wanted is not None and self._wanted in questions else []
        key = next((key for key in chain(wanted, questions) if key not in self._aside), None)
        if key is None:
            return
        stands_at = self._since[key][1] + _PAUSE if self._is_wary else 0.0
        wait = max(self._not_before, stands_at) - now
        if is_asked_for or wait <= 0:
            self._show(key, questions[key], follows=follows)
        elif not self._looks_again:
            self._looks_again = True
            after(self._screen, wait, self._look_again)

    def _look_again(self) -> None:
        self._looks_again = False
        self.show_next()

    @property
    def shown(self) -> Key | None:
        """The question in view."""
        return self._shown.key if self._shown is not None else None

    def want(self, key: Key) -> None:
        """Show this question first, as soon as the session is in view."""
        self._aside.pop(key, None)
        self._wanted = key
        self._wanted_by = key_history_of(self._screen.app).last
        if self._shown is not None and self._shown.key != key:
            self._take_away()
        elif self._shown is not None:
            self._shown.dialog.show_note(self._screen.tabs.note(self._screen))
        self.show_next()

    def reopen(self) -> None:
        """Show questions that were put aside."""
        self._aside.clear()
        self._wanted_by = key_history_of(self._screen.app).last
        self.show_next()

    def close(self) -> None:
        """Close the dialog without an answer: the agent is gone."""
        self._take_away()
        self._rescue(list(self._last))

    def _rescue(self, closed: Sequence[Key]) -> None:
        """Move the text written for closed questions into the prompt."""
        dialogs = [self._last.pop(key).dialog for key in closed]
        for dialog in dialogs:
            if isinstance(dialog, permission.PermissionDialog):
                proposals.tell_left(self._screen.app, dialog.edits)
        texts = [text for dialog in dialogs if (text := dialog.words())]
        if texts:
            self._screen.prompt.give_back(Prompt("\n".join(texts)))
            self._screen.notify("The question is closed. Your text is in the prompt.")

    def _take_away(self) -> None:
        if self._shown is not None:
            dialog = self._shown.dialog
            self._shown = None
            withdraw(dialog)

    def refresh(self) -> None:
        """Redraw the dialog after a change of its tool call."""
        if self._shown is not None and isinstance(self._shown.dialog, permission.PermissionDialog):
            self._shown.dialog.refresh_call()

    def _go(self, step: int) -> None:
        """Show the question `step` places after this one, wrapping around."""
        keys = list(self._screen.conversation.questions)
        if self._shown is not None and self._shown.key in keys:
            self.want(keys[(keys.index(self._shown.key) + step) % len(keys)])

    def _counter(self, key: Key) -> tuple[int, int]:
        questions = self._screen.conversation.questions
        return next(number for number, one in enumerate(questions, 1) if one == key), len(questions)

    def _waiting(self) -> Sequence[str]:
        conversation = self._screen.conversation
        return inbox_menu.summaries(conversation.questions.values(), conversation.session)

    def _show_waiting(self) -> None:
        """Update the list of waiting questions in the dialog."""
        assert self._shown is not None
        if self._shown.key in self._screen.conversation.questions:
            self._shown.dialog.show_waiting(self._waiting(), self._counter(self._shown.key))

    def _show(self, key: Key, question: Question, *, follows: bool) -> None:
        dialog: dialog_screens.Dialog[Any]
        if isinstance(question, Permission):
            dialog = self._permission(key, question)
        elif isinstance(question, StaleWrite):
            dialog = self._stale_write(key, question)
        else:
            dialog = self._elicitation(key, question)
        dialog.note = self._screen.tabs.note(self._screen)
        if key in self._last:
            dialog.entered = self._last[key].dialog.entered
        dialog.guard.follows = follows
        if self._wanted_by is not None and self._wanted_by is key_history_of(self._screen.app).last:
            dialog.guard.note_asked_for()
        self._wanted_by, self._is_wary = None, False
        shown = self._shown = self._last[key] = _Shown(key, question, dialog)
        self._screen.app.push_screen(dialog, lambda answer: self._answered(shown, answer))

    def _is_granted(self, path: str) -> bool:
        conversation = self._screen.conversation
        access, session = conversation.access, conversation.session
        return access is not None and session is not None and access.grants(session.id, path)

    def _cwd_of(self, key: Key) -> str:
        """Return the folder of the asking session, which may be a subagent's."""
        session = self._screen.conversation.session
        found = [session, *session.descendants()] if session is not None else []
        return next((each.cwd for each in found if each.id == key[0]), session.cwd if session else "")

    def _permission(self, key: Key, question: Permission) -> dialog_screens.Dialog[Any]:
        conversation = self._screen.conversation
        is_about_newer = question.merged is not None or question.follows_edit
        return permission.PermissionDialog(
            question,
            agent=conversation.speaker(key[0]),
            cwd=self._cwd_of(key),
            inside=self._is_granted,
            styles=self._screen.theme_styles,
            counter=self._counter(key),
            background=permission_details.background_of(
                conversation, question.call, unasked=question.unasked and not is_about_newer
            ),
            waiting=self._waiting(),
            go=self._go,
            make_rule=self._rules.make,
            scopes=lambda: self._rules.always_scopes(question.call),
            find=None if question.unasked else self._finder(),
            edits=None if question.unasked else conversation.edits,
            notes=conversation.line_notes,
        )

    def _finder(self) -> Callable[[Sequence[str]], dict[str, OldText]] | None:
        """Return a reader of old texts of files, or None without access to the workspace."""
        access, session = self._screen.conversation.access, self._screen.conversation.session
        if access is None or session is None or not access.grants(session.id, session.cwd):
            return None
        files, cwd = access.files(session.id), session.cwd
        return lambda paths: old_texts(files, paths, cwd)

    def _stale_write(self, key: Key, question: StaleWrite) -> dialog_screens.Dialog[Any]:
        conversation = self._screen.conversation
        return stale_write.StaleWriteDialog(
            question,
            agent=conversation.speaker(key[0]),
            cwd=self._cwd_of(key),
            styles=self._screen.theme_styles,
            counter=self._counter(key),
        )

    def _elicitation(self, key: Key, question: Elicitation) -> dialog_screens.Dialog[Any]:
        agent, styles = self._screen.conversation.speaker(key[0]), self._screen.theme_styles
        counter = self._counter(key)
        if question.url is not None:
            return address_dialog.AddressDialog(question, agent=agent, styles=styles, counter=counter)
        return form.FormDialog(question, agent=agent, styles=styles, counter=counter)

    def _answered(self, shown: _Shown, answer: Any) -> None:
        if self._shown is not shown:
            return  # removed: the question was answered elsewhere
        key, conversation = shown.key, self._screen.conversation
        self._shown = None
        if conversation.questions.get(key) is not shown.question:
            self.show_next()  # a new question, which the user has not seen, has its id now
            return
        if answer is not None:
            del self._last[key]
            self._since.pop(key, None)
        else:  # put aside: the listed ones are not shown either
            self._aside.update(conversation.questions)
        # Also a question that stays open after its answer: an address that is being visited.
        self._aside[key] = shown.question
        if isinstance(answer, permission.PermissionAnswer):
            if answer.rule is not None:
                self._rules.keep(answer.rule)
            conversation.answer(key, answer.option_id, answer.how, answer.amendments)
            if not answer.amendments and isinstance(shown.dialog, permission.PermissionDialog):
                proposals.tell_left(self._screen.app, shown.dialog.edits)
            if answer.reason:
                conversation.say(answer.reason)
        elif isinstance(answer, stale_write.StaleWriteAnswer):
            choice = None if answer.choice == "stop" else answer.choice
            amendments = [answer.amendment] if answer.amendment is not None else []
            conversation.answer(key, choice, answer.how, amendments)
            if answer.choice == "stop":
                conversation.stop()
        elif answer is not None:
            conversation.answer_form(key, answer.action, answer.content)
        self._screen.show_status()
        if not self._screen.tabs.come_back(self._screen, key):
            self.show_next(follows=answer is not None)
        self._rules.look()
