"""The changes screen: the differences of all files that the session changed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from typing_extensions import override

from acp_tui.changes.git_store import SnapshotError
from acp_tui.changes.git_tree import ChangedFile, Restored
from acp_tui.changes.tracker import ChangeTracker
from acp_tui.changes.undo import Hunk
from acp_tui.conversation.edit_places import EditPlaces
from acp_tui.conversation.line_notes import LineNotes
from acp_tui.conversation.rejections import Rejections, lines_of
from acp_tui.formatting import inside
from acp_tui.session.entries import Diff, absolute
from acp_tui.session.file_changes import Edit, FileChange
from acp_tui.session.snippets import PlacedEdit
from acp_tui.ui.panes.changes import facts, origin_facts
from acp_tui.ui.screens.base.editor import begin, edit_in_workspace
from acp_tui.ui.screens.base.full_screens import FullScreen
from acp_tui.ui.screens.review.notes import FileNotes
from acp_tui.ui.widgets.delay import draws
from acp_tui.ui.widgets.diff.line_diff import counts
from acp_tui.ui.widgets.diff.noted_view import NotedDiffView
from acp_tui.ui.widgets.diff.rows import NOT_SHOWN, FileDiff
from acp_tui.ui.widgets.diff.view import DiffView
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.rows.keys import Keys
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import safe_line
from acp_tui.ui.widgets.transcript.blocks import Piece
from acp_tui.workspace.encodings import BINARY, Decoded, decode_pair, have_lines

_PROMPT: Final = 60
"""Most characters of a prompt."""


def origin_words(file: FileChange, prompt_of: Callable[[int], str]) -> str:
    """Describe the newest change of a file and the turns of earlier ones; "" if none is known.

    Args:
        file: the changed file.
        prompt_of: returns the prompt of a turn in one line; turns are counted from 1.
    """
    known = [origin for origin in file.origins if origin.turn]
    if not known:
        return ""
    newest = known[-1]
    earlier = [str(turn) for turn in sorted({origin.turn for origin in known} - {newest.turn})]
    before = f"; before in turn {', '.join(earlier)}" if earlier else ""
    told, prompt = origin_facts(newest), prompt_of(newest.turn)
    if prompt:
        told.append(f"“{prompt if len(prompt) <= _PROMPT else prompt[: _PROMPT - 1] + '…'}”")
    return f"{', '.join(told)}{before}"


_MARKS: Final = ("toggle_sides", "toggle_wrap", "open_fold", "toggle_folds")
"""Actions that only change the view; in the key row they follow those that change files."""
_SHORT: Final = {
    "next_change": "Next",
    "write_note": "Note",
    "reject": "Reject",
    "keep": "Keep",
    "reject_file": "Reject file",
    "undo": "Undo",
}
"""Short names of the keys, for narrow screens."""
_STEPS: Final = ("reject", "reject_file", "keep", "keep_file", "keep_all", "show_kept", "undo")
_PATIENCE: Final = 1.0
"""Seconds to wait for the state on disk."""
_NO_TEXT: Final = "its text is not in the recording; resume the session to see the change"
_MOST: Final = 200
"""Most files whose texts are shown."""


class ChangesScreen(FullScreen[None]):
    """Shows the differences of changed files in the order of the changes pane, from the chosen one on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "reject", "Reject change", id="changes.reject"),
        Binding("a", "keep", "Keep change", id="changes.keep"),
        Binding("R", "reject_file", "Reject file", id="changes.reject-file"),
        Binding("u", "undo", "Undo", id="changes.undo"),
        Binding("A", "keep_file", "Keep file", id="changes.keep-file"),
        Binding("ctrl+a", "keep_all", "Keep all", show=False, id="changes.keep-all"),
        Binding("v", "show_kept", "Show kept changes", show=False, id="changes.show-kept"),
        Binding("b", "blame", "Blame", show=False, id="changes.blame"),
        Binding("escape,q", "close", "Close", id="changes.close"),
    ]

    def __init__(
        self,
        files: Callable[[], Sequence[FileChange]],
        first: str = "",
        cwd: str = "",
        styles: Styles | None = None,
        review: Callable[[], ChangeReview | None] = lambda: None,
        prompt_of: Callable[[int], str] = lambda turn: "",
        blames: Callable[[str, int], None] | None = None,
        notes: LineNotes | None = None,
        outside: Callable[[str], str] = str,
        edits: EditPlaces | None = None,
    ) -> None:
        """Show the changes.

        Args:
            files: returns the current changed files, in the order of the session.
            first: the path of the file to start with.
            cwd: the workspace; paths are shown relative to it.
            styles: the theme's styles.
            review: returns the object that accepts and rejects changes; None, also during a resume: only what
                the agent reported is shown.
            prompt_of: returns the prompt of a turn, counted from 1.
            blames: called with a path and a line (from 1) to show the blame of the file.
            notes: the user's notes on lines; None: notes are not possible.
            outside: translates a path of the agent to the path outside its sandbox.
            edits: locates snippets that the agent reported.
        """
        super().__init__(styles)
        self._edits = edits
        self._outside = outside
        self._all_files = files
        self._first = first
        self._began = False
        self._cwd = cwd
        self._review_of = review
        self._review = review()
        self._prompt_of = prompt_of
        self._blames = blames
        self._notes = notes
        self._kept = 0
        self._files = list(files())
        self._shown: list[SeenChange | None] = []
        """The change on disk of each difference; None if only the agent reported it."""
        self._diffs: list[FileDiff] = []
        self._shows_kept = any(file.path == first and self._is_kept(file) for file in self._files)
        self._lines: tuple[int, int] | None = None
        self._said: Piece = ("muted", "")

    @override
    def compose_content(self) -> ComposeResult:
        notebook = FileNotes(self._notes, self._cwd, self._path_at) if self._notes is not None else None
        yield NotedDiffView(self._diffs, self.theme_styles, notebook=notebook, id="diffs")

    def _path_at(self, number: int) -> str:
        """Return the path of a file in the view."""
        return absolute(self._diffs[number].path, self._cwd)

    @override
    def make_keys(self) -> Keys:
        return Keys(self.theme_styles, _MARKS, _SHORT)

    def on_mount(self) -> None:
        """Start comparing and counting."""
        self._review = self._review or self._review_of()
        self._show_title()
        self._begin()
        self.query_one(DiffView).focus()

    def go_on(self) -> None:
        """Offer to accept and reject changes once a resumed session knows the original files."""
        if self._review is None and (review := self._review_of()) is not None:
            self._review = review
            self.refresh_bindings()
            self._begin()

    @work(group="look")
    async def _begin(self) -> None:
        """Show the files on disk; while a slow disk is read, their last known state."""
        if self._review is not None:
            looking = asyncio.ensure_future(self._review.tracking.look())
            done, _ = await asyncio.wait([looking], timeout=_PATIENCE)
            if not done:
                self._read()
            await looking
        self._read()

    @work(group="read", exclusive=True)
    async def _read(self, goes_on: bool = False) -> None:
        """Show the current files, at the same position or at the next change."""
        self._files = list(self._all_files())
        if self._notes is not None:
            await self._notes.follow()
        found = [
            (seen, replace(diff, origin=origin_words(file, self._prompt_of)))
            for file in self._files
            for seen, diff in await self._differences(file)
        ]
        if not draws(self):
            return
        self._kept = sum(self._is_kept(file) for file in self._files)
        self._shown = [seen for seen, _ in found]
        diffs = [diff for _, diff in found]
        view = self.query_one(DiffView)
        if diffs != self._diffs:  # otherwise the position and the marks are kept
            self._diffs = diffs
            view.show_again(diffs)
            self._go_to_first(view)
        else:
            view.lay_out_rows()  # the notes may have moved with their lines
        if goes_on:
            view.action_next_change()
        self._show_title()
        if self._files:
            await self._count()

    def _go_to_first(self, view: DiffView) -> None:
        """Start at the chosen file, until the user moves on."""
        name = inside(self._first, self._cwd) if self._first else ""
        chosen = next((number for number, diff in enumerate(self._diffs) if diff.path == name), 0)
        if chosen and not self._began:
            self._began = True
            view.go_to_file(chosen)

    async def _differences(self, file: FileChange) -> list[tuple[SeenChange | None, FileDiff]]:
        change = self._change_of(file)
        if self._review is None or change is None:
            return [(None, diff) for diff in await self._reported(file)]
        if not self._shows_kept and self._review.is_done(change):
            return []
        is_shown = file.path == self._first or self._files.index(file) < _MOST
        seen = await self._review.see(change, with_texts=is_shown, all_of_it=self._shows_kept)
        if not self._shows_kept and self._review.is_done(change):
            return []
        return [(seen, on_disk(file, seen, self._cwd))]

    async def _reported(self, file: FileChange) -> list[FileDiff]:
        """Return the differences that the agent reported, each at its place in the file if found.

        A file that only a snapshot reported, as in a recording, is named without its text.
        """
        edits = self._edits
        if not file.edits and file.written is None:
            return [FileDiff(inside(file.path, self._cwd), *NOT_SHOWN, _NO_TEXT, None)]
        if edits is None or file.written is not None:
            return list(differences([file], self._cwd))
        await edits.find([_as_diff(file, edit) for edit in file.edits], may_be_done=True)
        return list(differences([file], self._cwd, lambda edit: edits.known(_as_diff(file, edit))))

    def _change_of(self, file: FileChange) -> ChangedFile | None:
        """Return the change of a file on disk."""
        if self._review is None or file.seen is None:
            return None
        return self._review.tracking.change(file.path)

    def _is_kept(self, file: FileChange) -> bool:
        change = self._change_of(file)
        return self._review is not None and change is not None and self._review.is_done(change)

    def on_noted_diff_view_notes_changed(self) -> None:
        """Count the notes."""
        self._show_title(self._lines)

    def on_diff_view_edit_wanted(self, event: DiffView.EditWanted) -> None:
        """Open a file in the editor, then show it again."""
        event.stop()  # stop it now: the application would open it, too
        begin(self.app, lambda: self._edit(event.path, event.line))

    async def _edit(self, path: str, line: int) -> None:
        await edit_in_workspace(self.app, self._cwd, path, line, self._outside)
        if self._review is not None:
            await self._review.tracking.look()
        if draws(self):
            self._read()

    def action_blame(self) -> None:
        """Show the blame of the current file."""
        place = self.query_one(DiffView).place
        if self._blames is not None and place is not None:
            self._blames(*place)

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self._review is not None or action not in _STEPS

    async def action_reject(self) -> None:
        """Reject the marked change; without a mark, mark the first one in view."""
        marked = self._marked("changes.reject", "rejects")
        if marked is not None and self._review is not None:
            seen, hunk = marked
            step = self._review.reject(seen, hunk)
            await self._undo(
                step,
                f"A change in {seen.change.path} is rejected; {key_of(self, 'changes.undo')} undoes it",
                goes_on=True,
            )

    async def action_reject_file(self) -> None:
        """Reject all open changes of the current file."""
        seen = self._seen_at(self.query_one(DiffView).current_file)
        if self._review is not None and seen is not None:
            undo = key_of(self, "changes.undo")
            said = f"All changes in {seen.change.path} are rejected; {undo} undoes it"
            await self._undo(self._review.reject_file(seen), said)

    def action_keep(self) -> None:
        """Keep the marked change; without a mark, mark the first one in view."""
        marked = self._marked("changes.keep", "keeps")
        if marked is not None and self._review is not None:
            if self._review.keep(*marked):
                self._say(f"Change kept ({self._undo_key} to undo, {self._kept_key} shows kept changes).")
                self._read(goes_on=True)
            elif self._shows_kept:
                self._say(
                    f"Part of this file is kept already: {self._kept_key} shows its open changes.",
                    is_bad=True,
                )

    def action_keep_file(self) -> None:
        """Keep the current file."""
        seen = self._seen_at(self.query_one(DiffView).current_file)
        if self._review is not None and seen is not None:
            self._review.keep_files([seen])
            self._say(
                f"{seen.change.path} kept ({self._undo_key} to undo, {self._kept_key} shows kept changes)."
            )
            self._read()

    def action_keep_all(self) -> None:
        """Keep all files in the view."""
        if self._review is not None:
            self._review.keep_files([seen for seen in self._shown if seen is not None])
            self._say(f"All changes kept ({self._undo_key} to undo, {self._kept_key} shows them).")
            self._read()

    def action_show_kept(self) -> None:
        """Switch between all changes of the session and the open ones."""
        self._shows_kept = not self._shows_kept
        self._say("All changes, including kept ones." if self._shows_kept else "Open changes only.")
        self._read()

    @property
    def _undo_key(self) -> str:
        return key_of(self, "changes.undo")

    @property
    def _kept_key(self) -> str:
        return key_of(self, "changes.show-kept")

    def _marked(self, name: str, does: str) -> tuple[SeenChange, Hunk] | None:
        """Return the marked change; else mark the first one in view, or show why there is none."""
        view = self.query_one(DiffView)
        place = view.current_change
        if self._review is None or place is None:
            view.action_next_change()
            has_one = view.current_change is not None
            self._say(
                f"{key_of(self, name)} again {does} the marked change" if has_one else "No change here."
            )
            return None
        seen = self._seen_at(place.file)
        if seen is not None and not seen.has_lines:
            self._say(f"The change is the whole file; {key_of(self, f'{name}-file')} {does} it")
            return None
        return (seen, Hunk(*place[1:])) if seen is not None else None

    def _seen_at(self, index: int | None) -> SeenChange | None:
        """Return the change on disk of a file in the view, or show why there is none."""
        if index is None or index >= len(self._shown):
            return None
        if self._shown[index] is None:
            said = "Only the agent reported this change, so it cannot be kept or rejected here."
            self._say(said, is_bad=True)
        return self._shown[index]

    async def action_undo(self) -> None:
        """Undo the last acceptance or rejection."""
        if self._review is None:
            return
        if self._review.undo_keeping():
            self._say("Change open again.")
            self._read()
        else:
            await self._undo(self._review.undo(), "Rejection undone.")

    async def _undo(self, step: Awaitable[Restored | None], said: str, goes_on: bool = False) -> None:
        try:
            restored = await step
        except SnapshotError as error:
            self._say(str(error), is_bad=True)
            return
        if restored is None:
            self._say("Nothing to undo.")
            return
        self._say("; ".join(restored.problems) or said, is_bad=bool(restored.problems))
        self._read(goes_on and not restored.problems)

    def _say(self, text: str, is_bad: bool = False) -> None:
        """Show a message beside the title."""
        self._said = ("warning" if is_bad else "muted", f"   {safe_line(text)}")
        self._show_title(self._lines)

    def _show_title(self, lines: tuple[int, int] | None = None) -> None:
        if not draws(self):
            return
        self._lines = lines
        count = len(self._files)
        title = " 1 changed file" if count == 1 else f" {count} changed files"
        if self._kept:
            title += f", {self._kept} kept"
        if self._notes:
            title += f", {len(self._notes)} note{'s' if len(self._notes) > 1 else ''}"
        left: list[Piece] = [("strong", title) if count else ("muted", " No changes in this session.")]
        right: list[Piece] = []
        if lines is not None and any(lines):
            minus = self.theme_styles.symbol("minus")
            right = [("added", f"+{lines[0]} "), ("removed", f"{minus}{lines[1]} ")]
        self.show_title(([*left, self._said], right))

    async def _count(self) -> None:
        """Count the lines file by file, so that keys are handled in between."""
        added = removed = 0
        for diff in self._diffs:
            plus, minus = counts(diff.old, diff.new)
            added, removed = added + plus, removed + minus
            await asyncio.sleep(0)
        self._show_title((added, removed))


