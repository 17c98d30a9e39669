"""Opening what a message links to: only when the person asks, and what they have chosen by its address."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from acp_tui.acp.content import EmbeddedResource, ResourceLink
from acp_tui.session.growing import GrowingText
from acp_tui.ui.widgets.markdown_links import links_in

if TYPE_CHECKING:
    from textual.app import App

    from acp_tui.session.entries import Message
    from acp_tui.ui.widgets.look import Look


def links(message: Message) -> dict[str, str]:
    """Return what a message links to: names by address."""
    found: dict[str, str] = {}
    for part in message.parts:
        if isinstance(part, ResourceLink):
            found.setdefault(part.uri, part.title or part.name)
        elif isinstance(part, EmbeddedResource):
            found.setdefault(part.resource.uri, unquote(part.resource.uri.rpartition("/")[2]))
        elif isinstance(part, GrowingText):
            found.update(links_in(str(part)))
    return found


def file_of(uri: str, cwd: str) -> Path | None:
    """Return the file of this machine that an address names, links followed; None for other addresses."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme not in ("", "file") or parts.netloc not in ("", "localhost") or not parts.path:
        return None
    path = Path(cwd) / (unquote(parts.path) if parts.scheme else uri)
    try:
        return path.resolve() if path.is_file() else None
    except (OSError, ValueError, RuntimeError):
        return None


async def open_link(app: App[Any], found: dict[str, str], cwd: str, look: Look) -> None:
    """Let the person choose one of some addresses: a file opens in their editor, a page in their browser."""
    from acp_tui.ui.screens.menu import Item, Menu

    items: Sequence[Item] = [Item(uri, uri, name) for uri, name in found.items()]
    uri = await app.push_screen_wait(Menu("Open", items, None, look))
    if uri is not None:
        problem = await _opened(app, uri, cwd)
        if problem:
            app.notify(problem, title="Open", severity="warning")


async def _opened(app: App[Any], uri: str, cwd: str) -> str:
    """Show what is at an address; return why that cannot be, or ""."""
    from acp_tui.ui.screens.browser import open_in_browser
    from acp_tui.ui.screens.editor import open_in_editor

    path = await asyncio.to_thread(file_of, uri, cwd)
    if path is not None:
        return await open_in_editor(app, path)
    if not uri.lower().startswith(("http://", "https://")):
        return "This is neither a file of this machine nor a page of the web."
    if await asyncio.to_thread(open_in_browser, uri):
        return ""
    app.copy_to_clipboard(uri)
    return "There is no browser with a window here. The address is copied."
