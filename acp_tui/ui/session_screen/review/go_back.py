"""Go back to an earlier prompt: files, conversation, or both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from typing_extensions import override

from acp_tui.changes.git_store import SnapshotError
from acp_tui.changes.git_tree import ChangedFile, Restored
from acp_tui.changes.tracker import ChangeTracker
from acp_tui.session.session import Session
from acp_tui.store.prompts import Prompt
from acp_tui.ui.application.command_table import agent_word
from acp_tui.ui.panes.chat import ChatPane
from acp_tui.ui.screens.base.answer_dialog import ChoiceDialog, answer_keys
from acp_tui.ui.screens.base.dialog import Details
from acp_tui.ui.screens.base.menu import MenuItem, choose
from acp_tui.ui.screens.base.unasked_screen import answer_of
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.ui.session_screen.review.restore import (
    SnapshotChanges,
    has_prompts,
    restore_files,
    undo_restore,
    why_no_snapshot,
    without_tracking,
)
from acp_tui.ui.session_screen.sessions.hand_over import brief_before
from acp_tui.ui.widgets.controls import Answer
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import safe_line, shortened
from acp_tui.ui.widgets.transcript.blocks import TextBlock

GoBackChoice = Literal["both", "files", "conversation", "text", "agent", "undo", "earlier"]

_TITLE: Final = 40
"""Most cells of the prompt in the title."""
_KNOWS: Final = "the agent still knows what was said"
_REWIND: Final = "rewind"
"""The usual name of an agent's own command to rewind the conversation."""
_NAMED: Final = 5
"""Most files that are named in the notice."""
_AS_THEN: Final = "The files on disk are as they were at this point."
_AS_NOW: Final = "The files on disk may have changed since: read them again before you rely on them."


class GoBackDialog(ChoiceDialog[GoBackChoice]):
    """Shows the effect of going back to a prompt; dismisses with the choice, or None."""

    KEYS = "go-back"
    BINDINGS: ClassVar[list[BindingType]] = [
        *answer_keys(KEYS),
        Binding("b", "choose('both')", "Files and conversation", id="go-back.both"),
        Binding("f", "choose('files')", "Files only", id="go-back.files"),
        Binding("c", "choose('conversation')", "Conversation only", id="go-back.conversation"),
        Binding("p", "choose('text')", "Only the text of the prompt", id="go-back.text"),
        Binding("r", "choose('agent')", "The agent's own way back", id="go-back.agent"),
        Binding("u", "choose('undo')", "Undo last restore", id="go-back.undo"),
        Binding("t", "choose('earlier')", "Another prompt", id="go-back.prompt"),
    ]

    def __init__(
        self,
        prompt: str,
        found: SnapshotChanges,
        styles: Styles,
        *,
        turn: int,
        can_undo: bool = False,
        own_way: str = "",
        has_others: bool = False,
    ) -> None:
        """Offer the ways back.

        Args:
            prompt: the prompt, on one line.
            found: the changes since before its turn.
            styles: the theme's styles.
            turn: its turn, from 1.
            can_undo: True to offer to undo the last restore or rejection.
            own_way: the agent's own command to rewind the conversation, if it has one.
            has_others: True to offer other prompts.
        """
        super().__init__(f"Go back to “{shortened(prompt, _TITLE)}”", styles)
        self._found, self._turn = found, turn
        talk = "opens in a new tab; this one stays"
        if found.changes:
            files = "can be undone"
            self.choices["both"] = Answer(
                "Files and conversation", "go-back.both", f"{talk}; the restore {files}", role="warning"
            )
            self.choices["files"] = Answer(
                "Files only", "go-back.files", f"{files}; {_KNOWS}", role="warning"
            )
        self.choices["conversation"] = Answer(
            "Conversation only", "go-back.conversation", talk, role="accent"
        )
        self.choices["text"] = Answer("Only the text of the prompt", "go-back.text", _KNOWS, role="accent")
        if own_way:
            self.choices["agent"] = Answer(
                f"Use the agent's /{own_way}", "go-back.agent", "put into the prompt, not sent", role="accent"
            )
        if can_undo:
            self.choices["undo"] = Answer("Undo last restore or reject", "go-back.undo", role="accent")
        if has_others:
            self.choices["earlier"] = Answer("Another prompt", "go-back.prompt", role="muted")

    @override
    def compose_body(self) -> ComposeResult:
        files = self._found.effects(f"turn {self._turn}")
        yield Details([*self._about_talk(), *files], self.theme_styles)

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "choose" and parameters == ("both",) and self._has_no_change:
            parameters = ("conversation",)
        return super().check_action(action, parameters)

    @override
    def action_choose(self, choice: GoBackChoice) -> None:
        """Dismiss with a choice; without changed files, "both" means only the conversation."""
        super().action_choose("conversation" if choice == "both" and self._has_no_change else choice)

    @property
    def _has_no_change(self) -> bool:
        return not self._found.changes and self._found.unknown is None

    def _about_talk(self) -> list[TextBlock]:
        earlier = self._turn - 1
        turns = f"{earlier} earlier turn{'' if earlier == 1 else 's'}"
        brief = f"with {turns} as text that you can edit" if earlier else "with nothing said before"
        return [
            TextBlock([("muted", f"A new tab begins {brief}, and this prompt in its field.")]),
            TextBlock([("text", " ")]),
        ]


_TOLD: Final = "The prompts above are the agent's history. You can go back only to prompts sent from here."


