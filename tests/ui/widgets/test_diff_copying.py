"""Copying from the diff view as a patch."""

from __future__ import annotations

from acp_tui.ui.widgets.diff_page import FileDiff
from tests.ui.widgets.differing import NEW, OLD, Viewer


async def test_a_change_a_file_and_all_are_copied_as_patches() -> None:
    app = Viewer(FileDiff("a.py", OLD, NEW), FileDiff("b.py", None, "new\n"))
    async with app.run_test(size=(80, 20)) as pilot:
        app.view.focus()
        await pilot.press("c")
        assert "value_20 = twenty" in app.clipboard
        assert "-value_70 = 70" in app.clipboard

        await pilot.press("n", "c")
        assert "value_20 = twenty" in app.clipboard
        assert "value_70" not in app.clipboard
        await pilot.press("C")
        assert "+++ b/a.py" in app.clipboard
        assert "+++ b/b.py" in app.clipboard


async def test_where_there_is_no_text_to_copy_the_clipboard_stays_as_it_is() -> None:
    app = Viewer(FileDiff("a.bin", "\0", "\0\0"))
    async with app.run_test(size=(80, 20)) as pilot:
        app.copy_to_clipboard("mine")
        app.view.focus()
        await pilot.press("c", "C")

        assert app.clipboard == "mine"
