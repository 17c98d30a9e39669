"""An agent that reviews: it wants to write a file and to run a command, and says what it found.

What it found is in the file `remarks` of the workspace, if there is one.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

FOUND = """\
I found two things.

- `old.txt:2`: The second line is not clear.
- old.txt:40: There is no such line, so
  it cannot be read.

That is all.
"""


def send(**frame: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **frame}) + "\n")
    sys.stdout.flush()


def main() -> None:
    session, cwd, prompt = "review", "", 0
    for line in sys.stdin:
        frame = json.loads(line)
        match frame.get("method"):
            case "initialize":
                about = {"name": "reviewer", "title": "Reviewer", "version": "1"}
                result = {"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": about}
                send(id=frame["id"], result=result)
            case "session/new":
                cwd = frame["params"]["cwd"]
                send(id=frame["id"], result={"sessionId": session})
            case "session/prompt":
                prompt = frame["id"]
                path = str(Path(cwd) / "old.txt")
                params = {"sessionId": session, "path": path, "content": "mine"}
                send(id="write", method="fs/write_text_file", params=params)
                run = {"sessionId": session, "command": "touch", "args": ["made"]}
                send(id="run", method="terminal/create", params=run)
            case None if frame.get("id") == "run":
                remarks = Path(cwd) / "remarks"
                content = {"type": "text", "text": remarks.read_text() if remarks.exists() else FOUND}
                update = {"sessionUpdate": "agent_message_chunk", "content": content}
                send(method="session/update", params={"sessionId": session, "update": update})
                send(id=prompt, result={"stopReason": "end_turn"})


main()
