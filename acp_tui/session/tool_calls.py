"""Tool calls: updates in any order, merged into their entries."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from sys import intern
from typing import Any, Final

from acp_tui.protocol import dialects
from acp_tui.protocol.json_values import member
from acp_tui.protocol.schema import (
    TOOL_STATUSES,
    AgentTerminal,
    TerminalItem,
    ToolCallContentChunk,
    ToolCallFields,
    ToolCallPatch,
    has,
)
from acp_tui.session import decided_calls
from acp_tui.session.entries import (
    FINAL,
    NO_ITEMS,
    NO_PLACES,
    Entry,
    OwnTerminal,
    ToolCall,
    items_of,
    places_of,
)
from acp_tui.session.questions import Permission
from acp_tui.session.text_buffer import TextBuffer

OUTPUT_LIMIT: Final = 1 << 20
"""Minimum number of characters kept of a command run by the agent itself."""

_OUTPUT: Final = ("terminal_output", "terminal_output_delta")


# Agents restart their ids: some in each turn, all in a new process. So an id means the latest call that has
# it, and an announcement in a later turn begins another entry, while late updates still reach the old one
# until then. Calls that lose their id this way are settled as interrupted: nothing can update them any more.
class ToolCalls:
    """The tool calls of a session, by id."""

    def __init__(self, entries: list[Entry], cwd: str, *, title_is_command: bool) -> None:
        self.cwd = cwd
        """The session's folder."""
        self._asked: dict[int, ToolCall] = {}
        """Calls as the user was asked about them, by entry index, until an update differs."""
        self.places: dict[str, int] = {}
        """Index of the entry of each call."""
        self._earlier = 0
        """Number of entries of earlier agent processes, whose ids do not count."""
        self._turn = 0
        """First entry of the turn; new announcements belong to later entries."""
        self._open: set[int] = set()
        """Indices of calls that may not be final; few, however long the session."""
        self._left: list[int] = []
        """Indices of calls that have left a process running, in that order."""
        self._entries = entries
        self._title_is_command = title_is_command
        self.terminals: dict[str, OwnTerminal] = {}
        """Terminals that the agent runs itself, by id."""
        self._shown_in: dict[str, set[int]] = {}
        """Indices of the calls that show such a terminal."""

    def find(self, tool_call_id: str) -> ToolCall | None:
        """Return the latest call with this id."""
        index = self.places.get(tool_call_id)
        entry = None if index is None else self._entries[index]
        return entry if isinstance(entry, ToolCall) else None

    def knows(self, tool_call_id: str, *, announces: bool) -> bool:
        """Return whether an update with this id belongs to an existing call.

        An id is unique within a turn: an announcement in a later turn is a new call. Other updates belong to
        the latest call with the id in the same agent process.
        """
        first = max(self._earlier, self._turn) if announces else self._earlier
        return self.places.get(tool_call_id, -1) >= first

    def take(self, news: ToolCallFields, at: float, *, announces: bool) -> tuple[tuple[int, ...], ToolCall]:
        """Merge an update into its call, appending a new one if needed.

        Returns (the changed entries, the call's own last; the call). `announces`: see `merge`.
        """
        left: tuple[int, ...] = ()
        call = self.find(news.tool_call_id)
        if call is None or not self.knows(news.tool_call_id, announces=announces):
            left = self._leave(news.tool_call_id, at)
            call = ToolCall(news.tool_call_id, started=at, title_is_command=self._title_is_command)
            self.places[news.tool_call_id] = len(self._entries)
            self._entries.append(call)
        is_patch = isinstance(news, ToolCallPatch)
        if isinstance(news, ToolCallPatch):
            _clear(call, news)
        merge(call, news, at, announces=announces and not is_patch)
        index = self.places[news.tool_call_id]
        if dialects.leaves_running(news.meta):
            self._leave_running(index)
        if self.terminals or is_patch:
            self._share(index)
        self._tell_other(index)
        (self._open.discard if call.is_final else self._open.add)(index)
        return (*left, index), call

    def decide(self, question: Permission, option_id: str | None, by: str, at: float) -> None:
        """Record the answer to a call's permission request, and its source; None: cancelled."""
        assert question.place is not None, "a question about a call has its entry"
        _decide(self.at(question.place), question, option_id, by, at)
        if question.later is None:
            self._asked[question.place] = question.call
            self._tell_other(question.place)  # its terminal may have been another one before the question

    def _tell_other(self, place: int) -> None:
        """Add to the decision what it was about, once an update differs from that."""
        asked = self._asked.get(place)
        if asked is None:
            return
        call = self.at(place)
        runs = (decided_calls.asked_about_run(*run, asked, self.cwd) for run in self._runs(place))
        about = decided_calls.asked_about(call, asked, self.cwd) or next(filter(None, runs), "")
        if about:
            call.decision += f"{_ASKED_ABOUT}{_one_line(about)}"
            del self._asked[place]

    def _runs(self, place: int) -> Iterator[tuple[str, str]]:
        """Yield the commands and folders of the agent's own terminals of a call; each may be ""."""
        for terminal_id, places in self._shown_in.items():
            if place in places and (one := self.terminals.get(terminal_id)) is not None:
                yield one.command, one.cwd
        info = (self.at(place).meta or {}).get("terminal_info")
        yield _text(info, "command") or "", _text(info, "cwd") or ""

    def add(self, news: ToolCallContentChunk, at: float) -> tuple[tuple[int, ...], ToolCall]:
        """Add items to the content of a call; returns what `take` returns."""
        changed, call = self.take(ToolCallFields(tool_call_id=news.tool_call_id), at, announces=False)
        call.content = (*call.content, *items_of(news.content))
        if news.unread:
            call.unread = _more_unread(call.unread, news.unread)
        self._share(changed[-1])
        self._tell_other(changed[-1])
        return changed, call

    def terminal(self, news: AgentTerminal) -> tuple[int, ...]:
        """Merge an update of a terminal; return the entries of its calls."""
        given = news.model_fields_set
        one = self.terminals.setdefault(news.terminal_id, OwnTerminal(news.terminal_id))
        if "command" in given:
            one.command = news.command or ""
        if "cwd" in given:
            one.cwd = news.cwd or ""
        if "capabilities" in given:
            one.can_cancel = news.capabilities is not None and has(news.capabilities.cancel)
        if news.is_anew or one.output is None:
            one.output = TextBuffer(limit=OUTPUT_LIMIT)
        one.output.append(news.printed)
        if news.has_ended is not None:
            one.has_ended = news.has_ended
            one.exit_code, one.exit_signal = news.exit_code, news.exit_signal
            if one.has_ended:
                one.output.finish()
                one.can_cancel = False
                for place in self._shown_in.get(news.terminal_id, ()):
                    self._end_left(place)
        places = sorted(self._shown_in.get(news.terminal_id, ()))
        for place in places:
            _show(self.at(place), one)
            if given & {"command", "cwd"}:
                self._tell_other(place)
        return tuple(places)

    def _share(self, place: int) -> None:
        """Show the output of the agent's own terminals in the call that names them, and only there."""
        call = self.at(place)
        for terminal_id, places in self._shown_in.items():
            one = self.terminals.get(terminal_id)
            if place in places and one is not None and call.output is one.output:
                call.output = None
        for item in call.content:
            if isinstance(item, TerminalItem):
                self._shown_in.setdefault(item.terminal_id, set()).add(place)
                if (one := self.terminals.get(item.terminal_id)) is not None:
                    _show(call, one)

    def beside(self, terminal_ids: Collection[str]) -> tuple[int, ...]:
        """Set the terminals that the agent reports as background work; return the changed entries."""
        running = {
            name for name in terminal_ids if name in self.terminals and not self.terminals[name].has_ended
        }
        places = {place for name in running for place in self._shown_in.get(name, ())}
        over = [place for place in self._left if place not in places]
        for place in over:
            self._end_left(place)
        new = sorted(place for place in places if not self.at(place).has_left)
        for place in new:
            self._leave_running(place)
        return (*over, *new)

    def end_oldest_left(self) -> tuple[int, ...]:
        """End the process that was left running first: Claude reports the end of a command, but not which."""
        places = self._left[:1]
        for place in places:
            self._end_left(place)
        return tuple(places)

    def end_left(self) -> tuple[int, ...]:
        """End all processes that were left running: the agent is gone."""
        return tuple(place for place in list(self._left) if self._end_left(place))

    def _leave_running(self, place: int) -> None:
        if not self.at(place).has_left:
            self.at(place).has_left = True
            self._left.append(place)

    def _end_left(self, place: int) -> bool:
        if self.at(place).has_left:
            self.at(place).has_left = False
            self._left.remove(place)
            return True
        return False

    def _leave(self, tool_call_id: str, at: float) -> tuple[int, ...]:
        """Interrupt the open call whose id a new call reuses."""
        place = self.places.get(tool_call_id)
        if place is None or place not in self._open:
            return ()
        self._open.discard(place)
        return (place,) if settle(self.at(place), "interrupted", at) else ()

    def at(self, place: int) -> ToolCall:
        """Return the call at an entry index."""
        call = self._entries[place]
        assert isinstance(call, ToolCall)
        return call

    def continue_apart(self, known: ToolCall, at: float) -> None:
        """Continue a call in a new entry; the old entry is unchanged.

        The new entry starts with the known fields, unless the call was final.
        """
        call = ToolCall(known.tool_call_id, started=at, title_is_command=self._title_is_command)
        if not known.is_final:
            call.title, call.kind, call.name, call.meta = known.title, known.kind, known.name, known.meta
            call.content, call.locations, call.raw_input = known.content, known.locations, known.raw_input
            call.plan, call.unread = known.plan, known.unread
        self.places[known.tool_call_id] = len(self._entries)
        self._entries.append(call)

    def begin_turn(self, first: int) -> None:
        """Begin a turn at an entry; the agent may restart its call ids."""
        self._turn = first

    def begin_process(self) -> None:
        """Begin a new agent process, which restarts its call ids."""
        self._earlier = len(self._entries)

    def inherit(self, at: float) -> None:
        """Know the calls of entries that come from another session; nothing of them runs in this one."""
        for place, entry in enumerate(self._entries):
            if isinstance(entry, ToolCall):
                self.places[entry.tool_call_id] = place
                settle(entry, "interrupted", at)
                entry.has_left = False
        self.begin_process()

    def printed(self, texts: Mapping[str, str]) -> tuple[int, ...]:
        """Add the output of terminals that no longer exist; return the changed entries."""
        changed = []
        for place, call in enumerate(self._entries):
            if not isinstance(call, ToolCall) or call.output is not None:
                continue
            found = [texts.get(item.terminal_id) for item in call.content if isinstance(item, TerminalItem)]
            if any(found):
                call.output = TextBuffer.complete("\n".join(text for text in found if text))
                changed.append(place)
        return tuple(changed)

    def settle(
        self, status: str, at: float, *, is_end: bool = False, beside: Collection[str] = ()
    ) -> tuple[int, ...]:
        """Give every open call a final status; return the changed entries.

        At the end of a turn (`is_end`) running commands continue in the background, and so do the calls
        with the ids in `beside`; other open calls have ended, since many agents never close them.
        """
        places, self._open = sorted(self._open), set()
        changed = []
        for place in places:
            call = self.at(place)
            is_running = call.kind == "execute" and call.status == "in_progress"
            if is_end and (is_running or call.tool_call_id in beside):
                call.in_background = True
                self._open.add(self.places[call.tool_call_id])
            elif not settle(call, status, at):
                continue
            changed.append(place)
        return tuple(changed)

    @property
    def in_background(self) -> list[ToolCall]:
        """Calls that continue after their turns, or have left a process running that no terminal shows."""
        of_terminals = {place for places in self._shown_in.values() for place in places}
        left = [self.at(place) for place in self._left if place not in of_terminals]
        open_calls = [self.at(place) for place in sorted(self._open)]
        return [
            *(call for call in open_calls if call.in_background and not call.is_final and not call.has_left),
            *left,
        ]


