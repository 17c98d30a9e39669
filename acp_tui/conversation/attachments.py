"""Attachments: the files that a prompt mentions, as content blocks.

Source: ACP, pages "prompt turn" and "content".
"""

from __future__ import annotations

import base64
import mimetypes
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal
from urllib.parse import unquote, urlsplit

from acp_tui.conversation.mentions import Lines, MentionReading, mention_of, mentions
from acp_tui.formatting import expand_home, inside, size
from acp_tui.protocol.schema import (
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    PromptCapabilities,
    ResourceContents,
    ResourceLink,
    TextContent,
)
from acp_tui.store.prompts import Prompt
from acp_tui.workspace.real_paths import followed

MAX_EMBEDDED: Final = 256 * 1024
"""Size of the largest text that is embedded, in bytes; a larger one is linked."""

_MAX_SEARCHED: Final = 16 * 1024 * 1024
"""Size of the largest file that is searched for lines, in bytes."""

MAX_MEDIA: Final = 10 * 1024 * 1024
"""Size of the largest image or sound that is embedded, in bytes."""

_HEAD: Final = 8192
"""Bytes at the start of a file that identify its kind."""

_SOUNDS: Final = (
    (b"ID3", "mpeg"), (b"\xff\xfb", "mpeg"), (b"\xff\xf3", "mpeg"), (b"\xff\xf2", "mpeg"),
    (b"fLaC", "flac"), (b"OggS", "ogg"), (b"\xff\xf1", "aac"), (b"\xff\xf9", "aac"),
)  # fmt: skip
_IMAGES: Final = ((b"\x89PNG\r\n\x1a\n", "png"), (b"\xff\xd8\xff", "jpeg"), (b"GIF8", "gif"))


@dataclass(frozen=True)
class Attachment:
    """A file or folder that a prompt mentions."""

    name: str
    """The path as mentioned."""
    path: Path
    kind: Literal["text", "image", "audio", "binary", "folder"]
    size: int
    """Size in bytes."""
    mime_type: str | None
    lines: Lines | None = None

    @property
    def uri(self) -> str:
        """The URI of the whole file."""
        return self.path.as_uri() + ("/" if self.kind == "folder" else "")

    def is_embedded(self, takes: PromptCapabilities) -> bool:
        """Return whether the content is embedded in the prompt, judged without reading it."""
        if self.kind in ("image", "audio"):
            return (takes.image if self.kind == "image" else takes.audio) and self.size <= MAX_MEDIA
        most = _MAX_SEARCHED if self.lines is not None else MAX_EMBEDDED
        return self.kind == "text" and takes.embedded_context and self.size <= most

    def shown(self, takes: PromptCapabilities | None) -> str:
        """Return the attachment for display; `takes` is None until the agent is initialized."""
        lines = f":{self.lines[0]}-{self.lines[1]}" if self.lines is not None else ""
        about = "folder" if self.kind == "folder" else size(self.size)
        if self.kind in ("image", "audio"):
            about = f"{self.kind} {about}"
        is_link = takes is not None and not self.is_embedded(takes)
        return f"{self.name}{lines} {about}{' as a link' if is_link else ''}"


@dataclass(frozen=True)
class MentionedFiles:
    """The files that a text mentions."""

    attachments: tuple[Attachment, ...] = ()
    problems: tuple[str, ...] = ()
    """Messages about mentions that cannot be attached."""


def find(text: str, roots: Sequence[str]) -> MentionedFiles:
    """Return the files that a text mentions below `roots`; relative paths are below the first root.

    A mention of a missing file is plain text. Blocking: call it in a thread.
    """
    attachments: dict[tuple[Path, Lines | None], Attachment] = {}
    problems: list[str] = []
    for readings in mentions(text):
        for reading in readings:
            try:
                attachment = _attachment(reading, roots)
            except OSError as error:
                problems.append(f"@{reading.path} is not attached: {error.strerror or error}.")
                break
            if attachment is not None:
                attachments.setdefault((attachment.path, attachment.lines), attachment)
                break
    return MentionedFiles(tuple(attachments.values()), tuple(dict.fromkeys(problems)))


def blocks(
    prompt: Prompt,
    roots: Sequence[str],
    takes: PromptCapabilities,
    make_visible: Callable[[str], str] = lambda path: "",
) -> tuple[list[ContentBlock], list[str]]:
    """Return a prompt as content blocks that the agent takes, and messages about its attachments.

    `make_visible` lets the agent see a file, and returns why it cannot, or "". Blocking: call it in a thread.
    """
    found = find(prompt.text, roots)
    problems = list(found.problems)
    made: list[ContentBlock] = [TextContent(text=prompt.whole)]
    for attachment in found.attachments:
        content, problem = block(attachment, takes)
        made.append(content)
        problems += filter(None, (problem, make_visible(str(attachment.path))))
    return made, problems


def block(attachment: Attachment, takes: PromptCapabilities) -> tuple[ContentBlock, str]:
    """Return an attachment as a content block that the agent takes, and a message or "".

    Blocking: call it in a thread.
    """
    try:
        if attachment.kind in ("image", "audio"):
            return _media(attachment, takes)
        text = _text(attachment) if attachment.is_embedded(takes) else None
    except (OSError, UnicodeDecodeError) as error:
        return _link(attachment), f"{attachment.name} is sent as a link: {error}."
    if text is None:
        return _link(attachment), ""
    fragment = "#L{}-{}".format(*attachment.lines) if attachment.lines is not None else ""
    contents = ResourceContents(uri=attachment.uri + fragment, mime_type=attachment.mime_type, text=text)
    return EmbeddedResource(resource=contents), ""


