"""Updates of an agent that works: thoughts, answers, and tool calls with their output."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.bench.prose import markdown, pieces


@dataclass
class Said:
    """The amount that was told since the agent began."""

    characters: int = 0
    """Of texts that a client keeps."""
    entries: int = 0


said = Said()
_rounds = itertools.count()
_chance = random.Random(7)


def updates(count: int) -> Iterator[dict[str, Any]]:
    """Yield `count` updates: in each round a thought, a message of about 2 KB, and a tool call."""
    yield from itertools.islice(itertools.chain.from_iterable(map(_round, _rounds)), count)


def _round(number: int) -> Iterator[dict[str, Any]]:
    yield {"sessionUpdate": "plan", "entries": [_step(place, number) for place in range(5)]}
    yield from thought(number)
    yield from message(number)
    yield from call(number)
    yield {"sessionUpdate": "usage_update", "used": number % 200_000, "size": 200_000}


def thought(number: int) -> Iterator[dict[str, Any]]:
    """Yield the pieces of a thought of 400 characters."""
    return _told("agent_thought_chunk", markdown(200, seed=number)[:400], f"t{number}")


def message(number: int) -> Iterator[dict[str, Any]]:
    """Yield the pieces of a message of about 2 KB."""
    return _told("agent_message_chunk", markdown(1_500, seed=number), f"m{number}")


def _told(kind: str, text: str, message_id: str) -> Iterator[dict[str, Any]]:
    said.entries += 1
    for piece in pieces(text):
        said.characters += len(piece)
        yield {
            "sessionUpdate": kind,
            "content": {"type": "text", "text": piece},
            "messageId": message_id,
        }


def call(number: int) -> Iterator[dict[str, Any]]:
    """Yield how a tool call begins and ends; in turn one that reads, edits or runs something."""
    name, text = f"call-{number}", markdown(600, seed=number)
    kind = ("read", "edit", "execute")[number % 3]
    said.entries += 1
    said.characters += len(text)
    yield {
        "sessionUpdate": "tool_call",
        "toolCallId": name,
        "title": f"{kind} part {number}",
        "kind": kind,
        "status": "in_progress",
    }
    brought: dict[str, Any] = {"type": "content", "content": {"type": "text", "text": text}}
    if kind == "edit":
        said.characters += len(text)
        old = "\n".join(line for line in text.splitlines() if _chance.random() < 0.8)
        brought = {"type": "diff", "path": f"/part-{number % 40}.md", "oldText": old, "newText": text}
    yield {
        "sessionUpdate": "tool_call_update",
        "toolCallId": name,
        "status": "completed",
        "content": [brought],
    }


def _step(place: int, number: int) -> dict[str, Any]:
    status = "completed" if place < number % 5 else "pending"
    return {"content": f"step {place}", "priority": "medium", "status": status}