def _show(call: ToolCall, terminal: OwnTerminal) -> None:
    if terminal.output is not None and (terminal.output.length or terminal.has_ended):
        call.output = terminal.output  # without a word, too, once it is known to have printed none
    if terminal.has_ended:
        call.exit_code, call.exit_signal = terminal.exit_code, terminal.exit_signal


def _clear(call: ToolCall, news: ToolCallPatch) -> None:
    """Clear the fields of a call that a patch sets to null."""
    given = news.model_fields_set
    nothing = {name for name in given if getattr(news, name, "") is None}
    if "title" in nothing:
        call.title = ""
    if "kind" in nothing:
        call.kind = "other"
    if "name" in nothing:
        call.name = None
    if "status" in nothing:
        call.status, call.ended, call.waits = "pending", None, True
    if "content" in nothing:
        call.content = NO_ITEMS
    if "locations" in nothing:
        call.locations = NO_PLACES
    if "raw_input" in nothing:
        call.raw_input = None
    if "raw_output" in nothing:
        call.raw_output = None
    if "capabilities" in given:
        call.can_cancel = news.capabilities is not None and has(news.capabilities.cancel)


def merge(call: ToolCall, news: ToolCallFields, at: float, *, announces: bool) -> None:
    """Merge an update: absent and null keep, lists replace. Source: ACP, "tool calls", updating.

    `announces` is true for `tool_call` and for permission requests, whose `pending` must not reset the
    status.
    """
    if news.title:
        call.title = news.title
    if news.kind:
        call.kind = intern(news.kind)
    if news.content is not None:
        call.content = items_of(news.content)
    if news.locations is not None:
        call.locations = places_of(news.locations)
    if news.raw_input is not None:
        call.raw_input = news.raw_input
    if call.kind == "switch_mode":
        # Some agents send the plan before they ask, and ask with an empty input.
        call.plan = _text(news.raw_input, "plan") or call.plan
    if call.unread or news.unread:
        call.unread = _unread_after(call, news)
    if news.raw_output is not None:
        call.raw_output = news.raw_output
    if news.name:
        call.name = news.name
    if news.meta:
        _merge_meta(call, news.meta)
    if news.status is not None:
        _set_status(call, dialects.tool_status(news.status), at, announces=announces)


