"""`acp-tui search`: search everything that was said and done in recorded sessions."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final

from acp_tui.commands.log import print_lines, printable
from acp_tui.store.documents import COLUMNS, document_at
from acp_tui.store.search_index import Hit, SearchIndex, build, build_command, has_full_text, newest_first
from acp_tui.store.search_query import Excerpt, Query, excerpt, limited, parse

HELP: Final = """\
Search all recorded sessions: prompts, answers, tool calls, output and decisions.
The newest places come first.

  acp-tui search [options] WORDS …

  "TWO WORDS"       these words in a row
  -- -WORD          not with this word
  --agent NAME      only sessions of this agent
  --cwd DIR         only sessions in this folder and below it
  --file NAME       only where this file was read or changed
  --since WHEN      only from then on: 7d, 12h, 30m, or a date such as 2026-03-01
  --until WHEN      only before
  --in PART         only in: prompt, answer, tool, output, decision or file
  --limit N         at most so many places (50)
  --json            print JSON, one object a line
  --index           only bring the index up to date
  --help            show this text

WORDS may have the same filters: agent:NAME folder:DIR file:NAME since:7d in:prompt.
The index is made in the background; what it does not have yet is read meanwhile.

Exit code: 0 something was found, 1 nothing was, 2 the command line is wrong.
"""

_LIMIT: Final = 50
_LOWEST: Final = 19
"""The priority of the program that makes the index."""


def parser() -> ArgumentParser:
    """Return the parser of the arguments after `search`."""
    made = ArgumentParser(prog="acp-tui search", add_help=False, allow_abbrev=False, exit_on_error=False)
    made.add_argument("words", nargs="*", metavar="WORDS")
    for name in ("agent", "cwd", "file", "since", "until"):
        made.add_argument(f"--{name}", default="")
    made.add_argument("--in", dest="part", choices=COLUMNS)
    made.add_argument("--limit", type=_count, default=_LIMIT)
    made.add_argument("--json", action="store_true")
    made.add_argument("--index", action="store_true")
    return made


def _count(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= 100_000:
        raise ArgumentTypeError(f"must be a number from 1 to 100000, not {text}")
    return int(text)


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
    """Return an argument as a part of a query: one with blanks was quoted in the shell."""
    return f'"{word}"' if " " in word and '"' not in word else word


def run(journals: Path, folder: Path, query: Query, limit: int, *, as_json: bool) -> int:
    """Print what is found and return the exit code.

    Args:
        journals: the folder of the journals.
        folder: the folder of the index.
        query: what is looked for.
        limit: places at most.
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
                continue  # deleted meanwhile
            if document is not None:
                found += 1
                yield (_as_json if as_json else _line)(hit, excerpt(document, query))

    print_lines(lines())
    index.close()
    if not found and not as_json:
        print("acp-tui: nothing was found", file=sys.stderr)
    return 0 if found else 1


def update_index(journals: Path, folder: Path) -> int:
    """Bring the index up to date at the lowest priority, and return the exit code."""
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
    """Bring the index up to date in a process of its own, which ends by itself."""
    subprocess.Popen(
        build_command(),
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
