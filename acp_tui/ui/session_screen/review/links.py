"""Links of messages: find them, show their targets, open them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from textual.app import App

from acp_tui.lazy_regex import regex
from acp_tui.protocol.schema import EmbeddedResource, ResourceLink
from acp_tui.session.entries import Message
from acp_tui.session.text_buffer import TextBuffer
from acp_tui.ui.screens.base.editor import open_in_editor
from acp_tui.ui.screens.base.menu import MenuItem, MenuOwner, choose
from acp_tui.ui.screens.questions.address import open_in_browser
from acp_tui.ui.widgets.markdown import links as markdown_links
from acp_tui.ui.widgets.text import exact_line, shortened
from acp_tui.workspace.files import FileError, Files
from acp_tui.workspace.real_paths import followed

_HOSTS: Final = regex(
    r"[a-z][a-z0-9+.-]*://[^\s<>\"'`)]+|(?<![\w@./-])(?:[\w-]+\.)+(?:[a-z]{2,}|xn--[\w-]+)(?![\w(])(?:[:/][^\s<>\"'`)]*)?",
    re.IGNORECASE,
)
"""Hosts in the text of a link: an address, or a name with a dot."""
_LONGEST_NAME: Final = 500
"""Most characters of a link's text that are searched; more are not shown."""
_FILE_NAMES: Final = regex(r".*\.(cc|md|mk|ml|pl|pm|ps|py|rs|sh|so|tf|ts|zip)", re.IGNORECASE)
"""File names whose suffix is also a top-level domain."""
_ENDS: Final = regex(
    r".*\.([a-z]{2,3}|[^a-z]*xn--.*|info|cloud|tech|site|online|store|page|link|live|news|shop|tools|systems"
    r"|codes|software|services|example|test|bank|email|support|security|blog|agency)",
    re.IGNORECASE,
)
"""Usual names of hosts; other names with a dot are code, such as json.dumps."""


def links(message: Message) -> dict[str, str]:
    """Return the links of a message: names by address."""
    found: dict[str, str] = {}
    for part in message.parts:
        if isinstance(part, ResourceLink):
            found.setdefault(part.uri, part.title or part.name)
        elif isinstance(part, EmbeddedResource):
            found.setdefault(part.resource.uri, unquote(part.resource.uri.rpartition("/")[2]))
        elif isinstance(part, TextBuffer):
            found.update(markdown_links.links_in(str(part)))
    return found


def file_of(uri: str, cwd: str, outside: Callable[[str], str] = str) -> Path | None:
    """Return the local file that an address names, with links followed; None for other addresses.

    `outside` returns where a path of the agent lies for us.
    """
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme not in ("", "file") or parts.netloc not in ("", "localhost") or not parts.path:
        return None
    path = Path(outside(str(Path(cwd) / (unquote(parts.path) if parts.scheme else uri))))
    try:
        return Path(followed(path)) if path.is_file() else None
    except (OSError, ValueError, RuntimeError):
        return None


def text_of_file(uri: str, cwd: str, roots: Sequence[str]) -> str:
    """Return the text of a local file in the folders; no other scheme is fetched.

    Raises:
        FileError: it is no local file, or it cannot be read.
    """
    path = file_of(uri, cwd)
    if path is None:
        raise FileError(f"No file of this machine: {uri}")
    return Files(roots).read_text(str(path))


async def open_link(
    owner: MenuOwner, found: dict[str, str], cwd: str, outside: Callable[[str], str] = str
) -> None:
    """Let the user choose a link: a file opens in their editor, a page in their browser.

    `outside` returns where a path of the agent lies for us.
    """
    items = [MenuItem(uri, uri, about(uri, name)) for uri, name in found.items()]
    uri = await choose(owner, "Open", items)
    if uri is not None and await _is_meant(owner, uri, found[uri]):
        problem = await _opened(owner.app, uri, cwd, outside)
        if problem:
            owner.app.notify(problem, title="Open", severity="warning")


def other_host(uri: str, name: str) -> str:
    """Return the host of a link if its text names another one, else ""."""
    host = _host(uri) if "://" in uri else ""
    named = {_host(one) for one in _HOSTS.findall(name[:_LONGEST_NAME]) if not _is_file_name(one)} - {""}
    is_other = any(one != host and not host.endswith(f".{one}") for one in named)
    return host if host and is_other else ""


def about(uri: str, name: str) -> str:
    """Describe a link: its text, and its host if the text names another one."""
    host = other_host(uri, name)
    return f"opens {host}, not “{name}”" if host else name


async def _is_meant(owner: MenuOwner, uri: str, name: str) -> bool:
    """Return whether to open a link; ask the user if its text names another host."""
    host = other_host(uri, name)
    if not host:
        return True
    items = [
        MenuItem("no", "Do not open it"),
        MenuItem("yes", f"Open {host}", uri),
    ]
    heading = f"This link is labelled “{shortened(exact_line(name), 60)}” but opens {exact_line(host)}"
    return await choose(owner, heading, items, "no") == "yes"


def _is_file_name(word: str) -> bool:
    """Return whether a word with a dot is more likely a file or code than a host."""
    is_bare = "/" not in word and not word.lower().startswith("www.")
    return is_bare and (_FILE_NAMES.fullmatch(word) is not None or _ENDS.fullmatch(word) is None)


def _host(address: str) -> str:
    """Return the host of an address with or without a scheme, in ASCII."""
    try:
        host = urlsplit(address if "://" in address else f"//{address}").hostname or ""
    except ValueError:
        return ""
    with suppress(UnicodeError):  # such as a label that is too long
        host = host.encode("idna").decode("ascii")
    return host.rstrip(".").removeprefix("www.")


async def _opened(app: App[Any], uri: str, cwd: str, outside: Callable[[str], str]) -> str:
    """Open an address; return the problem, or ""."""
    path = await asyncio.to_thread(file_of, uri, cwd, outside)
    if path is not None:
        return await open_in_editor(app, path)
    if not uri.lower().startswith(("http://", "https://")):
        return "Neither a local file nor a web page."
    if await asyncio.to_thread(open_in_browser, uri):
        return ""
    app.copy_to_clipboard(uri)
    return "No graphical browser found. Address copied."