_MOST_UNREAD: Final = 50
"""Most parts of a field that are kept though they are not understood; one is enough to ask."""
_ASKED_ABOUT: Final = ", asked about: "
"""In a decision, precedes what it was about, if the call has changed since."""


def _unread_after(call: ToolCall, news: ToolCallFields) -> dict[str, Any]:
    """Return what is not understood of a call: a field that comes again takes the place of the old one."""
    again = {"content": news.content, "locations": news.locations, "rawInput": news.raw_input}
    kept = {name: value for name, value in call.unread.items() if again.get(name) is None}
    return {**kept, **(news.unread or {})}


def _more_unread(known: Mapping[str, Any], added: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is not understood of a call and of another part of its content."""
    found = dict(known)
    for name, value in added.items():
        parts = value if isinstance(value, list) else [value]
        before = known.get(name, [])
        found[name] = [*(before if isinstance(before, list) else [before]), *parts][:_MOST_UNREAD]
    return found


def settle(call: ToolCall, status: str, at: float) -> bool:
    """Give an open call a final status; return whether it was open."""
    if call.is_final:
        return False
    call.status = status
    call.ended = at
    return True


def _decide(call: ToolCall, question: Permission, option_id: str | None, by: str, at: float) -> None:
    option = question.option(option_id)
    call.decision = f"{_one_line(option.name) if option is not None else 'cancelled'} ({by})"
    if question.later is not None:  # the entry has changed since the question
        call.decision += f"{_ASKED_ABOUT}{_one_line(question.call.command or question.call.title)}"
    if option is None:
        settle(call, "cancelled", at)
    elif question.has_no_call and not option.kind.startswith("reject"):
        settle(call, "completed", at)
    elif option.kind.startswith("reject"):
        settle(call, "rejected", at)
    else:
        call.started = at  # the user's thinking time is not the call's
        call.waits = False


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _merge_meta(call: ToolCall, meta: dict[str, Any]) -> None:
    """Merge `_meta` by key; agents that run commands themselves send their output here."""
    for key in _OUTPUT:
        piece = _text(meta.get(key), "data")
        if piece is not None:
            if call.output is None:
                call.output = TextBuffer(limit=OUTPUT_LIMIT)
            call.output.append(piece)
    ending = meta.get("terminal_exit")
    if isinstance(ending, dict):
        code = ending.get("exit_code")
        call.exit_code = code if type(code) is int else None
        call.exit_signal = _text(ending, "signal")
        if call.output is None:
            call.output = TextBuffer(limit=OUTPUT_LIMIT)
        call.output.finish()
    rest = {key: value for key, value in meta.items() if key not in _OUTPUT}
    if rest:
        call.meta = {**(call.meta or {}), **rest}


def _text(value: Any, key: str) -> str | None:
    text = member(value, key)
    return text if isinstance(text, str) else None


def _set_status(call: ToolCall, status: str, at: float, *, announces: bool) -> None:
    if status not in TOOL_STATUSES and status not in FINAL and status != "paused":
        return  # a status of a later version: keep the known one
    if announces and status == "pending" and call.status != "pending":
        return
    if status == "failed" and call.status in ("rejected", "cancelled"):
        return  # many agents report what the user rejected or stopped as a failure of the tool
    call.status = intern(status)  # one string object, shared between calls
    call.waits = status == "pending"
    call.ended = at if status in FINAL else None
    if call.ended is not None:
        call.can_cancel = False
