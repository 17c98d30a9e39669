"""Two texts and what differs in them, for tests of the diff view."""

import time
from collections.abc import Callable

from textual.app import App, ComposeResult
from textual.pilot import Pilot

from acp_tui.ui.application.theme_files import choose, styles_of
from acp_tui.ui.widgets.diff.rows import ComparedFile, DiffRows, FileDiff
from acp_tui.ui.widgets.diff.view import DiffView
from tests.waiting import PATIENCE

STYLES = styles_of(choose("acp-dark")[0])
OLD = "".join(f"value_{number} = {number}\n" for number in range(1, 101))
NEW = OLD.replace("value_20 = 20", "value_20 = twenty").replace("value_70 = 70\n", "")
ODD = "path = '日本語/👨‍👩‍👧/☁️ 🇩🇪 e\u0301'\n"


def laid_out(*files: FileDiff, opened: int | None = None) -> DiffRows:
    shown = [ComparedFile(file) for file in files]
    for compared in shown:
        compared.difference = compared.compare()
        compared.opened.update(() if opened is None else (opened,))
    return DiffRows(
        [
            (number, part)
            for number, compared in enumerate(shown)
            for part in compared.parts(False, number > 0)
        ]
    )


class Viewer(App[None]):
    def __init__(self, *files: FileDiff) -> None:
        super().__init__()
        self.view = DiffView(files, STYLES)

    def compose(self) -> ComposeResult:
        yield self.view


def screen(view: DiffView) -> list[str]:
    return [view.render_line(y).text.rstrip(" │█") for y in range(view.size.height)]


async def until(pilot: Pilot[None], condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "the condition never came true"
        await pilot.pause(0.005)
