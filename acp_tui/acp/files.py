"""Reading and writing files for the agent. Source: ACP, page "file system"."""

from __future__ import annotations

from typing import ClassVar

from acp_tui.acp.word import Word


class ReadTextFileRequest(Word):
    """Read a file, or `limit` lines of it from line `line` (the first is 1)."""

    whole: ClassVar[frozenset[str]] = frozenset({"line", "limit"})
    """The schema would read them as absent: the whole file, which nobody asked for."""

    session_id: str
    path: str
    line: int | None = None
    limit: int | None = None


class WriteTextFileRequest(Word):
    """Replace or create a file."""

    session_id: str
    path: str
    content: str
