"""Content blocks: what a message is made of. Source: ACP, page "content"."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from acp_tui.acp.word import Word


class Annotations(Word):
    """Hints about a block; nothing depends on them."""

    audience: list[str] | None = None
    priority: float | None = None
    last_modified: str | None = None


class TextContent(Word):
    """Markdown, or a part of it."""

    type: Literal["text"] = "text"
    text: str
    annotations: Annotations | None = None


class ImageContent(Word):
    """A picture, as base64."""

    type: Literal["image"] = "image"
    data: str
    mime_type: str
    uri: str | None = None
    annotations: Annotations | None = None


class AudioContent(Word):
    """A sound, as base64."""

    type: Literal["audio"] = "audio"
    data: str
    mime_type: str
    annotations: Annotations | None = None


class ResourceLink(Word):
    """A pointer to something that the reader may open; never fetched by us."""

    type: Literal["resource_link"] = "resource_link"
    uri: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    size: int | None = None
    annotations: Annotations | None = None


class ResourceContents(Word):
    """A resource with its content: `text`, or `blob` in base64."""

    uri: str
    mime_type: str | None = None
    text: str | None = None
    blob: str | None = None


class EmbeddedResource(Word):
    """A resource that travels with the message."""

    type: Literal["resource"] = "resource"
    resource: ResourceContents
    annotations: Annotations | None = None


class UnknownContent(Word):
    """A block of a kind that this version does not know, kept as it came."""

    type: Literal["?"] = "?"
    raw: Any = None


ContentBlock = Annotated[
    TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource | UnknownContent,
    Field(discriminator="type"),
]
