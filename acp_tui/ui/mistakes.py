"""What is said when the interface ends by a mistake of ours."""

from __future__ import annotations

import logging
import traceback

from acp_tui.ui.widgets.text import safe

log = logging.getLogger(__name__)


def left_of(mistake: BaseException) -> str:
    """Return what is left on the terminal: never the values of variables, which may be secrets."""
    try:
        lines = traceback.format_exception(mistake)
    except Exception:  # the interface must end all the same, and not stay as a dead picture
        log.exception("showing why the interface ended")
        lines = []
    return (
        safe("".join(lines)) + "\nThis is a mistake of acp-tui. Its log says the same; sessions are on disk."
    )
