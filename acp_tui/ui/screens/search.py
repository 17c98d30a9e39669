"""The search screen: searches all recorded sessions while the user types."""

from __future__ import annotations

import asyncio
from asyncio.subprocess import DEVNULL
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import ClassVar, Final

from textual import work
from textual.binding import Binding, BindingType
from textual.widgets import Input
from typing_extensions import override

from acp_tui.store.search_documents import document_at
from acp_tui.store.search_index import Hit, Progress, SearchIndex, build_command, has_full_text
from acp_tui.store.search_query import Excerpt, InvalidQuery, Query, excerpt, parse
from acp_tui.trusted_programs import own_environment
from acp_tui.ui.screens.base.full_screens import ListScreen, list_keys
from acp_tui.ui.widgets.delay import draws
from acp_tui.ui.widgets.rows.row_view import RowList
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import safe_line, shortened
from acp_tui.ui.widgets.transcript.blocks import Piece
from acp_tui.workspace.short_programs import end_process, start_process

MOST: Final = 200
"""Most results that are listed."""
_BATCH: Final = 20
"""Results whose excerpts are read at a time; the first ones are read before anything is shown."""
_PACE: Final = 0.5
"""Seconds between two checks of an index that is being built."""
_WIDE: Final = 90
"""Width from which a row shows the agent and the folder."""
_FOLDER: Final = 18
"""Cells of the name of a folder."""
_ROLES: Final = {"prompt": "user", "decision": "warning", "file": "accent", "tool": "accent"}
_SYNTAX: Final = """\
    "two words"    these words in a row            -word           not with this word
    in:prompt      also answer, plan, tool, output, decision and file
    agent:claude   folder:app   file:parser.py     since:7d   until:2026-03-01"""
_HINT: Final = f"Type words to find them in all recorded sessions, the newest session first.\n\n{_SYNTAX}"
_NO_FULL_TEXT: Final = """\
The SQLite of this Python has no full text search, so there is no index.

In a shell, acp-tui search WORDS reads the recordings instead."""


@dataclass
class Place:
    """A search result in a row."""

    hit: Hit
    excerpt: Excerpt | None
    """None if the recording can no longer be read."""


class PlaceList(RowList[Place]):
    """A list of results, the newest first."""

    BINDINGS: ClassVar[list[BindingType]] = [*list_keys("search-list", "Newest", "Oldest")]

    @override
    def pieces(self, item: Place) -> tuple[list[Piece], list[Piece]]:
        column, text = item.excerpt or ("", "the recording no longer exists")
        left: list[Piece] = [
            ("muted", f" {datetime.fromtimestamp(item.hit.at):%Y-%m-%d %H:%M} "),
            (_ROLES.get(column, "muted"), f"{column:<9}"),
            ("text", safe_line(text)),
        ]
        if self.row_width < _WIDE:
            return left, []
        folder = shortened(safe_line(Path(item.hit.cwd).name), _FOLDER)
        return left, [("muted", f"  {safe_line(item.hit.agent)[:12]} {folder} ")]


