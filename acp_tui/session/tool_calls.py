"""Tool calls: any news of one, in any order, merged into its entry."""

from __future__ import annotations

from collections.abc import Mapping
from sys import intern
from typing import Any, Final

from acp_tui.protocol import dialects
from acp_tui.protocol.schema import TOOL_STATUSES, TerminalItem, ToolCallFields
from acp_tui.session.entries import FINAL, Entry, ToolCall, items_of, places_of
from acp_tui.session.questions import Permission
from acp_tui.session.text_buffer import TextBuffer, whole

OUTPUT_LIMIT: Final = 1 << 20
"""Characters of a command's output that are kept at least, when the agent runs it by itself."""

_OUTPUT: Final = ("terminal_output", "terminal_output_delta")


class ToolCalls:
    """The tool calls among the entries of a session, by their ids."""

    def __init__(self, entries: list[Entry], *, title_is_command: bool) -> None:
        self.places: dict[str, int] = {}
        """The index of each call's entry."""
        self._earlier = 0
        """The entries that another process of the agent made: its calls may have the same ids."""
        self._turn = 0
        """The entries before this turn: what is announced now is none of their calls."""
        self._open: set[int] = set()
        """The indices of those that may not be final: there are few, whatever the length of the session."""
        self._entries = entries
        self._title_is_command = title_is_command

    def find(self, tool_call_id: str) -> ToolCall | None:
        """Return a call by its id."""
        index = self.places.get(tool_call_id)
        entry = None if index is None else self._entries[index]
        return entry if isinstance(entry, ToolCall) else None

    def knows(self, tool_call_id: str, *, announces: bool) -> bool:
        """Return whether news of this id belong to a call that is there already.

        An id lives within its turn: what is announced in a later turn is a call of its own. News without
        an announcement correct the newest call of that id, as long as its process lives.
        """
        first = max(self._earlier, self._turn) if announces else self._earlier
        return self.places.get(tool_call_id, -1) >= first

    def take(self, news: ToolCallFields, at: float, *, announces: bool) -> tuple[tuple[int, ...], ToolCall]:
        """Merge news into their call, which is appended if it is new.

        Returns (the entries that changed, the call's own last; the call). `announces`: see `merge`.
        """
        left: tuple[int, ...] = ()
        call = self.find(news.tool_call_id)
        if call is None or not self.knows(news.tool_call_id, announces=announces):
            left = self._leave(news.tool_call_id, at)
            call = ToolCall(news.tool_call_id, started=at, title_is_command=self._title_is_command)
            self.places[news.tool_call_id] = len(self._entries)
            self._entries.append(call)
        merge(call, news, at, announces=announces)
        index = self.places[news.tool_call_id]
        (self._open.discard if call.is_final else self._open.add)(index)
        return (*left, index), call

    def _leave(self, tool_call_id: str, at: float) -> tuple[int, ...]:
        """Settle the call whose id goes to another one: nothing can be said of it any more."""
        place = self.places.get(tool_call_id)
        if place is None or place not in self._open:
            return ()
        self._open.discard(place)
        return (place,) if settle(self.at(place), "interrupted", at) else ()

    def at(self, place: int) -> ToolCall:
        """Return the call of an entry."""
        call = self._entries[place]
        assert isinstance(call, ToolCall)
        return call

    def begin_again(self, known: ToolCall, at: float) -> None:
        """Let what comes for a call go to an entry of its own from now on: the one before stays as it is.

        What is known of the call goes on to be known, unless it was over.
        """
        call = ToolCall(known.tool_call_id, started=at, title_is_command=self._title_is_command)
        if not known.is_final:
            call.title, call.kind, call.name, call.meta = known.title, known.kind, known.name, known.meta
            call.content, call.locations, call.raw_input = known.content, known.locations, known.raw_input
        self.places[known.tool_call_id] = len(self._entries)
        self._entries.append(call)

    def begin_turn(self, first: int) -> None:
        """A turn begins with this entry, and the agent may count its calls anew."""
        self._turn = first

    def begin_anew(self) -> None:
        """Another process of the agent counts its calls from now on."""
        self._earlier = len(self._entries)

    def printed(self, texts: Mapping[str, str]) -> tuple[int, ...]:
        """Give calls what was printed on terminals that are gone. Return the entries that changed."""
        changed = []
        for place, call in enumerate(self._entries):
            if not isinstance(call, ToolCall) or call.output is not None:
                continue
            found = [texts.get(item.terminal_id) for item in call.content if isinstance(item, TerminalItem)]
            if any(found):
                call.output = whole("\n".join(text for text in found if text))
                changed.append(place)
        return tuple(changed)

    def settle(self, status: str, at: float) -> tuple[int, ...]:
        """Settle every call that is still open, also one of an earlier turn that came back to life.

        Returns the entries that changed.
        """
        places, self._open = sorted(self._open), set()
        return tuple(
            index
            for index in places
            if isinstance(call := self._entries[index], ToolCall) and settle(call, status, at)
        )


def merge(call: ToolCall, news: ToolCallFields, at: float, *, announces: bool) -> None:
    """Merge news into a call: absent and null keep, lists replace. Source: ACP, "tool calls", updating.

    `announces` is true for `tool_call` and for the tool call of a permission request: their `pending` is how
    a call begins, and does not take back what is known already.
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
    if news.raw_output is not None:
        call.raw_output = news.raw_output
    if news.name:
        call.name = news.name
    if news.meta:
        _merge_meta(call, news.meta)
    if news.status is not None:
        _set_status(call, dialects.tool_status(news.status), at, announces=announces)


def settle(call: ToolCall, status: str, at: float) -> bool:
    """Give an unfinished call a status of ours; return whether it was unfinished."""
    if call.is_final:
        return False
    call.status = status
    call.ended = at
    return True


def decide(call: ToolCall, question: Permission, option_id: str | None, by: str, at: float) -> None:
    """Take in how the permission for a call was answered, and by whom; None: cancelled."""
    option = question.option(option_id)
    call.decision = f"{option.name if option is not None else 'cancelled'} ({by})"
    if question.later is not None:  # the entry tells of something else than what was asked
        asked = question.call.command or question.call.title
        call.decision += f", asked about: {asked}"
    if option is None:
        settle(call, "cancelled", at)
    elif option.kind.startswith("reject"):
        settle(call, "rejected", at)
    else:
        call.started = at  # what it took the user to answer is not the call's time
        call.waits = False


def _merge_meta(call: ToolCall, meta: dict[str, Any]) -> None:
    """Merge key by key; the output of agents that run commands by themselves rides here, in pieces."""
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
        if call.output is not None:
            call.output.finish()
    rest = {key: value for key, value in meta.items() if key not in _OUTPUT}
    if rest:
        call.meta = {**(call.meta or {}), **rest}


def _text(value: Any, key: str) -> str | None:
    text = value.get(key) if isinstance(value, dict) else None
    return text if isinstance(text, str) else None


def _set_status(call: ToolCall, status: str, at: float, *, announces: bool) -> None:
    if status not in TOOL_STATUSES and status not in FINAL:
        return  # a word of tomorrow: what is known stays
    if announces and status == "pending" and call.status != "pending":
        return
    call.status = intern(status)  # one word for all calls, as the kind
    call.waits = status == "pending"
    call.ended = at if status in FINAL else None
