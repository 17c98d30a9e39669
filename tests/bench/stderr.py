"""An agent that fills its stderr: memory, and what is written down of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.bench import agent
from tests.bench.rest import MIB
from tests.bench.table import Row, at_most
from tests.bench.talk import order, talk

SIZE = 256 << 20


def rows(env: Mapping[str, str], quick: bool) -> Iterator[Row]:
    size = SIZE // 8 if quick else SIZE
    with talk(env) as program:
        order(program, "stream 8000 0")  # what is loaded at the first answer
        program.wait_for(agent.end(1))
        program.look_on(3)
        before, cpu = program.memory(), program.cpu()
        program.note(last := agent.end(2))
        order(program, f"stderr {size}")
        program.look_on_until(lambda: program.noted[last] is not None)
        program.look_on(1)
        grown, cpu = program.peak() - before, program.cpu() - cpu
    journals = Path(env["HOME"], ".local/share/acp-tui/journals").glob("*.ndjson")
    written = max(journal.stat().st_size for journal in journals)
    name = f"stderr, {size >> 20} MiB"
    yield Row(f"{name}, memory grown at most", "MiB", grown / MIB, None, at_most(15))
    yield Row(f"{name}, CPU", "ms/MiB", cpu * 1e3 / (size >> 20))
    yield Row(f"{name}, largest journal", "MiB", written / (1 << 20), None, at_most(16))
