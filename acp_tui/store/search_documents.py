"""Documents, the units of a search: each message, plan, tool call and command of the user in a journal.

A document knows its rows in the journal, so its text can be read again and need not be kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, Final, Literal, get_args

from pydantic_core import from_json

from acp_tui.lazy_regex import regex
from acp_tui.protocol import dialects, frames, version2
from acp_tui.protocol.json_values import as_list, member
from acp_tui.store.agents import quirks_of
from acp_tui.store.plain_files import plain_file

Column = Literal["prompt", "answer", "plan", "tool", "output", "decision", "file"]
"""A part of a document that can be searched on its own."""
COLUMNS: Final[tuple[Column, ...]] = get_args(Column)

_READ_AGAIN: Final = 8 << 20
"""Maximum bytes of a document that are read."""
_KEPT: Final = 1 << 20
"""Characters kept of the output of a terminal that the agent runs itself."""
_INPUT: Final = 1_000
"""Maximum characters of a text in a tool call's input: a longer one is a file, which is in its diff."""
_HEAD: Final = 400
"""Bytes of a row that contain the name of its update."""
_PASSED_OVER: Final = regex(
    rb'"sessionUpdate": ?"(?:usage_update|available_commands_update|config_option_update|current_mode_update'
    rb'|session_info_update)"'
)
_CHUNKS: Final = ("agent_message_chunk", "agent_thought_chunk")
_CALLS: Final = ("tool_call", "tool_call_update")
_WHOLE: Final = ("agent_message", "agent_thought")
"""Updates of version 2 that replace a whole message."""
_PLANS: Final = ("plan", "plan_update")
_OUTPUTS: Final = ("terminal_update", "terminal_output_chunk")


@dataclass
class Document:
    """One message, one plan, one tool call with all its updates, or one command of the user."""

    offset: int
    """Offset of its first row in the journal."""
    end: int
    """Offset after its last row."""
    t: float
    """Time of its first row, in seconds since the start of the journal."""
    session: str
    call: str = ""
    """Id of the tool call, or ""."""
    texts: dict[Column, list[str]] = field(default_factory=dict)

    def add(self, column: Column, text: str) -> None:
        """Add a text to a column."""
        if text:
            self.texts.setdefault(column, []).append(text)

    def text(self, column: Column) -> str:
        """Return the text of a column."""
        return "".join(self.texts.get(column, ()))


@dataclass
class _Call:
    """The latest fields of a tool call."""

    document: Document
    title: str = ""
    given: Any = None
    content: Any = None
    output: Any = None
    files: dict[str, None] = field(default_factory=dict)
    decisions: list[str] = field(default_factory=list)


@dataclass
class _Talk:
    """A session of a journal: its unfinished message and unfinished tool calls."""

    message: Document | None = None
    which: tuple[str, str] = ("", "")
    """The kind and the id of the unfinished message."""
    calls: dict[str, _Call] = field(default_factory=dict)
    plans: dict[str, Document] = field(default_factory=dict)
    """The latest state of each plan of the turn, by its id."""
    replayed_from: int | None = None
    """Offset of the row that requests a replay, until it is answered."""


