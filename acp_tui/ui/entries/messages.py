"""Blocks of messages: prompts and answers."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from textwrap import indent
from typing import Final, assert_never

from typing_extensions import override

from acp_tui.formatting import lines, size
from acp_tui.protocol.schema import (
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    UnknownContent,
)
from acp_tui.session.entries import (
    AgentMessage,
    AscribedMessage,
    Message,
    Part,
    SteeredMessage,
    UserMessage,
    text_of,
    words_of,
)
from acp_tui.session.text_buffer import TextBuffer
from acp_tui.ui.entries.entry import INDENT, EntryBlock
from acp_tui.ui.widgets.markdown import links as markdown_links
from acp_tui.ui.widgets.markdown.stream import MarkdownBlock, rows_of
from acp_tui.ui.widgets.text import safe_line, shortened
from acp_tui.ui.widgets.transcript.blocks import Block, Piece, TextBlock
from acp_tui.ui.widgets.transcript.picture import PictureBlock


def card(content: ContentBlock, indent: int = 0) -> TextBlock:
    """Return a line that describes a content block; nothing is ever fetched."""
    return TextBlock(
        [("muted", f"[{described(content)}]")], first=[("text", " " * indent)], rest=[("text", " " * indent)]
    )


def picture(content: ImageContent, redraw: Callable[[Block], None], indent: int = 0) -> Block:
    """Return an image as a picture; `redraw` is called when it is decoded."""
    return PictureBlock(content.data, described(content), redraw, indent=indent)


def has_links(message: Message) -> bool:
    """Return True, quickly, if a message may contain a link."""
    return any(
        markdown_links.may_have_links(str(part))
        if isinstance(part, TextBuffer)
        else isinstance(part, ResourceLink | EmbeddedResource)
        for part in message.parts
    )


def described(content: ContentBlock) -> str:
    """Describe a content block by kind, type, size and name."""
    match content:
        case TextContent():
            return content.text
        case ImageContent():
            return f"image {content.mime_type} {_size(content.data)}"
        case AudioContent():
            return f"audio {content.mime_type} {_size(content.data)}"
        case ResourceLink():
            about = f" {size(content.size)}" if content.size is not None else ""
            return f"{content.title or content.name} {content.uri}{about}"
        case EmbeddedResource():
            resource = content.resource
            length = size(len(resource.text.encode("utf-8", "replace"))) if resource.text is not None else ""
            return f"file {resource.uri} {length or _size(resource.blob or '')}"
        case UnknownContent():
            kind = content.raw.get("type") if isinstance(content.raw, dict) else None
            return f"content of unknown kind {kind}"
        case _:
            assert_never(content)


def _size(data: str) -> str:
    """Return the size of base64 data, or a remark that it is invalid."""
    try:
        return size(len(base64.b64decode(data, validate=True)))
    except (binascii.Error, ValueError):
        return "that cannot be read"


_SENT: Final = 60
"""Most cells of what was sent, beside what the agent tells of it."""
_LONG: Final = 4_000
_LONG_LINES: Final = 24
"""Characters and line ends above which a prompt is folded."""
_BEGINNING: Final = 8
"""Lines shown of a folded prompt."""


def take_over_parts(
    parts: list[Block],
    told: Sequence[Part],
    finished: bool,
    *,
    role: str,
    indent: int,
    image: Callable[[ImageContent], Block] = card,
) -> None:
    """Update blocks to the parts of a message, which mostly grow; `image` returns the block of an image."""
    del parts[len(told) :]
    for position, part in enumerate(told):
        if position < len(parts) and not _is_of(parts[position], part):
            del parts[position:]  # the agent has replaced them
        if position == len(parts):
            above = 1 if position == 0 else 0
            if isinstance(part, TextBuffer):
                parts.append(MarkdownBlock(part, role=role, indent=indent, above=above))
            elif isinstance(part, ImageContent):
                parts.append(image(part))
            else:
                parts.append(card(part, indent))
        block = parts[position]
        if isinstance(block, MarkdownBlock):
            block.grown()
            if finished or position < len(told) - 1:
                block.finish()


def _is_of(block: Block, part: Part) -> bool:
    """Return whether a block shows a part of a message; pictures and cards are not compared."""
    if isinstance(block, MarkdownBlock):
        return block.shows(part)
    return not isinstance(part, TextBuffer)


class UserMessageBlock(EntryBlock):
    """A prompt as typed, after a mark; a long one, such as a paste, is folded to its start."""

    __slots__ = ()

    entry: UserMessage
    landmark = True

    @property
    @override
    def is_action(self) -> bool:  # type: ignore[override]  # it depends on what is said
        return self._instead is not None or has_links(self.entry) or self.can_fold

    @override
    def sync(self) -> None:
        prompt = [("prompt-mark", self.context.symbol("prompt")), ("text", " ")]
        pieces, rest = self._pieces(pictures=self.context.pictures), ""
        if self.is_folded:
            pieces, rest = _beginning(pieces)
        text = TextBlock(pieces, first=prompt, rest=INDENT, above=1, is_prose=True)
        more = [TextBlock([("muted", self._more(rest))], first=INDENT)] if self.can_fold else []
        images = [part for part in self.entry.parts if isinstance(part, ImageContent)]
        if self.context.pictures:
            known = [part for part in self.parts if not isinstance(part, TextBlock)]  # images do not change
            new = [picture(one, lambda _: self.context.redraw(self), 2) for one in images[len(known) :]]
            self.parts = [text, *more, *known, *new]
        else:
            self.parts = [text, *more]

    def _pieces(self, *, pictures: bool = False) -> list[Piece]:
        """Return the text; images are left out if `pictures` of them follow, each with its description."""
        pieces: list[Piece] = [
            ("user", str(part)) if isinstance(part, TextBuffer) else ("muted", f" [{described(part)}]")
            for part in self.entry.parts
            if not (pictures and isinstance(part, ImageContent))
        ]
        if self.entry.is_reworded:
            sent = shortened(" ".join(words_of(self.entry).split()), _SENT)
            pieces.append(("warning", f" (in the agent's words; you sent “{safe_line(sent)}”)"))
        if self.entry.dropped:
            pieces.append(("muted", " (not in the agent's context)"))
        return pieces

    @property
    @override
    def can_fold(self) -> bool:
        texts = [part for part in self.entry.parts if isinstance(part, TextBuffer)]
        if sum(text.length for text in texts) > _LONG:
            return True
        return sum(str(text).count("\n") for text in texts) > _LONG_LINES

    def _more(self, rest: str) -> str:
        if not rest:
            return f"{self.context.symbol('open')} all of it"
        return f"{self.context.symbol('folded')} {lines(rest.count(chr(10)) + 1)} more"

    @override
    def choose(self) -> bool:
        if self._instead is not None or (self.is_open and has_links(self.entry)):
            return False
        return super().choose()

    @override
    def source(self) -> str:
        return "".join([text for _, text in self._pieces()])


def _beginning(pieces: Sequence[Piece]) -> tuple[list[Piece], str]:
    """Return the first lines of a long message, and the rest of its text."""
    shown: list[Piece] = []
    room, characters = _BEGINNING, _LONG
    for place, (role, text) in enumerate(pieces):
        kept = "\n".join(text[:characters].split("\n", room)[:room])
        shown.append((role, kept))
        room, characters = room - kept.count("\n"), characters - len(kept)
        if len(kept) < len(text):
            left = text[len(kept) :].removeprefix("\n") + "".join(more for _, more in pieces[place + 1 :])
            return shown, left.strip() or " "
    return shown, ""


class SteeredMessageBlock(EntryBlock):
    """Text that was sent into a running turn."""

    __slots__ = ()
    entry: SteeredMessage
    landmark = True

    @property
    @override
    def is_action(self) -> bool:  # type: ignore[override]  # it depends on what is said
        return has_links(self.entry)

    @override
    def sync(self) -> None:
        said: list[Piece] = [
            ("user", str(part)) if isinstance(part, TextBuffer) else ("muted", f" [{described(part)}]")
            for part in self.entry.parts
        ]
        state = "given before the stop" if self.entry.before_stop else "steered"
        first = [("prompt-mark", self.context.symbol("prompt")), ("text", " ")]
        self.parts = [TextBlock([*said, ("muted", f"  {state}")], first=first, rest=INDENT, above=1)]

    @override
    def source(self) -> str:
        return text_of(self.entry)


_MARGIN: Final = 2
"""Empty cells before an answer: in them are the marks of acp-tui's own lines, with or without colours."""


