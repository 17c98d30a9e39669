"""The tool call screen: texts, differences, terminals, input and output, page by page."""

from __future__ import annotations

import re
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, ClassVar, Final, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.widget import Widget
from typing_extensions import override

from acp_tui.conversation.edit_places import EditPlaces
from acp_tui.conversation.line_notes import LineNotes
from acp_tui.formatting import inside
from acp_tui.lazy_regex import regex
from acp_tui.protocol.schema import (
    ContentItem,
    EmbeddedResource,
    ImageContent,
    SessionItem,
    TerminalItem,
    UnknownItem,
)
from acp_tui.session.entries import Diff, Item, Text, ToolCall, absolute
from acp_tui.ui.entries.messages import card, picture
from acp_tui.ui.entries.tool_call import call_pieces
from acp_tui.ui.entries.tool_call_words import call_title, operation_words
from acp_tui.ui.screens.base.full_screens import FullScreen
from acp_tui.ui.screens.base.menu import MenuItem, MenuOwner, choose
from acp_tui.ui.screens.review.notes import FileNotes
from acp_tui.ui.widgets.diff.noted_view import NotedDiffView
from acp_tui.ui.widgets.diff.rows import NOT_SHOWN, FileDiff
from acp_tui.ui.widgets.diff.view import DiffView
from acp_tui.ui.widgets.markdown.stream import MarkdownBlock
from acp_tui.ui.widgets.rows.row_view import StatusRow, StatusRows
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.terminal.output_block import OutputBlock
from acp_tui.ui.widgets.terminal.view import TerminalView
from acp_tui.ui.widgets.text import exact_line
from acp_tui.ui.widgets.transcript.blocks import Block, Piece, TextBlock
from acp_tui.ui.widgets.transcript.json_block import JsonBlock
from acp_tui.ui.widgets.transcript.picture import has_pictures
from acp_tui.ui.widgets.transcript.transcript import Transcript
from acp_tui.workspace.terminals import Terminal

Kind = Literal["text", "diff", "terminal", "json"]

_MARKDOWN: Final = regex(r"[`*_#>|\[\]~\\&]|://|^[ \t]*[-+]|^[ \t]*\d+[.)]\s|^[ \t]*=+[ \t]*$", re.MULTILINE)
"""Marks of Markdown; a text without any keeps its line ends."""


@dataclass(frozen=True)
class CallPage:
    """A page: consecutive content of one kind."""

    name: str
    """Name, unique among the pages of a call."""
    kind: Kind
    items: Sequence[Any] = field(default_factory=list)
    """Content items; for `json`, the one value."""


class KeptOutput(Text):
    """The output of a terminal, which is not Markdown."""


def pages(call: ToolCall) -> list[CallPage]:
    """Return the pages of a call: its content in order, then the tool's input and output."""
    found = list(_content_pages([_kept(item, call) for item in call.content]))
    if call.raw_input is not None:
        found.append(CallPage("raw input", "json", [call.raw_input]))
    if call.raw_output is not None:
        found.append(CallPage("raw output", "json", [call.raw_output]))
    if call.meta:
        found.append(CallPage("_meta", "json", [call.meta]))
    return found or [CallPage("text", "text")]


def _kept(item: Item, call: ToolCall) -> Item:
    """Return the output of a terminal that the agent runs, or ran, as text; other items unchanged."""
    is_kept = isinstance(item, TerminalItem) and call.output is not None
    return KeptOutput(str(call.output) or "(no output)") if is_kept else item


def blocks(page: CallPage, redraw: Callable[[Block], None] | None = None) -> list[Block]:
    """Return the blocks of a page of texts or JSON, or of a terminal that no longer exists.

    `redraw` is called when a picture is decoded; without it pictures are only described.
    """
    if page.kind == "json":
        return [JsonBlock(page.items[0])]
    if page.kind == "terminal":  # a terminal that exists is shown in a terminal view
        return [TextBlock([("notice", "The output of this terminal was not kept.")])]
    if not page.items:
        return [TextBlock([("notice", "The agent has not reported anything yet.")])]
    return [_block(item, redraw) for item in page.items]


