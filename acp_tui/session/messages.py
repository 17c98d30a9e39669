"""Assembly of message chunks. Source: ACP, page "prompt turn", and the draft on message ids."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Final

from acp_tui.protocol import dialects
from acp_tui.protocol.schema import (
    AgentMessageChunk,
    AgentThoughtChunk,
    Chunk,
    ContentBlock,
    MessageUpdate,
    TextContent,
    UserMessageChunk,
)
from acp_tui.session.entries import (
    ADDED,
    AgentMessage,
    AscribedMessage,
    Entry,
    Message,
    Notice,
    Part,
    SteeredMessage,
    Thought,
    UserMessage,
)
from acp_tui.session.events import SessionChange
from acp_tui.session.text_buffer import TextBuffer

_KINDS: Final[dict[type[Chunk], type[Message]]] = {
    UserMessageChunk: UserMessage,
    AgentMessageChunk: AgentMessage,
    AgentThoughtChunk: Thought,
}
_NAMES: Final[dict[str, type[Message]]] = {
    "user_message": UserMessage,
    "agent_message": AgentMessage,
    "agent_thought": Thought,
}


class Messages:
    """Maps chunks to messages among the entries of a session."""

    def __init__(self, entries: list[Entry], unsaid: Sequence[str] = ()) -> None:
        """Take the entries, and the agent's texts that are not to be shown; see `dialects.unsaid`."""
        self._entries = entries
        self._unsaid = dialects.unsaid(unsaid)
        self.is_replay = True
        """True while user messages are a replay: until a prompt, or the start of a new session."""
        self.has_unique_ids = False
        """True if an id keeps its meaning in later turns, as in version 2."""
        self._by_id: dict[type[Message], dict[str, int]] = {
            kind: {} for kind in (*_KINDS.values(), AscribedMessage)
        }
        self._open: int | None = None
        """Index of the message continued by a chunk without an id."""
        self._turn = 0
        """First entry of the turn; ids of earlier entries do not count."""
        self._prompt: list[ContentBlock] = []
        """Blocks of the latest prompt."""
        self._echo: str | None = None
        """Rest of the prompt that the agent may yet echo."""
        self._has_heard = False
        """True once something other than an echo came after the prompt."""
        self._repeated = ""
        """Echoed text so far, not shown again."""
        self._said: set[str] = set()
        """Texts of the user in this turn, without white space."""
        self._same: SessionChange | None = None
        self._sent: dict[str, list[Part]] = {}
        """Parts of the prompts that were sent, by the agent's message id."""

    def prompted(self, prompt: list[ContentBlock], at: float) -> int:
        """Begin a turn with the user's prompt; return the new entry's index."""
        self.close()
        self.is_replay = False
        self._said.clear()
        self._entries.append(UserMessage(parts_of(prompt), at=at))
        self._expect_echo(prompt)
        self._turn = len(self._entries) - 1
        return self._turn

    def steered(self, prompt: list[ContentBlock], at: float, *, before_stop: bool) -> tuple[int, ...]:
        """Add text that the agent has taken into its turn; return the changed entries."""
        closed = self.close()
        self._entries.append(SteeredMessage(parts_of(prompt), at=at, before_stop=before_stop))
        self._expect_echo(prompt)
        return (*closed, len(self._entries) - 1)

    def _expect_echo(self, prompt: list[ContentBlock]) -> None:
        self._echo, self._prompt = text_in(prompt), prompt
        self._said.add(_without_space(self._echo))
        self._has_heard, self._repeated = False, ""

    def ascribe(self) -> None:
        """Mark all user messages as ascribed by the agent."""
        self.is_replay = False
        for index, entry in enumerate(self._entries):
            if isinstance(entry, UserMessage):
                self._entries[index] = AscribedMessage(entry.parts, entry.message_id, entry.at)
        self._by_id[AscribedMessage].update(self._by_id[UserMessage])
        self._by_id[UserMessage] = {}

    def begin_turn(self, first: int) -> None:
        """Begin a turn at an entry; the agent may restart its message ids."""
        self._turn = first

    def end_turn(self) -> tuple[int, ...]:
        """Stop expecting an echo; return the finished entries."""
        self._prompt, self._echo, self._repeated = [], None, ""
        return self.close()

    def add(self, chunk: Chunk, at: float) -> SessionChange | None:
        """Append a chunk's block to its message."""
        kind, block = _KINDS[type(chunk)], chunk.content
        text = block.text if isinstance(block, TextContent) else None
        held = ""
        if kind is UserMessage:
            if self._is_echo(chunk):
                return None
            if text is not None and dialects.is_injected(text):
                return self._end_message()
            held = self._repeated if self._echo else ""  # the echo was only the start of a new message
            self._echo, self._repeated = None, ""
            is_known = self.has_unique_ids and chunk.message_id in self._by_id[UserMessage]
            is_own = self.is_replay or is_known
            kind = UserMessage if is_own else AscribedMessage
        elif self._is_unsaid(text):
            return self._end_message()
        self._has_heard = True
        index = self._find(kind, chunk.message_id)
        closed: tuple[int, ...] = ()
        if index is None:
            if text == "":
                return None
            closed = self.close()
            index = self._begin(kind, chunk.message_id, at)
        message = self._entries[index]
        assert isinstance(message, kind)
        if held:
            append_block(message.parts, TextContent(text=held))
        append_block(message.parts, block)
        if isinstance(message, Thought):
            message.last = at
        self._compare(message)
        if closed:
            return SessionChange((*closed, index))
        # Reuse the change: a streaming message yields it for each chunk.
        if self._same is None or self._same.entries[0] != index:
            self._same = SessionChange((index,))
        return self._same

    def update(self, news: MessageUpdate, at: float) -> SessionChange | None:
        """Replace the content of a message, or begin one; an absent list keeps the content."""
        self.has_unique_ids = self.has_unique_ids or news.version > 1
        kind = _NAMES[news.session_update]
        if kind is UserMessage and news.version == 1 and not self.is_replay:
            kind = AscribedMessage
        index = self._find(kind, news.message_id)
        if kind is UserMessage and index is None:
            index = self._find(AscribedMessage, news.message_id)
            kind = UserMessage if self.is_replay else AscribedMessage
        if "content" not in news.model_fields_set:
            return None
        closed: tuple[int, ...] = ()
        if index is None:
            if not news.content or self._is_whole_echo(news):
                return None
            closed = self.close()
            index = self._begin(kind, news.message_id, at)
        message = self._entries[index]
        assert isinstance(message, Message)
        message.parts = parts_of(news.content or ())
        self._compare(message)
        self._same = None
        return SessionChange((*closed, index))

    def _is_whole_echo(self, news: MessageUpdate) -> bool:
        """Return whether a message of the user repeats text that was sent into the turn."""
        if news.session_update != "user_message":
            return False
        text = text_in(news.content or ())
        if news.version == 1:
            return bool(text) and _without_space(text) in self._said
        if self._echo is None:
            return False
        is_echo = bool(text) and text.split() == self._echo.split()
        if is_echo:
            self._echo = None
        return is_echo

    def place_prompt(self, message_id: str, *, keeps_place: bool = False) -> tuple[tuple[int, ...], int]:
        """Give the latest prompt the agent's id, and move it to the end, where the agent has it.

        Returns (changed entries, the prompt's last; index of the prompt).
        """
        self.has_unique_ids = True
        index = self._turn
        prompt = self._entries[index] if index < len(self._entries) else None
        if not isinstance(prompt, UserMessage) or prompt.message_id is not None:
            return (), index
        self._echo = None
        changed: tuple[int, ...] = ()
        if index < len(self._entries) - 1 and not keeps_place:
            closed = self.close()
            self._entries[index] = Notice("The next prompt waited for the agent.", at=prompt.at)
            self._entries.append(prompt)
            changed, index = (*closed, index), len(self._entries) - 1
            self._turn = index
        prompt.message_id = message_id
        self._by_id[UserMessage][message_id] = index
        self._sent[message_id] = copy.deepcopy(prompt.parts)
        return (*changed, index), index

    def _compare(self, message: Message) -> None:
        """Note whether the agent's text of a prompt is the one that was sent; the sent one is kept."""
        if (
            isinstance(message, UserMessage)
            and (sent := self._sent.get(message.message_id or "")) is not None
        ):
            message.is_reworded = _squeezed(message.parts) != _squeezed(sent)
            message.sent = sent if message.is_reworded else None
            if not message.is_reworded:
                message.parts = copy.deepcopy(sent)

    def begins(self, chunk: Chunk) -> bool:
        """Return whether a chunk of the agent begins a message."""
        text = chunk.content.text if isinstance(chunk.content, TextContent) else None
        if text == "" or self._is_unsaid(text):
            return False
        return self._find(_KINDS[type(chunk)], chunk.message_id) is None

    def _is_unsaid(self, text: str | None) -> bool:
        return (
            text is not None and self._unsaid is not None and self._unsaid.fullmatch(text.strip()) is not None
        )

    def _end_message(self) -> SessionChange | None:
        """Finish the open message, since something that is not shown separates it from the next."""
        closed = self.close()
        return SessionChange(closed) if closed else None

    def close(self) -> tuple[int, ...]:
        """Finish the open message, so that the next chunk without an id begins another."""
        index, self._open = self._open, None
        self._has_heard = True
        if index is None:
            return ()
        message = self._entries[index]
        if isinstance(message, AscribedMessage | AgentMessage | Thought):
            message.finished = True
            message.parts = list(message.parts)  # free the room for more pieces
            finish_parts(message.parts)
        return (index,)

    def _find(self, kind: type[Message], message_id: str | None) -> int | None:
        if message_id is not None:
            index = self._by_id[kind].get(message_id)
            return index if index is not None and (index >= self._turn or self.has_unique_ids) else None
        if self._open is not None and type(self._entries[self._open]) is kind:
            return self._open
        return None

    def _begin(self, kind: type[Message], message_id: str | None, at: float) -> int:
        self._entries.append(kind(message_id=message_id, at=at))
        self._open = len(self._entries) - 1
        if message_id is not None:
            self._by_id[kind][message_id] = self._open
        return self._open

    def _is_echo(self, chunk: Chunk) -> bool:
        """Return whether a chunk repeats (a part of) the prompt just sent."""
        if self._echo is None:
            return False
        if self._has_heard and not self._repeats_blocks(chunk.content):
            return False
        if isinstance(chunk.content, TextContent):
            if not self._echo.startswith(chunk.content.text):
                return False
            self._echo = self._echo[len(chunk.content.text) :]
            self._repeated += chunk.content.text
        prompt = self._entries[self._turn]
        if isinstance(prompt, UserMessage) and chunk.message_id is not None:
            prompt.message_id = chunk.message_id
        return True

    def _repeats_blocks(self, block: ContentBlock) -> bool:
        """Return whether a block ends at the end of a block of the prompt.

        After other content, a chunk that merely starts like the prompt may be a new message.
        """
        if not isinstance(block, TextContent):
            return block in self._prompt
        texts = [each.text for each in self._prompt if isinstance(each, TextContent)]
        ends = {sum(map(len, texts[:count])) for count in range(1, len(texts) + 1)}
        return len(self._repeated) + len(block.text) in ends


def _squeezed(parts: Sequence[Part]) -> str:
    return _without_space("".join(str(part) for part in parts if isinstance(part, TextBuffer)))


def _without_space(text: str) -> str:
    return "".join(text.split())


def text_in(blocks: Iterable[ContentBlock]) -> str:
    """Return the text of content blocks."""
    return "".join(block.text for block in blocks if isinstance(block, TextContent))


def parts_of(blocks: Iterable[ContentBlock]) -> list[Part]:
    """Return content blocks as the parts of an entry."""
    parts: list[Part] = []
    for block in blocks:
        append_block(parts, block)
    return parts


def finish_parts(parts: Iterable[Part]) -> None:
    """Finish the texts of an entry: no more will be appended."""
    for part in parts:
        if isinstance(part, TextBuffer):
            part.finish()


def append_block(parts: list[Part], block: ContentBlock) -> None:
    """Append a block; adjacent texts are merged, except the client's note."""
    if not isinstance(block, TextContent):
        parts.append(block)
        return
    starts_part = not parts or not isinstance(parts[-1], TextBuffer)
    if starts_part or block.text.startswith(ADDED):
        parts.append(TextBuffer())
    text = parts[-1]
    assert isinstance(text, TextBuffer)
    text.append(block.text)
