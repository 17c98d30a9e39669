"""The prompt box: text, chips for pasted text, history, and shell commands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import ClassVar, Final

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.events import Key, Paste
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widgets import TextArea
from textual.widgets.text_area import Edit, EditResult, Selection
from typing_extensions import override

from acp_tui.store.prompts import CHIP, Prompt, PromptHistory, lines_of
from acp_tui.ui.widgets.delay import after
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.text import safe_line
from acp_tui.ui.widgets.text_area import PlainTextArea
from acp_tui.ui.widgets.textual_internals import bindings_of, draw_now, mark_rows

BLINKING: Final = 10.0
"""Seconds after a key for which the cursor blinks."""

CHIP_LINES: Final = 10
"""Lines from which on a pasted text becomes a chip."""

CHIP_LENGTH: Final = 1000
"""Characters from which on a pasted text becomes a chip."""


KEYS_FROM_PANES: Final = frozenset(
    f"prompt.{name}" for name in ("history", "editor", "paste", "stash", "open-chip", "command")
)
"""Names of the keys that also lead to the prompt; those left out may mean something else in a pane."""


class PromptBox(PlainTextArea):
    """A text area for prompts: Enter sends, other keys insert a line, up and down recall old prompts.

    Long pasted texts are chips, `[pasted 84 lines #1]`: edited as one character, sent in full. A `!` that is
    typed first makes the line a shell command; pasted or recalled, it is text.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"prompt-box--chip"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", "Send", id="prompt.send"),
        Binding("shift+enter,ctrl+j,alt+enter", "other_enter", "New line", id="prompt.new-line"),
        Binding("tab", "complete", "Complete", id="prompt.complete", show=False),
        Binding("ctrl+r", "request_open('history')", "History", id="prompt.history"),
        Binding("ctrl+g", "request_open('editor')", "Edit in $EDITOR", id="prompt.editor"),
        Binding(
            "ctrl+v",
            "request_open('clipboard')",
            "Paste an image or copied text",
            id="prompt.paste",
            show=False,
        ),
        Binding("ctrl+d", "delete_or_leave", "Delete, or quit if empty", id="prompt.leave", show=False),
        Binding("ctrl+s", "stash", "Stash / restore draft", id="prompt.stash"),
        Binding("pageup", "page(-1)", "Page up in the chat", id="prompt.page-up", show=False),
        Binding("pagedown", "page(1)", "Page down in the chat", id="prompt.page-down", show=False),
        Binding("alt+o", "open_chip", "Expand pasted text", id="prompt.open-chip"),
        Binding("alt+m", "toggle_command", "Toggle command / prompt", id="prompt.command", show=False),
    ]

    @dataclass
    class Submitted(Message):
        """The user sent a prompt; the box is empty now."""

        box: PromptBox
        prompt: Prompt

        @property
        def control(self) -> PromptBox:
            """The box."""
            return self.box

    @dataclass
    class CompletionMoved(Message):
        """The user wants the completion `step` places below."""

        step: int

    @dataclass
    class CompletionTaken(Message):
        """The user took the marked completion, by Tab or Enter."""

        by_enter: bool = False

    @dataclass
    class PageTurned(Message):
        """The user turns pages of the chat: down, or up if `pages` is negative."""

        pages: int

    @dataclass
    class OpenRequested(Message):
        """The user wants the `history`, the `editor`, the `help`, the `clipboard`, or to `leave`."""

        what: str

    class SendDeferred(Message):
        """The prompt is sent once the paste has arrived, or no longer."""

    class ChatWanted(Message):
        """The user wants the last block of the chat."""

    @dataclass
    class PathWanted(Message):
        """The user wants the path before the cursor completed."""

        before: str
        """The text of the line before the cursor."""

    def __init__(
        self,
        *,
        enter_sends: bool = True,
        history: PromptHistory | None = None,
        dropped: Callable[[str], str | None] = lambda _: None,
        is_folded: Callable[[str], bool] = lambda _: False,
        id: str | None = None,
    ) -> None:
        """Make an empty box.

        Args:
            enter_sends: True if Enter sends, False if it inserts a line.
            history: the earlier prompts.
            dropped: returns the mention for a pasted path of a file, None for other text.
            is_folded: returns whether a short pasted text still becomes a chip.
            id: the id of the widget.
        """
        super().__init__(
            "", soft_wrap=True, show_line_numbers=False, id=id, compact=True, highlight_cursor_line=False
        )
        self.enter_sends = enter_sends
        self._blinks = True
        self.set_reactive(TextArea.cursor_blink, False)
        self._is_blink = False
        """True while a blink of the cursor is drawn."""
        self._stirred = 0.0
        """Monotonic time of the last key or click."""
        self._empty = ""
        self.completing = False
        """True while completions are shown, which take up, down, Tab and Enter."""
        self.stashed: Prompt | None = None
        """The stashed draft."""
        self._chips: dict[str, str] = {}
        self.past = history or PromptHistory(None)
        """The earlier prompts."""
        self._dropped = dropped
        self._is_folded = is_folded
        self._place: int | None = None
        self._draft = Prompt("")
        self._recalled = ""
        """The text of the last shown earlier prompt."""
        self._pastes: list[str] = []
        """For each paste that is being read, the text before it."""
        self._deferred: bool | None = None
        """Set while sending waits for a paste: True for a prompt that is meant for the running turn."""
        self._bang: int | None = None
        """Column of the `!` that makes the first line a command."""
        self._begun: int | None = None
        """Column at which such a `!` is about to be typed."""

    # ------------------------------------------------------------------ the cursor

    @property
    def blinks(self) -> bool:
        """True if the cursor blinks while the user is there."""
        return self._blinks

    @blinks.setter
    def blinks(self, blinks: bool) -> None:
        self._blinks = blinks
        self.cursor_blink = False
        if self.is_running:
            self._stir()

    def on_focus(self) -> None:
        """Let the cursor blink again."""
        self._stir()

    def _stir(self) -> None:
        """Let the cursor blink for a while, then stop: each blink costs a frame even if nobody watches."""
        self._stirred = monotonic()
        if self._blinks and not self.cursor_blink:
            self.cursor_blink = True
            after(self, BLINKING, self._rest)

    @override
    def _toggle_cursor_blink_visible(self) -> None:
        # Textual asks for the row twice, and draws it four messages and a timer later: each blink of a second
        # took as much as two frames of text.
        if self.screen.is_active:
            self.set_reactive(TextArea._cursor_visible, not self._cursor_visible)
            mark_rows(self, [Region(0, self._cursor_offset[1] - self.scroll_offset.y, self.size.width, 1)])
            self._is_blink = True
            draw_now(self.screen)
            self._is_blink = False

    @override
    def render_lines(self, crop: Region) -> list[Strip]:
        if self._is_blink:  # past the theme's look at nine styles, of which none has changed
            return super(TextArea, self).render_lines(crop)
        return super().render_lines(crop)

    def _rest(self) -> None:
        left = self._stirred + BLINKING - monotonic()
        if left <= 0:
            self.cursor_blink = False
        elif self.cursor_blink:
            after(self, left, self._rest)

    # ------------------------------------------------------------------ content

    @property
    def prompt(self) -> Prompt:
        """The prompt as edited."""
        return self._prompt(self.text, self.is_command)

    def _prompt(self, text: str, is_command: bool = False) -> Prompt:
        chips = {chip: self._chips[chip] for chip in CHIP.findall(text) if chip in self._chips}
        return Prompt(text, chips, is_command)

    @property
    def is_command(self) -> bool:
        """True for a shell command: one line after a `!` that was typed first."""
        if self._bang is None or self.document.line_count > 1:
            return False
        return "\n" not in self._prompt(self.line_at(0)[self._bang :]).whole.strip()

    @property
    def is_command_elsewhere(self) -> bool:
        """True if the text begins with a `!` that was not typed, and so is no command."""
        return not self.is_command and self.text.lstrip()[:1] == "!"

    @property
    def before(self) -> str:
        """The text of the current line before the cursor."""
        row, column = self.cursor_location
        return self.line_at(row)[:column]

    @property
    def after(self) -> str:
        """The text of the current line after the cursor."""
        row, column = self.cursor_location
        return self.line_at(row)[column:]

    @override
    def edit(self, edit: Edit) -> EditResult:
        if self._bang is not None and min(edit.from_location, edit.to_location) <= (0, self._bang):
            self._bang = None
        self._defer(None)
        return super().edit(edit)

    @override
    def _set_document(self, text: str, language: str | None) -> None:
        self._bang = None
        super()._set_document(text, language)

    def complete(self, length: int, text: str) -> None:
        """Replace the `length` characters before the cursor."""
        row, column = self.cursor_location
        self._put(text, (row, column - length), (row, column))

    def replace_all(self, text: str) -> None:
        """Replace all text, with the cursor at the end; undo restores the old text."""
        self._put(text, self.document.start, self.document.end)

    def show_prompt(self, prompt: Prompt) -> None:
        """Replace the text by a prompt; undo restores the old text."""
        self.replace_all(self._own(prompt))
        if prompt.is_command and prompt.text[:1] == "!":
            self._bang = 0

    def give_back(self, prompt: Prompt) -> None:
        """Put a prompt that could not be sent before the text."""
        if not self.text.strip():
            self.show_prompt(prompt)
            return
        self.replace_all(f"{self._own(prompt)}\n{self.text}")

    def add_chip(self, about: str, text: str) -> None:
        """Insert a chip labelled `about` at the cursor, or before a command."""
        chip = f"{self._chip(f'[{safe_line(about)}', text)} "
        bang = self._bang
        if self.is_command and bang is not None:
            self.insert(chip, (0, bang), maintain_selection_offset=True)
            self._bang = bang + len(chip)
        else:
            self.insert(chip)

    def write(self, typed: str) -> None:
        """Insert text that was typed while the focus was elsewhere."""
        self._begin_command(typed)
        self.insert(typed)
        self._commanded()

    def _begin_command(self, typed: str) -> None:
        """Remember a `!` that is typed with nothing but chips before it: it makes a command."""
        rest = self.text
        for chip in self.prompt.chips:
            rest = rest.replace(f"{chip} ", "").replace(chip, "")
        is_first = typed == "!" and not rest and not self.after and self.selection.is_empty
        self._begun = self.cursor_location[1] if is_first else None

    def _commanded(self) -> None:
        """Make the line a command if the `!` was inserted."""
        begun, self._begun = self._begun, None
        if begun is not None and self.line_at(0)[begun : begun + 1] == "!":
            self._bang = begun

    # ------------------------------------------------------------------ keys

    async def _on_key(self, event: Key) -> None:
        """Handle the bindings here, in order: through the app, Enter would overtake earlier keys."""
        self._stir()
        bindings = bindings_of(self)
        # Bindings with a name of acp-tui precede those of Textual's field.
        for binding in sorted(bindings.key_to_bindings.get(event.key, ()), key=lambda one: not one.id):
            if await self.app.run_action(binding.action, self):  # otherwise it is for the screen
                event.stop()
            event.prevent_default()
            return
        if event.character == "?" and not self.text:
            event.stop()
            event.prevent_default()
            self.action_request_open("help")
        elif event.character == "!":
            self._begin_command("!")
            await super()._on_key(event)
            event.prevent_default()  # of doing the same once more
            self._commanded()

    async def _on_paste(self, event: Paste) -> None:
        """Insert a long text as a chip, a dropped file as a mention, other text as it is."""
        text = event.text.replace("\r\n", "\n").replace("\r", "\n")
        mention = self._dropped(text)
        if mention is not None:
            event.prevent_default()
            self.insert(f"{mention} ")
        elif text.count("\n") >= CHIP_LINES or len(text) > CHIP_LENGTH or self._is_folded(text):
            event.prevent_default()
            self.insert(f"{self._chip(f'[pasted {lines_of(text)}', text)} ")

    def action_enter(self) -> None:
        """Send or insert a line, as configured."""
        if self.completing:
            self.post_message(self.CompletionTaken(by_enter=True))
        elif self.enter_sends and self._ends_with_backslash:
            self.complete(1, "\n")
        elif self.enter_sends:
            self.action_send()
        else:
            self.insert("\n")

    @property
    def _ends_with_backslash(self) -> bool:
        """True after a single backslash: Enter then inserts a line, as in shells."""
        before = self.before
        ends = (len(before) - len(before.rstrip("\\"))) % 2 == 1
        return ends and not self.is_command and self.selection.is_empty

    def action_other_enter(self) -> None:
        """Insert a line or send, the opposite of Enter."""
        if self.enter_sends:
            self.insert("\n")
        else:
            self.action_send()

    def action_complete(self) -> None:
        """Take the marked completion, else complete a path; the focus stays."""
        if self.completing:
            self.post_message(self.CompletionTaken())
        else:
            self.post_message(self.PathWanted(self.before))

    def action_delete_or_leave(self) -> None:
        """Delete the character under the cursor; in an empty prompt, leave."""
        if self.text:
            self.action_delete_right()
        else:
            self.action_request_open("leave")

    @override
    def action_cursor_up(self, select: bool = False) -> None:
        if self.completing and not select:
            self.post_message(self.CompletionMoved(-1))
        elif select and not self.text:
            self.post_message(self.ChatWanted())
        elif not select and self.cursor_at_first_line:
            self._recall(-1)
        else:
            super().action_cursor_up(select)

    @override
    def action_cursor_down(self, select: bool = False) -> None:
        if self.completing and not select:
            self.post_message(self.CompletionMoved(1))
        elif not select and self.cursor_at_last_line and self._place is not None:
            self._recall(1)
        else:
            super().action_cursor_down(select)

    def action_page(self, pages: int) -> None:
        """Turn a page of a long text, or at its edges of the chat."""
        if self.cursor_at_first_line if pages < 0 else self.cursor_at_last_line:
            self.post_message(self.PageTurned(pages))
        elif pages < 0:
            self.action_cursor_page_up()
        else:
            self.action_cursor_page_down()

    @override
    def action_delete_left(self) -> None:
        chips = self._chips_in_line()
        chip, start = chips[-1] if chips else ("", -1)
        if self.selection.is_empty and start + len(chip) == self.cursor_location[1]:
            self.complete(len(chip), "")
        else:
            super().action_delete_left()

    def action_toggle_command(self) -> None:
        """Turn a command into a prompt, or a prompt of one line into a command."""
        if self.is_command:
            self._bang = None
        else:
            text = self._prompt(self.text.strip()).whole
            if "\n" in text:
                self.notify("Several lines are not a command: they go to the agent.")
                return
            line = self.text.strip()
            self.replace_all(line if line.startswith("!") else f"!{line}")
            self._bang = 0
        self.post_message(self.Changed(self))

    @override
    def undo(self) -> None:
        self._with_cursor_aside(super().undo)

    @override
    def redo(self) -> None:
        self._with_cursor_aside(super().redo)

    def action_open_chip(self) -> None:
        """Replace the chip at or before the cursor, also in a line above, by its text."""
        here, column = self.cursor_location
        for row in range(here, -1, -1):
            found = [one for one in CHIP.finditer(self.line_at(row)) if one[0] in self._chips]
            chips = [one for one in found if row < here or one.start() <= column]
            if chips:
                self._put(self._chips[chips[-1][0]], (row, chips[-1].start()), (row, chips[-1].end()))
                return

    def action_stash(self) -> None:
        """Stash the draft, or restore the stashed one, or swap them."""
        here = self._prompt(self.text) if self.text.strip() else None
        self.stashed, there = here, self.stashed
        self.show_prompt(there or Prompt(""))
        self._show_placeholder()

    def on_resize(self) -> None:
        """Fit the placeholder into one row."""
        self._show_placeholder()

    def show_when_empty(self, text: str) -> None:
        """Set the placeholder."""
        self._empty = text
        self._show_placeholder()

    def _show_placeholder(self) -> None:
        text = self._empty
        if self.stashed is not None:
            text = f"Draft stashed: {key_of(self, 'prompt.stash')} restores it"
        room = self.content_size.width
        self.placeholder = f"{text[: room - 1]}…" if 0 < room < len(text) else text

    def action_request_open(self, what: str) -> None:
        """Post `OpenRequested`."""
        if what == "clipboard":
            self._pastes.append(self.document.get_text_range((0, 0), self.cursor_location))
        self.post_message(self.OpenRequested(what))

    @property
    def is_deferred(self) -> bool:
        """True while sending waits for a paste."""
        return self._deferred is not None

    def end_paste(self, text: str, *, has_come: bool = True) -> None:
        """Insert a paste where it was requested, and send if sending has waited for it.

        `has_come`: False if there was nothing; then nothing is sent.
        """
        before, steers = self._pastes.pop(0), self._deferred
        if text and not self.selection.is_empty:
            self._put(text, *self.selection)
        elif text:
            lines = before.split("\n")
            there = (len(lines) - 1, len(lines[-1]))
            self.insert(text, there if self.text.startswith(before) else None)
        if steers is None:
            return
        if self._pastes and has_come:
            self._defer(steers)  # move the places of other pastes, too
            return
        self._defer(None)
        if has_come:
            self.action_send(steers=steers)

    def _defer(self, steers: bool | None) -> None:
        if self._deferred != steers:
            self._deferred = steers
            self.post_message(self.SendDeferred())

    def action_send(self, *, steers: bool = False) -> None:
        """Send the prompt, or a command without the chips before it; nothing if it is blank.

        It waits for a paste that is being read, unless the user keeps typing.

        `steers`: it is meant for the running turn.
        """
        if self._pastes:
            self._defer(steers)
            return
        before, text = "", self.text
        is_command = self.is_command
        if is_command:
            before, text = text[: self._bang], text[self._bang :]
        prompt = self._prompt(text.strip(), is_command)
        if not prompt.text or prompt.text == "!":
            return
        self.past.add(prompt)
        self._place = None
        self.load_text(before)
        self.move_cursor(self.document.end)
        self.post_message(self.Submitted(self, prompt._replace(steers=steers)))

    # ------------------------------------------------------------------ chips and the history

    @override
    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        for found in CHIP.finditer(self.line_at(line_index)):
            if found[0] in self._chips:
                style = self.get_component_rich_style("prompt-box--chip", partial=True)
                line.stylize(style, found.start(), found.end())
        return line

    def _put(self, text: str, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Replace a range, with the cursor after it."""
        self.move_cursor(self.replace(text, start, end, maintain_selection_offset=False).end_location)

    def _with_cursor_aside(self, change: Callable[[], None]) -> None:
        """Make a change with the cursor at the start: Textual would look for it in removed lines."""
        text, before = self.text, self.selection
        self.selection = Selection.cursor((0, 0))
        self._bang = None  # the restored text may have been pasted
        change()
        if self.text == text:  # nothing was changed
            self.selection = before

    def _recall(self, step: int) -> None:
        """Show the previous or next prompt of the history; the draft follows the newest.

        An earlier prompt that was edited is a draft itself; one that was emptied leaves the draft before.
        """
        if self._place is None or self.text != self._recalled:
            self.past.read()
            if self._place is None or self.text.strip():
                self._draft = self.prompt
            self._place = len(self.past.prompts)
            if step > 0:
                self._place -= 1  # below the draft there is nothing newer
        place = self._place + step
        if place < 0:
            return
        is_draft = place >= len(self.past.prompts)
        self._place = None if is_draft else place
        self.show_prompt(self._draft if is_draft else self.past.prompts[place])
        self._recalled = self.text

    def _own(self, prompt: Prompt) -> str:
        """Return the text of an earlier prompt, with its chips registered in this box."""

        def own(label: str) -> str:
            text = prompt.chips.get(label)
            return label if text is None else self._chip(label.rpartition(" #")[0], text)

        return CHIP.sub(lambda found: own(found[0]), prompt.text)

    def _chip(self, about: str, text: str) -> str:
        """Return the chip for a text, with its own number or the first free one."""
        number = 1
        while self._chips.setdefault(f"{about} #{number}]", text) != text:
            number += 1
        return f"{about} #{number}]"

    def _chips_in_line(self) -> list[tuple[str, int]]:
        """Return the chips of the current line up to the cursor as (chip, column)."""
        row, column = self.cursor_location
        found = CHIP.finditer(self.line_at(row))
        return [(one[0], one.start()) for one in found if one[0] in self._chips and one.start() <= column]
