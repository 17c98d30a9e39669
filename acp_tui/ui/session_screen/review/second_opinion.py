"""Second opinions: a review of this session by a read-only agent, and its remarks."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from acp_tui.conversation.start_options import Start
from acp_tui.formatting import inside
from acp_tui.session import briefs, line_notes
from acp_tui.session import remarks as reviewing
from acp_tui.session.entries import AgentMessage, absolute, text_of
from acp_tui.session.events import Noted
from acp_tui.session.file_changes import FileChange
from acp_tui.session.session import Session
from acp_tui.store.plain_files import plain_bytes
from acp_tui.store.prompts import Prompt
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.ui.session_screen.review import notes as note_menus
from acp_tui.ui.session_screen.sessions import hand_over
from acp_tui.ui.widgets.diff.line_diff import compute, patch_of
from acp_tui.workspace.encodings import decode, decode_pair
from acp_tui.workspace.real_paths import followed

_MOST: Final = 60_000
"""Most characters of differences in a prompt; the agent reads other files itself."""
_LARGEST: Final = 4 << 20
"""Most bytes of a file whose lines are quoted in a note."""
_MOST_LINES: Final = 100
"""Most lines that the note of a remark quotes."""


class SecondOpinion:
    """Opens sessions about the work of this one, and moves the remarks of a review to its session."""

    def __init__(self, screen: ConversationScreen, start: Start) -> None:
        self._screen = screen
        self._start = start
        self._reviewed: ConversationScreen | None = None
        """The session whose changes this one reviews."""
        self._told = 0
        """Number of turns whose remarks were counted in the chat."""

    # ------------------------------------------------------------------ from this session

    async def review(self, agent: str = "") -> None:
        """Let an agent review the changes of this session in a new read-only tab.

        `agent` is its name or command; empty: the agent of this session.
        """
        conversation, session = self._screen.conversation, self._screen.conversation.session
        if session is None or not session.files:
            self._screen.notify("No changes to review yet.")
            return
        launch = hand_over.launch_of(self._screen, self._start, agent)
        if launch is None:
            return
        changes = await self._differences(session)
        count = len(session.files)
        chip = f"[diff of {count} file{'s' if count > 1 else ''} #1]"
        prompt = Prompt(briefs.review_brief(session, conversation.agent_name, chip), {chip: changes})
        is_same = launch is conversation.launch
        running = conversation.running if is_same else None
        usable = running if running is not None and running.is_running else None
        screen = await self._screen.tabs.open(
            running=usable, launch=launch, cwd=conversation.cwd, policy="read-only", reviewed=self._screen
        )
        screen.conversation.say(prompt)

    async def _differences(self, session: Session) -> str:
        """Return the differences of all changed files as a patch; beyond the limit, only their names."""
        patches: list[str] = []
        left_out: list[str] = []
        room = _MOST
        for file in session.files.values():
            patch = await self._patch(file, session.cwd)
            if patch and len(patch) <= room:
                patches.append(patch)
                room -= len(patch)
            else:
                left_out.append(inside(file.path, session.cwd))
        named = "".join(f"- {path}\n" for path in left_out)
        rest = f"\nAlso changed, read them yourself:\n\n{named}" if left_out else ""
        return f"```diff\n{''.join(patches)}```\n{rest}"

    async def _patch(self, file: FileChange, cwd: str) -> str:
        tracking = self._screen.conversation.tracker
        change = tracking.change(file.path) if tracking is not None and file.seen is not None else None
        if tracking is not None and change is not None:
            old, new = await asyncio.to_thread(decode_pair, *await tracking.texts(change))
            pairs = [(old.text if old else None, new.text if new else None)]
        else:
            pairs = [(edit.old, edit.new) for edit in file.edits]
        name = inside(file.path, cwd)
        return await asyncio.to_thread(
            lambda: "".join(patch_of(compute(old, new), name) for old, new in pairs)
        )

    # ------------------------------------------------------------------ from a review

    def is_about(self, screen: ConversationScreen) -> None:
        """Make this session a review of another one."""
        self._reviewed = screen

    @property
    def is_review(self) -> bool:
        """True if this session reviews another one."""
        return self._reviewed is not None

    def turn_ended(self, session: Session) -> None:
        """Show in the chat the number of remarks in the answers of a review."""
        if not self.is_review or self._told == len(session.turns):
            return
        self._told = len(session.turns)
        count = len(self._remarks())
        words = "1 remark on lines" if count == 1 else f"{count} remarks on lines"
        if count:
            self._screen.conversation.note(
                Noted(f"{words}: /remarks makes notes for the reviewed session of them.")
            )
        elif session.turns[-1].stop_reason == "end_turn":
            self._screen.conversation.note(Noted("The review has no remarks on lines."))

    def _remarks(self) -> Sequence[reviewing.Remark]:
        """Return the remarks of all answers of this session."""
        session = self._screen.conversation.session
        if session is None:
            return ()
        answers = (text_of(entry) for entry in session.entries if isinstance(entry, AgentMessage))
        return reviewing.remarks_in("\n\n".join(answers), session.cwd)

    async def take_remarks(self) -> None:
        """Turn the remarks into notes of the reviewed session, and list them there."""
        other, remarks = self._reviewed, self._remarks()
        if other is None or other not in self._screen.tabs.screens:
            self._screen.notify(
                "The reviewed session is closed." if other else "This session is not a review."
            )
            return
        roots, by = other.conversation.roots, self._screen.conversation.agent_name
        found = await asyncio.to_thread(lambda: [_note(remark, roots, by) for remark in remarks])
        notes = other.conversation.line_notes
        known = {(note.path, note.was, note.text) for note in notes.notes.values()}
        new = [note for note in found if (note.path, note.was, note.text) not in known]
        if not new:
            self._screen.notify("No remarks on lines, or all of them are notes already.")
            return
        notes.add(*new)
        await self._screen.tabs.go_to(list(self._screen.tabs.screens).index(other))
        other.app.run_worker(note_menus.show_notes(other), group="notes", exclusive=True)


def _note(remark: reviewing.Remark, roots: Sequence[str], by: str) -> line_notes.LineNote:
    """Return a remark as a note on the current lines that it names. Blocking.

    No file outside the workspace is read: the reviewer named it, not the user.
    """
    path, text = absolute(remark.path, roots[0]), f"{by}: {remark.text}"
    lines = _lines(path, roots)
    if remark.first > len(lines):
        return line_notes.LineNote(text, (), path, remark.first, was=remark.first)
    last = min(remark.last, len(lines), remark.first + _MOST_LINES - 1)
    return line_notes.note_on(lines, remark.first - 1, last - 1, text, path=path)


def _lines(path: str, roots: Sequence[str]) -> Sequence[str]:
    """Return the lines of a file of the workspace; none for other files, and for large ones."""
    try:
        real = Path(path).resolve(strict=True)
        is_inside = any(real.is_relative_to(Path(followed(root))) for root in roots)
        if not is_inside or real.stat().st_size > _LARGEST:
            return ()
        return line_notes.lines_in(decode(plain_bytes(real)).text)
    except (OSError, ValueError, RuntimeError):
        return ()
