"""`acp-tui log decisions`: print requests and answers, as text or JSON."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from acp_tui.safe_text import exact
from acp_tui.store.decisions import Decision, Decisions


def run(path: Path, start: datetime | None, session: str | None, agent: str | None, *, as_json: bool) -> int:
    """Print the matching decisions and return the exit code."""
    try:
        log = Decisions(path)
        found = [
            decision
            for decision in log
            if (start is None or decision.time >= start)
            and session in (None, decision.session)
            and agent in (None, decision.agent)
        ]
    except OSError as error:
        print(f"acp-tui: {path} cannot be read: {error.strerror or error}", file=sys.stderr)
        return 1
    if log.broken:
        print(f"acp-tui: {log.broken} lines of {path} cannot be read", file=sys.stderr)
    print_lines(map(_as_json if as_json else _line, reversed(found)))
    if not found and not as_json:
        print("acp-tui: no matching decisions", file=sys.stderr)
    return 0


def print_lines(lines: Iterable[str]) -> None:
    """Print lines until the reader stops."""
    out = sys.stdout.buffer
    try:
        for line in lines:
            out.write(f"{line}\n".encode(sys.stdout.encoding, "replace"))
        out.flush()
    except BrokenPipeError:  # the reader has stopped, like `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _as_json(decision: Decision) -> str:
    return json.dumps(asdict(decision))


def _line(decision: Decision) -> str:
    """Return a decision on one line: time, request, result, source."""
    chosen = decision.chosen
    came = chosen.name if chosen is not None else "cancelled"
    asked = decision.command or decision.title or ", ".join(decision.paths)
    by = f"{decision.by}: {decision.detail}" if decision.detail else decision.by
    when = f"{decision.time.astimezone():%Y-%m-%d %H:%M:%S}"
    kind = f"{decision.kind} {decision.tool}" if decision.tool else decision.kind
    kind = f"{kind} of {decision.subagent}" if decision.subagent else kind
    kind = f"{kind} (unasked)" if decision.unasked else kind
    kind = f"{kind} (asked again after a change)" if decision.again else kind
    said = "  ".join(map(_without_arrow, (decision.agent, kind, asked)))
    return printable(f"{when}  {said}  → {_without_arrow(came)} ({by})")


def _without_arrow(text: str) -> str:
    """Return words of an agent without the sign before the answer."""
    return text.replace("→", "->")


def printable(text: str) -> str:
    """Return a text on one line, without control or invisible characters."""
    return exact(" ".join(text.split()))
