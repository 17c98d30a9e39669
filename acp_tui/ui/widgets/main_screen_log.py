"""The lines of a terminal without what programs draw on its alternate screen, which they take away again."""

from __future__ import annotations

import re
from typing import Final

from acp_tui.ui.widgets.terminal_log import TerminalLog

_SWITCH: Final = re.compile(rb"\x1b\[\?(?:\d+;)*(?:47|1047|1049)(?:;\d+)*([hl])")
_CUT: Final = re.compile(rb"\x1b(?:\[(?:\?[\d;]{0,40})?)?\Z")


class MainScreenLog(TerminalLog):
    """Lines for a few rows: an editor or a pager, told line by line, is nothing that one can read."""

    def __init__(self, max_lines: int = 10_000, max_bytes: int = 4 << 20) -> None:
        super().__init__(max_lines, max_bytes)
        self.is_aside = False
        """Whether a program draws on the alternate screen now."""
        self._begun = b""

    def feed(self, data: bytes) -> None:
        """Take the next bytes, cut anywhere."""
        data = self._begun + data
        cut = _CUT.search(data, max(0, len(data) - 48))
        self._begun = cut.group() if cut else b""
        data = data[: len(data) - len(self._begun)]
        at = 0
        for switch in _SWITCH.finditer(data):
            if not self.is_aside:
                super().feed(data[at : switch.start()])
            self.is_aside, at = switch[1] == b"h", switch.end()
        if not self.is_aside:
            super().feed(data[at:] if at else data)
