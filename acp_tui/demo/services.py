"""The services of the client that scenes use: files, terminals, permissions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Final

from acp_tui.demo.connection import NOT_FOUND, Params, RequestRefused
from acp_tui.demo.turn import DemoCancelled, DemoToolCall, DemoTurn

ALLOW_ONCE: Final = {"optionId": "allow-once", "name": "Allow", "kind": "allow_once"}
ALLOW_ALWAYS: Final = {"optionId": "allow-always", "name": "Allow for this session", "kind": "allow_always"}
REJECT_ONCE: Final = {"optionId": "reject-once", "name": "Reject", "kind": "reject_once"}


def ask(turn: DemoTurn, tool: DemoToolCall, options: Sequence[Params]) -> Params | None:
    """Ask the user; return the chosen option, or None if cancelled."""
    answer = turn.call("session/request_permission", toolCall=tool.described(), options=list(options))
    return chosen(answer, options)


def chosen(answer: Params, options: Sequence[Params]) -> Params | None:
    """Return the option in the response to a permission request."""
    outcome = answer.get("outcome", {})
    return next((each for each in options if each["optionId"] == outcome.get("optionId")), None)


def allowed(turn: DemoTurn, tool: DemoToolCall) -> bool:
    """Return whether a tool may run, asking if mode and earlier answers leave it open.

    A rejected tool is finished as failed.
    """
    kind, mode = tool.fields["kind"], turn.session.options.mode
    if mode == "plan":
        tool.finish("Not done: in plan mode I change nothing.", failed=True)
        return False
    if kind in turn.session.always or (mode == "code" and kind == "edit"):
        return True
    option = ask(turn, tool, (ALLOW_ONCE, ALLOW_ALWAYS, REJECT_ONCE))
    if option is ALLOW_ALWAYS:
        turn.session.always.add(kind)
    if option in (ALLOW_ONCE, ALLOW_ALWAYS):
        return True
    tool.finish("Not done: you said no.", failed=True)
    return False


def in_workspace(turn: DemoTurn, name: str) -> str:
    """Return the absolute path of a file in the workspace."""
    return os.path.join(turn.session.cwd, name)  # noqa: PTH118 (a path on the wire is a string)


def read(turn: DemoTurn, path: str, limit: int | None = None) -> str | None:
    """Return the text of a file through the client, or None if it does not exist.

    Raises:
        RequestRefused: it exists but cannot be read.
    """
    try:
        answer = turn.call("fs/read_text_file", path=path, **({"limit": limit} if limit else {}))
    except RequestRefused as refused:
        if refused.code == NOT_FOUND:
            return None
        raise
    return str(answer.get("content", ""))


def write(turn: DemoTurn, path: str, text: str) -> None:
    """Write a file through the client."""
    turn.call("fs/write_text_file", path=path, content=text)


def has_files(turn: DemoTurn) -> bool:
    """Return whether the client reads and writes files."""
    return turn.can("fs", "readTextFile") and turn.can("fs", "writeTextFile")


def run(turn: DemoTurn, tool: DemoToolCall, command: str, args: Sequence[str] = ()) -> int | None:
    """Run a command in a terminal of the client, shown in `tool`, and return its exit code.

    The code is None if a signal ended it. Cancelling the turn kills the command.
    """
    created = turn.call(
        "terminal/create", command=command, args=list(args), cwd=turn.session.cwd, outputByteLimit=100_000
    )
    terminal = str(created["terminalId"])
    tool.update(status="in_progress", content=[{"type": "terminal", "terminalId": terminal}])
    try:
        status = turn.call("terminal/wait_for_exit", terminalId=terminal)
    except DemoCancelled:
        turn.call_anyway("terminal/kill", terminalId=terminal)
        raise
    finally:
        output = turn.call_anyway("terminal/output", terminalId=terminal) or {}
        turn.session.outputs[terminal] = str(output.get("output", ""))
        turn.call_anyway("terminal/release", terminalId=terminal)
    return _ended(tool, status)


def _ended(tool: DemoToolCall, status: Any) -> int | None:
    code = status.get("exitCode")
    tool.update(
        status="completed" if code == 0 else "failed",
        rawOutput={"exitCode": code, "signal": status.get("signal")},
    )
    return code if isinstance(code, int) else None
