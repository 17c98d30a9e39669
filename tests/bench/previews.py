"""Large things that come unasked: a difference in the chat, and a chain of commands in a question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.bench import agent
from tests.bench.keys import LETTERS, echoes
from tests.bench.table import Row, at_most
from tests.bench.talk import order, talk

LINES = 50_000
CHAIN = 60_000


def rows(env: Mapping[str, str], quick: bool) -> Iterator[Row]:
    runs = 2 if quick else 5
    seconds, cpu, longest = min(_shown(env, f"change {LINES}", "changed.py", LETTERS) for _ in range(runs))
    name = f"a difference of {LINES:,} lines"
    yield Row(f"{name}, until it is shown", "ms", seconds * 1e3, None, at_most(100))
    yield Row(f"{name}, CPU", "ms", cpu * 1e3)
    yield Row(f"{name}, longest wait of a key", "ms", longest, None, at_most(50))
    seconds, cpu, _ = min(_shown(env, f"ask {CHAIN}", "part-1", ()) for _ in range(runs))
    name = f"a question about {CHAIN // 1000} KB of commands"
    yield Row(f"{name}, until it is shown", "ms", seconds * 1e3, None, at_most(300))
    yield Row(f"{name}, CPU", "ms", cpu * 1e3)


def _shown(
    env: Mapping[str, str], wish: str, shown: str, letters: Sequence[str]
) -> tuple[float, float, float]:
    """Return seconds until a text is drawn, of processor time, and the longest echo in milliseconds."""
    sent = Path(env["ACP_BENCH_SENT"])
    sent.unlink(missing_ok=True)
    with talk(env) as program:
        order(program, "stream 8000 0")  # what is loaded at the first answer
        program.wait_for(agent.end(1))
        program.look_on(3)
        cpu = program.cpu()
        program.note(shown)
        order(program, wish)
        program.look_on_until(sent.exists)
        waits = echoes(program, list(letters), pause=0.01)
        program.look_on_until(lambda: program.noted[shown] is not None)
        program.look_on(0.5)
        cpu = program.cpu() - cpu
        return (program.noted[shown] or 0.0) - float(sent.read_text()), cpu, max(waits, default=0.0)
