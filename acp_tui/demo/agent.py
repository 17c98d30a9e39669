"""The demo agent: answers requests and plays a scene for each prompt.

Source: ACP version 1, pages "initialization", "session setup", "prompt turn", "session modes".
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import PurePath
from typing import Any, Final

from acp_tui.demo.connection import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    NOT_FOUND,
    DemoConnection,
    Params,
    RequestRefused,
    Stopped,
)
from acp_tui.demo.scenes.table import commands, play
from acp_tui.demo.session import FOLDER_VARIABLE, DemoSession, SessionStore
from acp_tui.demo.turn import DemoCancelled, DemoTurn, offers

VERSION: Final = "1.0"

_PAGE: Final = 20
"""Sessions on a page of `session/list`."""

_TITLE_LENGTH: Final = 60


class DemoAgent:
    """The agent for one client. Methods run in the reading thread, each turn in its own."""

    def __init__(self, connection: DemoConnection, speed: float) -> None:
        self._connection = connection
        self._speed = speed
        self._client: Params = {}
        self._store = SessionStore(connection, os.environ.get(FOLDER_VARIABLE))
        self._open: dict[str, DemoSession] = {}
        self._turns: dict[str, tuple[Any, DemoTurn]] = {}
        """Prompt request id and turn of each busy session."""
        self._requests: dict[str, Callable[[Params], Params]] = {
            "initialize": self._initialize,
            "authenticate": self._authenticate,
            "session/new": self._new,
            "session/load": self._load,
            "session/resume": self._resume,
            "session/fork": self._fork,
            "session/list": self._list,
            "session/close": self._close,
            "session/delete": self._delete,
            "session/set_mode": self._set_mode,
            "session/set_config_option": self._set_config_option,
        }

    def serve(self) -> None:
        """Serve the client until it closes its end."""
        try:
            for message in self._connection.messages():
                self._receive(message)
        except Stopped:
            pass  # the client is gone
        for _, turn in list(self._turns.values()):
            turn.cancel()

    def _receive(self, message: Params) -> None:
        method, params = message["method"], message.get("params")
        params = {} if params is None else params
        if "id" not in message:
            self._notified(method, params)
            return
        try:
            if not isinstance(params, dict):
                raise RequestRefused(INVALID_PARAMS, "params must be an object")
            if method == "session/prompt":
                self._prompt(message["id"], params)
            elif method in self._requests:
                self._answer(message["id"], self._requests[method], params)
            else:
                raise RequestRefused(METHOD_NOT_FOUND, "Method not found", {"method": method})
        except RequestRefused as refused:
            self._connection.refuse(message["id"], refused)

    def _answer(self, request_id: Any, method: Callable[[Params], Params], params: Params) -> None:
        result = method(params)
        self._connection.reply(request_id, result)
        if "configOptions" in result and "modes" in result:  # a new session
            session = self._session(result if "sessionId" in result else params)
            session.update("available_commands_update", availableCommands=commands())
            session.send_usage()

    def _notified(self, method: str, params: Any) -> None:
        if not isinstance(params, dict):
            return
        if method == "session/cancel":
            self._cancel(params.get("sessionId"))
        elif method == "$/cancel_request":
            wanted = params.get("requestId")
            for session_id, (request_id, _) in list(self._turns.items()):
                if request_id == wanted and type(request_id) is type(wanted):
                    self._cancel(session_id)

    def _cancel(self, session_id: Any) -> None:
        if isinstance(session_id, str) and (busy := self._turns.get(session_id)):
            busy[1].cancel()

    def _initialize(self, params: Params) -> Params:
        version = params.get("protocolVersion")
        if not isinstance(version, int) or isinstance(version, bool):
            raise RequestRefused(INVALID_PARAMS, "protocolVersion must be an integer")
        client = params.get("clientCapabilities")
        self._client = client if isinstance(client, dict) else {}
        names = ("list", "resume", "close", "delete", "fork", "additionalDirectories")
        supported: Params = {name: {} for name in names}
        return {
            "protocolVersion": 1,
            "agentInfo": {"name": "acp-tui-demo", "title": "Demo agent", "version": VERSION},
            "agentCapabilities": {
                "loadSession": True,
                "promptCapabilities": {"image": True, "embeddedContext": True},
                "sessionCapabilities": supported,
            },
            "authMethods": [],
        }

    def _authenticate(self, params: Params) -> Params:
        raise RequestRefused(INVALID_PARAMS, "The demo agent needs no login")

    def _new(self, params: Params) -> Params:
        cwd, roots = _roots(params)
        session = DemoSession(os.urandom(6).hex(), cwd, roots, self._connection)
        self._open[session.session_id] = session
        self._store.put(session)
        return {"sessionId": session.session_id, **self._state(session)}

    def _load(self, params: Params) -> Params:
        session = self._attached(params)
        session.replay()
        return self._state(session)

    def _resume(self, params: Params) -> Params:
        return self._state(self._attached({"mcpServers": [], **params}))

    def _fork(self, params: Params) -> Params:
        """Copy a session and replay it. Source: ACP, the draft of `session/fork`."""
        source, (cwd, roots) = self._store.get(_text(params, "sessionId")), _roots(params)
        if source is None:
            raise RequestRefused(NOT_FOUND, f"There is no session {params['sessionId']}")
        session = source.copy(os.urandom(6).hex(), cwd, roots)
        self._open[session.session_id] = session
        self._store.put(session)
        session.replay()
        return {"sessionId": session.session_id, **self._state(session)}

    def _attached(self, params: Params) -> DemoSession:
        session_id = _text(params, "sessionId")
        cwd, roots = _roots(params)
        session = self._store.get(session_id)
        if session is None:
            raise RequestRefused(NOT_FOUND, f"There is no session {session_id}")
        if session_id in self._turns:
            raise RequestRefused(INVALID_REQUEST, "The session is busy")
        session.cwd, session.roots = cwd, roots
        self._open[session_id] = session
        return session

    def _list(self, params: Params) -> Params:
        cwd, cursor = params.get("cwd"), params.get("cursor") or "0"
        if not (isinstance(cursor, str) and cursor.isdecimal()):
            raise RequestRefused(INVALID_PARAMS, "Unknown cursor")
        begin = int(cursor)
        infos = [each.info() for each in self._store.all() if cwd in (None, each.cwd)]
        page: Params = {"sessions": infos[begin : begin + _PAGE]}
        return {**page, "nextCursor": str(begin + _PAGE)} if len(infos) > begin + _PAGE else page

    def _close(self, params: Params) -> Params:
        session = self._session(params)
        self._cancel(session.session_id)
        del self._open[session.session_id]
        return {}

    def _delete(self, params: Params) -> Params:
        session_id = _text(params, "sessionId")
        self._cancel(session_id)
        self._open.pop(session_id, None)
        self._store.remove(session_id)
        return {}

    def _set_mode(self, params: Params) -> Params:
        session = self._session(params)
        session.options.choose("mode", _text(params, "modeId"), self._with_switches())
        session.update("current_mode_update", currentModeId=session.options.mode)
        session.update("config_option_update", configOptions=self._options(session))
        return {}

    def _set_config_option(self, params: Params) -> Params:
        session = self._session(params)
        before = session.options.mode
        session.options.choose(_text(params, "configId"), params.get("value"), self._with_switches())
        if session.options.mode != before:
            session.update("current_mode_update", currentModeId=session.options.mode)
        return {"configOptions": self._options(session)}

    def _prompt(self, request_id: Any, params: Params) -> None:
        session, prompt = self._session(params), params.get("prompt")
        if not isinstance(prompt, list) or not all(
            isinstance(block, dict) and "type" in block for block in prompt
        ):
            raise RequestRefused(INVALID_PARAMS, "prompt must be a list of content blocks")
        if session.session_id in self._turns:
            raise RequestRefused(INVALID_REQUEST, "A prompt is already being answered in this session")
        turn = DemoTurn(session, self._connection, self._client, prompt, self._speed, commands())
        self._turns[session.session_id] = request_id, turn
        threading.Thread(target=self._play, args=(request_id, turn), daemon=True).start()

    def _play(self, request_id: Any, turn: DemoTurn) -> None:
        """Play a prompt to its end and answer it; runs in the turn's thread."""
        session = turn.session
        try:
            outcome = self._played(turn)
            turn.settle()
            self._ended(session)
            if isinstance(outcome, RequestRefused):
                self._connection.refuse(request_id, outcome)
            else:
                self._connection.reply(request_id, {"stopReason": outcome})
        except Stopped:
            self._ended(session)  # the client is gone

    def _played(self, turn: DemoTurn) -> str | RequestRefused:
        """Return the stop reason of a turn, or its error."""
        message_id = turn.session.next_id("msg")
        for block in turn.prompt:
            update = {"sessionUpdate": "user_message_chunk", "content": block, "messageId": message_id}
            turn.session.remember(update)
        try:
            if not turn.session.title:
                turn.session.rename(_title(turn.prompt))
            return play(turn)
        except DemoCancelled:
            return "cancelled"
        except RequestRefused as refused:
            return refused
        except OSError as error:
            return RequestRefused(INTERNAL_ERROR, "The demo agent failed", {"details": str(error)})

    def _ended(self, session: DemoSession) -> None:
        if self._store.get(session.session_id) is not None:  # not deleted meanwhile
            self._store.put(session)
        self._turns.pop(session.session_id, None)

    def _session(self, params: Params) -> DemoSession:
        session = self._open.get(_text(params, "sessionId"))
        if session is None:
            raise RequestRefused(NOT_FOUND, f"There is no open session {params['sessionId']}")
        return session

    def _state(self, session: DemoSession) -> Params:
        return {"modes": session.options.modes(), "configOptions": self._options(session)}

    def _options(self, session: DemoSession) -> list[Params]:
        return session.options.listing(self._with_switches())

    def _with_switches(self) -> bool:
        return offers(self._client, "session", "configOptions", "boolean")


def _text(params: Params, name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise RequestRefused(INVALID_PARAMS, f"{name} must be a text")
    return value


def _roots(params: Params) -> tuple[str, list[str]]:
    """Return (cwd, additional folders) of a session request."""
    cwd, roots = _text(params, "cwd"), params.get("additionalDirectories") or []
    if not isinstance(params.get("mcpServers"), list):
        raise RequestRefused(INVALID_PARAMS, "mcpServers must be a list")
    if not isinstance(roots, list) or not all(isinstance(root, str) for root in roots):
        raise RequestRefused(INVALID_PARAMS, "additionalDirectories must be a list of texts")
    if not all(PurePath(path).is_absolute() for path in (cwd, *roots)):
        raise RequestRefused(INVALID_PARAMS, "cwd and additionalDirectories must be absolute")
    return cwd, roots


def _title(prompt: list[Params]) -> str:
    text = next((str(block.get("text", "")) for block in prompt if block["type"] == "text"), "")
    line = " ".join(text.split()) or "Untitled"
    return line if len(line) <= _TITLE_LENGTH else line[: _TITLE_LENGTH - 1] + "…"