class AgentMessageBlock(EntryBlock):
    """An answer, as growing Markdown behind a margin."""

    __slots__ = ()
    entry: AgentMessage

    @property
    @override
    def is_action(self) -> bool:  # type: ignore[override]  # it depends on what is said
        return has_links(self.entry)

    @override
    def sync(self) -> None:
        role = "muted" if self.entry.dropped else "text"
        finished, parts = self.entry.finished, list(self.parts)
        take_over_parts(parts, self.entry.parts, finished, role=role, indent=_MARGIN, image=self._image)
        self.parts = parts

    @property
    @override
    def is_settled(self) -> bool:
        return self.entry.finished and all(isinstance(part, TextBuffer) for part in self.entry.parts)

    @override
    def estimate(self, width: int) -> int:
        return 1 + rows_of(text_of(self.entry), max(1, width - _MARGIN))

    @property
    @override
    def text_length(self) -> int:
        return len(text_of(self.entry))

    @override
    def source(self) -> str:
        return text_of(self.entry) if self._is_bare else super().source()

    @override
    def source_among_others(self) -> str:
        return indent(self.source(), " " * _MARGIN)

    def _image(self, content: ImageContent) -> Block:
        if not self.context.pictures:
            return card(content, _MARGIN)
        return picture(content, lambda _: self.context.redraw(self), _MARGIN)


class AscribedMessageBlock(EntryBlock):
    """A message that the agent ascribes to the user, without the marks of a prompt."""

    __slots__ = ()
    entry: AscribedMessage

    @override
    def sync(self) -> None:
        said = [("warning", "According to the agent, you said:")]
        head = self.parts[0] if self.parts else TextBlock(said, above=1)
        text = list(self.parts[1:])
        take_over_parts(text, self.entry.parts, self.entry.finished, role="muted", indent=2)
        self.parts = [head, *text]