def _as_diff(file: FileChange, edit: Edit) -> Diff:
    return Diff(file.path, edit.new, edit.old)


def differences(
    files: Sequence[FileChange], cwd: str, place: Callable[[Edit], PlacedEdit | None] = lambda _: None
) -> Iterator[FileDiff]:
    """Yield the differences of whole files, or of the snippets that the agent reported.

    `place` returns such a snippet in its place in the file, or None.
    """
    for file in files:
        edits = file.edits
        for number, edit in enumerate(edits, start=1):
            note = "" if file.written is not None else "as the agent reported"
            if len(edits) > 1:
                note = f"edit {number} of {len(edits)}, {note}"
            name, placed = inside(file.path, cwd), place(edit)
            if placed is None or edit.old is None:
                whole = file.written is not None or edit.old is None
                yield FileDiff(name, edit.old, edit.new, note, 1 if whole else None)
            else:
                note = f"{note}, {placed.note}" if placed.note else note
                yield FileDiff(name, placed.old, placed.new, note, placed.first_line)


def on_disk(file: FileChange, seen: SeenChange, cwd: str) -> FileDiff:
    """Return the difference of a file on disk; without its texts, only notes about it."""
    assert file.seen is not None
    notes = facts(file, cwd)
    name = inside(file.path, cwd)
    is_whole = (seen.old is None) == (file.seen.status == "A") and (seen.new is None) == (
        file.seen.status == "D"
    )
    if not is_whole:
        notes.append("too large or too many to show")
        return FileDiff(name, *NOT_SHOWN, ", ".join(notes), None)
    if seen.base != seen.old:
        notes.append("open changes")
    old, new = seen.texts or decode_pair(seen.base, seen.new)
    if encoding := _encoding(old, new):
        notes.append(encoding)
    elif old is not None and new is not None and old.text == new.text and seen.base != seen.new:
        notes.append("same text, other bytes")
    return FileDiff(name, old.text if old else None, new.text if new else None, ", ".join(notes))


