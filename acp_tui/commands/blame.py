"""`acp-tui blame`: the turn and the tool call that each line of a file comes from."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from datetime import datetime
from math import inf
from pathlib import Path
from typing import Final

from acp_tui.changes.blame import Author, BlamedFile, blame, in_words
from acp_tui.commands.log import print_lines, printable
from acp_tui.safe_text import safe

_WHO: Final = 40
"""Width of the origin of a line, in characters."""


def run(path: Path, line: int | None, journals: Path, stores: Path, *, as_json: bool) -> int:
    """Print who wrote a file, or a line of it, and return the exit code.

    Args:
        path: the file.
        line: the line (from 1), or None for all.
        journals: the folder of the journals.
        stores: the folder of all snapshot stores.
        as_json: print JSON.
    """
    try:
        found = asyncio.run(blame(path, journals, stores))
    except OSError as error:
        return _failed(f"{path} cannot be read: {error.strerror or error}")
    count = len(found.lines)
    if line is not None and not 1 <= line <= count:
        return _failed(f"{path} has {count:,} line{'' if count == 1 else 's'}, so there is no line {line}")
    wanted = range(count) if line is None else range(line - 1, line)
    if as_json:
        print_lines(_objects(found, wanted))
    elif line is not None:
        print_lines(_facts(found, line - 1))
    else:
        print_lines(_lines(found))
    return 0


def _failed(text: str) -> int:
    print(f"acp-tui: {printable(text)}", file=sys.stderr)
    return 1


def _lines(found: BlamedFile) -> Iterator[str]:
    width = len(str(len(found.lines)))
    for run in found.runs:
        step = run.author.step if run.author.kind == "step" else None
        when = f"{datetime.fromtimestamp(step.at):%Y-%m-%d %H:%M}" if step is not None else ""
        agent = printable(step.agent)[:8] if step is not None else ""
        who = f"{when:16}  {agent:8}  {printable(in_words(run.author))[:_WHO]:{_WHO}}"
        for number in range(run.start, run.stop):
            yield f"{who}  {number + 1:{width}}  {_text(found, number)}"


def _text(found: BlamedFile, number: int) -> str:
    return safe(found.lines[number].decode("utf-8", "replace")).replace("\t", "    ")


def _facts(found: BlamedFile, number: int) -> Iterator[str]:
    """Yield all known facts about a line."""
    author = found.author(number)
    assert author is not None, "each line has one"
    step = author.step
    facts = {"line": f"{number + 1}  {_text(found, number).strip()}", "from": printable(in_words(author))}
    if author.kind == "step" and step is not None:
        facts |= {
            "when": f"{datetime.fromtimestamp(step.at):%Y-%m-%d %H:%M:%S}",
            "agent": printable(step.agent),
            "prompt": printable(step.prompt),
            "tool call": printable(" ".join(filter(None, (step.title, step.call)))),
            "session": printable(step.session),
            "recording": printable(str(step.journal)),
        }
    return (f"{name:10} {value}" for name, value in facts.items() if value)


def _objects(found: BlamedFile, wanted: range) -> Iterator[str]:
    for number in wanted:
        author = found.author(number)
        assert author is not None, "each line has one"
        yield json.dumps({"line": number + 1, **_fields(author), "text": _plain(found, number)})


def _plain(found: BlamedFile, number: int) -> str:
    return found.lines[number].decode("utf-8", "replace")


def _fields(author: Author) -> dict[str, object]:
    step = author.step
    fields: dict[str, object] = {"kind": author.kind}
    if author.kind == "step" and step is not None:
        fields |= {
            "at": datetime.fromtimestamp(step.at).astimezone().isoformat(timespec="seconds"),
            "agent": step.agent,
            "session": step.session,
            "turn": step.turn,
            "prompt": step.prompt,
            "tool_call": step.call,
            "title": step.title,
            "recording": str(step.journal),
        }
    elif author.until < inf:
        fields["before"] = datetime.fromtimestamp(author.until).astimezone().isoformat(timespec="seconds")
    return fields
