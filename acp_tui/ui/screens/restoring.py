"""Going back: files are given what they were before the newest turn, after a look at what that does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import OptionList

from acp_tui.host.snapshot_store import SnapshotError
from acp_tui.ui.screens.details import Details
from acp_tui.ui.screens.dialog import Dialog
from acp_tui.ui.screens.withdrawing import answer_of
from acp_tui.ui.widgets.answer_list import Answer, AnswerList
from acp_tui.ui.widgets.blocks import TextBlock
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.text import safe_line

if TYPE_CHECKING:
    from acp_tui.agent.tracking import Tracking
    from acp_tui.host.snapshot import Changed, Restored
    from acp_tui.ui.screens.session import SessionScreen

Choice = Literal["restore", "undo"]

_DOES: Final = {
    "A": ("error", "is deleted: it was not there"),
    "D": ("success", "comes back"),
    "M": ("warning", "gets its earlier content"),
    "R": ("warning", "gets its earlier name and content"),
    "T": ("warning", "becomes what it was (file or link)"),
}
_NAMED: Final = 10
"""Files that the note for the agent names."""
_LATE: Final = (
    "The agent may have begun before this snapshot was ready: its first changes can be missing here."
)


class RestoreDialog(Dialog[Choice]):
    """Shows what restoring would do to each file; dismisses with what to do, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "choose('restore')", "Restore", id="restore.restore"),
        Binding("u", "choose('undo')", "Undo the last restoring", id="restore.undo"),
    ]

    def __init__(self, changes: Sequence[Changed], look: Look, *, can_undo: bool, is_late: bool) -> None:
        """Take what is to be shown.

        Args:
            changes: what differs from before the turn.
            look: the styles of the text.
            can_undo: whether there is a restoring or rejecting to take back.
            is_late: whether the snapshot was taken when the agent may have begun already.
        """
        super().__init__("Restore files to before the last turn", look)
        self._changes = changes
        self._is_late = is_late
        restore = Answer("Restore these files", "y", "can be undone", role="warning")
        undo = Answer("Undo the last restoring or rejecting", "u", role="accent")
        self._answers: dict[Choice, Answer] = {}
        if changes:
            self._answers["restore"] = restore
        if can_undo:
            self._answers["undo"] = undo

    def compose_body(self) -> ComposeResult:
        """Yield a line for each file."""
        yield Details(list(self._about()), self.look)

    def compose_answers(self) -> ComposeResult:
        """Yield what can be done."""
        yield AnswerList(list(self._answers.values()))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what can be done."""
        if action == "choose" and parameters[0] not in self._answers:
            return False
        return super().check_action(action, parameters)

    def action_choose(self, choice: Choice) -> None:
        """Do it."""
        self.dismiss(choice)

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if self.armed:
            self.dismiss(list(self._answers)[event.option_index])

    def _about(self) -> list[TextBlock]:
        if not self._changes:
            return [TextBlock([("muted", "No file has changed since the last turn began.")])]
        blocks = [TextBlock([("warning", _LATE)])] if self._is_late else []
        for change in self._changes:
            role, what = _DOES[change.status]
            name = safe_line(change.path)
            if change.status == "R":
                name = f"{name}, before {safe_line(change.old_path)},"
            blocks.append(TextBlock([(role, f"{change.status} "), ("text", f"{name} "), ("muted", what)]))
        return blocks


async def restore_turn(screen: SessionScreen) -> None:
    """Show what can be restored and do what the person chooses; what came of it is said."""
    tracking = screen.conversation.tracking
    if tracking is None or tracking.first is None:
        screen.notify("There are no snapshots of this workspace.", severity="warning")
        return
    if screen.conversation.is_busy:
        screen.notify("The agent is working. Stop the turn first.", severity="warning")
        return
    try:
        await _restore(screen, tracking)
    except SnapshotError as error:
        screen.notify(safe_line(str(error)), title="Not restored", severity="error", markup=False)


async def _restore(screen: SessionScreen, tracking: Tracking) -> None:
    before, changes = tracking.before, await tracking.since_turn()
    dialog = RestoreDialog(
        changes, screen.look, can_undo=tracking.ways_back.can_undo, is_late=tracking.is_late
    )
    choice = await answer_of(screen.app, dialog)
    if choice == "restore" and before is not None:
        restored = await tracking.ways_back.restore(before, changes)
        _tell(screen, restored, "as before the last turn")
        if restored.done:
            names = _named([change.path for change in restored.done])
            back = f"put these files back to before your last turn: {names}"
            screen.conversation.rejections.add(back, f"undid that, so your changes are there again: {names}")
    elif choice == "undo" and (undone := await tracking.ways_back.undo()) is not None:
        _tell(screen, undone.restored, "as before the restoring")
        if undone.is_over:
            screen.conversation.rejections.undone(undone.newer)


def _named(paths: Sequence[str]) -> str:
    """Return paths in a line, at most a few of them."""
    more = len(paths) - _NAMED
    return ", ".join(paths[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _tell(screen: SessionScreen, restored: Restored, how: str) -> None:
    from acp_tui.session.events import Noted

    count = len(restored.done)
    files = "1 file is" if count == 1 else f"{count} files are"
    severity: Literal["info", "warning"] = "warning" if restored.problems else "info"
    screen.conversation.note(Noted(f"{files} {how}.", severity, "\n".join(restored.problems)))
