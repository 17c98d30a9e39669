"""The prompt area: text box, completions, attachments and draft."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from functools import partial
from textwrap import wrap
from typing import Final

from textual import work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.notifications import SeverityLevel
from textual.timer import Timer
from textual.widgets import Static
from typing_extensions import override

from acp_tui.conversation import attachments, clipboard_images, typed_paths
from acp_tui.conversation.conversation import Conversation
from acp_tui.conversation.file_search import WorkspaceFiles
from acp_tui.conversation.line_notes import LineNotes
from acp_tui.conversation.mentions import mention_of, names_outside
from acp_tui.conversation.start_options import Start
from acp_tui.desktop import image_programs
from acp_tui.formatting import from_home, inside
from acp_tui.protocol.schema import PromptCapabilities
from acp_tui.session import line_notes
from acp_tui.store.folders import data_folder, state_folder
from acp_tui.store.prompts import Prompt, PromptDraft, PromptHistory, join_prompts, workspace_name
from acp_tui.ui.application.app import AcpApp
from acp_tui.ui.application.first_frame import prompt_hint
from acp_tui.ui.screens import prompt_history
from acp_tui.ui.screens.base import editor
from acp_tui.ui.session_screen.prompt.completions import Completions, SlashCommand
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.prompt_box import PromptBox
from acp_tui.ui.widgets.rows.row_view import StatusRow, StatusRows
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import safe_line
from acp_tui.ui.widgets.transcript.blocks import Piece

_PAUSE: Final = 0.5
"""Seconds without a change before the draft is saved."""


class PromptArea(Vertical):
    """The prompt box and the lines above it."""

    BLANK = True  # its children cover it

    def __init__(
        self,
        conversation: Conversation,
        start: Start,
        styles: Styles,
        commands: Callable[[], Sequence[SlashCommand]],
    ) -> None:
        """Create the area; `commands` returns the current slash commands."""
        super().__init__(id="writing")
        self._conversation = conversation
        self._start = start
        self._theme_styles = styles
        self._workspace = workspace_name(start.cwd)
        keeps = start.settings.journal
        self.box = PromptBox(
            enter_sends=start.settings.enter_sends,
            history=PromptHistory(
                state_folder() / "history" / f"{self._workspace}.ndjson" if keeps else None
            ),
            dropped=lambda text: attachments.dropped_media(text, conversation.cwd),
            is_folded=lambda text: names_outside(text, conversation.cwd),
            id="prompt",
        )
        """The text box."""
        self.settings_changed()
        self._attachments = StatusRows(styles, id="attachments")
        self._completions = StatusRows(styles, id="completions")
        self._completing = Completions(
            self.box, self._completions, commands, self._files_now, self._recent, self._list
        )
        self._files: WorkspaceFiles | None = None
        self._draft: PromptDraft | None = None
        self._keeping: Timer | None = None
        self._told_problem = False
        self._kept_notes = 0
        """The number of line notes in the draft."""

    @override
    def compose(self) -> ComposeResult:
        yield self._completions
        yield self._attachments
        with Horizontal(id="prompt-row"):
            yield Static(f"{self._theme_styles.symbol('prompt')} ", id="prompt-mark", markup=False)
            yield self.box

    def on_mount(self) -> None:
        """Restore the draft of an earlier run."""
        self.show_hint()
        if self._start.settings.journal:
            self._draft = PromptDraft(data_folder() / "drafts", self._workspace)
            self._bring_back(self.box, self._draft)

    def show_hint(self) -> None:
        """Show hints with keys in the empty box."""
        self.box.show_when_empty(prompt_hint(partial(key_of, self)))

    def settings_changed(self) -> None:
        """Apply the settings."""
        self.box.enter_sends = self._start.settings.enter_sends
        self.box.blinks = not self._start.settings.reduced_motion

    def commands_changed(self) -> None:
        """Update the completions after a change of commands."""
        self._completing.typed()

    def dismiss(self) -> bool:
        """Hide the completions; return False if there were none."""
        return self._completing.dismiss()

    def on_unmount(self) -> None:
        """Save the draft for the next run."""
        self._keep_draft()
        if self._draft is not None:
            self._draft.leave()

    # ------------------------------------------------------------------ messages of the box

    def on_text_area_changed(self) -> None:
        """Update completions, mark and attachments, and save the draft soon."""
        self._completing.typed()
        self._show_mark(self.box.is_command)
        self._show_attachments(self.box.text)
        self.keep_soon()

    def keep_soon(self) -> None:
        """Save the unsent text of box and queue, after a pause; at once if notes were sent."""
        if len(self._conversation.line_notes) < self._kept_notes:
            self._keep_draft()  # after a kill they must not be sent again
        if self._keeping is not None:
            self._keeping.stop()
        self._keeping = self.set_timer(_PAUSE, self._keep_draft)

    def _show_mark(self, is_command: bool) -> None:
        """Show the mark of a command or of a prompt."""
        row = self.query_one("#prompt-row")
        if row.has_class("-command") != is_command:
            row.set_class(is_command, "-command")
            symbol = self._theme_styles.symbol("shell" if is_command else "prompt")
            self.query_one("#prompt-mark", Static).update(f"{symbol} ")

    def on_prompt_box_send_deferred(self) -> None:
        """Show that the prompt will be sent later, or no longer."""
        self._show_attachments(self.box.text)

    def on_prompt_box_completion_moved(self, event: PromptBox.CompletionMoved) -> None:
        """Move to another completion."""
        self._completing.move(event.step)

    def on_prompt_box_completion_taken(self, event: PromptBox.CompletionTaken) -> None:
        """Take the marked completion; Enter sends if that changes nothing."""
        if not self._completing.take() and event.by_enter:
            self.box.call_later(self.box.action_enter)  # posted from here, it would not reach the screen

    def on_prompt_box_path_wanted(self, event: PromptBox.PathWanted) -> None:
        """Show the list of completions again, else complete the path before the cursor."""
        typed = typed_paths.typed_path(event.before, in_shell=self.box.is_command)
        if not self._completing.show_again() and typed is not None:
            self._complete_path(event.before, typed)

    @work(group="paths", exclusive=True)
    async def _complete_path(self, before: str, typed: typed_paths.TypedPath) -> None:
        found = await asyncio.to_thread(typed_paths.paths_of, typed.text, self._conversation.cwd)
        if found and self.box.before == before:  # otherwise the user has typed more
            self._completing.complete_path(typed, found)

    # ------------------------------------------------------------------ completions

    def _recent(self) -> list[str]:
        """Return the files changed in this session, newest first, relative to the workspace."""
        session = self._conversation.session
        paths = reversed(session.files) if session is not None else ()
        return [inside(path, self._conversation.cwd) for path in paths]

    def _files_now(self) -> WorkspaceFiles:
        """Return the files of the session's folder."""
        cwd = self._conversation.cwd
        if self._files is None or self._files.folder != cwd:
            self._files = WorkspaceFiles(cwd, self._more_files)
        return self._files

    def _list(self) -> None:
        self.run_worker(self._files_now().refresh(), group="files")

    def _more_files(self) -> None:
        if self.is_attached:
            self._completing.refreshed()

    # ------------------------------------------------------------------ attachments

    def _show_attachments(self, text: str) -> None:
        if "@" in text and not self.box.is_command:
            self._look_up(text)
        else:
            self.workers.cancel_group(self, "attachments")
            self._attachments.set_rows(self._hint())

    def _hint(self) -> list[StatusRow]:
        """Return the row about the effect of Enter for a text after `!`."""
        box = self.box
        turn = key_of(box, "prompt.command")
        if box.is_deferred:
            return [([("notice", _DEFERRED)], ())]
        if box.is_command:
            send = key_of(box, "prompt.send" if box.enter_sends else "prompt.new-line")
            words = f"{send} runs this in your shell; {turn} turns it into a prompt."
            return [([("warning", words)], ())]
        if box.is_command_elsewhere:
            is_line = "\n" not in box.prompt.whole.strip()
            words = f"; {turn} turns it into a shell command" if is_line else ""
            return [([("muted", f"This goes to the agent{words}.")], ())]
        return []

    @work(group="attachments", exclusive=True)
    async def _look_up(self, text: str) -> None:
        """Show the attachments that a text mentions."""
        found = await asyncio.to_thread(attachments.find, text, self._conversation.roots)
        shown = [attachment.shown(self._takes) for attachment in found.attachments]
        pieces: list[Piece] = [("muted", "+ "), ("accent", " · ".join(shown))] if shown else []
        pieces += [("warning", f" {problem}") for problem in found.problems]
        self._attachments.set_rows([*self._hint(), *([(pieces, ())] if pieces else [])])

    @property
    def _takes(self) -> PromptCapabilities | None:
        agent = self._conversation.agent
        if agent is None or agent.info is None:
            return None
        return agent.info.agent_capabilities.prompt_capabilities

    # ------------------------------------------------------------------ drafts

    @property
    def _agent(self) -> str:
        """The agent of the draft, "" while none is chosen."""
        launch = self._conversation.launch
        return launch.title if launch is not None else ""

    def _keep_draft(self) -> None:
        self._kept_notes = len(self._conversation.line_notes)
        if self._draft is not None:
            unsent = self._conversation.prompts.unsent
            if self.box.stashed is not None:
                unsent.append(self.box.stashed)
            if self.box.text.strip():
                unsent.append(self.box.prompt)
            notes = self._conversation.line_notes.notes.values()
            self._draft.keep(join_prompts(unsent), self._agent, [note.row() for note in notes])
        self._tell_problem()

    def _tell_problem(self) -> None:
        """Notify once that prompts or drafts cannot be saved."""
        problems = [self.box.past.problem, self._draft.problem if self._draft is not None else None]
        problem = next((str(one) for one in problems if one is not None), "")
        if problem and not self._told_problem and self.is_running:
            self._told_problem = True
            self.notify(problem, title="Prompts", severity="warning", timeout=15)

    def _bring_back(self, box: PromptBox, draft: PromptDraft) -> None:
        prompt = draft.take_over()
        self._bring_notes_back(draft)
        if prompt is None or box.text or not prompt.text:
            return
        # Only into an empty prompt: no draft must be sent unseen, or to another agent.
        was_typed_early = isinstance(self.app, AcpApp) and self.app.was_typed_early
        other = draft.was_for if self._agent and draft.was_for != self._agent else ""
        if was_typed_early or other:
            box.stashed = prompt
            key, for_whom = key_of(box, "prompt.stash"), f" for {other}" if other else ""
            self.notify(
                f"Your unsent draft{for_whom} from last time is stashed: {key} restores it.", title="Draft"
            )
        else:
            box.show_prompt(prompt)
            self.notify("Your unsent draft from last time.", title="Draft")

    def _bring_notes_back(self, draft: PromptDraft) -> None:
        """Go on with the notes on lines of an earlier run, wherever these lines are now."""
        found = [note for kept in draft.line_notes if (note := line_notes.note_of(kept)) is not None]
        if found:
            notes = self._conversation.line_notes
            notes.add(*found)
            self.run_worker(notes.follow(), group="notes")
            said = "Your unsent note" if len(found) == 1 else f"Your {len(found)} unsent notes"
            self.notify(f"{said} from last time.", title="Notes")

    # ------------------------------------------------------------------ history, editor, clipboard

    def on_prompt_box_open_requested(self, event: PromptBox.OpenRequested) -> None:
        """Open the history or the editor, or paste."""
        if event.what == "history":
            self._choose_prompt()
        elif event.what == "editor":
            editor.begin(self.app, self._edit)
        elif event.what == "clipboard":
            self._paste()

    @work(group="paste")
    async def _paste(self) -> None:
        """Mention the image on the clipboard; without one, insert the text that was copied in acp-tui."""
        env = {} if self.app.is_headless else os.environ  # tests must not read the user's clipboard
        programs = image_programs(env)
        pasted, has_come = "", False
        try:
            folder = data_folder() / "clipboard"
            image = (
                await asyncio.to_thread(clipboard_images.take_image, programs, folder) if programs else None
            )
            pasted = f"{mention_of(from_home(str(image)))} " if image is not None else self.app.clipboard
            has_come = bool(pasted)
        except OSError as error:
            self._tell_not_pasted(f"The image cannot be kept: {error.strerror or error}.", "warning")
        else:
            if not has_come:
                advice = "" if programs else " To paste images, install wl-paste, xclip or pngpaste."
                own = "To paste text, use your terminal's own key."
                self._tell_not_pasted(f"Nothing to paste.{advice} {own}", "information")
        finally:
            self.box.end_paste(pasted, has_come=has_come)

    def _tell_not_pasted(self, why: str, severity: SeverityLevel) -> None:
        but = " The prompt was not sent." if self.box.is_deferred else ""
        self.notify(f"{why}{but}", severity=severity)

    def _choose_prompt(self) -> None:
        past = self.box.past
        past.read()

        def chosen(key: str | None) -> None:
            if key is not None:
                self.box.show_prompt(prompts[int(key)])

        prompts = list(past.prompts)
        self.app.push_screen(prompt_history.PastPrompts(prompts, self._theme_styles), chosen)

    async def _edit(self) -> None:
        """Edit the prompt in the user's editor."""
        prompt = self.box.prompt
        text, problem = await editor.edit(self.app, prompt.text)
        if text != prompt.text:
            self.box.show_prompt(Prompt(text, prompt.chips))
        if problem:
            self.notify(problem, title="Editor", severity="warning", timeout=15)
        self.box.focus()


