"""Large differences: opening them and scrolling in them, in processor time, that of threads included."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping
from statistics import quantiles

from textual._compositor import CompositorUpdate
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from acp_tui.ui.application.theme_files import choose, styles_of
from acp_tui.ui.widgets.diff.line_diff import compare
from acp_tui.ui.widgets.diff.rows import FileDiff
from acp_tui.ui.widgets.diff.view import DiffView
from tests.bench.table import Row, at_most

SIZE = (120, 40)
CHANGED = 20_000
LINES, SCATTERED = 50_000, 1_000


class Viewer(App[None]):
    def compose(self) -> ComposeResult:
        yield DiffView((), styles_of(choose("acp-dark")[0]))


def rows(env: Mapping[str, str], quick: bool) -> Iterator[Row]:
    yield from asyncio.run(_measured(30 if quick else 150))


async def _measured(frames: int) -> list[Row]:
    whole = [f"value_{number} = {number}\n" for number in range(CHANGED)]
    whole_new = [f"other_{number} = {number}\n" for number in range(CHANGED)]
    long = [f"line {number} = {number}\n" for number in range(LINES)]
    step = LINES // SCATTERED
    long_new = [f"was {line}" if place % step == 0 else line for place, line in enumerate(long)]
    found: list[Row] = []
    async with Viewer().run_test(size=SIZE) as pilot:
        for name, old, new, most in (
            (f"{CHANGED:,} changed lines", whole, whole_new, 300),
            (f"{LINES:,} lines, {SCATTERED:,} scattered changes", long, long_new, 500),
        ):
            floor = _compared(old, new)
            opened = await _opened(pilot, FileDiff("big.py", "".join(old), "".join(new)))
            found.append(Row(f"diff, {name}: first screen", "ms", opened, floor, at_most(most)))
            frame = await _scrolled(pilot, frames)
            found.append(Row(f"diff, {name}: scrolling, p95 a frame", "ms", frame, None, at_most(33)))
    return found


def _compared(old: list[str], new: list[str]) -> float:
    """Return the milliseconds that finding the common lines takes alone."""
    began = time.process_time()
    compare(old, new)
    return (time.process_time() - began) * 1e3


async def _opened(pilot: Pilot[None], file: FileDiff) -> float:
    """Return the milliseconds until the first lines are on the screen."""
    view = pilot.app.query_one(DiffView)
    began = time.process_time()
    view.show([file])
    while view.is_comparing:
        await asyncio.sleep(0.001)
    _draw(pilot)
    return (time.process_time() - began) * 1e3


async def _scrolled(pilot: Pilot[None], frames: int) -> float:
    """Return the 95th percentile of the milliseconds of a frame while pages pass by."""
    view = pilot.app.query_one(DiffView)
    found = []
    for number in range(frames):
        await asyncio.sleep(0)
        began = time.process_time()
        view.scroll_to(y=number * 37 % max(1, view.row_count), animate=False, immediate=True)
        _draw(pilot)
        found.append((time.process_time() - began) * 1e3)
    return quantiles(found, n=20)[-1]


def _draw(pilot: Pilot[None]) -> None:
    update = pilot.app.screen._compositor.render_update(full=True)
    assert isinstance(update, CompositorUpdate)
    update.render_segments(pilot.app.console)
