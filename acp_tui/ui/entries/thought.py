"""The block of a thought: one line, and its text if it is unfolded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from typing_extensions import override

from acp_tui.formatting import clock, seconds
from acp_tui.session.entries import Thought, text_of
from acp_tui.session.text_buffer import TextBuffer
from acp_tui.ui.entries.entry import HEAD_ROWS, Head, HeadedBlock
from acp_tui.ui.entries.messages import take_over_parts
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.transcript.blocks import Piece

_NEWEST: Final = 400
"""Characters at the end of a thought that are searched for its newest line."""


class ThoughtBlock(HeadedBlock):
    """Reasoning: one line with its duration; Enter shows the text."""

    __slots__ = ()

    entry: Thought
    can_fold = True

    @override
    def sync(self) -> None:
        head = self.parts[0] if self.parts else Head(self)
        text = list(self.parts[1:]) if self.is_open else []
        if self.is_open:
            take_over_parts(text, self.entry.parts, self.entry.finished, role="thought", indent=2)
        self.parts = (head, *text)

    @property
    @override
    def is_settled(self) -> bool:
        return self.entry.finished and not self.is_open

    @override
    def estimate(self, width: int) -> int:
        return HEAD_ROWS

    @property
    @override
    def is_running(self) -> bool:
        return not self.entry.finished

    @property
    @override
    def is_open(self) -> bool:
        return self.context.thoughts == "always" if self._is_open is None else self._is_open

    @override
    def source(self) -> str:
        return text_of(self.entry)

    @override
    def head(self, width: int, styles: Styles) -> tuple[Sequence[Piece], Sequence[Piece]]:
        """Return the duration, and while it is streaming the newest words."""
        entry, mark = self.entry, self.context.symbol("open" if self.is_open else "folded")
        if entry.finished:
            return [("thought", f"{mark} thought for {seconds(max(0.0, entry.last - entry.at))}")], ()
        passed = clock(max(0.0, max(self.now or entry.last, entry.last) - entry.at))
        words = "" if self.is_open or self.context.thoughts == "never" else self._newest_words()
        return [("thought", f"{mark} thinking {passed}  "), ("muted", words)], ()

    def _newest_words(self) -> str:
        """Return the newest line of the thought."""
        text = next((part for part in reversed(self.entry.parts) if isinstance(part, TextBuffer)), None)
        lines = text.since(max(0, text.length - _NEWEST)).split("\n") if text is not None else []
        return next((line.strip() for line in reversed(lines) if line.strip()), "")
