"""Blocks of a message that are no text: pictures, sounds, links, resources, and what is new."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from typing import assert_never

from acp_tui.acp.content import (
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    UnknownContent,
)
from acp_tui.readable import size
from acp_tui.session.entries import Message
from acp_tui.session.growing import GrowingText
from acp_tui.ui.widgets.blocks import Block, TextBlock
from acp_tui.ui.widgets.markdown_links import may_have_links
from acp_tui.ui.widgets.picture import PictureBlock


def card(content: ContentBlock, indent: int = 0) -> TextBlock:
    """Return a line that names a block of content; nothing is ever fetched."""
    return TextBlock(
        [("muted", f"[{described(content)}]")], first=[("text", " " * indent)], rest=[("text", " " * indent)]
    )


def picture(content: ImageContent, redraw: Callable[[Block], None], indent: int = 0) -> Block:
    """Return an image as a picture; `redraw` is told when it is decoded."""
    return PictureBlock(content.data, described(content), redraw, indent=indent)


def has_links(message: Message) -> bool:
    """Return, without much work, whether there may be something in a message that can be opened."""
    return any(
        may_have_links(str(part))
        if isinstance(part, GrowingText)
        else isinstance(part, ResourceLink | EmbeddedResource)
        for part in message.parts
    )


def described(content: ContentBlock) -> str:
    """Say what a block of content is: kind, type, size, name."""
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
            return f"content of the unknown kind {kind}"
        case _:
            assert_never(content)


def _size(data: str) -> str:
    """Return the size of what base64 stands for, or say that it stands for nothing."""
    try:
        return size(len(base64.b64decode(data, validate=True)))
    except (binascii.Error, ValueError):
        return "that cannot be read"