class SearchScreen(ListScreen):
    """Searches all recorded sessions, and updates the index at the same time."""

    NOTHING = _HINT
    FILTER = "words to find"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", id="search.close"),
        Binding("up", "move('move', -1)", "Up", show=False, id="search.up"),
        Binding("down", "move('move', 1)", "Down", show=False, id="search.down"),
        Binding("pageup", "move('move_page', -1)", "Page up", show=False, id="search.page-up"),
        Binding("pagedown", "move('move_page', 1)", "Page down", show=False, id="search.page-down"),
        Binding("slash", "filter", "Search", id="search.find"),
    ]

    def __init__(
        self,
        journals: Path,
        index: Path,
        opens: Callable[[Hit], None],
        words: str = "",
        styles: Styles | None = None,
    ) -> None:
        """Search with an index.

        Args:
            journals: the folder of the journals.
            index: the folder of the index.
            opens: called with the result that the user opens.
            words: the initial search text.
            styles: the theme's styles.
        """
        super().__init__(styles)
        self._journals = journals
        self._index = SearchIndex(index)
        self._opens = opens
        self._words = words
        self._found: list[Place] = []
        self._searched: Query | None = None
        self._problem = ""
        self._progress = Progress(0, 0)
        self._is_indexing = False

    @override
    def make_list(self) -> PlaceList:
        return PlaceList(self.theme_styles, id="places")

    def on_mount(self) -> None:
        """Focus the field, and update the index."""
        self.action_filter()
        self.query_one(Input).value = self._words
        self._show()
        if has_full_text():
            self.run_worker(self._update_index(), group="index")

    def on_unmount(self) -> None:
        """Close the index."""
        self._index.close()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search for the typed text."""
        self._search(event.value)

    @override
    def filter_submitted(self) -> None:
        self.rows.action_open()  # the field keeps the focus, for other words if there is nothing to open

    def on_row_list_opened(self, event: PlaceList.Opened) -> None:
        """Close, and go to the result."""
        self.dismiss(None)
        self._opens(event.item.hit)

    def action_move(self, how: str, by: int) -> None:
        """Move the cursor of the list while the field has the focus."""
        getattr(self.rows, f"action_{how}")(by)

    @override
    def action_close(self) -> None:
        self.dismiss(None)

    # ------------------------------------------------------------------ searching

    @work(group="search", exclusive=True)
    async def _search(self, text: str) -> None:
        try:
            query = parse(text)
        except InvalidQuery as error:
            self._problem = str(error)
            self._show()
            return
        self._problem = ""
        await self._look_for(query)

    async def _look_for(self, query: Query) -> None:
        """List the results, the first rows at once; known ones keep their excerpts."""
        hits = await asyncio.to_thread(self._index.search, query, MOST)
        before = {place.hit: place for place in self._found} if query == self._searched else {}
        found: list[Place] = []
        for start in range(0, max(1, len(hits)), _BATCH):
            batch = hits[start : start + _BATCH]
            fresh = [hit for hit in batch if hit not in before]
            read = await asyncio.to_thread(_read, fresh, query) if fresh else []
            made = before | {place.hit: place for place in read}
            found += (made[hit] for hit in batch)
            if not draws(self):
                return
            if query != self._searched:
                self._searched = query
                self.rows.action_move_to(0)
                self.rows.mark(_marked(query))
            self._found = [*found]
            self._show(unchanged=start)

    async def _update_index(self) -> None:
        """Run the program that builds the index, and refresh the results from time to time."""
        process = await start_process(
            *build_command(), env=own_environment(), stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL
        )
        ending = asyncio.ensure_future(process.wait())
        self._is_indexing = True
        try:
            while self._is_indexing:
                await asyncio.wait({ending}, timeout=_PACE)
                self._is_indexing = not ending.done()
                self._progress = await asyncio.to_thread(self._index.progress, self._journals)
                if not draws(self):
                    return
                if self._searched is not None and len(self._found) < MOST:
                    await self._look_for(self._searched)
                self._show(unchanged=len(self._found))
        finally:
            with suppress(ProcessLookupError):
                await end_process(process)

    # ------------------------------------------------------------------ drawing

    def _show(self, unchanged: int = 0) -> None:
        if unchanged < len(self._found) or not self._found:
            self.rows.show(self._found, unchanged)
        self.show_nothing(not self._found, self._nothing())
        count = len(self._found)
        told = f" {'the newest ' if count == MOST else ''}{count:,} place{'' if count == 1 else 's'}"
        self.show_title(([("strong", told)], [("warning", f"{safe_line(self._problem or self._waits())} ")]))

    def _nothing(self) -> str:
        if not has_full_text():
            return _NO_FULL_TEXT
        if self._searched is None or self._searched.is_empty:
            return _HINT
        if self._waits():
            return "Nothing found so far."
        return f"Nothing found. {safe_line(self._searched.advice)}".rstrip() + f"\n\n{_SYNTAX}"

    def _waits(self) -> str:
        """Return the progress of an index that is being built."""
        if not self._is_indexing or self._progress.is_complete:
            return ""
        return f"indexing: {self._progress.read * 100 // self._progress.total} %"


def _read(hits: Sequence[Hit], query: Query) -> list[Place]:
    """Return results with their excerpts; blocking."""
    found = []
    for hit in hits:
        document = None
        with suppress(OSError):  # already deleted
            document = document_at(hit.path, hit.offset, hit.end)
        found.append(Place(hit, excerpt(document, query) if document is not None else None))
    return found


def _marked(query: Query) -> str:
    """Return the text to mark in the rows: the longest of several words."""
    words = [term.words for term in query.terms if not term.is_unwanted]
    return max((max(each, key=len) for each in words), key=len, default="")