async def go_back(screen: ConversationScreen, turn: int | None = None) -> None:
    """Let the user go back to before an earlier prompt; without a turn (from 1), choose the prompt first."""
    session = screen.conversation.session
    if session is None or not session.turns:
        is_told = session is not None and has_prompts(session)
        screen.notify(_TOLD if is_told else "There is no earlier prompt in this session.", severity="warning")
        return
    if screen.conversation.is_busy:
        screen.notify("The agent is working. Stop the turn first.", severity="warning")
        return
    try:
        while turn := turn or await _chosen(screen, session):
            way, changes = await _way(screen, session, turn)
            if way != "earlier":
                await _go(screen, session, turn, way, changes)
                return
            turn = None
    except SnapshotError as error:
        screen.notify(str(error), title="Not restored", severity="error")


def go_back_from_chat(screen: ConversationScreen) -> None:
    """Go back to the prompt under the cursor of the chat, or to that of the entry there."""
    chat, session = screen.query_one(ChatPane), screen.conversation.session
    place = chat.place_of_cursor()
    turn = session.turn_at(place) if session is not None and place is not None else 0
    screen.app.run_worker(go_back(screen, turn or None), group="restore", exclusive=True)


async def _chosen(screen: ConversationScreen, session: Session) -> int | None:
    """Let the user choose a prompt, the newest first; return its turn."""
    numbers = range(len(session.turns), 0, -1)
    items = [MenuItem(str(number), session.prompt_of(number), f"turn {number}") for number in numbers]
    chosen = await choose(screen, "Go back to which prompt?", items)
    return int(chosen) if chosen is not None else None


async def _way(
    screen: ConversationScreen, session: Session, turn: int
) -> tuple[GoBackChoice | None, Sequence[ChangedFile]]:
    """Show what going back changes; return what is to go back, and the changes as they were shown."""
    tracking = screen.conversation.tracker
    found = await _changes(screen, tracking, turn)
    dialog = GoBackDialog(
        session.prompt_of(turn),
        found,
        screen.theme_styles,
        turn=turn,
        can_undo=tracking is not None and tracking.undo_stack.can_undo,
        own_way=_own_way(session),
        has_others=len(session.turns) > 1,
    )
    dialog.guard.note_asked_for()
    return await answer_of(screen.app, dialog), found.changes


async def _changes(screen: ConversationScreen, tracking: ChangeTracker | None, turn: int) -> SnapshotChanges:
    """Return the changes since before a turn."""
    if tracking is None:
        return SnapshotChanges(unknown=without_tracking(screen.conversation))
    if tracking.before_of(turn) is None and not tracking.why_no_snapshot():
        await tracking.look()  # this waits for the snapshot that is being taken
    if tracking.before_of(turn) is None:
        return SnapshotChanges(unknown=why_no_snapshot(screen.conversation, tracking))
    return SnapshotChanges(await tracking.since_turn(turn), tracking.was_late(turn))


def _own_way(session: Session) -> str:
    """Return the agent's own command to rewind the conversation, or ""."""
    return next((one.name for one in session.commands if one.name == _REWIND), "")


async def _go(
    screen: ConversationScreen,
    session: Session,
    turn: int,
    way: GoBackChoice | None,
    changes: Sequence[ChangedFile],
) -> None:
    """Go back; the files first, so that the new tab starts with the restored files."""
    tracking = screen.conversation.tracker
    restored: Restored | None = None
    if way in ("both", "files") and tracking is not None:
        restored = await restore_files(screen, tracking, turn, changes)
    match way:
        case "both" | "conversation":
            await _open(screen, session, turn, restored)
        case "files" | "text":
            screen.prompt.give_back(Prompt(session.words_of(turn)))
            screen.focus_prompt()
        case "agent":
            screen.prompt.give_back(Prompt(f"/{agent_word(_own_way(session))} "))
            screen.focus_prompt()
        case "undo" if tracking is not None:
            await undo_restore(screen, tracking)


async def _open(screen: ConversationScreen, session: Session, turn: int, restored: Restored | None) -> None:
    """Open a new tab of the same agent with the prompt, and the earlier conversation as a chip."""
    files = _AS_THEN if restored is not None and not restored.problems else _AS_NOW
    brief, words = brief_before(session, turn, files), session.words_of(turn)
    here, running = screen.tabs.screens.index(screen) + 1, screen.conversation.running
    usable = running is not None and running.is_running
    await screen.tabs.open(running=running if usable else None, like=screen)
    box = screen.tabs.screens[-1].prompt
    turns = f"{turn - 1} turn{'' if turn == 2 else 's'}"
    label = f"[earlier conversation, {turns} #1]"
    told = f"Tab {here} has the whole conversation."
    if restored is not None and restored.done:
        told += f" {key_of(screen, 'session.restore')} there undoes the restore of files."
    if not brief:
        box.give_back(Prompt(words))
    elif words.lstrip().startswith("/"):  # a slash command must stand alone
        box.give_back(Prompt(words))
        box.stashed = Prompt(label, {label: brief})
        told += f" What was said before is stashed: {key_of(box, 'prompt.stash')} brings it."
    else:
        box.give_back(Prompt(f"{label}\n\n{words}", {label: brief}))
        told += f" {key_of(box, 'prompt.open-chip')} unfolds it here, to be edited."
    left = restored.problems if restored is not None else ()
    if left:
        more = f" and {len(left) - _NAMED} more" if len(left) > _NAMED else ""
        told += f" Not restored: {safe_line('; '.join(left[:_NAMED]))}{more}."
    screen.tabs.screens[-1].notify(
        told, title="Gone back", severity="warning" if left else "information", timeout=15, markup=False
    )
