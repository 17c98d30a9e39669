"""Scenes that run commands, and several things at once."""

from __future__ import annotations

from typing import Final

from acp_tui.demo.connection import RequestRefused
from acp_tui.demo.services import ALLOW_ONCE, REJECT_ONCE, allowed, chosen, run
from acp_tui.demo.turn import DemoToolCall, DemoTurn, text_content

_CHECKS: Final = (
    "for check in 'finds the words' 'counts them' 'sorts by number' 'prints JSON'; do "
    "printf '\\033[32m✓\\033[0m tally %s\\n' \"$check\"; sleep {pause}; done; "
    "printf '\\033[1m4 passed\\033[0m\\n'"
)


def run_checks(turn: DemoTurn) -> str:
    """Run the imaginary checks of `tally`, if allowed, and return a sentence about them."""
    pause = f"{0.4 / turn.speed:.2f}" if turn.speed else "0"
    tool = _command(turn, "Run the checks", _CHECKS.format(pause=pause))
    if not turn.can("terminal"):
        tool.finish("The client offers no terminal.", failed=True)
        return "I ran nothing, since this client offers no terminal."
    if not allowed(turn, tool):
        return "I ran nothing: you rejected it."
    code = run(turn, tool, "sh", ["-c", tool.fields["rawInput"]["command"]])
    return "The checks passed." if code == 0 else f"The checks ended with exit code {code}."


def run_scene(turn: DemoTurn, rest: str) -> None:
    """Run the user's command line in a shell."""
    line = rest or "ls -la"
    tool = _command(turn, line, line)
    if not _has_terminal(turn, tool):
        return
    if allowed(turn, tool):
        _run_line(turn, tool, line)
    else:
        turn.say("Then I run nothing.")


def unasked(turn: DemoTurn, rest: str) -> None:
    """Run a command line without a permission request, as some agents do in some modes."""
    line = rest or "ls -la"
    tool = _command(turn, line, line)
    if _has_terminal(turn, tool):
        _run_line(turn, tool, line)


def _has_terminal(turn: DemoTurn, tool: DemoToolCall) -> bool:
    if turn.can("terminal"):
        return True
    tool.finish("The client offers no terminal.", failed=True)
    turn.say("This client offers no terminal, so I cannot run anything.")
    return False


def _run_line(turn: DemoTurn, tool: DemoToolCall, line: str) -> None:
    try:
        code = run(turn, tool, "sh", ["-c", line])
    except RequestRefused as refused:
        tool.finish(f"It did not start: {refused.message}", failed=True)
        turn.say("The command could not be started.")
        return
    turn.say(_how_it_ended(code))


def _how_it_ended(code: int | None) -> str:
    if code is None:
        return "A signal ended it."
    return "It succeeded." if code == 0 else f"It ended with exit code {code}."


def chain(turn: DemoTurn, rest: str) -> None:
    """Ask for a chained command; the user's rules may cover all of its parts, or some."""
    run_scene(turn, rest or _CHAIN)


def parallel(turn: DemoTurn, rest: str) -> None:
    """Run three tools at once, and ask two questions at the same time."""
    turn.say("Three searches at once, and then two questions at once.\n")
    tools = [turn.tool(f"Search for “{word}”", "search", raw_input={"query": word}) for word in _WORDS]
    for tool in tools:
        tool.start()
    for found in range(1, 4):
        for tool in tools:
            turn.pause(0.2)
            tool.update(content=[text_content(f"{found} of 3 folders searched")])
    for tool in reversed(tools):
        turn.pause(0.3)
        tool.finish("Found in `tally/words.py`, line 12.")
    _two_questions(turn)


def _two_questions(turn: DemoTurn) -> None:
    options = [ALLOW_ONCE, REJECT_ONCE]
    tools = [turn.tool(f"Fetch {page}", "fetch", raw_input={"url": page}) for page in _PAGES]
    calls = [
        turn.begin("session/request_permission", toolCall=tool.described(), options=options) for tool in tools
    ]
    answers = [chosen(turn.wait(call), options) for call in calls]
    for tool, answer in zip(tools, answers, strict=True):
        tool.finish("Not fetched: the demo has no network.", failed=answer is not ALLOW_ONCE)
    allowed_count = sum(answer is ALLOW_ONCE for answer in answers)
    turn.say(f"You allowed {allowed_count} of 2.")


def _command(turn: DemoTurn, title: str, line: str) -> DemoToolCall:
    return turn.tool(title, "execute", raw_input={"command": line, "cwd": turn.session.cwd})


_CHAIN: Final = "ls -a | sort -r && echo 'that was all' 2>&1"
_WORDS: Final = ("count", "report", "json")
_PAGES: Final = ("https://example.com/tally", "https://example.com/json")
