"""Scenes in which something fails or takes long."""

from __future__ import annotations

import os
import threading

from acp_tui.demo.connection import INTERNAL_ERROR, RequestRefused
from acp_tui.demo.turn import DemoTurn


def slow(turn: DemoTurn, rest: str) -> None:
    """Count the seconds."""
    seconds = int(rest) if rest.isdecimal() else 60
    tool = turn.tool("Wait", "think")
    tool.start()
    turn.say(f"This takes {seconds} seconds. Stop me if you like.\n\n")
    for second in range(1, seconds + 1):
        turn.pause(1)
        turn.say(f"{second} ")
    tool.finish()


def error(turn: DemoTurn, rest: str) -> None:
    """End with an error, like an overloaded model server."""
    turn.say("Let me ask the model … ")
    details = {"details": "529: the imaginary model is overloaded, try again in a minute"}
    raise RequestRefused(INTERNAL_ERROR, "Internal error", details)


def refuse(turn: DemoTurn, rest: str) -> str:
    """End with a refusal."""
    turn.say("I would rather not.")
    return "refusal"


def limit(turn: DemoTurn, rest: str) -> str:
    """Stop in the middle of a sentence."""
    turn.say("The whole story of `tally` begins in a small office, on a rainy Tuesday, when somebody")
    return "max_tokens"


def die(turn: DemoTurn, rest: str) -> None:
    """End the process at once, with a last line on stderr."""
    turn.say("Goodbye, cruel ")
    os.write(2, b"demo: fatal: the scene /die was played\ndemo: this is its last line\n")
    os._exit(3)


def hang(turn: DemoTurn, rest: str) -> None:
    """Never answer; `hard` ignores even the cancel."""
    if rest == "hard":
        threading.Event().wait()
    turn.wait_for_cancel()


def noise(turn: DemoTurn, rest: str) -> None:
    """Send malformed and stray messages, as some agents do."""
    connection, session = turn.connection, turn.session
    turn.say("Before the noise. ")
    for line in ("Checking for updates …", "", "42", "null", "{}", '{"jsonrpc": "2.0"', "\x1b[31mred\x1b[0m"):
        connection.noise(line)
    os.write(2, "demo: a warning on stderr: ✗ \x1b[33mnothing to worry about\x1b[0m\n".encode())
    session.update("weather_update", forecast="sunny")
    session.update("_demo/private", anything=[1, 2, 3])
    session.update("agent_message_chunk", content={"type": "hologram", "data": "…"})
    connection.notify("_demo/heartbeat", {})
    try:
        turn.call("_demo/open_buffers")
    except RequestRefused:
        turn.say("My own extension was refused, rightly. ")
    _odd_tool(turn)
    turn.say("Text with \x1b]0;a title\x07 and \x1b[2J a cleared screen and [/b][@click=app.quit]markup[/]. ")
    turn.say("After the noise.")


def _odd_tool(turn: DemoTurn) -> None:
    """Send a tool call outside the schema."""
    session, tool_call_id = turn.session, turn.session.next_id("odd:call/")
    session.update("tool_call_update", toolCallId=tool_call_id, status="in_progress")
    session.update(
        "tool_call",
        toolCallId=tool_call_id,
        title="Teleport \x1b[5mblinking\x1b[0m\nover two lines",
        kind="teleport",
        status="cancelled",
        content=[
            {"type": "smell", "smell": "coffee"},
            {"type": "terminal", "terminalId": "no-such-terminal"},
        ],
    )