class DocumentReader:
    """Turns the rows of one journal into documents without building sessions."""

    def __init__(self, offset: int = 0) -> None:
        self.offset = offset
        """Offset of the next row."""
        self.start: dict[str, Any] = {}
        """The first note of the journal."""
        self._talks: dict[str, _Talk] = {}
        self._asked: dict[str, tuple[str, dict[str, Any]]] = {}
        self._printed: dict[str, str] = {}
        self._commands: dict[str, Document] = {}
        self._unsaid: re.Pattern[str] | None = None
        """Pattern of messages that the agent is known to add by itself, and which are not searched."""

    def take(self, line: bytes) -> Iterator[Document]:
        """Take the next row; yield the documents that end with it."""
        offset = self.offset
        self.offset = offset + len(line)
        if _PASSED_OVER.search(line, 0, _HEAD) is not None:
            return
        try:
            row = _decoded(line)
            direction, msg, t = row["dir"], row["msg"], float(row["t"])
        except (ValueError, KeyError, TypeError):
            return
        if not isinstance(msg, dict):
            return
        params = msg.get("params")
        if direction == "note":
            yield from self._noted(msg, t, offset)
        elif not isinstance(params, dict):
            if "id" in msg:
                yield from self._answered(direction, msg)
        elif msg.get("method") == "session/update":
            yield from self._updated(_session_of(params), params.get("update"), t, offset)
        elif direction == "out" and msg.get("method") == "session/prompt":
            yield from self._close(self._talk(_session_of(params)))  # no row has its answer
            yield self._prompted(params, t, offset)
            self._asked[_key("out", msg)] = ("session/prompt", params)
        elif isinstance(msg.get("method"), str):
            yield from self._requested(direction, msg, params, t, offset)
        elif "id" in msg:
            yield from self._answered(direction, msg)

    def unfinished_from(self) -> int:
        """Return the offset of the oldest row whose document may still grow."""
        return min(self._unfinished(), default=self.offset)

    def finish(self) -> Iterator[Document]:
        """Yield the unfinished documents at the end of a journal that is no longer written."""
        for talk in self._talks.values():
            talk.replayed_from = None
            yield from self._close(talk)
        yield from self._commands.values()
        self._commands = {}

    def _unfinished(self) -> Iterator[int]:
        for talk in self._talks.values():
            if talk.message is not None:
                yield talk.message.offset
            if talk.replayed_from is not None:
                yield talk.replayed_from
            yield from (call.document.offset for call in talk.calls.values())
            yield from (plan.offset for plan in talk.plans.values())
        yield from (command.offset for command in self._commands.values())

    def _talk(self, session: str) -> _Talk:
        return self._talks.setdefault(session, _Talk())

    # ------------------------------------------------------------------ rows

    def _prompted(self, params: dict[str, Any], t: float, offset: int) -> Document:
        document = Document(offset, self.offset, t, _session_of(params))
        for block in as_list(params.get("prompt")):
            _add_block(document, "prompt", block)
        return document

    def _requested(
        self, direction: str, msg: dict[str, Any], params: dict[str, Any], t: float, offset: int
    ) -> Iterator[Document]:
        method, session = msg["method"], _session_of(params)
        if method == "session/request_permission" and "title" in params and "toolCall" not in params:
            params = {**params, "toolCall": version2.asked_call(params, msg.get("id"))}
        if method == "session/load" or "replayFrom" in params:
            method, self._talk(session).replayed_from = "session/load", offset
        elif method == "session/request_permission" and isinstance(params.get("toolCall"), dict):
            yield from self._close_message(self._talk(session))
            self._called(session, params["toolCall"], t, offset)
        elif method != "terminal/output":
            return
        self._asked[_key(direction, msg)] = (method, params)

    def _updated(self, session: str, update: Any, t: float, offset: int) -> Iterator[Document]:
        talk = self._talk(session)
        if talk.replayed_from is not None or not isinstance(update, dict):
            return  # it is in an earlier journal
        kind = update.get("sessionUpdate")
        if kind in _OUTPUTS:
            self._output(update)
            return
        if kind == "state_update":
            if update.get("state") == "idle" and update.get("stopReason") is not None:
                yield from self._close(talk)
            return
        if kind in _WHOLE and isinstance(update.get("content"), list) and "messageId" in update:
            which = f"{kind}_chunk", str(update["messageId"])
            if talk.message is None or talk.which != which:
                yield from self._close_message(talk)
                talk.message, talk.which = Document(offset, self.offset, t, session), which
            talk.message.end = self.offset
            talk.message.texts.pop("answer", None)
            for block in update["content"]:
                _add_block(talk.message, "answer", block)
            return
        if kind == "tool_call_content_chunk":
            known = talk.calls.get(str(update.get("toolCallId")))
            so_far = as_list(known.content) if known is not None else []
            update = {"toolCallId": update.get("toolCallId"), "content": [*so_far, update.get("content")]}
            self._called(session, update, t, offset)
            return
        is_known = kind in (*_CHUNKS, *_CALLS, "plan_update") or (kind == "plan" and "entries" in update)
        if not is_known or not isinstance(update.get("content") or {}, dict | list):
            update = dialects.normalise_update(update)
            kind = update.get("sessionUpdate")
        if kind in _CHUNKS and self._is_unsaid(update.get("content")):
            yield from self._close_message(talk)
        elif kind in _CHUNKS:
            which = str(kind), str(update.get("messageId") or "")
            if talk.message is None or talk.which != which:
                yield from self._close_message(talk)
                talk.message, talk.which = Document(offset, self.offset, t, session), which
            talk.message.end = self.offset
            _add_block(talk.message, "answer", update.get("content"))
        elif kind in _PLANS:
            self._planned(talk, update.get("plan", update), Document(offset, self.offset, t, session))
        elif kind in _CALLS:
            yield from self._close_message(talk)
            call = self._called(session, update, t, offset)
            if dialects.tool_status(str(update.get("status"))) in ("completed", "failed"):
                del talk.calls[call.document.call]
                yield self._document(call)

    def _planned(self, talk: _Talk, plan: Any, document: Document) -> None:
        """Keep the newest state of a plan: agents send it again with each step."""
        if not isinstance(plan, dict):
            return
        steps = [str(step.get("content")) for step in as_list(plan.get("entries")) if isinstance(step, dict)]
        document.add("plan", "\n".join(steps) or str(plan.get("content") or plan.get("uri") or ""))
        document.add("file", str(plan.get("uri") or ""))
        if document.texts:
            talk.plans[str(plan.get("planId", ""))] = document

    def _is_unsaid(self, content: Any) -> bool:
        text = member(content, "text")
        return (
            isinstance(text, str)
            and self._unsaid is not None
            and self._unsaid.fullmatch(text.strip()) is not None
        )

    def _called(self, session: str, fields: dict[str, Any], t: float, offset: int) -> _Call:
        calls, call_id = self._talk(session).calls, str(fields.get("toolCallId"))
        call = calls.get(call_id)
        if call is None:
            call = calls[call_id] = _Call(Document(offset, self.offset, t, session, call_id))
        call.document.end = self.offset
        if isinstance(fields.get("content"), list):
            fields = {**fields, "content": version2.items_of(fields["content"])}
        call.title = str(fields.get("title") or call.title)
        call.given = fields.get("rawInput") or call.given
        call.content = fields.get("content") or call.content
        call.output = fields.get("rawOutput") or call.output
        for item in (*as_list(fields.get("locations")), *as_list(fields.get("content"))):
            if isinstance(item, dict) and isinstance(item.get("path"), str):
                call.files[item["path"]] = None
        return call

    def _answered(self, direction: str, msg: dict[str, Any]) -> Iterator[Document]:
        method, params = self._asked.pop(_key("out" if direction == "in" else "in", msg), ("", {}))
        result, talk = msg.get("result"), self._talk(_session_of(params)) if method else _Talk()
        if method == "session/prompt" and not (isinstance(result, dict) and "messageId" in result):
            yield from self._close(talk)
        elif method == "session/load":
            talk.replayed_from = None
        elif method == "terminal/output" and isinstance(result, dict):
            self._printed[str(params.get("terminalId"))] = str(result.get("output") or "")
        elif method == "session/request_permission" and isinstance(result, dict):
            call = talk.calls.get(str(params["toolCall"].get("toolCallId")))
            if call is not None:
                call.document.end = self.offset
                call.decisions.append(_decision(params, result.get("outcome")))

    def _output(self, update: dict[str, Any]) -> None:
        """Keep the output of a terminal that the agent runs itself."""
        terminal_id, output = str(update.get("terminalId")), update.get("output")
        if "output" in update:
            self._printed[terminal_id] = version2.printed_text(member(output, "data"))
        elif "data" in update:
            said = self._printed.get(terminal_id, "") + version2.printed_text(update["data"])
            self._printed[terminal_id] = said[-_KEPT:]

    def _noted(self, msg: dict[str, Any], t: float, offset: int) -> Iterator[Document]:
        if "start" in msg:
            self.start = self.start or msg
            argv = [word for word in as_list(msg["start"]) if isinstance(word, str)]
            self._unsaid = dialects.unsaid(quirks_of(argv).unsaid) if argv else None
            yield from self.finish()
        elif "exit" in msg:
            yield from self.finish()
        elif "ran" in msg:
            yield from self._ran(str(msg["ran"]), msg, t, offset)
        elif "printed" in msg and isinstance(msg.get("output"), str):
            terminal = str(msg["printed"])
            if len(msg["output"]) > len(self._printed.get(terminal, "")):  # the agent never read it
                self._printed[terminal] = msg["output"]
                document = Document(offset, self.offset, t, str(msg.get("session")))
                document.add("output", msg["output"])
                yield document

    def _ran(self, name: str, msg: dict[str, Any], t: float, offset: int) -> Iterator[Document]:
        if "command" in msg:
            document = self._commands[name] = Document(offset, self.offset, t, str(msg.get("session")))
            document.add("tool", str(msg["command"]))
        elif "more" not in msg and name in self._commands:
            document = self._commands.pop(name)
            document.end = self.offset
            if isinstance(msg.get("output"), str):
                document.add("output", msg["output"])
            yield document

    # ------------------------------------------------------------------ ends

    def _close_message(self, talk: _Talk) -> Iterator[Document]:
        if talk.message is not None:
            yield talk.message
            talk.message = None

    def _close(self, talk: _Talk) -> Iterator[Document]:
        yield from self._close_message(talk)
        for call in talk.calls.values():
            yield self._document(call)
        talk.calls.clear()
        yield from talk.plans.values()
        talk.plans.clear()

    def _document(self, call: _Call) -> Document:
        document = call.document
        document.add("tool", call.title + "\n")
        for text in _strings(call.given):
            if len(text) <= _INPUT:
                document.add("tool", text + "\n")
        for item in as_list(call.content):
            if not isinstance(item, dict):
                continue
            if item.get("type") == "diff":
                old, new = str(item.get("oldText") or ""), str(item.get("newText") or "")
                document.add("output", _changed(old, new))
            elif item.get("type") == "terminal":
                document.add("output", self._printed.get(str(item.get("terminalId")), ""))
            else:
                _add_block(document, "output", item.get("content"))
        if not call.content:
            for text in _strings(call.output):
                document.add("output", text + "\n")
        document.add("file", "\n".join(call.files))
        document.add("decision", "\n".join(call.decisions))
        return document


