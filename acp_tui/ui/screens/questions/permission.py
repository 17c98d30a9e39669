"""The permission dialog: the tool call in full, and the agent's own options as answers."""

from __future__ import annotations

import asyncio
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from time import monotonic
from typing import ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, Static
from typing_extensions import override

from acp_tui import formatting
from acp_tui.agent.permissions.amendments import Amendment
from acp_tui.agent.permissions.grants import shown_command
from acp_tui.agent.permissions.tool_input import folder_of
from acp_tui.conversation.edit_places import EditPlaces
from acp_tui.conversation.line_notes import LineNotes
from acp_tui.lazy_regex import regex
from acp_tui.protocol.schema import PermissionOption
from acp_tui.rules.model import Rule
from acp_tui.session.entries import Diff, ToolCall, absolute
from acp_tui.session.questions import (
    Destination,
    Flaws,
    OldText,
    Permission,
    conflict_words,
    is_understood,
    option_kind,
)
from acp_tui.ui.application.key_guard import ALONE, REPEAT, key_history_of
from acp_tui.ui.entries.tool_call_words import operation_words
from acp_tui.ui.screens.base.answer_dialog import DiffDialog, answer_keys
from acp_tui.ui.screens.base.dialog import Details
from acp_tui.ui.screens.base.editor import begin
from acp_tui.ui.screens.base.menu import MenuItem, choose
from acp_tui.ui.screens.questions.permission_details import (
    AGENT_ONLY,
    NOTHING_KNOWN,
    AlwaysScope,
    Background,
    DetailLevel,
    asked_in_words,
    details_of,
    diffs_of,
    has_more,
    has_more_parts,
    kind_of,
    places_of,
    reasons,
    wish_of,
)
from acp_tui.ui.screens.questions.proposals import EditedProposal, edit_proposal, proposals, tell_left
from acp_tui.ui.screens.review.notes import FileNotes
from acp_tui.ui.widgets.controls import AT_ONCE, Answer, AnswerList, LazySequence
from acp_tui.ui.widgets.diff.noted_view import NotedDiffView
from acp_tui.ui.widgets.diff.rows import NOT_SHOWN, FileDiff
from acp_tui.ui.widgets.diff.view import DiffView
from acp_tui.ui.widgets.input_line import InputLine
from acp_tui.ui.widgets.key_names import key_of, pair_of
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import exact_line, safe_line, shortened
from acp_tui.ui.widgets.transcript.blocks import Block, TextBlock

_TEXT = 60
"""Most cells of a waiting question, which has one row."""
_READ = 1_000
"""Maximum characters of a waiting question that are read: it may have megabytes."""


def waiting_list(waiting: Sequence[str], place: int, most: int, styles: Styles) -> list[TextBlock]:
    """Return at most `most` rows of open questions, around the marked one at `place` (from 0)."""
    if len(waiting) < 2:
        return []
    rows = [
        _row(number, waiting[number], number == place, styles) for number in _range(len(waiting), place, most)
    ]
    left = len(waiting) - len(rows)
    more = [TextBlock([("muted", f"  and {left} more")])] if left else []
    return [*rows, *more, TextBlock([("text", " ")])]


def listed(waiting: Sequence[str], place: int, most: int) -> list[tuple[str, bool]]:
    """Return these rows as (text, whether it is at `place`); the last one counts the others."""
    rows = [(waiting[number], number == place) for number in _range(len(waiting), place, most)]
    left = len(waiting) - len(rows)
    return [*rows, (f"{left} more", False)] if left else rows


