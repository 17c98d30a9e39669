"""Answers on their way from an agent's pipe into the drawn chat."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from statistics import median

from markdown_it import MarkdownIt

from tests.bench import agent
from tests.bench.prose import markdown
from tests.bench.table import Row, at_most_times
from tests.bench.talk import order, talk

MESSAGE = 2_000
"""Characters of a message where there are many."""


def rows(env: Mapping[str, str], quick: bool) -> Iterator[Row]:
    sizes = (80_000,) if quick else (80_000, 800_000)
    for message, name in ((0, "one message"), (MESSAGE, "messages of 2 KB")):
        for size in sizes:
            runs = 3 if size < 100_000 else 1
            ours = median(_drawn(env, size, message) for _ in range(runs))
            floor = median(_parsed(size) for _ in range(runs))
            name_and_size = f"{size // 40:,} chunks, {name}, CPU"
            yield Row(name_and_size, "ms/KB", ours, floor, at_most_times(4.5))


def _drawn(env: Mapping[str, str], characters: int, message: int) -> float:
    """Return milliseconds of processor time for each KB that was streamed and drawn to its end."""
    with talk(env) as program:
        order(program, "stream 8000 0")  # what is loaded at the first answer
        program.wait_for(agent.end(1))
        program.type(f"stream {characters} {message}")
        program.look_on(0.2)
        before = program.cpu()
        program.type("\r")
        program.wait_for(agent.end(2))
        return (program.cpu() - before) * 1e3 / (characters / 1e3)


def _parsed(characters: int) -> float:
    """Return milliseconds of processor time for each KB that a parser takes for the whole text."""
    text = markdown(characters)
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    before = time.process_time()
    parser.parse(text)
    return (time.process_time() - before) * 1e3 / (len(text) / 1e3)