def document_at(path: Path, offset: int, end: int) -> Document | None:
    """Return the document between two offsets of a journal; None if it is no longer there.

    Raises:
        OSError: the journal cannot be read.
    """
    reader = DocumentReader(offset)
    with plain_file(path) as file:
        file.seek(offset)
        data = file.read(min(end - offset, _READ_AGAIN))
    done = [found for line in BytesIO(data) for found in reader.take(line)]
    done += reader.finish()
    return next((each for each in done if each.offset == offset), None)


# ---------------------------------------------------------------------- parts


def _decoded(line: bytes) -> Any:
    try:
        return from_json(line)  # faster than the standard decoder, which is needed for lone surrogates
    except ValueError:
        return frames.read(line)


def _session_of(params: dict[str, Any]) -> str:
    return str(params.get("sessionId") or params.get("session_id") or "")


def _key(direction: str, msg: dict[str, Any]) -> str:
    return f"{direction} {msg.get('id')!r}"


def _decision(params: dict[str, Any], outcome: Any) -> str:
    """Return the answer to a permission request, for display."""
    chosen = member(outcome, "optionId")
    options = [each for each in as_list(params.get("options")) if isinstance(each, dict)]
    names = [str(each.get("name")) for each in options if each.get("optionId") == chosen]
    return " ".join((str(chosen or "cancelled"), *names))


def _add_block(document: Document, column: Column, block: Any) -> None:
    """Add a content block."""
    if not isinstance(block, dict):
        return
    resource = block.get("resource")
    if isinstance(block.get("text"), str):
        document.add(column, block["text"])
    elif isinstance(resource, dict):
        document.add(column, str(resource.get("text") or ""))
        document.add("file", f"{resource.get('uri') or ''}\n")
    elif block.get("type") == "resource_link":
        document.add("file", f"{block.get('uri') or ''}\n")


def _changed(old: str, new: str) -> str:
    """Return the new text, and the lines that only the old text has."""
    kept = set(new.splitlines())
    return "\n".join((new, *(line for line in old.splitlines() if line not in kept), ""))


def _strings(value: Any) -> Iterator[str]:
    """Yield the texts in a JSON value."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting += reversed(one.values())
        elif isinstance(one, list):
            waiting += reversed(one)
