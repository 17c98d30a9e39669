"""Answers as agents write them: headings, prose, lists, code, tables and quotes, the same in every run."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

WORDS: Final = (
    *("a", "test", "that", "fails", "for", "the", "right", "reason", "tells", "more", "than", "ten", "that"),
    *("pass", "so", "look", "at", "the", "parser", "first", "then", "at", "who", "calls", "it", "and"),
    *("change", "one", "thing", "at", "a", "time", "until", "the", "output", "matches", "what", "users"),
    *("expect", "to", "see"),
)


def markdown(characters: int, seed: int = 1) -> str:
    """Return about that many characters, ending with a whole section."""
    chance = random.Random(seed)
    sections: list[str] = []
    length, number = 0, 0
    while length < characters:
        number += 1
        section = "\n\n".join(_section(chance, number)) + "\n\n"
        sections.append(section)
        length += len(section)
    return "".join(sections)


def pieces(text: str, size: int = 40, seed: int = 2) -> list[str]:
    """Cut a text as a model sends it: into pieces of about `size` characters that respect nothing."""
    chance = random.Random(seed)
    found: list[str] = []
    at = 0
    while at < len(text):
        end = at + max(1, round(chance.gauss(size, size / 3)))
        found.append(text[at:end])
        at = end
    return found


def _section(chance: random.Random, number: int) -> Iterator[str]:
    yield f"## Step {number}: {_words(chance, 3)}"
    yield f"{_sentence(chance, 35)} {_sentence(chance, 25)}"
    yield "\n".join(f"- {_sentence(chance, 10)}" for _ in range(5))
    yield "```python\n" + "\n".join(_function(chance, number, k) for k in range(6)) + "\n```"
    yield _sentence(chance, 50)
    rows = [f"| {_words(chance, 1)} | {chance.randrange(10_000)} | {_words(chance, 2)} |" for _ in range(4)]
    yield "\n".join(["| file | lines | why |", "|---|---:|---|", *rows])
    yield "\n".join(f"{place}. {_sentence(chance, 8)}" for place in (1, 2))
    yield f"> {_sentence(chance, 14)}"


def _function(chance: random.Random, number: int, k: int) -> str:
    return f"def step_{number}_{k}(left, right={k}):\n    return left * {k} + right  # {_words(chance, 1)}"


def _words(chance: random.Random, count: int) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(count))


def _sentence(chance: random.Random, count: int) -> str:
    words = [_dressed(chance, chance.choice(WORDS)) for _ in range(count)]
    return " ".join(words).capitalize() + "."


def _dressed(chance: random.Random, word: str) -> str:
    kind = chance.random()
    if kind < 0.04:
        return f"`{word}()`"
    if kind < 0.07:
        return f"**{word}**"
    if kind < 0.09:
        return f"*{word}*"
    return f"[{word}](https://example.org/{word})" if kind < 0.10 else word
