"""Compactions: updates and chunks, merged into their entries. Source: ACP, page "compaction"."""

from __future__ import annotations

from typing import Final

from acp_tui.protocol.schema import CompactionSummaryChunk, CompactionUpdate, UsageUpdate
from acp_tui.session.entries import Compaction, Entry
from acp_tui.session.messages import append_block, finish_parts, parts_of

_FINAL: Final = ("completed", "failed", "cancelled", "interrupted")
"""Words of which it is known that they end a compaction; any other one says nothing of its end."""


class Compactions:
    """The compactions of a session, by id."""

    def __init__(self, entries: list[Entry]) -> None:
        self._entries = entries
        self._by_id: dict[str, int] = {}
        self._latest: int | None = None
        """Index of the compaction that the next usage may belong to."""

    def knows(self, compaction_id: str) -> bool:
        """Return whether a compaction with this id has an entry."""
        return compaction_id in self._by_id

    def update(self, news: CompactionUpdate, usage: UsageUpdate | None, at: float) -> int:
        """Merge an update, appending a new entry if needed; return its index.

        Args:
            news: absent fields keep, null clears, values replace.
            usage: the context at this time, if known.
            at: the time.
        """
        index, one = self._entry(news.compaction_id, usage, at)
        if "summary" in news.model_fields_set:
            one.parts = parts_of(news.summary or ())
        if "error" in news.model_fields_set:
            one.error = news.error or ""
        one.status = news.status
        is_final = news.status in _FINAL
        one.ended = None if not is_final else one.ended if one.ended is not None else at
        if is_final:
            finish_parts(one.parts)
        return index

    def add(self, chunk: CompactionSummaryChunk, usage: UsageUpdate | None, at: float) -> int:
        """Append a chunk of a summary; return the entry's index."""
        index, one = self._entry(chunk.compaction_id, usage, at)
        append_block(one.parts, chunk.content)
        return index

    def measured(self, usage: UsageUpdate) -> tuple[int, ...]:
        """Record the context size after the latest compaction: the last while it runs, else the next one."""
        if self._latest is None or usage.used is None:
            return ()
        index, one = self._latest, self._at(self._latest)
        if one.status in _FINAL:
            self._latest = None
            if one.after is not None:
                return ()
        if one.before is None or one.before.used == usage.used:
            return ()
        one.after = usage
        return (index,)

    def interrupt(self, at: float) -> tuple[int, ...]:
        """Mark running compactions as interrupted, until a late status comes; return the changed entries."""
        found = [index for index in self._by_id.values() if self._at(index).status == "in_progress"]
        for index in found:
            one = self._at(index)
            one.status, one.ended = "interrupted", at
            finish_parts(one.parts)
        return tuple(found)

    def _entry(self, compaction_id: str, usage: UsageUpdate | None, at: float) -> tuple[int, Compaction]:
        index = self._by_id.get(compaction_id)
        if index is None:
            before = usage if usage is not None and usage.used is not None else None
            self._entries.append(Compaction(compaction_id, before=before, at=at))
            self._latest = index = self._by_id[compaction_id] = len(self._entries) - 1
        return index, self._at(index)

    def _at(self, index: int) -> Compaction:
        entry = self._entries[index]
        assert isinstance(entry, Compaction)
        return entry
