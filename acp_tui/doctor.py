"""`acp-tui doctor`: examines an agent and prints what was found, for people or as JSON."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import sys
from argparse import ArgumentParser, ArgumentTypeError
from typing import TYPE_CHECKING, Any, Final

from acp_tui.safe_text import safe_line
from acp_tui.store.journal import MASK, SECRET_LENGTH, secrets_of
from acp_tui.store.urls import masked

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from acp_tui.agent.doctor import Report
    from acp_tui.agent.frames import Finding
    from acp_tui.store.launch import Launch

HELP: Final = """\
Examine an agent: how it starts, what it offers, which rules of the protocol it
breaks, and what acp-tui does about each.

  acp-tui doctor [options] --agent NAME [arguments of the agent …]
  acp-tui doctor [options] --demo

Nothing is said to the agent's model unless --prompt is given.

  --cwd DIR        the folder of its session; the current one by default
  --timeout S      seconds for each answer; 30 by default
  --prompt TEXT    also say this, twice: once to the end, once to be cancelled;
                   a third time if a cancel between the two has spoilt the second
  --json           print JSON
  --help           show this text

Exit code: 0 all is well, 1 something is broken, 2 the command line is wrong.
"""

_MARKS: Final = {"well": "✓", "note": "·", "broken": "✗"}
_LONGEST: Final = 400
"""Characters of what an agent says that are printed."""
_CHECK: Final = 22
"""Cells of the column of checks."""


def parser() -> ArgumentParser:
    """Return what reads the options before the agent."""
    made = ArgumentParser(prog="acp-tui doctor", add_help=False, allow_abbrev=False, exit_on_error=False)
    made.add_argument("--demo", action="store_true")
    made.add_argument("--cwd", default=".")
    made.add_argument("--timeout", type=_seconds, default=30.0)
    made.add_argument("--prompt")
    made.add_argument("--json", action="store_true")
    return made


def run(launch: Launch, cwd: str, timeout: float, prompt: str | None, *, as_json: bool) -> int:
    """Examine an agent, print the report and return the exit code."""
    from acp_tui import __version__
    from acp_tui.agent.doctor import examine
    from acp_tui.host.guard import Guard

    guard = Guard()
    try:
        report = asyncio.run(
            examine(launch, cwd, patience=timeout, prompt=prompt, version=__version__, guard=guard)
        )
    finally:
        guard.close()
    _print(json.dumps(_plain(report), indent=2) if as_json else _words(report))
    return int(report.broken)


def print_missing(agent: str, why: str) -> None:
    """Print the JSON of an agent that is not there to be examined, in the shape of the others."""
    hidden = _hiding({})
    finding = {"check": "program", "verdict": "broken", "text": hidden(why), "fallback": ""}
    report = {"command": [hidden(agent)], "agent": None, "capabilities": None, "auth_methods": None}
    _print(json.dumps({**report, "ok": False, "findings": [finding]}, indent=2))


def _print(text: str) -> None:
    sys.stdout.buffer.write(f"{text}\n".encode(sys.stdout.encoding, "replace"))
    sys.stdout.flush()


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise ArgumentTypeError(f"must be a number of seconds, not {text}")
    return seconds


def _words(report: Report) -> str:
    lines = [shlex.join(_command(report.launch)).replace(f"'{MASK}'", MASK), ""]
    hidden = _hiding(report.launch.env)
    for finding in report.findings:
        lines += map(hidden, _lines(finding))
    counts = dict.fromkeys(_MARKS, 0)
    for finding in report.findings:
        counts[finding.verdict] += 1
    lines += ["", f"{counts['well']} well, {counts['note']} to know, {counts['broken']} broken"]
    return "\n".join(map(safe_line, lines))


def _lines(finding: Finding) -> list[str]:
    lines = [f"{_MARKS[finding.verdict]} {finding.check:{_CHECK}}{finding.text}"]
    if finding.fallback:
        lines.append(f"{'':{_CHECK + 2}}→ {finding.fallback}")
    return lines


def _hiding(env: Mapping[str, str]) -> Callable[[str], str]:
    """Return what makes a text fit to be shown to others, as reports are: short, and without secrets."""
    from acp_tui.store.redacting import mask_tokens

    values = secrets_of({**os.environ, **env})
    secrets = sorted((one for one in values if len(one) >= SECRET_LENGTH), key=len, reverse=True)

    def hidden(text: str) -> str:
        for secret in secrets:
            text = text.replace(secret, MASK)
        text = mask_tokens(masked(text[: 4 * _LONGEST]), MASK)
        return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"

    return hidden


def _command(launch: Launch) -> list[str]:
    from acp_tui.store.redacting import mask_arguments

    return [*map(_hiding(launch.env), mask_arguments(launch.argv, MASK))]


def _plain(report: Report) -> dict[str, Any]:
    from acp_tui.agent.abilities import abilities

    info, hidden = report.info, _hiding(report.launch.env)
    named = info.agent_info if info is not None else None
    return {
        "command": _command(report.launch),
        "agent": {
            "name": hidden(named.name),
            "title": hidden(named.title) if named.title is not None else None,
            "version": hidden(named.version),
        }
        if named
        else None,
        "capabilities": dict(abilities(info.agent_capabilities)) if info is not None else None,
        "auth_methods": [hidden(method.id) for method in info.auth_methods] if info is not None else None,
        "ok": not report.broken,
        "findings": [
            {
                "check": finding.check,
                "verdict": finding.verdict,
                "text": hidden(finding.text),
                "fallback": hidden(finding.fallback),
            }
            for finding in report.findings
        ],
    }