_DEFERRED: Final = "Sent as soon as the clipboard has been read. Go on typing to keep it."
_QUEUED: Final = 4
"""Most queued prompts that are shown."""
_NOTE: Final = 8
"""Most rows of the note."""


def strip(notes: LineNotes) -> str:
    """Return the number of line notes for the next prompt, and of those whose lines are gone."""
    if not notes:
        return ""
    said = "1 note goes" if len(notes) == 1 else f"{len(notes)} notes go"
    gone = sum(note.state == "gone" for note in notes.notes.values())
    return f"{said} with the next prompt" + (f", {gone} on lines that are gone" if gone else "")


def pending_rows(
    conversation: Conversation, width: int, key: Callable[[str], str], symbol: str = ""
) -> list[StatusRow]:
    """Return the rows of the notes for the next prompt and of the newest queued prompts.

    `key` returns the key of an action; `symbol` precedes line notes.
    """
    note = conversation.rejections.note()
    lines: list[StatusRow] = []
    if note:
        lines.append(
            ([("muted", "sent with your next prompt")], [("muted", f"{key('session.drop-note')} discard")])
        )
    for line in note.splitlines():
        parts = wrap(safe_line(line), max(10, width - 4), subsequent_indent="  ")
        lines += [([("muted", "  "), ("notice", part)], []) for part in parts]
    if len(lines) > _NOTE:
        lines[_NOTE - 1 :] = [([("muted", f"  {len(lines) - _NOTE + 1} more lines")], [])]
    if notes := strip(conversation.line_notes):
        lines.append(
            ([("warning", f"{symbol} "), ("notice", notes)], [("muted", f"{key('session.notes')} edit")])
        )
    given: list[StatusRow] = [
        ([("muted", "given  "), ("text", safe_line(prompt.text))], [])
        for prompt in conversation.prompts.given
    ]
    queued: list[StatusRow] = [
        ([("muted", "queued "), ("text", safe_line(prompt.text)), *_mark(prompt)], [])
        for prompt in conversation.prompts.queue[-_QUEUED:]
    ]
    if queued:
        queue, edit, send = map(key, ("session.queue", "session.edit-queue", "session.send-now"))
        does = f" · {send} {'steer' if conversation.accepts_text else 'send now'}"
        waits = conversation.can_steer and not conversation.accepts_text
        queued[-1] = (
            queued[-1][0],
            [("muted", f"{queue} reorder · {edit} edit{'' if waits else does}")],
        )
    return [*lines, *given, *queued]


def _mark(prompt: Prompt) -> list[Piece]:
    return [("muted", "  for this turn")] if prompt.steers else []
