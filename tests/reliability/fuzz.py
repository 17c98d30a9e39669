"""Lines in disorder, into the layer from the wire to the session, and a share into the whole program."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import signal
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Final

from acp_tui.store.recordings import read
from tests.agent.puppet import SESSION, conversation, text, update
from tests.reliability.odd_lines import OddLines
from tests.reliability.row import Result, Row
from tests.sent import Frame
from tests.terminal import NeverShown, Terminal, acp_tui

_BATCH: Final = 1000
"""Lines of one conversation."""
_SHARE: Final = 25
"""Of so many lines, one goes into the whole program, too."""
_GOOD_EVERY: Final = 10
_MARK: Final = re.compile(r"⟦(\d+)⟧")
_AGENT: Final = Path(__file__).with_name("file_agent.py")


def run(count: int, seed: int) -> Result:
    result = Result(unit="lines")
    batches = range(0, count, _BATCH)
    for start in batches:
        size = min(_BATCH, count - start)
        for problem in asyncio.run(_into_the_layer(seed + start, size)):
            result.wrong.append(f"layer, seed {seed + start}, {size} lines: {problem}")
        result.tried += size
        if start // _BATCH % _SHARE == 0:
            for problem in _into_the_program(seed + start, size):
                result.wrong.append(f"program, seed {seed + start}, {size} lines: {problem}")
            result.tried += size
    return result


def _good(number: int) -> bytes:
    mark: Frame = {"jsonrpc": "2.0", **update("agent_message_chunk", content=text(f"⟦{number}⟧"))}
    return json.dumps(mark, ensure_ascii=False).encode() + b"\n"


def _stream(seed: int, count: int) -> tuple[bytes, list[int]]:
    """Return lines in disorder with good messages between them, and the numbers of these."""
    lines, marks, data = OddLines(seed, SESSION), list[int](), bytearray()
    for number in range(count):
        if number % _GOOD_EVERY == 0:
            marks.append(number)
            data += _good(number)
        data += lines.line()
    marks.append(count)
    return bytes(data) + b"\n" + _good(count), marks


class _Errors(logging.Handler):
    """Mistakes of ours that were logged."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        kind = record.exc_info[1] if record.exc_info else ""
        self.found.append(f"logged: {record.getMessage()[:200]} {kind!r}")


async def _into_the_layer(seed: int, count: int) -> list[str]:
    data, marks = _stream(seed, count)
    cuts = sorted(Random(seed).sample(range(1, len(data)), 20))
    errors = _Errors()
    logging.getLogger().addHandler(errors)
    problems: list[str] = []
    try:
        async with conversation(line_limit=1 << 20) as talk:
            for start, end in pairwise([0, *cuts, len(data)]):
                talk.puppet.prints(data[start:end])
            await talk.until(lambda: f"⟦{count}⟧" in talk.said(), f"the last of {count} lines")
            problems += _lost(marks, talk.said())
    except Exception as error:  # noqa: BLE001  # whatever it is, the other batches are tried
        problems.append(f"{type(error).__name__}: {str(error)[:500]}")
    finally:
        logging.getLogger().removeHandler(errors)
    return problems + errors.found


def _into_the_program(seed: int, count: int) -> list[str]:
    data, marks = _stream(seed, count)
    with tempfile.TemporaryDirectory() as folder:
        home, lines = Path(folder, "home"), Path(folder, "lines")
        lines.write_bytes(data)
        agent = f"{sys.executable} -S -P {_AGENT}"
        argv = acp_tui(agent, "--cwd", folder)
        env = {"HOME": folder, "ACP_TUI_HOME": str(home), "PATH": os.environ["PATH"]}
        with Terminal(argv, cwd=Path(folder), env=env) as terminal:
            try:
                terminal.until(lambda screen: "F1 help" in screen and "starting" not in screen)
                terminal.type(f"{lines}\r")
                terminal.until(lambda _: f"⟦{count}⟧" in _journal(home))
                terminal.until(lambda _: True, 0.2)
                problems = _lost(marks, _journal(home))
                terminal.process.send_signal(signal.SIGTERM)
                terminal.exit_code()
            except NeverShown as error:
                problems = [str(error)]
        log = (home / "state" / "acp-tui.log").read_text("utf-8", "replace")
        return problems + [f"in the log: {log[-500:]}"] * ("Traceback" in log)


def _journal(home: Path) -> str:
    """Return what the agent said, as it was written down."""
    files = (home / "data" / "journals").glob("*.ndjson")
    said = (row.msg for file in files for row in read(file) if row.direction == "in")
    return "".join(json.dumps(msg, ensure_ascii=False) for msg in said)


def _lost(marks: list[int], told: str) -> list[str]:
    """Return what is wrong with the good messages that came through."""
    found = [int(mark) for mark in _MARK.findall(told)]
    if found == marks:
        return []
    lost = sorted(set(marks) - set(found))
    return [f"good messages: {len(found)} of {len(marks)} came, the first that are lost: {lost[:10]}"]


ROW: Final = Row(
    "fuzz",
    "whatever lines an agent writes, nothing crashes and no good message is lost or read back otherwise",
    small=20_000,
    full=1_000_000,
    run=run,
)
