"""From bytes of the pipe to a changed session, without drawing."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping

from acp_tui.protocol.jsonrpc import Notification, Peer
from acp_tui.protocol.validation import read_update
from acp_tui.session.session import Session
from tests.bench.agent import streamed
from tests.bench.table import Row, at_least, at_most_times

ENOUGH = at_least(150)
"""Thousands a second."""


def rows(env: Mapping[str, str], quick: bool) -> Iterator[Row]:
    lines = list(streamed(800_000 if quick else 4_000_000, 0))
    data = b"".join(lines)
    ours = min(_per_line(lambda: _applied(data), len(lines)) for _ in range(3))
    floor = min(_per_line(lambda: [json.loads(line) for line in lines], len(lines)) for _ in range(3))
    yield Row("session/update, decoded and applied", "µs", ours, floor, at_most_times(2))
    yield Row("session/update, decoded and applied", "1000/s", 1e3 / ours, 1e3 / floor, ENOUGH)


def _applied(data: bytes) -> None:
    peer, session = Peer(), Session("bench")
    for start in range(0, len(data), 262_144):
        for message in peer.receive(data[start : start + 262_144]):
            assert isinstance(message, Notification)
            session.apply(read_update(message.params["update"]))


def _per_line(work: Callable[[], object], lines: int) -> float:
    """Return microseconds of processor time for each line."""
    before = time.process_time()
    work()
    return (time.process_time() - before) * 1e6 / lines
