"""`acp-tui log decisions`: print requests and answers, as text or JSON."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Final

from acp_tui.formatting import moment
from acp_tui.safe_text import exact
from acp_tui.store.decisions import Decision, Decisions

HELP: Final = """\
Print what agents asked for and how it was answered, the oldest first.

  acp-tui log decisions [options]

  --since WHEN      only from then on: 7d, 12h, 30m, or a date such as 2026-03-01
  --session ID      only of this session
  --agent NAME      only of this agent
  --json            print JSON, one object a line
  --help            show this text

Exit code: 0 all is well, 1 the log cannot be read, 2 the command line is wrong.
"""


def parser() -> ArgumentParser:
    """Return the parser of the arguments after `log decisions`."""
    made = ArgumentParser(
        prog="acp-tui log decisions", add_help=False, allow_abbrev=False, exit_on_error=False
    )
    made.add_argument("--since", type=since)
    made.add_argument("--session")
    made.add_argument("--agent")
    made.add_argument("--json", action="store_true")
    return made


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
        print("acp-tui: no decision fits", file=sys.stderr)
    return 0


def since(text: str) -> datetime:
    """Parse a time: so long ago, or a date with or without a time."""
    try:
        return moment(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def print_lines(lines: Iterable[str]) -> None:
    """Print lines until the reader stops."""
    out = sys.stdout.buffer
    try:
        for line in lines:
            out.write(f"{line}\n".encode(sys.stdout.encoding, "replace"))
        out.flush()
    except BrokenPipeError:  # the reader has stopped, as `head` does
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
    kind = f"{kind} (unasked)" if decision.unasked else kind
    kind = f"{kind} (asked again after a change)" if decision.again else kind
    return printable(f"{when}  {decision.agent}  {kind}  {asked}  → {came} ({by})")


def printable(text: str) -> str:
    """Return a text on one line, without control or invisible characters."""
    return exact(" ".join(text.split()))
