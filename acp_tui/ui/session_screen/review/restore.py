"""The restore dialog: restores files to their state before a turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, Literal, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from typing_extensions import override

from acp_tui.changes.git_store import SnapshotError
from acp_tui.changes.git_tree import ChangedFile, Restored
from acp_tui.changes.tracker import NO_TURN, ChangeTracker
from acp_tui.changes.untracked import Untracked
from acp_tui.conversation.state import ConversationState
from acp_tui.session.entries import Severity, UserMessage
from acp_tui.session.events import Noted
from acp_tui.session.session import Session
from acp_tui.ui.screens.base.answer_dialog import ChoiceDialog, answer_keys
from acp_tui.ui.screens.base.dialog import Details
from acp_tui.ui.screens.base.menu import MenuItem, choose
from acp_tui.ui.screens.base.unasked_screen import answer_of
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.ui.widgets.controls import Answer
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import exact_line, shortened
from acp_tui.ui.widgets.transcript.blocks import TextBlock

Choice = Literal["restore", "undo", "earlier"]

_DOES: Final = {
    "A": ("error", "will be deleted: it did not exist"),
    "D": ("success", "will be restored"),
    "M": ("warning", "will be reverted"),
    "R": ("warning", "will be reverted and renamed back"),
    "T": ("warning", "will become a file or link again"),
}
_STAYS: Final = "stays: it may have been there before, ignored or left out"
_NAMED: Final = 10
"""Most files that the note for the agent names."""
_PROMPT: Final = 60
"""Most cells of a prompt that names a turn."""
_NOT_READY: Final = "The snapshot from before this turn is not ready yet. Try again in a moment."
_LATE: Final = (
    "The agent may have started before this snapshot was complete: its first changes may be missing here."
)


class SnapshotChanges(NamedTuple):
    """The changes since the snapshot before a turn."""

    changes: Sequence[ChangedFile] = ()
    is_late: bool = False
    """True if the agent may have started before the snapshot was taken."""
    unknown: str | None = None
    """Reason for a missing snapshot, "" while it is being taken; None if there is one."""

    def effects(self, since: str) -> list[TextBlock]:
        """Return the effect of a restore on each file; `since` is the turn, for display."""
        if self.unknown is not None:
            return [TextBlock([("warning", self.unknown or _NOT_READY)])]
        blocks = [TextBlock([("warning", _LATE)])] if self.is_late else []
        if not self.changes:
            begin = "this snapshot" if self.is_late else f"{since} began"
            return [*blocks, TextBlock([("muted", f"No file has changed since {begin}.")])]
        return [*blocks, *map(_effect, self.changes)]


def _effect(change: ChangedFile) -> TextBlock:
    role, what = ("muted", _STAYS) if change.is_kept else _DOES[change.status]
    if change.status == "M" and change.old_id == change.new_id:
        what = "gets the permissions it had"
    name = exact_line(change.path)
    if change.status == "R":
        name = f"{name}, formerly {exact_line(change.old_path)},"
    return TextBlock([(role, f"{change.status} "), ("text", f"{name} "), ("muted", what)])


class RestoreDialog(ChoiceDialog[Choice]):
    """Shows the effect of a restore on each file; dismisses with the choice, or None."""

    KEYS = "restore"
    BINDINGS: ClassVar[list[BindingType]] = [
        *answer_keys(KEYS),
        Binding("y", "choose('restore')", "Restore", id="restore.restore"),
        Binding("u", "choose('undo')", "Undo last restore", id="restore.undo"),
        Binding("t", "choose('earlier')", "Another turn", id="restore.turn"),
    ]

    def __init__(
        self,
        found: SnapshotChanges,
        styles: Styles,
        *,
        can_undo: bool,
        turn: str = "the last turn",
        has_others: bool = False,
    ) -> None:
        """Offer a restore.

        Args:
            found: the changes since before the turn.
            styles: the theme's styles.
            can_undo: True to offer to undo the last restore or rejection.
            turn: the turn, for display.
            has_others: True to offer other turns.
        """
        super().__init__(f"Restore files to before {turn}", styles)
        self._turn = turn
        self._found = found
        restore = Answer("Restore these files", "restore.restore", "can be undone", role="warning")
        undo = Answer("Undo last restore or reject", "restore.undo", role="accent")
        if found.changes:
            self.choices["restore"] = restore
        if can_undo:
            self.choices["undo"] = undo
        if has_others:
            self.choices["earlier"] = Answer("Another turn", "restore.turn", role="muted")

    @override
    def compose_body(self) -> ComposeResult:
        yield Details(self._found.effects(self._turn), self.theme_styles)


def without_tracking(conversation: ConversationState) -> str:
    """Return the reason why the changes of a conversation are not tracked."""
    if conversation.phase == "recorded":
        return "A recorded session has no files to restore until it is resumed."
    if conversation.phase in ("starting", "logging-in"):
        return "The session is not open yet. Try again in a moment."
    return "This workspace has no snapshots: its files stay as they are."


def why_no_snapshot(conversation: ConversationState, tracking: ChangeTracker) -> str:
    """Return the reason for a missing snapshot, or "" if it will come."""
    why, session = tracking.why_no_snapshot(), conversation.session
    if why == NO_TURN and session is not None and has_prompts(session):
        return "No turn has begun in this session yet. The prompts above are older: they have no snapshot."
    return why


def has_prompts(session: Session) -> bool:
    """Return whether a session has prompts, sent here or replayed by the agent."""
    return any(isinstance(entry, UserMessage) for entry in session.entries)


async def restore_turn(screen: ConversationScreen) -> None:
    """Let the user restore files to before a turn, or undo the last restore."""
    tracking = screen.conversation.tracker
    if tracking is None or tracking.first is None:
        why = without_tracking(screen.conversation) if tracking is None else tracking.obstacle
        screen.notify(why or "The first snapshot is not ready yet.", severity="warning")
        return
    if screen.conversation.is_busy:
        screen.notify("The agent is working. Stop the turn first.", severity="warning")
        return
    try:
        await _restore(screen, tracking)
    except SnapshotError as error:
        screen.notify(str(error), title="Not restored", severity="error")


async def _restore(screen: ConversationScreen, tracking: ChangeTracker, turn: int | None = None) -> None:
    while True:
        before = tracking.before_of(turn)
        changes = await tracking.since_turn(turn) if before is not None else []
        unknown = why_no_snapshot(screen.conversation, tracking) if before is None else None
        dialog = RestoreDialog(
            SnapshotChanges(changes, tracking.was_late(turn), unknown),
            screen.theme_styles,
            can_undo=tracking.undo_stack.can_undo,
            turn="the last turn" if turn is None else f"turn {turn}",
            has_others=len(tracking.turns) > (before is not None),
        )
        dialog.guard.note_asked_for()
        choice = await answer_of(screen.app, dialog)
        if choice != "earlier":
            break
        turn = await _other_turn(screen, tracking, turn)
    if choice == "restore" and before is not None:
        await restore_files(screen, tracking, turn, changes)
    elif choice == "undo":
        await undo_restore(screen, tracking)


async def restore_files(
    screen: ConversationScreen,
    tracking: ChangeTracker,
    turn: int | None,
    changes: Sequence[ChangedFile],
) -> Restored | None:
    """Restore files to before a turn (None: the last); report it in the chat, and later to the agent.

    Raises:
        SnapshotError: nothing was changed.
    """
    before = tracking.before_of(turn)
    if before is None:
        return None
    when = "before your last turn"
    if turn is not None:
        when = f"their state before I said “{_prompt(screen, turn)}”"
    restored = await tracking.undo_stack.restore(before, changes)
    how = "to the state before the last turn" if turn is None else f"to the state before turn {turn}"
    _tell(screen, restored, how, await _modes(tracking, restored))
    if restored.done:
        names = _named([change.path for change in restored.done])
        back = f"put these files back to {when}: {names}"
        screen.conversation.rejections.add(back, f"undid that, so your changes are there again: {names}")
    return restored


async def undo_restore(screen: ConversationScreen, tracking: ChangeTracker) -> None:
    """Undo the last restore or rejection.

    Raises:
        SnapshotError: nothing was changed.
    """
    undone = await tracking.undo_stack.undo()
    if undone is None:
        return
    modes = await _modes(tracking, undone.restored)
    _tell(screen, undone.restored, "to the state before the restore", modes)
    if undone.is_over:
        screen.conversation.rejections.undone(undone.newer)


async def _other_turn(screen: ConversationScreen, tracking: ChangeTracker, turn: int | None) -> int | None:
    """Let the user choose another turn; without a choice return `turn`."""
    items = [
        MenuItem(str(number), f"before turn {number}", _prompt(screen, number))
        for number in reversed(tracking.turns)
    ]
    chosen = await choose(screen, "Restore files to", items, str(turn or tracking.turns[-1]))
    return int(chosen) if chosen is not None else turn


def _prompt(screen: ConversationScreen, turn: int) -> str:
    session = screen.conversation.session
    return shortened(session.prompt_of(turn), _PROMPT) if session is not None else ""


def _named(paths: Sequence[str]) -> str:
    """Return a few of the paths in one line."""
    more = len(paths) - _NAMED
    return ", ".join(paths[:_NAMED]) + (f" and {more} more" if more > 0 else "")


async def _modes(tracking: ChangeTracker, restored: Restored) -> Sequence[Untracked]:
    return await tracking.other_modes(change.old_path for change in restored.done)


def _tell(screen: ConversationScreen, restored: Restored, how: str, modes: Sequence[Untracked]) -> None:
    """Report the restored files; `modes` are those with other permissions than at the start."""
    count = len(restored.done)
    files = "Restored 1 file" if count == 1 else f"Restored {count} files"
    severity: Severity = "warning" if restored.problems or modes else "info"
    but = ". Permissions differ from the start of the session" if modes else ""
    details = "\n".join([*restored.problems, *(f"{one.path}: {one.what}" for one in modes[:_NAMED])])
    screen.conversation.note(Noted(exact_line(f"{files} {how}{but}."), severity, details))