def image_type(head: bytes) -> str | None:
    """Return the MIME type of an image by its first bytes; None: not an image that agents accept."""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return next((f"image/{name}" for magic, name in _IMAGES if head.startswith(magic)), None)


def audio_type(head: bytes) -> str | None:
    """Return the MIME type of a sound by its first bytes; None: not a known sound."""
    if head[:4] == b"RIFF" and head[8:12] == b"WAVE":
        return "audio/wav"
    if head[4:8] == b"ftyp" and head[8:11] == b"M4A":
        return "audio/mp4"
    return next((f"audio/{name}" for magic, name in _SOUNDS if head.startswith(magic)), None)


def _attachment(reading: MentionReading, roots: Sequence[str]) -> Attachment | None:
    """Return the attachment of a mention; None: there is no such file.

    Raises:
        OSError: the file cannot be attached.
    """
    path = Path(expand_home(reading.path) if reading.path.startswith("~/") else reading.path)
    is_ours = not path.is_absolute()
    path = Path(roots[0]) / path
    try:
        real = path.resolve(strict=True)
    except (OSError, RuntimeError):  # also a name that is too long, and circular links
        return None
    if is_ours and not any(real.is_relative_to(Path(followed(root))) for root in roots):
        raise OSError("it is a link out of the workspace; use its full path")
    if real.is_dir():
        return Attachment(reading.path, real, "folder", 0, None) if reading.lines is None else None
    if not real.is_file():
        raise OSError("it is neither a file nor a folder")
    with real.open("rb") as file:
        head = file.read(_HEAD)
    kind, mime_type = _kind(real, head)
    lines = reading.lines if kind == "text" else None
    return Attachment(reading.path, real, kind, real.stat().st_size, mime_type, lines)


def _kind(path: Path, head: bytes) -> tuple[Literal["text", "image", "audio", "binary"], str | None]:
    if (image := image_type(head)) is not None:
        return "image", image
    if (sound := audio_type(head)) is not None:
        return "audio", sound
    guessed = mimetypes.guess_type(path.name)[0]
    try:
        head[:-3].decode()  # the last character may be incomplete
    except UnicodeDecodeError as error:
        if error.end < len(head) - 6:
            return "binary", guessed
    return ("binary", guessed) if b"\0" in head else ("text", guessed or "text/plain")


def _text(attachment: Attachment) -> str | None:
    """Return the text to be sent, or the mentioned lines; None if it is too large.

    Raises:
        OSError, UnicodeDecodeError: the file is not text.
    """
    with attachment.path.open("rb") as file:
        data = file.read(_MAX_SEARCHED + 1)
    if attachment.lines is not None:
        first, last = attachment.lines
        data = b"".join(data.splitlines(keepends=True)[first - 1 : last])
        if not data:
            raise OSError(f"it has no line {first}")
    return data.decode() if len(data) <= MAX_EMBEDDED else None


def _media(attachment: Attachment, takes: PromptCapabilities) -> tuple[ContentBlock, str]:
    """Return an image or a sound as a content block, or as a link with the reason.

    Raises:
        OSError: the file cannot be read.
    """
    is_image = attachment.kind == "image"
    if not attachment.is_embedded(takes):
        what = "images" if is_image else "audio"
        why = (
            "it is too large"
            if (takes.image if is_image else takes.audio)
            else f"this agent does not accept {what}"
        )
        return _link(attachment), f"{attachment.name} is sent as a link: {why}."
    data = base64.b64encode(attachment.path.read_bytes()).decode()
    mime_type = attachment.mime_type or ""
    if is_image:
        return ImageContent(data=data, mime_type=mime_type, uri=attachment.uri), ""
    return AudioContent(data=data, mime_type=mime_type), ""


def _link(attachment: Attachment) -> ContentBlock:
    """Return a link; mentioned lines are in its description, since some agents open the URI literally."""
    lines = "lines {}-{}".format(*attachment.lines) if attachment.lines is not None else None
    return ResourceLink(
        uri=attachment.uri,
        name=attachment.name,
        description=lines,
        mime_type=attachment.mime_type,
        size=attachment.size if attachment.kind != "folder" else None,
    )


_MAX_PATH: Final = 4096


def dropped_media(text: str, cwd: str) -> str | None:
    """Return the mention of an image or sound if a text is its path, quoted or not; else None."""
    try:
        path = _path(text.strip())
        if path is None or not path.is_absolute() or not path.is_file():
            return None
        with path.open("rb") as file:
            head = file.read(16)
    except (OSError, ValueError):  # no file, or a name with a NUL
        return None
    is_media = image_type(head) is not None or audio_type(head) is not None
    return mention_of(inside(str(path), cwd)) if is_media else None


def _path(text: str) -> Path | None:
    if not text or "\n" in text or len(text) > _MAX_PATH:
        return None
    if text.startswith("file://"):
        return Path(unquote(urlsplit(text).path))
    if Path(text).is_file():
        return Path(text)
    try:
        words = shlex.split(text)
    except ValueError:  # an unterminated quote
        return None
    return Path(expand_home(words[0])) if len(words) == 1 and words[0][:1] in "/~" else None
