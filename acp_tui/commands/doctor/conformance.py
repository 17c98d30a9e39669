"""Checks of an agent's conformance to the protocol, from messages to findings. No I/O."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any, Final

from acp_tui.agent.capabilities import abilities
from acp_tui.commands.doctor.findings import Finding, WireMessage, answer_of, is_answer, shown
from acp_tui.commands.doctor.vocabulary import is_known
from acp_tui.protocol import dialects, version2
from acp_tui.protocol.frames import BESIDE, StrayLine
from acp_tui.protocol.json_values import member
from acp_tui.protocol.jsonrpc import UNASKED, Dropped
from acp_tui.protocol.schema import InitializeResponse, MessageUpdate, UnknownUpdate
from acp_tui.protocol.validation import read_updates
from acp_tui.workspace.processes import ExitStatus

_MUCH: Final = 64 * 1024
"""Bytes of stderr worth a remark after only a few calls."""
_SHOWN: Final = 60


def initialization(info: InitializeResponse, raw: Any) -> Iterator[Finding]:
    """Check the answer to `initialize`, parsed and raw. Source: ACP, "initialization"."""
    if type(info.protocol_version) is int:
        yield Finding("protocol", "well", f"version {info.protocol_version}")
    else:
        yield Finding("protocol", "note", f"version {info.protocol_version!r} is not a number", "read as 1")
    if info.agent_info is None and isinstance(raw, dict) and raw.get("agentInfo") is not None:
        text = "agentInfo is invalid"
        yield Finding("identity", "broken", text, "named after its command")
    elif info.agent_info is None:
        yield Finding("identity", "note", "no agentInfo", "named after its command")
    else:
        version = f" {info.agent_info.version}" if info.agent_info.version else ""
        yield Finding("identity", "well", f"{info.agent_info.display_name}{version}")
        if not version:
            yield Finding("identity", "broken", "has no version", "shown without one")
    can = [what for what, offered in abilities(info.agent_capabilities) if offered]
    if "agentCapabilities" in info.model_fields_set or "agent_capabilities" in info.model_fields_set:
        yield Finding("capabilities", "well", ", ".join(can) or "none beyond the baseline")
    elif not isinstance(raw, dict) or raw.get("agentCapabilities") is None:
        yield Finding("capabilities", "note", "names none", "nothing optional is used")
    if dialects.normalise("InitializeResponse", raw) is not raw:
        yield Finding("dialect", "note", "initialize uses older names", "translated")


def older_than_asked(raw: Any) -> Finding:
    """Report an agent that was asked for version 2 but speaks version 1; `raw` is its first answer."""
    if not isinstance(raw, dict) or raw.get("protocolVersion") != version2.VERSION:
        return Finding("protocol", "note", "does not speak version 2", "version 1 is spoken")
    text = f"returns the number {version2.VERSION} that it is asked for, and speaks version 1"
    return Finding("protocol", "broken", text, "version 1 is spoken")


def new_session(result: Any) -> Iterator[Finding]:
    """Check the answer to `session/new`. Source: ACP, pages "session setup" and "session modes"."""
    if not isinstance(result, dict):
        return
    if dialects.normalise("NewSessionResponse", result) is not result:
        yield Finding("dialect", "note", "session/new uses older names", "translated")
    if isinstance(result.get("models"), dict):
        yield Finding(
            "dialect",
            "note",
            "offers “models”, which left the protocol",
            "shown as an option and set by session/set_model, unless there is a config option for it",
        )


def envelopes(frames: Sequence[WireMessage]) -> Iterator[Finding]:
    """Check the JSON-RPC envelopes of the agent's messages."""
    came = [frame.msg for frame in frames if frame.direction == "in"]
    asked = {str(frame.msg.get("id")) for frame in frames if frame.direction == "out"}
    bare = sum(msg.get("jsonrpc") != "2.0" for msg in came)
    if bare:
        yield Finding("JSON-RPC", "broken", f"{bare} messages without “jsonrpc”: “2.0”", "accepted")
    as_text = sum(
        "method" not in msg and isinstance(msg.get("id"), str) and msg["id"] in asked for msg in came
    )
    if as_text:
        yield Finding("JSON-RPC", "broken", "returns our ids as strings", "matched by their value")
    if came and not bare and not as_text:
        yield Finding(
            "JSON-RPC", "well", f"{len(came)} messages, each with “jsonrpc”: “2.0” and ids as we sent them"
        )


def order(frames: Sequence[WireMessage]) -> Iterator[Finding]:
    """Check the order of messages. Source: ACP, pages "initialization" and "session setup"."""
    early = _before_answer(frames, "initialize")
    if early:
        text = f"{_methods(early)} came before the answer to initialize"
        yield Finding("order", "broken", text, "requests are answered, news of unknown sessions are dropped")
    updates = [msg for msg in _before_answer(frames, "session/new") if msg.get("method") == "session/update"]
    if updates:
        text = f"{len(updates)} updates came before the answer that names their session"
        yield Finding("order", "note", text, "kept, and applied after the answer")
    if not early and not updates and answer_to(frames, "initialize") is not None:
        yield Finding("order", "well", "answers first, then updates")


def updates(frames: Sequence[WireMessage]) -> Iterator[Finding]:
    """Check the kinds of updates. Source: ACP, schema of `session/update`."""
    sent = [_update_of(frame.msg) for frame in frames if frame.msg.get("method") == "session/update"]
    unreadable = [
        update for update in sent if all(isinstance(one, UnknownUpdate) for one in read_updates(update))
    ]
    unknown = [_name(update) for update in unreadable if not is_known(update)]
    older = [
        _name(update)
        for update in sent
        if update not in unreadable
        and not _is_whole(update)
        and dialects.normalise_update(copy.deepcopy(update)) != update
    ]
    if unknown:
        fallback = "not shown in the chat, only in the protocol log"
        yield Finding("updates", "note", f"of unknown kinds: {shown(unknown)}", fallback)
    if older:
        yield Finding("dialect", "note", f"updates with older names: {shown(older)}", "translated")
    if sent and not unreadable and not older:
        yield Finding("updates", "well", f"{len(sent)}, of kinds {_list({_name(each) for each in sent})}")


