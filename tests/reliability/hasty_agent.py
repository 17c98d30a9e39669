"""An agent that does one thing after the other at random: it speaks, edits, asks, withdraws and dies."""

from __future__ import annotations

import json
import random
import select
import sys
import time
from typing import Any

CHANCE = random.Random(sys.argv[1])
ONCE = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "always", "name": "Always allow", "kind": "allow_always"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]
FORM = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Name"},
        "size": {"type": "integer", "title": "Size"},
        "sure": {"type": "boolean", "title": "Sure"},
        "style": {"type": "string", "oneOf": [{"const": "a", "title": "Small"}, {"const": "b"}]},
    },
}


class Agent:
    """The agent, with the requests of its own that are open."""

    def __init__(self) -> None:
        self.open: list[str] = []
        self.number = 0
        self.prompt: Any = None

    def send(self, **fields: Any) -> None:
        print(json.dumps({"jsonrpc": "2.0", **fields}), flush=True)

    def update(self, session: str, kind: str, **fields: Any) -> None:
        params = {"sessionId": session, "update": {"sessionUpdate": kind, **fields}}
        self.send(method="session/update", params=params)

    def ask(self, method: str, session: str, **params: Any) -> None:
        self.number += 1
        self.open.append(f"q{self.number}")
        self.send(id=self.open[-1], method=method, params={"sessionId": session, **params})

    def act(self, session: str) -> None:
        """Do one thing of a turn."""
        self.number += 1
        name = f"c{self.number}"
        match CHANCE.choice(
            ("say", "say", "think", "call", "ask", "ask", "asks", "form", "link", "write", "run")
        ):
            case "say":
                for word in ("One **two**\n\n", "- three\n", "```py\nx = 1\n```\n", "› four\n\n"):
                    self.update(session, "agent_message_chunk", content={"type": "text", "text": word})
            case "think":
                self.update(session, "agent_thought_chunk", content={"type": "text", "text": "Hm … " * 9})
                plan = [{"content": f"step {n}", "priority": "low", "status": "pending"} for n in range(3)]
                self.update(session, "plan", entries=plan)
            case "call":
                diff = {"type": "diff", "path": "/x/a.py", "oldText": "a\nb\n", "newText": f"a\n{name}\n"}
                fields = {"title": f"Edit {name}", "kind": "edit", "status": "completed", "content": [diff]}
                self.update(session, "tool_call", toolCallId=name, **fields)
            case "ask" | "asks" as what:
                for place in range(1 if what == "ask" else 4):
                    call = {"toolCallId": f"{name}-{place}", "title": f"rm {name}", "kind": "execute"}
                    call["rawInput"] = {"command": f"rm {name}-{place}"}  # type: ignore[assignment]
                    self.ask("session/request_permission", session, toolCall=call, options=ONCE)
            case "form":
                self.ask("elicitation/create", session, mode="form", message="Who?", requestedSchema=FORM)
            case "link":
                more = {"url": "https://example.org/a", "elicitationId": name, "message": "Look"}
                self.ask("elicitation/create", session, mode="url", **more)
            case "write":
                self.ask("fs/write_text_file", session, path=f"{self.cwd}/{name}.txt", content=name)
            case "run":
                self.ask("terminal/create", session, command="true", args=[])

    def take(self, frame: Any) -> None:
        """Take a message of the client."""
        match frame.get("method"):
            case "initialize":
                self.send(id=frame["id"], result={"protocolVersion": 1, "agentCapabilities": {}})
            case "session/new":
                self.cwd = frame["params"]["cwd"]
                self.send(id=frame["id"], result={"sessionId": f"s{frame['id']}"})
            case "session/prompt":
                self.prompt = frame
            case "session/cancel" if self.prompt is not None:
                self.end("cancelled")
            case None if frame.get("id") in self.open:
                self.open.remove(frame["id"])
            case str() if "id" in frame:
                self.send(id=frame["id"], error={"code": -32601, "message": "Method not found"})

    def end(self, reason: str) -> None:
        """End the turn."""
        self.send(id=self.prompt["id"], result={"stopReason": reason})
        self.prompt = None

    def run(self) -> None:
        """Act until the input ends."""
        while True:
            wait = CHANCE.uniform(0.0, 0.15) if self.prompt is not None else None
            if select.select([sys.stdin], [], [], wait)[0]:
                line = sys.stdin.readline()
                if not line:
                    return
                self.take(json.loads(line))
            elif self.prompt is not None:
                drawn = CHANCE.random()
                if drawn < 0.01:
                    sys.exit(3)
                if drawn < 0.1 and not self.open:
                    self.end("end_turn")
                elif drawn < 0.3 and self.open:
                    gone = self.open.pop(CHANCE.randrange(len(self.open)))
                    self.send(method="$/cancel_request", params={"requestId": gone})
                elif len(self.open) < 8:
                    self.act(self.prompt["params"]["sessionId"])
                else:
                    time.sleep(0.01)


if __name__ == "__main__":
    Agent().run()