def _content_pages(content: Sequence[Item]) -> Iterator[CallPage]:
    names: Counter[str] = Counter()
    for kind, run in groupby(content, key=_kind):
        items = list(run)
        for together in [items] if kind != "terminal" else [[item] for item in items]:
            names[kind] += 1
            yield CallPage(kind if names[kind] == 1 else f"{kind} {names[kind]}", kind, together)


def _kind(item: Item) -> Kind:
    if isinstance(item, Diff):
        return "diff"
    return "terminal" if isinstance(item, TerminalItem) else "text"


def _block(
    item: Text | ContentItem | SessionItem | UnknownItem, redraw: Callable[[Block], None] | None
) -> Block:
    if isinstance(item, UnknownItem):
        return JsonBlock(item.raw)
    if isinstance(item, SessionItem):
        return TextBlock([("muted", f"session {item.session_id}")])
    if isinstance(item, KeptOutput):
        return OutputBlock(item.text)
    if isinstance(item, Text):
        return _text(item.text)
    content = item.content
    if isinstance(content, EmbeddedResource) and content.resource.text is not None:
        return OutputBlock(content.resource.text)
    if isinstance(content, ImageContent) and redraw is not None:
        return picture(content, redraw)
    return card(content)


def _text(text: str) -> Block:
    """Return a text as Markdown, as the protocol says, unless it is clearly program output."""
    has_lines = "\n" in text.strip()
    if "\x1b" in text or "\r" in text.replace("\r\n", "\n") or (has_lines and not _MARKDOWN.search(text)):
        return OutputBlock(text)
    block = MarkdownBlock(text)
    block.finish()
    return block


_SIGNALS: Final = (
    (signal.SIGINT, "interrupt, like Ctrl+C"),
    (signal.SIGTERM, "ask it to exit"),
    (signal.SIGHUP, "terminal closed; some programs reload their settings"),
    (signal.SIGQUIT, "quit with a core dump, like Ctrl+\\"),
    (signal.SIGSTOP, "pause"),
    (signal.SIGCONT, "continue"),
    (signal.SIGUSR1, "defined by the program"),
    (signal.SIGUSR2, "defined by the program"),
    (signal.SIGKILL, "kill it at once"),
)


async def choose_signal(owner: MenuOwner, terminal: Terminal) -> None:
    """Let the user choose a signal for the foreground of a terminal, and send it."""
    items = [MenuItem(number.name, number.name, words) for number, words in _SIGNALS]
    name = await choose(owner, "Signal", items)
    if name is not None:
        terminal.signal(signal.Signals[name])


_LOCATIONS: Final = 3
"""Most lines of locations in the header."""


