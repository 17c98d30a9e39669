"""The stale-write dialog: a write to a file that has changed since the agent saw it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, Literal, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from typing_extensions import override

from acp_tui.agent.permissions.amendments import Amendment
from acp_tui.formatting import inside
from acp_tui.session.questions import StaleWrite, conflict_words
from acp_tui.ui.screens.base.answer_dialog import DiffDialog, answer_keys
from acp_tui.ui.screens.base.dialog import Details, Hint
from acp_tui.ui.screens.base.editor import begin
from acp_tui.ui.screens.questions.proposals import EditedProposal, Proposal, edit_proposal, tell_left
from acp_tui.ui.widgets.controls import Answer, AnswerList, as_bound
from acp_tui.ui.widgets.diff.rows import FileDiff
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import safe_line
from acp_tui.ui.widgets.transcript.blocks import TextBlock

Choice = Literal["write", "keep", "merge", "stop"]

_NO_TEXT: Final = "\0"
"""Shown for content that is no text."""


class StaleWriteAnswer(NamedTuple):
    """The answer of the user."""

    choice: Choice
    how: str
    """The key, `Enter` or `click`."""
    amendment: Amendment | None = None
    """The merge as the user edited it."""


class StaleWriteDialog(DiffDialog[StaleWriteAnswer]):
    """Asks for the version of a file; dismisses with the answer, or None if put aside."""

    KEYS = "stale-write"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "choose('merge')", "Merge both versions", id="stale-write.merge"),
        Binding("e", "edit", "Edit the merge, then write it", id="stale-write.edit"),
        Binding("w", "choose('write')", "Write the agent's version", id="stale-write.write"),
        Binding("k", "choose('keep')", "Keep the file as it is", id="stale-write.keep"),
        Binding("x", "choose('stop')", "Keep it and stop the turn", id="stale-write.stop"),
        *answer_keys(KEYS),
        Binding("z", "zoom", "Maximize the versions", id="stale-write.zoom"),
    ]

    def __init__(
        self, question: StaleWrite, *, agent: str, cwd: str, styles: Styles, counter: tuple[int, int] = (1, 1)
    ) -> None:
        """Ask about a stale write.

        Args:
            question: the question, with all versions.
            agent: the name of the agent.
            cwd: the workspace; the path is shown relative to it.
            styles: the theme's styles.
            counter: the number of this question, and of all open ones.
        """
        super().__init__(f"{agent} wants to write over newer changes", styles, counter=counter)
        self.add_class("-changes")
        self._question = question
        self._file = inside(question.path, cwd)
        self._agent = agent
        self._answers: dict[Choice, Answer] = {}
        if question.merged is not None:
            told = "the agent is told to read it again"
            about = f"{conflict_words(question.conflicts)}; {told}"
            role = "warning" if question.conflicts else "success"
            self._answers["merge"] = Answer("Merge both versions", "stale-write.merge", about, role=role)
        self._answers |= {
            "write": Answer(
                "Write the agent's version", "stale-write.write", "the newer changes are lost", role="warning"
            ),
            "keep": Answer(
                "Keep the file as it is",
                "stale-write.keep",
                "the agent is told to read it again",
                role="success",
            ),
            "stop": Answer("Keep it and stop the turn", "stale-write.stop", role="error"),
        }

    @override
    def compose_body(self) -> ComposeResult:
        yield Details([TextBlock([("text", text)]) for text in self._about()], self.theme_styles)
        yield self.diff_view(self._versions(), "views")

    @override
    def compose_answers(self) -> ComposeResult:
        yield AnswerList(as_bound(self._answers.values(), self))

    @override
    def hints(self) -> Sequence[Hint]:
        if self.is_zoomed:
            return self.zoom_hints("versions")
        merges = self._question.merged is not None
        edit = [(key_of(self, "stale-write.edit"), "edit the merge")] * merges
        maximize = (key_of(self, "stale-write.zoom"), "maximize")
        return [*self.choose_hints(), *edit, maximize, *super().hints()]

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if self.is_zoomed and action in ("choose", "move", "choose_highlighted", "edit"):
            return False
        if action == "choose" and parameters[0] not in self._answers:
            return False
        if action == "edit" and self._question.merged is None:
            return False
        return super().check_action(action, parameters)

    def action_choose(self, choice: Choice) -> None:
        """Give an answer by its key."""
        self._give(choice, f"key {key_of(self, self._answers[choice].key)}")

    @override
    def take(self, place: int, how: str) -> None:
        self._give(list(self._answers)[place], how)

    def action_edit(self) -> None:
        """Open the merge in the user's editor; the saved text is written."""
        begin(self.app, self._edit)

    async def _edit(self) -> None:
        merged = self._question.merged
        assert merged is not None, "only a merge is edited"
        amendment = await edit_proposal(self.app, Proposal(self._question.path, self._question.now, merged))
        if amendment is None:
            return
        if self.has_parts and self.may_allow:
            self.dismiss(StaleWriteAnswer("merge", "key e", amendment))
        else:
            tell_left(self.app, {amendment.path: EditedProposal(self._question.now, amendment)})

    def _give(self, choice: Choice, how: str) -> None:
        if choice in ("write", "merge") and not self.may_allow:
            self.fit()
        else:
            self.dismiss(StaleWriteAnswer(choice, how))

    def _about(self) -> list[str]:
        name = safe_line(self._file)
        if not self._question.is_there:
            return [f"{name} was deleted since the agent last saw it; the write would restore it."]
        about = [f"{name} has changed on disk since the agent last read or wrote it."]
        if self._question.encoding and self._question.now is not None:
            about.append(f"It is {self._question.encoding} now; the agent's version would be UTF-8.")
        return about

    def _versions(self) -> list[FileDiff]:
        """Return the changes that the write would lose, if known, and those that it would make."""
        question = self._question
        there = question.now
        if there is None and question.is_there:
            there = _NO_TEXT
        would = FileDiff(self._file, there, question.wanted, "changes that the write would make")
        if question.before is None:
            return [would]
        since = FileDiff(self._file, question.before, there, "changes since the agent saw it")
        if question.merged is None:
            return [since, would]
        note = f"what a merge would change: {conflict_words(question.conflicts)}"
        return [since, would, FileDiff(self._file, there, question.merged, note)]
