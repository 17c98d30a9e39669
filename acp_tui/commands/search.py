"""`acp-tui search`: search all recorded sessions."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final

from acp_tui.commands.log import print_lines, printable
from acp_tui.lazy_regex import regex
from acp_tui.store.search_documents import document_at
from acp_tui.store.search_index import Hit, SearchIndex, build, build_command, has_full_text, newest_first
from acp_tui.store.search_query import FILTERS, Excerpt, Query, excerpt, limited, parse
from acp_tui.trusted_programs import own_environment

_PATHS: Final = ("file", "folder")
"""Filters whose values may contain spaces."""
_FILTERED: Final = regex(r"[a-z]+:[^\s/:\\]")
"""The start of a text with a filter, or with an attempt at one."""
_LOWEST: Final = 19
"""The nice value of the process that updates the index."""


def query_of(options: dict[str, Any]) -> Query:
    """Return the query of a command line.

    Raises:
        InvalidQuery: a filter cannot be read.
    """
    query = parse(" ".join(_as_phrase(word) for word in options["words"]))
    filters = {name: options[name] for name in ("agent", "file", "since", "until")}
    filters |= {"folder": os.path.abspath(options["cwd"]) if options["cwd"] else "", "in": options["part"]}  # noqa: PTH100
    for name, value in filters.items():
        if value:
            query = limited(query, name, value)
    return query


def _as_phrase(word: str) -> str:
    """Return an argument as a part of a query: one with spaces was quoted in the shell.

    One that begins with a filter is a path with spaces, or a whole quoted query.
    """
    if " " not in word or '"' in word:
        return word
    name, _, value = word.partition(":")
    if name in _PATHS:
        return f'{name}:"{value}"'
    return word if _FILTERED.match(word) else f'"{word}"'


def run(journals: Path, folder: Path, query: Query, limit: int, *, as_json: bool) -> int:
    """Print the results and return the exit code.

    Args:
        journals: the folder of the journals.
        folder: the folder of the index.
        query: the words and filters.
        limit: the most results.
        as_json: print JSON.
    """
    index = SearchIndex(folder)
    found = 0

    def lines() -> Iterator[str]:
        nonlocal found
        for hit in islice(newest_first(index, journals, query, limit), limit):
            try:
                document = document_at(hit.path, hit.offset, hit.end)
            except OSError:
                continue  # already deleted
            if document is not None:
                found += 1
                yield (_as_json if as_json else _line)(hit, excerpt(document, query))

    print_lines(lines())
    index.close()
    if not found and not as_json:
        print(" ".join(filter(None, ("acp-tui: nothing found.", query.advice))).rstrip("."), file=sys.stderr)
        if query.no_filters:
            print(f"Filters are {', '.join(f'{name}:' for name in FILTERS)}", file=sys.stderr)
    return 0 if found else 1


def update_index(journals: Path, folder: Path) -> int:
    """Update the index at the lowest priority and return the exit code."""
    if not has_full_text():
        print("acp-tui: this Python has no full text search, so there is no index", file=sys.stderr)
        return 1
    os.nice(_LOWEST)
    try:
        build(journals, folder)
    except (OSError, sqlite3.Error) as error:
        print(f"acp-tui: the search index cannot be written: {error}", file=sys.stderr)
        return 1
    return 0


def start_indexing() -> None:
    """Update the index in a separate process, which ends by itself."""
    subprocess.Popen(
        build_command(),
        env=own_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _line(hit: Hit, found: Excerpt) -> str:
    when = f"{datetime.fromtimestamp(hit.at):%Y-%m-%d %H:%M}"
    return "  ".join((when, *map(printable, (hit.agent, hit.cwd, f"{found.column}: {found.text}"))))


def _as_json(hit: Hit, found: Excerpt) -> str:
    return json.dumps(
        {
            "at": datetime.fromtimestamp(hit.at).astimezone().isoformat(timespec="seconds"),
            "agent": hit.agent,
            "cwd": hit.cwd,
            "session": hit.session,
            "tool_call": hit.call,
            "in": found.column,
            "text": found.text,
            "path": str(hit.path),
            "offset": hit.offset,
        }
    )
