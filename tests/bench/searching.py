"""The search of recorded sessions: a gigabyte of journals, the index, and the first results."""

from __future__ import annotations

import json
import os
import random
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import Final

from acp_tui.store.search_documents import document_at
from acp_tui.store.search_index import SearchIndex, build
from acp_tui.store.search_query import excerpt, parse
from tests.bench.prose import markdown, pieces
from tests.bench.table import Row, at_most

_SESSION: Final = 2_500_000
"""Bytes of one journal."""
_SHOWN: Final = 50
_IN_VIEW: Final = 20
"""Places whose excerpts are read before anything is shown."""


def rows(env: Mapping[str, str], quick: bool) -> Iterator[Row]:
    size = (100 if quick else 1_000) * 1_000_000
    folder = Path(env["HOME"]) / "recorded"
    names = _journals(folder, size)
    name = f"search, {size // 1_000_000:,} MB of journals"
    before = os.times()
    build(folder, folder / "index")
    after = os.times()
    used = sum(after[:2]) - sum(before[:2])
    kept = sum(path.stat().st_size for path in (folder / "index").iterdir())
    yield Row(f"{name}, the index, built in the background", "s", used)
    yield Row(f"{name}, size of the index (floor: journals)", "MB", kept / 1e6, size / 1e6)
    typed = [
        "parser",
        "users expect",
        '"right reason"',
        names[7],
        "par",
        "the",
        "in:prompt test",
        "file:mod_3.py",
    ]
    index = SearchIndex(folder / "index")
    costs = [_first_results(index, text) for _ in range(5) for text in typed]
    index.close()
    yield Row(f"{name}, first {_SHOWN} results", "ms", median(costs), None, at_most(100))
    yield Row(f"{name}, the dearest words", "ms", max(costs), None, at_most(100))
    # Opened anew, as by the first search of a run.
    again = max(_opened_anew(folder / "index") for _ in range(5))
    yield Row(f"{name}, the first search of a run", "ms", again, None, at_most(100))
    subprocess.run(["rm", "-r", str(folder)], check=True)


def _first_results(index: SearchIndex, text: str) -> float:
    """Return milliseconds until the places are known and the rows in view have their excerpts."""
    began = time.process_time()
    query = parse(text)
    hits = index.search(query, _SHOWN)
    for hit in hits[:_IN_VIEW]:
        document = document_at(hit.path, hit.offset, hit.end)
        assert document is not None
        excerpt(document, query)
    assert hits, text
    return (time.process_time() - began) * 1e3


def _opened_anew(folder: Path) -> float:
    index = SearchIndex(folder)
    cost = _first_results(index, "parser")
    index.close()
    return cost


def _journals(folder: Path, size: int) -> list[str]:
    """Write journals of a size, and return some rare names that are in them."""
    chance = random.Random(7)
    folder.mkdir()
    names = [f"name_{chance.randrange(1 << 30)}" for _ in range(100)]
    texts = [markdown(3_000, seed) for seed in range(200)]
    frames = [[_chunk(piece) for piece in pieces(text)] for text in texts]
    for number in range(size // _SESSION):
        at = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(1.75e9 + number * 3_600))
        start = {"start": ["a"], "agent": f"agent{number % 3}", "cwd": f"/work/{number % 20}", "at": at}
        rows = [_row("note", start)]
        length = 0
        while length < _SESSION:
            turn = list(_turn(chance, frames, texts, names))
            length += sum(map(len, turn))
            rows += turn
        (folder / f"{number:04}.ndjson").write_text("".join(rows))
    return names


def _turn(
    chance: random.Random, frames: list[list[str]], texts: list[str], names: list[str]
) -> Iterator[str]:
    prompt = f"{chance.choice(names)}: test the change {chance.randrange(10_000)}"
    params = {"sessionId": "s", "prompt": [{"type": "text", "text": prompt}]}
    yield _row("out", {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": params})
    for call in range(6):
        yield from chance.choice(frames)
        path, text = f"/work/src/mod_{chance.randrange(500)}.py", chance.choice(texts)
        yield _update(
            {
                "sessionUpdate": "tool_call",
                "toolCallId": f"c{chance.randrange(1 << 40)}",
                "title": f"Read {path}",
                "kind": "read",
                "status": "completed",
                "rawInput": {"path": path, "call": call},
                "locations": [{"path": path}],
                "content": [{"type": "content", "content": {"type": "text", "text": text * 3}}],
            }
        )
    yield _row("in", {"jsonrpc": "2.0", "id": 1, "result": {"stopReason": "end_turn"}})


def _chunk(text: str) -> str:
    return _update({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}})


def _update(update: dict[str, object]) -> str:
    params = {"sessionId": "s", "update": update}
    return _row("in", {"jsonrpc": "2.0", "method": "session/update", "params": params})


def _row(direction: str, msg: Mapping[str, object]) -> str:
    return f'{{"t": 1.000, "dir": "{direction}", "msg": {json.dumps(msg)}}}\n'
