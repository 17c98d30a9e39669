"""The bundle screen: a preview of a redacted copy of a journal."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from typing_extensions import override

from acp_tui.formatting import size
from acp_tui.store.folders import data_folder
from acp_tui.store.redaction import RedactionReview, Redactor, review, save
from acp_tui.ui.screens.base.full_screens import FullScreen
from acp_tui.ui.widgets.delay import draws
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.transcript.blocks import TextBlock
from acp_tui.ui.widgets.transcript.transcript import Transcript

_WARNING = (
    "Of the conversation only paths, variables and tokens are masked. Read the copy before you share it."
)


class BundleScreen(FullScreen[Path]):
    """Shows counts of masked values and sample rows; dismisses with the saved file, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "save", "Save the copy", id="bundle.save"),
        Binding("escape,q", "close", "Close", id="bundle.close"),
    ]

    def __init__(self, journal: Path, styles: Styles | None = None) -> None:
        super().__init__(styles)
        self._journal = journal
        self._target = data_folder() / "bundles" / f"{journal.stem}.redacted.ndjson"
        self._review: RedactionReview | None = None
        self._saving = False

    @override
    def compose_content(self) -> ComposeResult:
        yield Transcript(self.theme_styles, id="content")

    def on_mount(self) -> None:
        """Start reading the journal."""
        self.show_title(([("strong", " redacted copy")], [("muted", f"{self._journal.name} ")]))
        self.query_one(Transcript).append(TextBlock([("muted", "Reading the journal …")]))
        self.query_one(Transcript).focus()
        self._look_through()

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self._review is not None and not self._saving if action == "save" else True

    @work(group="bundle", exclusive=True)
    async def action_save(self) -> None:
        """Save the copy."""
        assert self._review is not None
        self._saving = True
        self.refresh_bindings()
        try:
            await asyncio.to_thread(save, self._review, _redactor(), self._target)
            if not draws(self):
                return
        except OSError as error:
            self._saving = False
            self.refresh_bindings()
            self._say_not(f"{self._target} cannot be written: {error.strerror}.")
        else:
            self.dismiss(self._target)

    @work(group="bundle", exclusive=True)
    async def _look_through(self) -> None:
        try:
            self._review = await asyncio.to_thread(review, self._journal, _redactor())
        except OSError as error:
            self._say_not(f"{self._journal} cannot be read: {error.strerror}.")
            return
        if draws(self):
            self._show(self._review)
            self.refresh_bindings()

    def _show(self, found: RedactionReview) -> None:
        content = self.query_one(Transcript)
        content.clear()
        rows = f"{found.rows:,} rows of {size(found.size)}"
        broken = f", {found.broken:,} more cannot be read and are left out" if found.broken else ""
        content.append(TextBlock([("text", f"{rows}{broken}. It will be saved as")]))
        content.append(TextBlock([("accent", str(self._target))]))
        content.append(TextBlock([("warning", _WARNING)], above=1))
        content.append(TextBlock([("heading", "Masked, by kind and length")], above=1))
        for kind, count in found.masked.most_common():
            content.append(TextBlock([("text", f"{count:>7,}  "), ("muted", kind)]))
        if not found.masked:
            content.append(TextBlock([("muted", "nothing")]))
        if found.samples:
            content.append(TextBlock([("heading", "The first rows in which something is masked")], above=1))
        for sample in found.samples:
            content.append(TextBlock([("muted", sample)]))
        self.call_after_refresh(content.action_scroll_start)

    def _say_not(self, text: str) -> None:
        self.notify(text, title="No copy was made", severity="error", timeout=10)


def _redactor() -> Redactor:
    return Redactor(str(Path.home()), os.environ)
