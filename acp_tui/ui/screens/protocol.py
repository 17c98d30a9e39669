"""The protocol view: what goes over the wire, live, read from the journal."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Input, Static

from acp_tui.readable import size
from acp_tui.store.tail import Tail
from acp_tui.ui.screens.frame import SHOWN, FrameScreen, copy
from acp_tui.ui.screens.frame_list import FrameList
from acp_tui.ui.screens.frames import Frame, Frames, matches, other_half
from acp_tui.ui.widgets.delay import after
from acp_tui.ui.widgets.input_line import InputLine
from acp_tui.ui.widgets.keys import Keys
from acp_tui.ui.widgets.lines import Lines
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.text import safe_line

_LAST: Final = 1 << 20
"""Bytes of the end of a file that are shown at first."""
_EVERY: Final = 0.25
"""Seconds between two looks at the file."""
_SLICE: Final = 0.006
"""Seconds of reading before keys get their turn."""

NO_JOURNAL: Final = """\
This session is not recorded, so there is nothing to show.

To record sessions, set this in settings.toml (it is the default) and start again:

    journal = true"""


class ProtocolScreen(Screen[None]):
    """Shows the frames of a journal, newest at the end, while it grows."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Close", id="protocol.close"),
        Binding("slash", "filter", "Filter", id="protocol.filter"),
        Binding("e", "errors", "Errors only", id="protocol.errors"),
        Binding("c", "copy", "Copy", id="protocol.copy"),
        Binding("s", "bundle", "Save a redacted copy", id="protocol.bundle"),
        Binding("b", "beginning", "From the beginning", id="protocol.beginning"),
    ]

    def __init__(self, path: Path | None, look: Look | None = None) -> None:
        super().__init__()
        self._path = path
        self.look = look or Look()
        self._tail: Tail | None = None
        self._filter = ""
        self._begin(None)

    def compose(self) -> ComposeResult:
        """Lay out a title, the frames and a filter line."""
        yield Lines(self.look, id="title")
        yield Static(NO_JOURNAL, id="nothing", markup=False)
        yield FrameList(self.look, id="frames")
        yield InputLine(placeholder="words that a frame must have; errors", id="filter")
        yield Keys(self.look)

    def on_mount(self) -> None:
        """Open the file and read its end."""
        self.query_one("#filter").display = False
        self._open(_LAST)
        shown = self.query_one(FrameList)
        shown.display = self._tail is not None
        self.query_one("#nothing").display = self._tail is None
        if self._tail is not None:
            shown.focus()
            self.set_interval(_EVERY, self._poll)

    def on_unmount(self) -> None:
        """Close the file."""
        if self._tail is not None:
            self._tail.close()

    def on_row_list_opened(self, event: FrameList.Opened) -> None:
        """Show a frame."""
        if self._tail is not None:
            screen = FrameScreen(
                event.item, self._tail, self.look, lambda frame: other_half(self._all, frame)
            )
            self.app.push_screen(screen)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter anew, from the first frame."""
        self._filter = event.value.strip()
        self._matched = 0
        self._shown.clear()
        self.query_one(FrameList).follows = True
        self._poll()

    def on_input_submitted(self) -> None:
        """Go to the frames that are left."""
        self.query_one(FrameList).focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what there is something for."""
        if action in ("filter", "errors", "copy", "bundle"):
            return self._tail is not None
        return action != "beginning" or (self._tail is not None and self._tail.skipped > 0)

    def action_close(self) -> None:
        """Close the filter, or the screen."""
        line = self.query_one(Input)
        if line.display and (line.has_focus or line.value):
            line.value = ""
            line.display = False
            self.query_one(FrameList).focus()
        else:
            self.dismiss(None)

    def action_filter(self) -> None:
        """Type a filter."""
        line = self.query_one(Input)
        line.display = True
        line.focus()

    def action_errors(self) -> None:
        """Keep errors only, or show all again."""
        line = self.query_one(Input)
        words = line.value.split()
        line.value = " ".join(word for word in words if word != "errors") if "errors" in words else "errors"
        line.display = bool(line.value)

    def action_copy(self) -> None:
        """Copy the frame under the cursor, as it is in the journal."""
        frame = self.query_one(FrameList).current
        if frame is not None and self._tail is not None:
            copy(self, frame, self._tail)

    def action_bundle(self) -> None:
        """Show what a copy without private things would hold, and save it if the person says so."""
        from acp_tui.ui.screens.bundle import BundleScreen

        def saved(path: Path | None) -> None:
            if path is not None:
                self.notify(str(path), title="The redacted copy is saved", timeout=10)

        if self._path is not None:
            self.app.push_screen(BundleScreen(self._path, self.look), saved)

    def action_beginning(self) -> None:
        """Read the file from its beginning."""
        self._open(None)

    def _open(self, last: int | None) -> None:
        """Read the file from there; without one, say so."""
        if self._tail is not None:
            self._tail.close()
        try:
            self._begin(Tail(self._path, last) if self._path is not None else None)
        except OSError as error:
            self._begin(None)
            reason = safe_line(f"{self._path} cannot be read: {error.strerror}")
            self.query_one("#nothing", Static).update(f"{reason}\n\n{NO_JOURNAL}")
        self.refresh_bindings()
        self._poll()

    def _begin(self, tail: Tail | None) -> None:
        self._tail = tail
        self._frames = Frames()
        self._all: list[Frame] = []
        self._shown: list[Frame] = []
        """What the filter leaves of them."""
        self._reads_on = False
        """Whether a timer goes on with what one slice of time was too short for."""
        self._matched = 0
        """How many the filter has seen."""

    def _poll(self) -> None:
        """Look whether the file has grown, unless it is being read."""
        if not self._reads_on:
            self._read()

    def _read(self) -> None:
        """Take in what is new, filter it and show it, for a slice of time."""
        if self._tail is None:
            self._show_title()
            return
        until = perf_counter() + _SLICE
        more = True
        while more and perf_counter() < until:
            lines, more = self._tail.read()
            self._all += map(self._frames.read, lines)
        left = self._match(self._tail, until)
        self._reads_on = left or more
        if self._reads_on:
            after(self, 0.002, self._read)

    def _match(self, tail: Tail, until: float) -> bool:
        """Filter frames that it has not seen and show them; return whether some are left."""
        before = len(self._shown)
        first = self._matched
        while self._matched < len(self._all) and (perf_counter() < until or self._matched == first):
            batch = self._all[self._matched : self._matched + 100]
            self._shown += [frame for frame in batch if self._keeps(tail, frame)]
            self._matched += len(batch)
        if self._matched != first or not self._shown:
            self.query_one(FrameList).show(self._shown, before)
            self._show_title()
        return self._matched < len(self._all)

    def _keeps(self, tail: Tail, frame: Frame) -> bool:
        if not self._filter:
            return True
        line = tail.line(frame.offset, frame.size, SHOWN) if self._filter != "errors" else b""
        return matches(frame, self._filter, line.lower())

    def _show_title(self) -> None:
        count = f" {len(self._all):,} frames"
        if self._filter:
            count = f" {len(self._shown):,} of {len(self._all):,} frames"
        skipped = self._tail.skipped if self._tail is not None else 0
        before = f"  {size(skipped)} before them are not shown" if skipped else ""
        name = safe_line(self._path.name) if self._path is not None else ""
        self.query_one(Lines).set_lines([([("strong", count), ("muted", before)], [("muted", f"{name} ")])])
