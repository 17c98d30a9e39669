"""A model that follows a script: what a real agent asks, it answers as a test has written down.

Speaks as much of Google's Gemini API as an agent needs, on loopback.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Self


@dataclass(frozen=True)
class Say:
    """The model says something, word by word."""

    text: str
    pause: float = 0.0
    """Seconds between two words."""


@dataclass(frozen=True)
class Use:
    """The model wants a tool of the agent's."""

    tool: str
    arguments: dict[str, Any]


Step = Say | Use
Script = dict[str, list[Step]]
"""By what the person writes: the model's answers, each given once the one before has had its effect."""


class Model:
    """The scripted model, served while the block runs; a prompt that is not in the script is an error."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[str] = []
        """The paths that were asked for, and what was wrong with them."""
        self._stopped = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    @property
    def url(self) -> str:
        """Where it is served."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def next_step(self, request: dict[str, Any]) -> Step:
        """Return the answer to a conversation so far.

        Raises:
            KeyError: nothing in it is a prompt of the script.
        """
        prompt, used = None, 0
        for part in _parts(request):
            if "functionResponse" in part:
                used += 1
            elif (text := part.get("text", "").strip()) in self.script:
                prompt, used = text, 0
        if prompt is None:
            raise KeyError(f"no prompt of the script in {json.dumps(request)[-2000:]}")
        return self.script[prompt][used]

    def pieces(self, step: Step) -> Iterator[dict[str, Any]]:
        """Yield an answer in the parts in which it is streamed, at its pace."""
        if isinstance(step, Use):
            yield {"functionCall": {"name": step.tool, "args": step.arguments}}
            return
        for word in step.text.split(" "):
            yield {"text": f"{word} "}
            if self._stopped.wait(step.pause):
                return


def _parts(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for message in request.get("contents", ()):
        if message.get("role", "user") == "user":
            yield from message.get("parts", ())


_USAGE: Final = {"promptTokenCount": 1000, "candidatesTokenCount": 10, "totalTokenCount": 1010}


def _response(parts: list[dict[str, Any]], *, last: bool) -> bytes:
    candidate: dict[str, Any] = {"index": 0, "content": {"role": "model", "parts": parts}}
    if last:
        candidate["finishReason"] = "STOP"
    return json.dumps({"candidates": [candidate], "usageMetadata": _USAGE}).encode()


def _handler(model: Model) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            path = self.path.partition("?")[0]
            model.requests.append(path)
            try:
                if path.endswith(":countTokens"):
                    self._send(b'{"totalTokens": 1000}')
                elif path.endswith(":streamGenerateContent"):
                    self._stream(model.next_step(request))
                elif path.endswith(":generateContent"):
                    self._send(_response(list(model.pieces(model.next_step(request))), last=True))
                else:
                    self.send_error(404)
            except (KeyError, IndexError) as error:
                model.requests.append(f"not in the script: {error}")
                self.send_error(400, "not in the script")
            except ConnectionError:
                pass  # the agent has cancelled

        def _send(self, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _stream(self, step: Step) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for piece in model.pieces(step):
                self.wfile.write(b"data: " + _response([piece], last=False) + b"\r\n\r\n")
                self.wfile.flush()
            self.wfile.write(b"data: " + _response([{"text": ""}], last=True) + b"\r\n\r\n")

        def log_message(self, format: str, *args: Any) -> None:
            """Keep quiet: requests are noted by the model."""

    return Handler