def _range(count: int, place: int, most: int) -> range:
    first = max(0, min(place - most // 2, count - most))
    return range(first, min(count, first + most))


def _row(number: int, what: str, is_here: bool, styles: Styles) -> TextBlock:
    text = shortened(safe_line(what[:_READ]), _TEXT)
    mark = styles.symbol("current") if is_here else " "
    return TextBlock([("accent", f"{mark} "), ("strong" if is_here else "muted", f"{number + 1} {text}")])


KEYS: Final = {"allow_once": "y", "allow_always": "a", "reject_once": "n", "reject_always": "d"}
"""Keys of answers by kind of option, for kinds that are offered only once."""


_ODD: Final = 5
"""Most flawed options with a row each."""
_NAME: Final = 200
"""Most cells of the name of an option in a sentence; the list of answers shows more."""
_HERE: Final = Destination()
_LOST: Final = 3
"""Most unreadable files to be replaced with a row each."""
_LISTED: Final = 3
"""Most rows of open questions: the tool call must stay in view on 24 rows."""
_CHANGED: Final = "Changed after the question: your answer is about the original request."
_SILENT: Final = "The agent does not say what it wants to do."
_JUST_CHANGED: Final = "reject · call just changed: allowing works in a moment"
# The agent may change a call while its question is open. A change stays on the screen for READABLE seconds
# before the next one, and an allowing answer counts only for content that was shown for PAUSE seconds:
# a key for the earlier text must not allow the text that replaced it. A rejection counts at once.
READABLE: Final = 1.0
"""Seconds that a change of the call is shown before the next one."""
PAUSE: Final = REPEAT + ALONE
"""Seconds that the call must be shown unchanged before an answer may allow it."""
_SINCE: Final = "sent since:"


@dataclass(frozen=True)
class PermissionAnswer:
    """The answer of the user."""

    option_id: str | None
    """An offered id; None: cancelled."""
    reason: str = ""
    """Reason for a rejection, for the agent."""
    how: str = field(default="", compare=False)
    """The key, `Enter` or `click`."""
    rule: Rule | None = None
    """The rule that an "always" answer creates for this session."""
    amendments: tuple[Amendment, ...] = field(default=(), compare=False)
    """The texts that the user wrote in place of the proposed ones."""


def keys_of(
    options: Sequence[PermissionOption], flaws: Flaws, *, ours: bool = False
) -> dict[str, PermissionOption]:
    """Return options by key; keys depend on kinds, never on positions.

    Flawed options have none, nor do allowing ones with an unclear name. If `ours` has several options
    of a kind, the first gets the key.
    """
    if ours:
        return {KEYS[option.kind]: option for option in reversed(options)}
    kinds = Counter(option.kind for option in options)
    single = (option for option in options if option.kind in KEYS and kinds[option.kind] == 1)
    return {KEYS[one.kind]: one for one in single if _is_plain(one, flaws)}


def _is_plain(option: PermissionOption, flaws: Flaws) -> bool:
    """Return True for an option without flaws, whose name is clear if it allows."""
    return not flaws.of(option) and is_understood(option)


_SAYS_LASTING: Final = regex(r"\b(?:always|never|session)\b", re.I)
"""Names that say that the answer also counts for later requests."""


class PermissionDialog(DiffDialog[PermissionAnswer]):
    """Asks for one permission; dismisses with the answer, or None if put aside."""

    KEYS = "permission"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer('y')", "Allow once", id="permission.allow-once"),
        Binding("a", "answer('a')", "Allow always", id="permission.allow-always"),
        Binding("n", "answer('n')", "Reject once", id="permission.reject-once"),
        Binding("d", "answer('d')", "Reject always", id="permission.reject-always"),
        Binding("r", "give_reason", "Reject with a reason", id="permission.reject-with-reason"),
        Binding("e", "edit", "Edit the text, then accept it", id="permission.edit"),
        *answer_keys(
            KEYS,
            choose="Confirm the selected option",
            up="Select the option above",
            down="Select the option below",
        ),
        Binding("m", "make_rule", "Create a rule", id="permission.make-rule"),
        Binding("z", "zoom", "Maximize the changes", id="permission.zoom"),
        Binding("w", "write_note", "Write a note on a line", id="permission.note"),
        Binding("i", "toggle_whole", "Show the full text", id="permission.whole"),
        Binding("tab", "go(1)", "Next question", show=False, id="permission.next"),
        Binding("shift+tab", "go(-1)", "Previous question", show=False, id="permission.previous"),
    ]

    def __init__(
        self,
        question: Permission,
        *,
        agent: str,
        cwd: str,
        inside: Callable[[str], bool],
        styles: Styles,
        counter: tuple[int, int] = (1, 1),
        background: Background = NOTHING_KNOWN,
        waiting: Sequence[str] = (),
        go: Callable[[int], object] | None = None,
        make_rule: Callable[[ToolCall], None] | None = None,
        scopes: Callable[[], Sequence[AlwaysScope]] = lambda: (AGENT_ONLY,),
        find: Callable[[Sequence[str]], dict[str, OldText]] | None = None,
        edits: EditPlaces | None = None,
        notes: LineNotes | None = None,
    ) -> None:
        """Ask a permission.

        Args:
            question: the question, with its tool call and its options.
            agent: the name of the agent.
            cwd: the folder of the session, absolute.
            inside: returns whether a path is in the workspace.
            styles: the theme's styles.
            counter: the number of this question, and of all open ones.
            background: the rule that asks, and earlier decisions.
            waiting: all open questions, a line each.
            go: shows the question a number of places after this one.
            make_rule: opens the rule editor for a tool call.
            scopes: returns the scopes of "always", the narrowest first; called when such an option is chosen.
            find: reads the old texts of files that the agent does not send.
            edits: locates edits for which the agent sends only the old and the new part.
            notes: the user's notes on lines; None: notes are not possible.
        """
        call = question.call
        super().__init__(
            wish_of(agent, kind_of(call), tool=call.name, ours=question.unasked), styles, counter=counter
        )
        self.question = question
        """The question, with the agent's later updates."""
        self._options = list(question.options)
        self._flaws = Flaws(self._options)
        self._keys = keys_of(self._options, self._flaws, ours=question.unasked)
        self._call = call
        self._make_rule = make_rule
        self._cwd = cwd
        self._inside = inside
        self._background = background
        self._waiting = waiting
        self._go = go
        self._later = question.later
        """The later version of the call that is shown beside the original one."""
        self._shown_at = self._allows_at = float("-inf")
        """Time of the latest shown change, and time from which an answer may allow."""
        self._change_timer: Timer | None = None
        self._is_behind = False
        """True if the waiting questions changed during compose."""
        self._whole = False
        self._find_scopes = scopes
        self._find = find
        self._edits = edits
        self._notes = notes
        self._places: dict[str, Destination] = {}
        """Destinations of paths that are links or protected."""
        self._scopes: Sequence[AlwaysScope] = ()
        self._always: PermissionOption | None = None
        """The "always" option whose scope is asked for in the second step."""
        self._rejecting: PermissionOption | None = None
        """The option to send with the reason that is being written."""
        self._shown_paths: list[str] = []
        """Paths of the changes that were put together last."""
        self._files = self._changes()
        self.set_class(bool(self._files), "-changes")

    @override
    def compose_body(self) -> ComposeResult:
        yield Details(self._details(), self.theme_styles)
        if self._files:
            yield self.diff_view(self._files, self._noun, self._notebook())

    @property
    def _noun(self) -> str:
        """The name of what the differences are: files, or views of the one file of a merge."""
        return "views" if self.question.merged is not None else "files"

    def _notebook(self) -> FileNotes | None:
        """Return the notes on the changes of this question."""
        if self._notes is None:
            return None
        folder = self._cwd
        return FileNotes(
            self._notes, folder, lambda number: absolute(self._told_path(number), folder), are_proposed=True
        )

    def _told_path(self, number: int) -> str:
        return self._shown_paths[number]

    @on(NotedDiffView.NotesChanged)
    def _look_at_notes(self) -> None:
        """Load whole files for notes, which need more than the shown lines."""
        if self._notes is not None:
            self.app.run_worker(self._notes.follow(), group="notes")

    @override
    def compose_answers(self) -> ComposeResult:
        yield Static(id="ask-reach")
        yield AnswerList(self._rows())
        yield Static(Content("Reason (sent with your next prompt)"), id="ask-reason")
        yield InputLine(self.entered.get("reason", ""), id="reason", select_on_focus=False)

    def on_mount(self) -> None:
        """Continue an unfinished reason, and show changes that came during compose."""
        if self._is_behind or self.question.later is not self._later:
            self._later = self.question.later
            self.query_one(Details).show(self._details())
        begun = self.entered.get("rejecting")
        self._rejecting = next((option for option in self._options if option.option_id == begun), None)
        self.set_class(self._rejecting is not None, "-rejecting")
        self._look_up()

    @override
    def hints(self) -> Sequence[tuple[str, str]]:
        if monotonic() < self._allows_at:
            reject = key_of(self, "permission.reject-once")
            return [(reject, _JUST_CHANGED), *super().hints()]
        if self._always is not None:
            return [(f"{self._moves} {key_of(self, 'permission.choose')}", "choose"), self._back]
        if self._rejecting is not None:
            return [("Enter", "reject with this reason"), self._back]
        if self.is_zoomed:
            return self.zoom_hints(self._noun)
        found = [(f"{self._moves} {key_of(self, 'permission.choose')}", "choose")]
        if self._to_reject() is not None:
            found.append((key_of(self, "permission.reject-with-reason"), "reject with a reason"))
        found += [(key_of(self, "permission.make-rule"), "create rule")] * (self._make_rule is not None)
        found += [(key_of(self, "permission.edit"), "edit")] * self._can_edit
        found += [(key_of(self, "permission.note"), "note")] * self._can_note
        found += [(key_of(self, "permission.zoom"), "maximize")] * bool(self._files)
        found += [(key_of(self, "permission.next"), "next")] * (len(self._waiting) > 1)
        return [*found, *super().hints()]

    @property
    def _moves(self) -> str:
        return "Up/Dn" if self.theme_styles.ascii else pair_of(self, "permission.up", "permission.down")

    @property
    def _back(self) -> tuple[str, str]:
        return key_of(self, "dialog.put-aside"), "back"

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "zoom":
            possible = bool(self._files) and self._rejecting is None
        elif action in ("move", "choose_highlighted", "choose_number"):
            possible = not self.is_zoomed and self._rejecting is None
        elif action == "write_note":
            possible = self._can_note and not self.is_zoomed and self._rejecting is None
            possible = possible and self._always is None
        elif action == "edit":
            possible = self._can_edit and not self.is_zoomed and self._rejecting is None
            possible = possible and self._always is None
        elif action in ("answer", "give_reason"):
            possible = not self.is_zoomed and self._rejecting is None and self._always is None
        elif action == "make_rule":
            possible = self._make_rule is not None and not self.is_zoomed and self._rejecting is None
            possible = possible and self._always is None
        elif action == "toggle_whole":
            words = self._asked(DetailLevel()) != self._asked(DetailLevel(whole=True))
            more = (
                words
                or has_more(self._call)
                or has_more_parts(shown_command(self._call), self._cwd, self._inside)
            )
            possible = more and not self.is_zoomed
        elif action == "go":
            possible = len(self._waiting) > 1 and self._rejecting is None
        else:
            possible = True
        return super().check_action(action, parameters) if possible else False

    def action_answer(self, key: str) -> None:
        """Choose the option of a key."""
        if key in self._keys:
            option = self._keys[key]
            self._chosen(option, f"key {key}")

    @override
    def action_move(self, how: str) -> None:
        super().action_move(how)
        self.show_hints()

    @override
    def action_choose_number(self, number: int) -> None:
        if self._always is None and not _is_plain(self._options[number - 1], self._flaws):
            self.answers.highlighted = number - 1  # an unclear name needs a second key
            self.show_hints()
        else:
            super().action_choose_number(number)

    @override
    def take(self, place: int, how: str) -> None:
        if self._rejecting is not None:
            return
        if self._always is not None:
            self._give(PermissionAnswer(self._always.option_id, how=how, rule=self._scopes[place].rule))
        else:
            self._chosen(self._options[place], how)

    def _chosen(self, option: PermissionOption, how: str) -> None:
        """Answer with an option, after the second step of an "always" option."""
        if (kind := option_kind(option)) is not None and kind.is_lasting:
            self._show_reach(option)
        else:
            self._give(PermissionAnswer(option.option_id, how=how))

    def _show_reach(self, option: PermissionOption | None) -> None:
        """Ask for the scope of an "always" option; None goes back to the options."""
        self._always = option
        rows: Sequence[Answer]
        if option is None:
            rows = self._rows()
        else:
            kind = option_kind(option)
            is_plain = kind is not None and kind.allows and not self._flaws.of(option)
            self._scopes = self._find_scopes() if is_plain else (AGENT_ONLY,)
            rows = [Answer(reach.words) for reach in self._scopes]
            asks = f"“{_name(option)}”: how far does it go in this session?"
            self.query_one("#ask-reach", Static).update(Content(asks))
        self.guard.note_answers_replaced(key_history_of(self.app))
        self.set_class(option is not None, "-reaching")
        self.answers.offer(rows)
        self.redraw()
        self.answers_moved()

    def _rows(self) -> Sequence[Answer]:
        return LazySequence(len(self._options), self._shown)

    def action_give_reason(self) -> None:
        """Ask for a reason, which is sent with the rejection."""
        self._rejecting = self._to_reject()
        self._show_reason()

    @on(Input.Changed)
    def _keep(self, event: Input.Changed) -> None:
        event.stop()
        self.entered["reason"] = event.value

    @override
    def words(self) -> str:
        return str(self.entered.get("reason", "")).strip()

    @on(Input.Submitted)
    def _reject(self, event: Input.Submitted) -> None:
        event.stop()
        if self._rejecting is not None and self.guard.turned:
            self._give(PermissionAnswer(self._rejecting.option_id, event.value.strip(), "key r"))

    @override
    def action_put_aside(self) -> None:
        if self._always is not None:
            self._show_reach(None)
        elif self._rejecting is not None:
            self._rejecting = None
            self._show_reason()
        else:
            super().action_put_aside()

    @property
    def _can_edit(self) -> bool:
        """True if the question has texts that the user may edit."""
        reads = self.question.unasked or self._find is not None
        return reads and any(True for _ in diffs_of(self._call))

    @property
    def _can_note(self) -> bool:
        """True if the question has lines for notes."""
        return self._notes is not None and bool(self._files)

    @property
    def edits(self) -> dict[str, EditedProposal]:
        """Texts that the user wrote in place of proposed ones, by path; also kept for the next dialog."""
        edits: dict[str, EditedProposal] = self.entered.setdefault("edits", {})
        return edits

    def action_edit(self) -> None:
        """Open a proposed text in the user's editor; the saved text is accepted in its place."""
        begin(self.app, self._edit)

    async def _edit(self) -> None:
        found = await asyncio.to_thread(proposals, diffs_of(self._call), self._find)
        chosen = found[0]
        if len(found) > 1:
            items = [
                MenuItem(str(place), formatting.inside(one.path, self._cwd), one.problem)
                for place, one in enumerate(found)
            ]
            key = await choose(self, "Edit which file?", items)
            if key is None:
                return
            chosen = found[int(key)]
        name = self._name_of(chosen.path)
        if chosen.problem:
            self.app.notify(
                exact_line(f"{name} cannot be edited here: {chosen.problem}."),
                severity="warning",
                markup=False,
            )
            return
        before = self.edits.get(chosen.path)
        wanted = chosen if before is None else chosen._replace(text=before.amendment.edited)
        amendment = await edit_proposal(self.app, wanted)
        if amendment is None:
            return
        if before is not None and before.amendment.kept is not None:
            before.amendment.kept.drop()
        self.edits[chosen.path] = EditedProposal(chosen.now, amendment._replace(proposed=chosen.text))
        if not self.has_parts:  # the question was closed in the meantime
            tell_left(self.app, self.edits)
            return
        self._show_anew()
        option = self._keys.get(KEYS["allow_once"])
        if len(found) == 1 and option is not None and self.question.later is self._later:
            # No wait: the user has just written this text, and accepted it by saving.
            self.dismiss(self._amended(PermissionAnswer(option.option_id, how="key e")))

    def action_make_rule(self) -> None:
        """Open the rule editor; the question stays open."""
        make_rule = self._make_rule
        if make_rule is not None:
            make_rule(self._call)

    def action_toggle_whole(self) -> None:
        """Unfold or fold the input and long texts."""
        self._whole = not self._whole
        self.query_one(Details).show(self._details())
        self.redraw()

    @override
    def first_focus(self) -> Widget | None:
        return self.query_one("#reason") if self._rejecting is not None else None

    def action_go(self, step: int) -> None:
        """Show another waiting question; this one stays open."""
        if self._go is not None:
            self._go(step)

    @override
    def show_waiting(self, waiting: Sequence[str], counter: tuple[int, int]) -> None:
        before = self._listed()
        self._waiting = waiting
        super().show_waiting(waiting, counter)
        after = self._listed()
        if after == before:
            return
        if not self.has_parts:
            self._is_behind = True
            return
        self.query_one(Details).show(self._details())
        self.redraw()
        if len(after) != len(before):
            self.answers_moved()

    def _listed(self) -> list[tuple[str, bool]]:
        """Return the rows of open questions."""
        return listed(self._waiting, self._counter[0] - 1, _LISTED)

    def refresh_call(self) -> None:
        """Show a change of the call, but not too often to be read."""
        if self.question.later is self._later or not self.has_parts:
            return
        wait = self._shown_at + READABLE - monotonic()
        if wait <= 0:
            self._show_change()
        elif self._change_timer is None:
            self._change_timer = self.set_timer(wait, self._show_change)

    def _show_change(self) -> None:
        """Show the latest version of the call."""
        if self._change_timer is not None:
            self._change_timer.stop()
            self._change_timer = None
        if self.question.later is self._later or not self.has_parts:
            return
        self._later = self.question.later
        self._shown_at = monotonic()
        self._show_anew()
        self._look_up()

    def _show_anew(self) -> None:
        """Show changed content; answers that allow wait until it has been seen."""
        self._allows_at = float("inf")
        if self._always is not None and not self._is_safe(self._always):  # a half-given answer does not count
            self._show_reach(None)
        self._files = self._changes()
        self.set_class(bool(self._files), "-changes")
        self.query_one(Details).show(self._details())
        views = self.query(DiffView)
        if views:
            views.first().show(self._files)
        elif self._files:
            self.body.mount(self.diff_view(self._files, self._noun, self._notebook()))
        self.after_refresh(self._change_drawn)
        self.redraw()

    def _look_up(self) -> None:
        """Find the destinations of paths, and old texts that the agent does not send."""
        self._show_places()
        paths = [diff.path for diff, _ in self._told_changes() if diff.before is None]
        if self._find is not None and paths:
            self._show_old_texts(self._find, paths)
        if self._edits is not None:
            self._show_in_place(self._edits)

    @work(group="edits", exclusive=True)
    async def _show_in_place(self, edits: EditPlaces) -> None:
        """Show edits within their lines; the agent's request is unchanged."""
        await edits.find([diff for diff, _ in self._told_changes()])
        files = self._changes()
        if self.has_parts and files != self._files:
            self._files = files
            for view in self.query(DiffView):
                view.show(files)
            self.redraw()
            self.answers_moved()  # the same change with context, so only clicks could miss

    @work(group="old-texts", exclusive=True)
    async def _show_old_texts(
        self, find: Callable[[Sequence[str]], dict[str, OldText]], paths: Sequence[str]
    ) -> None:
        found = await asyncio.to_thread(find, paths)
        if found == self.question.old_texts and self._files == self._changes():
            return
        self.question.old_texts = found
        if not self.has_parts:  # not mounted yet, or already removed
            self._is_behind = True
            return
        self._show_anew()

    @work(group="places", exclusive=True)
    async def _show_places(self) -> None:
        calls = [self._call, *([self._later] if self._later is not None else [])]
        found: dict[str, Destination] = {}
        for call in calls:
            found |= await asyncio.to_thread(places_of, call, self._cwd)
        if not self.has_parts:
            return
        is_news = _told(found) != _told(self._places)
        self._places = self.question.places = found
        if is_news:
            self._show_anew()

    def _change_drawn(self) -> None:
        self._allows_at = monotonic() + PAUSE
        self.set_timer(PAUSE + 0.01, self.show_hints)

    def _is_safe(self, option: PermissionOption | None) -> bool:
        """Return whether an answer allows nothing, even if the call has changed."""
        if option is None:
            return True
        kind = option_kind(option)
        return kind is not None and not kind.allows and not self._flaws.of(option)

    def _give(self, answer: PermissionAnswer) -> None:
        """Dismiss with an answer; an allowing one counts only if the content was shown long enough."""
        option = next((one for one in self._options if one.option_id == answer.option_id), None)
        if self._is_safe(option):
            self.dismiss(answer)
        elif not self.may_allow:
            self.fit()
        elif self.question.later is not self._later:
            self._show_change()
        elif monotonic() >= self._allows_at:
            self.dismiss(self._amended(answer))

    def _amended(self, answer: PermissionAnswer) -> PermissionAnswer:
        """Return an allowing answer with the texts that the user wrote."""
        return replace(answer, amendments=tuple(one.amendment for one in self.edits.values()))

    def _details(self) -> list[Block]:
        call, styles = self._call, self.theme_styles
        folder = posixpath.join(self._cwd, folder_of(call, self._cwd))
        level = DetailLevel(self._whole, key_of(self, "permission.whole"))
        why = reasons(shown_command(call), folder, self._inside, self._background, styles, level)
        read = ((option, self._flaws.of(option)) for option in self._options[:AT_ONCE])
        doubted = (pair for pair in read if pair[1])
        odd = [
            TextBlock([("warning", f"Caution: “{_name(option)}” is odd: {doubt}.")])
            for option, doubt in islice(doubted, _ODD)
        ]
        if left := sum(1 for _ in doubted):
            odd.append(TextBlock([("warning", f"{left} more options are odd.")]))
        beside = [*odd, *why, *self._asked(level)]
        told = details_of(call, self._cwd, self._inside, styles, level, reasons=beside, places=self._places)
        if len(told) == len(odd) + len(why) and not diffs_of(call):
            told.append(TextBlock([("warning", _SILENT)]))
        news: list[TextBlock] = []
        if self._later is not None:
            news = [TextBlock([("warning", _CHANGED)])]
            since = details_of(self._later, self._cwd, self._inside, styles, level, places=self._places)
            told = [*told, TextBlock([("warning", _SINCE)], above=1), *since]
        lost = self._lost()
        waiting = waiting_list(self._waiting, self._counter[0] - 1, _LISTED, styles)
        return [*waiting, *lost, *news, *told]

    def _asked(self, level: DetailLevel) -> list[TextBlock]:
        """Return the agent's question, if it differs from the call's title."""
        question = self.question
        title = question.title if question.title != question.call.title else ""
        return asked_in_words(title, question.description, level)

    def _lost(self) -> list[TextBlock]:
        """Return warnings about replaced files that cannot be shown."""
        hidden = [(path, old.why_not) for path, old in self.question.old_texts.items() if old.why_not]
        blocks = [
            TextBlock([("warning", exact_line(f"Replaces the whole file {self._name_of(path)}: {why}."))])
            for path, why in hidden[:_LOST]
        ]
        if len(hidden) > _LOST:
            blocks.append(TextBlock([("warning", f"Replaces {len(hidden) - _LOST:,} more whole files.")]))
        return blocks

    def _name_of(self, path: str) -> str:
        return shortened(formatting.inside(path, self._cwd), _NAME)

    def _told_changes(self) -> list[tuple[Diff, str]]:
        """Return the changes in the call, each with a note to its path."""
        asked = [(diff, "") for diff in diffs_of(self._call)]
        if self._later is not None and self._later.content != self._call.content:
            asked += [(diff, " (sent after the question)") for diff in diffs_of(self._later)]
        return asked

    def _changes(self) -> list[FileDiff]:
        shown = self._changes_by_path()
        self._shown_paths = [path for path, _ in shown]
        return [file for _, file in shown]

    def _changes_by_path(self) -> list[tuple[str, FileDiff]]:
        """Return the shown changes with their paths: the user's edits, the agent's changes, and a merge."""
        changes = [
            (path, FileDiff(self._name_of(path), one.now, one.amendment.edited, "edited by you"))
            for path, one in self.edits.items()
        ]
        told, merged = self._told_changes(), self.question.merged
        changes += [
            (diff.path, self._change(diff, note)) for diff, note in told if diff.path not in self.edits
        ]
        if merged is not None and told:
            diff, note = told[0][0], f"what a merge would change: {conflict_words(self.question.conflicts)}"
            changes.append((diff.path, FileDiff(self._name_of(diff.path), diff.before, merged, note)))
        return changes

    def _change(self, diff: Diff, note: str) -> FileDiff:
        there = self._places.get(diff.path, _HERE).at
        words = operation_words(diff, self._cwd)
        note += f" ({words})" if words else ""
        name = formatting.inside(diff.path, self._cwd) + (f" → {there}" if there else "") + note
        if diff.has_no_text:
            return FileDiff(name, *NOT_SHOWN, "", None)
        if self.question.unasked:  # a write of a whole file
            return FileDiff(name, diff.before, diff.new_text)
        if diff.before is not None:
            placed = self._edits.known(diff) if self._edits is not None else None
            if placed is None:
                return FileDiff(name, diff.before, diff.new_text, first_line=None)
            return FileDiff(name, placed.old, placed.new, placed.note, placed.first_line)
        if self._find is None:
            return FileDiff(name, None, diff.new_text)
        old = self.question.old_texts.get(diff.path)
        if old is None:
            return FileDiff(name, "", diff.new_text, "reading the current file")
        if old.why_not:
            return FileDiff(name, "", diff.new_text, "replaces the whole file")
        return FileDiff(name, old.text, diff.new_text)

    def _shown(self, at: int) -> Answer:
        option = self._options[at]
        has_key = any(option is one for one in self._keys.values())
        key = key_of(self, f"permission.{option.kind.replace('_', '-')}") if has_key else " "
        note = self._flaws.of(option)
        kind = option_kind(option)
        if not note and not is_understood(option):
            note = f"the agent means: {option.kind.replace('_', ' ')}"
        elif not note and kind is not None and kind.is_lasting and not _SAYS_LASTING.search(option.name):
            note = "for later calls, too"
        name = option.name.strip() or "(no name)"
        role = "muted" if kind is None else "success" if kind.allows else "error"
        return Answer(name, key, note, role=role)

    def _to_reject(self) -> PermissionOption | None:
        """Return the option to send with a reason: the highlighted reject_once, or the only one."""
        highlighted = self.answers.highlighted if self.is_mounted else None
        if highlighted is not None and self._options[highlighted].kind == "reject_once":
            return self._options[highlighted]
        return self._keys.get(KEYS["reject_once"])

    def _show_reason(self) -> None:
        asking = self._rejecting is not None
        self.entered["rejecting"] = self._rejecting.option_id if self._rejecting is not None else None
        self.set_class(asking, "-rejecting")
        self.set_focus(self.query_one("#reason") if asking else None)
        self.redraw()


def _told(places: Mapping[str, Destination]) -> dict[str, tuple[object, ...]]:
    """Return the shown destinations by path: only of paths that lead elsewhere."""
    return {path: there[:3] for path, there in places.items() if there[:3] != _HERE[:3]}


def _name(option: PermissionOption) -> str:
    """Shorten the name of an option for a sentence."""
    return shortened(safe_line(option.name[:_NAME]), _NAME)
