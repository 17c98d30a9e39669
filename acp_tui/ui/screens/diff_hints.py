"""What the keys of changes do that have all of a dialog, for its row of hints."""

from __future__ import annotations

from acp_tui.ui.widgets.diff_view import DiffView
from acp_tui.ui.widgets.key_names import key_of, pair_of


def diff_hints(view: DiffView, files: str) -> list[tuple[str, str]]:
    """Return pairs (key, action); `files` says what the parts of the view are called here."""
    return [
        (pair_of(view, "diff.next-change", "diff.previous-change"), "changes"),
        (pair_of(view, "diff.next-file", "diff.previous-file"), files),
        (key_of(view, "diff.side-by-side"), "sides"),
        (key_of(view, "diff.wrap"), "wrap"),
    ]
