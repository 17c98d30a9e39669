"""An agent that answers a prompt with the bytes of the file that it names, whatever they are."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any


def send(**message: Any) -> None:
    os.write(1, json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


def main() -> None:
    for line in sys.stdin.buffer:
        message = json.loads(line)
        match message.get("method"):
            case "initialize":
                send(id=message["id"], result={"protocolVersion": 1})
            case "session/new":
                send(id=message["id"], result={"sessionId": "s1"})
            case "session/prompt":
                data = memoryview(Path(message["params"]["prompt"][0]["text"].strip()).read_bytes())
                while data:
                    data = data[os.write(1, data) :]


if __name__ == "__main__":
    main()