class ToolCallScreen(FullScreen[None]):
    """Shows a tool call page by page; call `refresh_call` after each of its changes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Close", id="call.close"),
        Binding("tab", "turn(1)", "Next page", id="call.next-page"),
        Binding("shift+tab", "turn(-1)", "Previous page", show=False, id="call.previous-page"),
        Binding("c", "copy", "Copy", id="call.copy"),
        Binding("S", "signal", "Send a signal", id="call.signal"),
        Binding("K", "kill", "Kill the command", id="call.kill"),
        Binding("z", "zoom", "Zoom", id="call.zoom"),
    ]

    def __init__(
        self,
        call: ToolCall,
        terminals: Callable[[str], Terminal | None],
        cwd: str = "",
        styles: Styles | None = None,
        edits: EditPlaces | None = None,
        notes: LineNotes | None = None,
    ) -> None:
        """Show a tool call.

        Args:
            call: the tool call, which may still change.
            terminals: returns a terminal by its id, or None.
            cwd: the workspace; paths are shown relative to it.
            styles: the theme's styles.
            edits: locates edits in their files.
            notes: the user's notes on lines; None: notes are not possible.
        """
        super().__init__(styles)
        self._edits = edits
        self._notes = notes
        self._call = call
        self._terminals = terminals
        self._cwd = cwd
        self._now: float | None = None
        self._pages: list[CallPage] = []
        self._views: dict[str, Widget] = {}
        self._current = ""

    @override
    def compose_content(self) -> ComposeResult:
        yield StatusRows(self.theme_styles, id="pages")
        yield Container(id="page")

    def on_mount(self) -> None:
        """Open the first page."""
        self.refresh_call()

    def refresh_call(self, now: float | None = None) -> None:
        """Show changes of the call; `now` is the time on the clock of the session's events, while it runs."""
        self._now = now if now is not None else self._now
        before = {page.name: page for page in self._pages}
        self._pages = pages(self._call)
        names = [page.name for page in self._pages]
        for name in [name for name in self._views if name not in names]:
            self._views.pop(name).remove()
        for page in self._pages:
            if page.name in self._views and before.get(page.name) != page:
                self._fill(self._views[page.name], page)
        self._open(self._current if self._current in names else names[0])

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("kill", "signal"):
            terminal = self._terminal()
            return terminal is not None and terminal.exit_status is None
        return action != "turn" or len(self._pages) > 1

    def on_status_rows_clicked(self, event: StatusRows.Clicked) -> None:
        """Open the page with the clicked name."""
        if event.lines.id == "pages" and 0 <= event.piece < len(self._pages):
            self._open(self._pages[event.piece].name)

    def action_turn(self, step: int) -> None:
        """Open the next or the previous page."""
        names = [page.name for page in self._pages]
        self._open(names[(names.index(self._current) + step) % len(names)])

    def action_copy(self) -> None:
        """Copy the page."""
        self.app.copy_to_clipboard(self._text())
        self.notify(f"{self._current.capitalize()} copied.")

    def action_kill(self) -> None:
        """Kill the command of the terminal; the turn goes on."""
        terminal = self._terminal()
        if terminal is not None:
            self.run_worker(terminal.kill(), group="kill")

    def action_signal(self) -> None:
        """Let the user choose a signal for the foreground of the terminal."""
        terminal = self._terminal()
        if terminal is not None:
            self.run_worker(choose_signal(self, terminal), group="menu", exclusive=True)

    def action_zoom(self) -> None:
        """Zoom the page, or end the zoom."""
        self.toggle_class("-zoomed")

    # pages

    def _page(self) -> CallPage:
        return next(page for page in self._pages if page.name == self._current)

    def _open(self, name: str) -> None:
        """Show a page; its view is created when it is first opened."""
        turned = name != self._current or name not in self._views
        self._current = name
        if name not in self._views:
            page = self._page()
            view = self._views[name] = self._view(page)
            self.query_one("#page").mount(view)
            self.call_after_refresh(self._fill, view, page)  # a terminal view attaches once it is mounted
        for other, view in self._views.items():
            view.display = other == name
        if turned:
            self._views[name].focus()
        self._show_head()
        self.refresh_bindings()

    def _view(self, page: CallPage) -> Widget:
        if page.kind == "diff":
            return NotedDiffView((), self.theme_styles, notebook=self._notebook(page))
        if page.kind == "terminal" and self._terminals(page.items[0].terminal_id) is not None:
            return TerminalView(self.theme_styles)
        return Transcript(self.theme_styles)

    def _notebook(self, page: CallPage) -> FileNotes | None:
        """Return the notes on the files of a page."""
        if self._notes is None:
            return None
        paths = [absolute(diff.path, self._cwd) for diff in page.items]
        return FileNotes(self._notes, self._cwd, paths.__getitem__, are_proposed=not self._call.is_final)

    @on(NotedDiffView.NotesChanged)
    def _look_at_notes(self) -> None:
        """Load whole files for notes, which need more than the call shows."""
        if self._notes is not None:
            self.app.run_worker(self._notes.follow(), group="notes")

    def _fill(self, view: Widget, page: CallPage) -> None:
        match view:
            case DiffView():
                view.show([self._file_diff(diff, view, page) for diff in page.items])
            case TerminalView():
                terminal = self._terminals(page.items[0].terminal_id)
                if terminal is not None:
                    view.attach(terminal)
            case Transcript():
                self._write(view, page)

    def _file_diff(self, diff: Diff, view: DiffView, page: CallPage) -> FileDiff:
        """Return a diff at its place in the file; after a search it is shown again."""
        path, old, words = inside(diff.path, self._cwd), diff.before, operation_words(diff, self._cwd)
        if diff.has_no_text:
            return FileDiff(path, *NOT_SHOWN, words, None)
        edit = None
        if self._edits is not None:
            may_be_done = self._call.is_final and self._call.status != "rejected"
            edit = self._edits.look(diff, may_be_done=may_be_done, then=lambda: self._show_placed(view, page))
        if edit is None:
            return FileDiff(path, old, diff.new_text, words, None if old is not None else 1)
        note = ", ".join(filter(None, (words, edit.note)))
        return FileDiff(path, edit.old, edit.new, note, edit.first_line)

    def _show_placed(self, view: DiffView, page: CallPage) -> None:
        files = [self._file_diff(diff, view, page) for diff in page.items] if view.is_attached else []
        if files and files != [compared.file for compared in view.files]:
            view.show_again(files)

    def _write(self, view: Transcript, page: CallPage) -> None:
        """Fill a transcript with the blocks of a page, from its start."""
        view.clear()
        pictures = has_pictures(self.app, self.theme_styles)
        for block in blocks(page, view.changed if pictures else None):
            view.append(block)
        self.call_after_refresh(view.action_scroll_start)

    def _terminal(self) -> Terminal | None:
        if not self._current or self._page().kind != "terminal":
            return None
        return self._terminals(self._page().items[0].terminal_id)

    def _text(self) -> str:
        view = self._views[self._current]
        if isinstance(view, TerminalView):
            return view.text()
        if isinstance(view, DiffView):
            return view.patch()
        return "\n".join(block.source() for block in blocks(self._page()))

    # the header

    def _show_head(self) -> None:
        left, right = call_pieces(self._call, self._cwd, self.theme_styles, self._now)
        facts: list[StatusRow] = [([("text", " "), *left], [*right, ("text", " ")])]
        command = self._call.command
        if command is not None and " ".join(command.split()) not in call_title(self._call, self._cwd):
            facts.append(([("muted", "   $ "), ("code", exact_line(" ".join(command.split())))], []))
        if self._call.name and self._call.name not in call_title(self._call, self._cwd):
            facts.append(([("muted", f"   tool {self._call.name}")], []))
        if self._call.decision:
            facts.append(([("muted", f"   {self._call.decision}")], []))
        self.show_title(*facts, *self._places())
        self.query_one("#pages", StatusRows).set_rows([(self._tabs(), [])])

    def _places(self) -> list[StatusRow]:
        """Return the locations of the call."""
        places = [
            inside(location.path, self._cwd) + (f":{location.line}" if location.line is not None else "")
            for location in self._call.locations
        ]
        more = len(places) - _LOCATIONS
        shown = places if more <= 0 else [*places[: _LOCATIONS - 1], f"and {more + 1} more places"]
        return [([("muted", f"   {place}")], []) for place in shown]

    def _tabs(self) -> Sequence[Piece]:
        open_tab = self.theme_styles["accent"] + self.theme_styles["strong"]
        return [
            (open_tab if page.name == self._current else "muted", f"  {page.name} ") for page in self._pages
        ]
