"""Opening what a message links to: only when the person asks, and what they have chosen by its address."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

from acp_tui.acp.content import EmbeddedResource, ResourceLink
from acp_tui.session.growing import GrowingText
from acp_tui.ui.widgets.markdown_links import links_in
from acp_tui.ui.widgets.text import exact_line, shortened

if TYPE_CHECKING:
    from textual.app import App

    from acp_tui.session.entries import Message
    from acp_tui.ui.widgets.look import Look

_HOSTS: Final = re.compile(
    r"[a-z][a-z0-9+.-]*://[^\s<>\"'`)]+|(?<![\w@./-])(?:[\w-]+\.)+(?:[a-z]{2,}|xn--[\w-]+)(?![\w(])(?:[:/][^\s<>\"'`)]*)?",
    re.IGNORECASE,
)
"""What the words of a link may name as a host: an address, or a name with a dot."""
_FILE_NAMES: Final = re.compile(r".*\.(cc|md|mk|ml|pl|pm|ps|py|rs|sh|so|tf|ts|zip)", re.IGNORECASE)
"""Names of files whose ends are ends of hosts, too."""
_ENDS: Final = re.compile(
    r".*\.([a-z]{2,3}|[^a-z]*xn--.*|info|cloud|tech|site|online|store|page|link|live|news|shop|tools|systems"
    r"|codes|software|services|example|test|bank|email|support|security|blog|agency)",
    re.IGNORECASE,
)
"""Names of hosts as they are met in texts: others with a dot are parts of programs, such as json.dumps."""


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

    items: Sequence[Item] = [Item(uri, uri, about(uri, name)) for uri, name in found.items()]
    uri = await app.push_screen_wait(Menu("Open", items, None, look))
    if uri is not None and await _is_meant(app, uri, found[uri], look):
        problem = await _opened(app, uri, cwd)
        if problem:
            app.notify(problem, title="Open", severity="warning")


def other_host(uri: str, name: str) -> str:
    """Return the host of an address, if the words of its link name another one; else nothing."""
    host = _host(uri) if "://" in uri else ""
    named = {_host(one) for one in _HOSTS.findall(name) if not _is_file_name(one)} - {""}
    is_other = any(one != host and not host.endswith(f".{one}") for one in named)
    return host if host and is_other else ""


def about(uri: str, name: str) -> str:
    """Return what the menu says of a link: its words, and where it leads if they say otherwise."""
    host = other_host(uri, name)
    return f"leads to {host}, not to “{name}”" if host else name


async def _is_meant(app: App[Any], uri: str, name: str, look: Look) -> bool:
    """Ask before a link is opened whose words name another host; return whether it is to be opened."""
    from acp_tui.ui.screens.menu import Item, Menu

    host = other_host(uri, name)
    if not host:
        return True
    items = [
        Item("no", "Do not open it"),
        Item("yes", f"Open {host}", uri),
    ]
    heading = f"This link says “{shortened(exact_line(name), 60)}”, and leads to {exact_line(host)}"
    return await app.push_screen_wait(Menu(heading, items, "no", look)) == "yes"


def _is_file_name(word: str) -> bool:
    """Whether a word with a dot is more likely a file, such as README.md or json.dumps."""
    is_bare = "/" not in word and not word.lower().startswith("www.")
    return is_bare and (_FILE_NAMES.fullmatch(word) is not None or _ENDS.fullmatch(word) is None)


def _host(address: str) -> str:
    """Return the host of an address, with or without a scheme, in ASCII as it is looked up."""
    try:
        host = urlsplit(address if "://" in address else f"//{address}").hostname or ""
    except ValueError:
        return ""
    with suppress(UnicodeError):  # such as a label that is too long
        host = host.encode("idna").decode("ascii")
    return host.rstrip(".").removeprefix("www.")


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