def _encoding(old: Decoded | None, new: Decoded | None) -> str:
    """Return the encodings of the texts, or "" if all are UTF-8."""
    names = [each.encoding or "UTF-8" for each in (old, new) if each is not None and each.encoding != BINARY]
    names = [name for name in dict.fromkeys(names) if len(set(names)) > 1 or name != "UTF-8"]
    if old is not None and new is not None and not old.text.isascii() and not new.text.isascii():
        return " → ".join(names)
    return ", ".join(name for name in names if name != "UTF-8")


_WHOLE = 1 << 60
"""A line number that is beyond every file."""


@dataclass(frozen=True)
class SeenChange:
    """A change on disk, with the texts on the screen."""

    change: ChangedFile
    old: bytes | None
    """Content at the start of the session."""
    base: bytes | None
    """Content that it is compared with: `old`, plus accepted changes."""
    new: bytes | None
    texts: tuple[Decoded | None, Decoded | None] | None = None
    """`base` and `new`, decoded."""

    @property
    def has_lines(self) -> bool:
        """True if there are two texts, so that single hunks can be kept or rejected."""
        return self.base is not None and self.new is not None and have_lines(self.base, self.new)


class ChangeReview:
    """Accepts and rejects changes; each step can be undone."""

    def __init__(self, tracking: ChangeTracker, rejections: Rejections) -> None:
        self.tracking = tracking
        self._reviewed = tracking.reviewed
        self._rejections = rejections

    async def see(self, change: ChangedFile, *, with_texts: bool, all_of_it: bool) -> SeenChange:
        """Read the texts of a change; `all_of_it` compares with the start of the session."""
        old, new = await self.tracking.texts(change) if with_texts else (None, None)
        self._reviewed.settle(change, old, new)
        base = old if all_of_it or not with_texts else self._reviewed.base(change, old)
        return SeenChange(change, old, base, new, await asyncio.to_thread(decode_pair, base, new))

    def is_done(self, change: ChangedFile) -> bool:
        """Return whether all of a change was accepted."""
        return self._reviewed.is_done(change)

    def has_kept(self, change: ChangedFile) -> bool:
        """Return whether a part of a change was accepted."""
        return self._reviewed.has_kept(change)

    def undo_keeping(self) -> bool:
        """Undo the last acceptance, if nothing was rejected since; return False if there is none."""
        return self._reviewed.go_back(self.tracking.undo_stack.depth)

    def keep(self, seen: SeenChange, hunk: Hunk) -> bool:
        """Accept a hunk; return False if it is no hunk of the open change."""
        assert seen.base is not None, "there are lines to keep"
        assert seen.new is not None, "there are lines to keep"
        if self._reviewed.base(seen.change, seen.old) != seen.base:
            return False  # its line numbers would be wrong
        self._reviewed.begin_step(self.tracking.undo_stack.depth)
        self._reviewed.keep(seen.change, seen.base, seen.new, hunk)
        return True

    def keep_files(self, files: Sequence[SeenChange]) -> None:
        """Accept all changes of the files."""
        self._reviewed.begin_step(self.tracking.undo_stack.depth)
        for seen in files:
            self._reviewed.keep_file(seen.change, seen.new)

    async def reject(self, seen: SeenChange, hunk: Hunk) -> Restored:
        """Reject a hunk.

        Raises:
            SnapshotError: nothing was done.
        """
        restored = await self.tracking.undo_stack.reverse(seen.change, hunk, seen.base)
        if restored.done:
            where = f"{seen.change.path}, {lines_of(hunk.new_start, hunk.new_stop)}"
            self._rejections.add(f"rejected your change in {where}", f"undid my rejection in {where}")
        return restored

    async def reject_file(self, seen: SeenChange) -> Restored:
        """Reject all open changes of a file.

        Raises:
            SnapshotError: nothing was done.
        """
        path = seen.change.path
        if seen.base is not None and self._reviewed.has_kept(seen.change):
            whole = Hunk(0, _WHOLE, 0, _WHOLE)
            restored = await self.tracking.undo_stack.reverse(seen.change, whole, seen.base)
        else:
            restored = await self.tracking.reject(seen.change)
        if restored.done:
            text = f"rejected your changes in {path}" + (", which is deleted" * (seen.change.status == "A"))
            self._rejections.add(text, f"undid my rejection in {path}")
        return restored

    async def undo(self) -> Restored | None:
        """Undo the newest rejection; None if there is none.

        Raises:
            SnapshotError: nothing was done.
        """
        undone = await self.tracking.undo_stack.undo()
        if undone is None:
            return None
        if undone.is_over:
            self._rejections.undone(undone.newer)
        return undone.restored
