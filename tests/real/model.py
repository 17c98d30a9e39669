"""A model that follows a script: what a real agent asks, it answers as a test has written down.

Speaks as much of the APIs in `dialects` as agents need, on loopback.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Self

from tests.real.dialects import DIALECTS, RESULT, Dialect
from tests.real.dialects.answer import Piece, Use

NAME: Final = "scripted"
"""The name of the model where an agent offers a choice."""

_ASIDE: Final = "An aside"
"""Said to whoever asks without offering tools: agents have titles and summaries made that way."""


@dataclass(frozen=True)
class Say:
    """The model says something, word by word."""

    text: str
    pause: float = 0.0
    """Seconds between two pieces."""
    words: int = 1
    """Words of a piece."""


Step = Say | Use
Script = dict[str, list[Step]]
"""By what the user writes: the model's answers, each given once the one before has had its effect."""


class NotInScript(Exception):
    """An agent asks for what no test has written down."""


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
        """The address at which it is served."""
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

    def next_step(self, dialect: Dialect, request: dict[str, Any]) -> Step:
        """Return the answer to a conversation so far.

        Raises:
            NotInScript: nothing in it is a prompt of the script, or the script does not go on.
        """
        offered = dialect.tools(request)
        if not offered:
            return Say(_ASIDE)
        prompt, used = None, 0
        for text in dialect.heard(request):
            if text is RESULT:
                used += 1
            elif found := self._prompt_in(text):
                prompt, used = found, 0
        steps = self.script[prompt] if prompt is not None else []
        if used >= len(steps):
            raise NotInScript(f"after {prompt} and {used} results: {json.dumps(request)[-2000:]}")
        step = steps[used]
        if isinstance(step, Use) and step.tool not in offered:
            raise NotInScript(f"{step.tool} is not among the tools on offer, {', '.join(offered)}")
        return step

    def pieces(self, step: Step) -> Iterator[Piece]:
        """Yield an answer in the parts in which it is streamed, at its pace."""
        if isinstance(step, Use):
            yield step
            return
        words = step.text.split(" ")
        for start in range(0, len(words), step.words):
            yield f"{' '.join(words[start : start + step.words])} "
            if self._stopped.wait(step.pause):
                return

    def _prompt_in(self, text: str) -> str | None:
        """Return the newest prompt in a text: agents put words of their own around it."""
        found = [prompt for prompt in self.script if prompt in text]
        return max(found, key=lambda prompt: (text.rfind(prompt), len(prompt)), default=None)


def _handler(model: Model) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send({"object": "list", "data": [{"id": NAME, "object": "model"}]})

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            path = self.path.partition("?")[0]
            model.requests.append(path)
            dialect = next((known for known in DIALECTS if path.endswith(known.ending)), None)
            try:
                if path.endswith((":countTokens", "/count_tokens")):
                    self._send({"totalTokens": 1000, "input_tokens": 1000})
                elif dialect is None:
                    self.send_error(404)
                else:
                    self._answer(dialect, request, streams=request.get("stream") or ":stream" in path)
            except NotInScript as error:
                model.requests.append(f"not in the script: {error}")
                self._send({"error": {"code": 400, "type": "script", "message": "not in the script"}}, 400)
            except ConnectionError:
                pass  # the agent has cancelled

        def _answer(self, dialect: Dialect, request: dict[str, Any], *, streams: bool) -> None:
            pieces = model.pieces(model.next_step(dialect, request))
            if not streams:
                self._send(dialect.whole(request, pieces))
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for event in dialect.stream(request, pieces):
                self.wfile.write(_event(event))
                self.wfile.flush()

        def _send(self, value: dict[str, Any], status: int = 200) -> None:
            body = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Keep quiet: requests are noted by the model."""

    return Handler


def _event(value: dict[str, Any] | str) -> bytes:
    if isinstance(value, str):
        return f"data: {value}\n\n".encode()
    name = f"event: {value['type']}\n" if "type" in value else ""
    return f"{name}data: {json.dumps(value)}\n\n".encode()