def stray_lines(lines: Sequence[StrayLine]) -> Iterator[Finding]:
    """Check stdout for lines outside the protocol. Source: ACP, page "transports", stdio."""
    odd = [line for line in lines if line.reason == UNASKED]
    beside = [line for line in lines if line.reason == BESIDE]
    plain = [line for line in lines if line not in odd and line not in beside]
    if plain:
        text = f"lines that are not messages: {len(plain)}, the first: {_start(plain[0])}"
        yield Finding("stdout", "broken", text, "skipped, and shown in the protocol log")
    if beside:
        text = f"other bytes on the line of a message: {len(beside)} times, the first: {_start(beside[0])}"
        yield Finding("stdout", "broken", text, "cut off, and shown in the protocol log; the message is read")
    if odd:
        text = f"responses without a request, as to a notification: {len(odd)}"
        yield Finding("stdout", "broken", text, "ignored")
    if not lines:
        yield Finding("stdout", "well", "only messages")


def too_large(messages: Sequence[Dropped]) -> Iterator[Finding]:
    """Report messages beyond the line limit."""
    if messages:
        text = f"messages that are too large: {len(messages)}, the first: {messages[0].reason}"
        yield Finding("stdout", "broken", text, "dropped, with a notice in the chat")


def _start(line: StrayLine) -> str:
    return line.line.decode("utf-8", "replace").strip()[:_SHOWN]


def stderr(size: int, tail: str) -> Finding:
    """Check the amount of stderr, in bytes."""
    if size > _MUCH:
        text = f"{size:,} bytes of log for a few calls"
        return Finding("stderr", "note", text, "always read; the end is kept")
    last = tail.rstrip().rpartition("\n")[2][:_SHOWN]
    return Finding("stderr", "well", f"{size:,} bytes, the last line: {last}" if size else "silent")


def ending(by_itself: bool, status: ExitStatus, left_behind: bool) -> Iterator[Finding]:
    """Check the end after stdin was closed.

    Args:
        by_itself: True if the process ended without a signal.
        status: its exit status.
        left_behind: True if descendants still ran after its end.
    """
    if not by_itself:
        needed = "KILL" if status.signal == "SIGKILL" else "TERM"
        text = f"does not exit when its input is closed; it took {needed}"
        yield Finding("exit", "note", text, "TERM after 2 s, and KILL 2 s later")
    elif status.exit_code == 0:
        yield Finding("exit", "well", "exits when its input is closed")
    else:
        text = f"exits when its input is closed, but with {status}"
        yield Finding("exit", "note", text, "shown, when it was not asked to exit")
    if left_behind:
        text = "leaves processes running"
        yield Finding("children", "broken", text, "found by a mark in their environment, and killed")
    elif by_itself:
        yield Finding("children", "well", "leaves no processes")


def pages(frames: Sequence[WireMessage]) -> Iterator[Finding]:
    """Check the pages of `session/list`. Source: ACP, page "session list"."""
    asked = [frame.msg for frame in frames if frame.msg.get("method") == "session/list"]
    cursors: list[Any] = []
    count = 0
    for msg in asked:
        result = answer_of(frames, msg.get("id"))
        listed = member(result, "sessions")
        if not isinstance(listed, list):
            yield Finding("session/list", "broken", "a page without a list of sessions", "treated as empty")
            return
        count += len(listed)
        cursors.append(result.get("nextCursor"))
    given = [cursor for cursor in cursors if cursor is not None]
    if len(given) != len(set(map(str, given))):
        yield Finding("session/list", "broken", "returns the same cursor again", "listing stops there")
    else:
        yield Finding("session/list", "well", f"{count} sessions on {len(asked)} page(s)")


# ------------------------------------------------------------------ looking things up


def _before_answer(frames: Sequence[WireMessage], method: str) -> list[dict[str, Any]]:
    """Return the messages between the client's first request with a method and its answer."""
    asked: Any = None
    came: list[dict[str, Any]] = []
    for frame in frames:
        if asked is None and frame.direction == "out" and frame.msg.get("method") == method:
            asked = frame.msg.get("id")
        elif asked is not None and frame.direction == "in":
            if is_answer(frame.msg, asked):
                return came
            came.append(frame.msg)
    return []


def answer_to(frames: Sequence[WireMessage], method: str) -> Any:
    """Return the raw result of the client's first request with a method, or None."""
    asked = (frame.msg for frame in frames if frame.direction == "out" and frame.msg.get("method") == method)
    request = next(asked, None)
    return answer_of(frames, request.get("id")) if request is not None else None


def _is_whole(update: Any) -> bool:
    """Return whether an update is a whole message of version 2; older dialects use its name for a chunk."""
    return any(isinstance(one, MessageUpdate) for one in read_updates(update))


def _update_of(msg: dict[str, Any]) -> Any:
    return member(msg, "params", "update")


def _name(update: Any) -> str:
    if not isinstance(update, dict):
        return "no object"
    return version2.name_of(str(update.get("sessionUpdate", "without a name")))


def _methods(msgs: Sequence[dict[str, Any]]) -> str:
    return _list({str(msg.get("method", "an answer")) for msg in msgs})


def _list(names: set[str]) -> str:
    return ", ".join(sorted(names))
