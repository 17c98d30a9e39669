"""Blame of a long file that many turns have changed, from the lines that the journals tell."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median

from acp_tui.changes.blame import blame
from tests.bench.table import Row, at_most

_LINES = 10_000
_VERSIONS = 300
_A_SESSION = 20
"""Versions in one journal."""


def rows(env: Mapping[str, str], quick: bool) -> Iterator[Row]:
    folder = Path(env["HOME"]) / "blamed"
    file, journals = folder / "long.py", folder / "journals"
    journals.mkdir(parents=True)
    megabytes = _history(file, journals, 20 if quick else 100)
    costs = [_cost(file, journals, folder / "stores") for _ in range(5)]
    name = f"blame, {_LINES:,} lines, {_VERSIONS} changes, {megabytes} MB of journals"
    yield Row(name, "ms", median(costs), None, at_most(300))


def _cost(file: Path, journals: Path, stores: Path) -> float:
    before = time.process_time()
    found = asyncio.run(blame(file, journals, stores))
    cost = time.process_time() - before
    assert sum(run.author.kind == "step" for run in found.runs) > _VERSIONS // 2
    return cost * 1e3


def _history(file: Path, journals: Path, megabytes: int) -> int:
    """Write a file, and journals of sessions that changed it at random places; return their size in MB."""
    chance = random.Random(3)
    lines = [f"line {number} as it was\n" for number in range(_LINES)]
    padding = json.dumps({"text": "x = compute(something) + 1 # " * 30})
    for session in range(_VERSIONS // _A_SESSION):
        at = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(1.75e9 + session * 86_400))
        start = {"start": ["a"], "agent": "a", "cwd": str(file.parent), "at": at}
        told = [_row(0, "note", start)]
        size = 0
        for turn in range(1, _A_SESSION + 1):
            prompt = {"sessionId": "s", "prompt": [{"type": "text", "text": f"Turn {turn}"}]}
            told.append(_row(turn, "out", {"id": turn, "method": "session/prompt", "params": prompt}))
            while size < turn * megabytes * 1_000_000 // _VERSIONS:
                told.append(f'{{"t": {turn}, "dir": "in", "msg": {padding}}}\n')
                size += len(told[-1])
            was, hunks = _hash(lines), _change(chance, lines, f"{session} {turn}")
            origin = {"turn": turn, "tool_call_id": f"c{turn}", "title": "Edit"}
            item = {"path": str(file), "id": _hash(lines), "was": was, "hunks": hunks, "origin": origin}
            told.append(_row(turn, "note", {"snapped": [item], "gone": [], "session": "s"}))
        (journals / f"{session:03}.ndjson").write_text("".join(told))
    file.write_text("".join(lines))
    return megabytes


def _change(chance: random.Random, lines: list[str], name: str) -> list[tuple[int, int, int, int]]:
    """Replace a few lines at three places."""
    hunks, moved = [], 0
    for place in sorted(chance.sample(range(0, len(lines) - 20, 20), 3)):
        old, new = chance.randrange(5), chance.randrange(1, 6)
        start = place + moved
        lines[start : start + old] = [f"line {number} of {name} at {place}\n" for number in range(new)]
        hunks.append((place, place + old, start, start + new))
        moved += new - old
    return hunks


def _hash(lines: list[str]) -> str:
    data = "".join(lines).encode()
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _row(t: float, direction: str, msg: Mapping[str, object]) -> str:
    return json.dumps({"t": t, "dir": direction, "msg": msg}) + "\n"
