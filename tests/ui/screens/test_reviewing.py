"""The person's steps on changes: a hunk is kept only in the text that it was seen in."""

from __future__ import annotations

from typing import cast

from acp_tui.agent.tracking import Tracking
from acp_tui.conversation.rejections import Rejections
from acp_tui.host.merging import Hunk
from acp_tui.host.reviewing import Reviewed
from acp_tui.host.snapshot import Changed
from acp_tui.ui.screens.reviewing import Review, Seen

OLD = b"a\nb\nc\n"
NEW = b"a\nX\nY\nZ\nC\n"


class Looked:
    """Stands for what looks at the disk."""

    def __init__(self) -> None:
        self.reviewed = Reviewed()


def test_a_hunk_that_is_kept_twice_before_the_screen_follows_is_kept_once() -> None:
    looked = Looked()
    review = Review(cast(Tracking, looked), Rejections(lambda: None))
    change = Changed("f", "M", "f", 0o100644, 0o100644, "old", "new")
    seen, hunk = Seen(change, OLD, OLD, NEW), Hunk(1, 2, 1, 4)

    assert review.keep(seen, hunk)
    assert not review.keep(seen, hunk)

    assert looked.reviewed.base(change, OLD) == b"a\nX\nY\nZ\nc\n"
    assert review.keep(Seen(change, OLD, b"a\nX\nY\nZ\nc\n", NEW), Hunk(4, 5, 4, 5))
    assert review.is_done(change)
