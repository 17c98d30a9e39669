"""Screens and menus over a session: details, links, the agent's options, an agent that hangs."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

from acp_tui.protocol.schema import EmbeddedResource, ResourceLink
from acp_tui.readable import size
from acp_tui.session.text_buffer import TextBuffer
from acp_tui.ui.screens.menu import MenuItem, MenuOwner, choose
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.markdown.links import links_in
from acp_tui.ui.widgets.text import exact_line, safe_line, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import App

    from acp_tui.conversation.conversation import Start
    from acp_tui.protocol.schema import SelectOption
    from acp_tui.session.entries import Message, ToolCall
    from acp_tui.session.options import Option
    from acp_tui.session.session import Session
    from acp_tui.ui.screens.changes import ChangesScreen
    from acp_tui.ui.screens.tool_call import ToolCallScreen
    from acp_tui.ui.session_screen.screen import SessionScreen
    from acp_tui.ui.widgets.transcript.blocks import Block


class DetailScreens:
    """Opens screens over a session, and keeps an open tool call up to date."""

    def __init__(self, screen: SessionScreen, start: Start) -> None:
        self._screen = screen
        self._start = start
        self._call: ToolCallScreen | None = None
        self._changes: ChangesScreen | None = None

    def block(self, block: Block, link: str = "") -> None:
        """Open the object of a block, or a clicked link; else fold or unfold the entry."""
        from acp_tui.ui.entries.entry import EntryBlock
        from acp_tui.ui.entries.messages import AgentMessageBlock, UserMessageBlock
        from acp_tui.ui.panes.changes import FileLine

        if link:
            self._offer({link: ""})
            return
        if self.call_of(block):
            return
        if isinstance(block, FileLine):
            self.changes(block.path)
        elif isinstance(block, UserMessageBlock) and block.choose():
            return
        elif isinstance(block, AgentMessageBlock | UserMessageBlock):
            self._offer(links(block.entry))
        elif isinstance(block, EntryBlock):
            block.choose()

    def call_of(self, block: Block | None) -> bool:
        """Open the tool call of a block; return False if it has none."""
        from acp_tui.ui.entries.tool_call import ToolCallBlock
        from acp_tui.ui.panes.tool_calls import CallLine

        if isinstance(block, CallLine):
            self.call(block.call)
        elif isinstance(block, ToolCallBlock):
            self.call(block.entry)
        else:
            return False
        return True

    def call(self, call: ToolCall) -> None:
        """Open a tool call."""
        from acp_tui.ui.screens.tool_call import ToolCallScreen
        from acp_tui.ui.session_screen.panes import terminal_of

        terminal = partial(terminal_of, self._screen)
        self._call = ToolCallScreen(call, terminal, self._screen.conversation.cwd, self._screen.look)
        self._screen.app.push_screen(self._call, self._call_closed)

    def some_call(self) -> None:
        """Open the tool call of the shown search hit, of the cursor, or the newest one."""
        from acp_tui.ui.panes.pane import Pane
        from acp_tui.ui.panes.tool_calls import ToolCallsPane
        from acp_tui.ui.session_screen.find import found_block

        focused = self._screen.focused
        cursor = focused.cursor if isinstance(focused, Pane) else None
        block = found_block(self._screen) or cursor
        latest = self._screen.query_one(ToolCallsPane).latest
        if not self.call_of(block) and latest is not None:
            self.call(latest)

    def refresh(self, now: float | None = None) -> None:
        """Update the open tool call; `now` is on the clock of the session's events."""
        if self._call is not None and self._call.is_mounted:
            self._call.refresh_call(now)

    def ready(self) -> None:
        """Let opened changes be reviewed: the session that was being taken up is there."""
        if self._changes is not None and self._changes.is_mounted:
            self._changes.go_on()

    def changes(self, path: str) -> None:
        """Open the changed files, with the file at `path` first."""
        from acp_tui.ui.screens.changes import ChangeReview, ChangesScreen

        conversation, session = self._screen.conversation, self._screen.conversation.session
        if session is not None:
            self._changes = ChangesScreen(
                lambda: list(session.files.values()),
                path,
                conversation.cwd,
                self._screen.look,
                lambda: (
                    ChangeReview(conversation.tracking, conversation.rejections)
                    if conversation.tracking
                    else None
                ),
                session.prompt_of,
            )
            self._screen.app.push_screen(self._changes, lambda _: self._changes_closed(session))

    def session_details(self) -> None:
        """Show the details of the session."""
        from acp_tui.ui.screens.texts import SessionDetailsScreen, sections

        facts = sections(self._screen.conversation, self._start, self._screen.rooms.naming.own)
        self._screen.app.push_screen(SessionDetailsScreen(facts, self._screen.look))

    def decisions(self) -> None:
        """Show the decision log."""
        from acp_tui.store.decisions import NAME
        from acp_tui.store.folders import data_folder
        from acp_tui.ui.screens.decisions import DecisionsScreen

        session = self._screen.conversation.session
        session_id = session.id if session is not None else None
        self._screen.app.push_screen(DecisionsScreen(data_folder() / NAME, session_id, self._screen.look))

    def protocol(self) -> None:
        """Show the messages of the connection."""
        from acp_tui.ui.screens.protocol import ProtocolScreen

        journal = self._screen.conversation.journal
        path = journal.path if journal is not None else None
        self._screen.app.push_screen(ProtocolScreen(path, self._screen.look))

    def _offer(self, found: dict[str, str]) -> None:
        """Offer to open a link; `found` has names by address."""
        if found:
            opening = open_link(self._screen, found, self._screen.conversation.cwd)
            self._screen.run_worker(opening, group="links", exclusive=True)

    def _changes_closed(self, session: Session) -> None:
        """Mark in the pane the changes that were kept in the changes screen."""
        from acp_tui.session.change import SessionChange
        from acp_tui.ui.panes.changes import ChangesPane

        self._changes = None
        self._screen.query_one(ChangesPane).show(session, SessionChange(fields=("files",)))

    def _call_closed(self, _: None) -> None:
        self._call = None


_HOSTS: Final = re.compile(
    r"[a-z][a-z0-9+.-]*://[^\s<>\"'`)]+|(?<![\w@./-])(?:[\w-]+\.)+(?:[a-z]{2,}|xn--[\w-]+)(?![\w(])(?:[:/][^\s<>\"'`)]*)?",
    re.IGNORECASE,
)
"""Hosts in the words of a link: an address, or a name with a dot."""
_FILE_NAMES: Final = re.compile(r".*\.(cc|md|mk|ml|pl|pm|ps|py|rs|sh|so|tf|ts|zip)", re.IGNORECASE)
"""File names with a suffix that is a top-level domain, too."""
_ENDS: Final = re.compile(
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
            found.update(links_in(str(part)))
    return found


def file_of(uri: str, cwd: str) -> Path | None:
    """Return the local file that an address names, with links followed; None for other addresses."""
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


async def open_link(owner: MenuOwner, found: dict[str, str], cwd: str) -> None:
    """Let the user choose an address: a file opens in their editor, a page in their browser."""
    items = [MenuItem(uri, uri, about(uri, name)) for uri, name in found.items()]
    uri = await choose(owner, "Open", items)
    if uri is not None and await _is_meant(owner, uri, found[uri]):
        problem = await _opened(owner.app, uri, cwd)
        if problem:
            owner.app.notify(problem, title="Open", severity="warning")


def other_host(uri: str, name: str) -> str:
    """Return the host of an address if the words of its link name another one, else ""."""
    host = _host(uri) if "://" in uri else ""
    named = {_host(one) for one in _HOSTS.findall(name) if not _is_file_name(one)} - {""}
    is_other = any(one != host and not host.endswith(f".{one}") for one in named)
    return host if host and is_other else ""


def about(uri: str, name: str) -> str:
    """Describe a link: its words, and its host if they name another one."""
    host = other_host(uri, name)
    return f"leads to {host}, not to “{name}”" if host else name


async def _is_meant(owner: MenuOwner, uri: str, name: str) -> bool:
    """Return whether to open a link; ask the user if its words name another host."""
    host = other_host(uri, name)
    if not host:
        return True
    items = [
        MenuItem("no", "Do not open it"),
        MenuItem("yes", f"Open {host}", uri),
    ]
    heading = f"This link says “{shortened(exact_line(name), 60)}”, and leads to {exact_line(host)}"
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


async def _opened(app: App[Any], uri: str, cwd: str) -> str:
    """Open an address; return the problem, or ""."""
    from acp_tui.ui.screens.address import open_in_browser
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


IGNORED: Final = 10.0
"""Seconds after a stop in which the turn should end."""
_NOTICE: Final = "Not stopped yet"


class UnresponsiveAgent:
    """Offers to wait for, kill or restart an agent that does not obey a stop."""

    def __init__(self, screen: SessionScreen) -> None:
        self._screen = screen
        self._stopped_at: float | None = None
        self._has_told = False

    def tick(self, now: float) -> None:
        """Notify once that a stop is not obeyed; `now` is on the monotonic clock."""
        session = self._screen.conversation.session
        if session is None or session.turn_state != "cancelling":
            if self._has_told:
                self._take_notice_away()
            self._stopped_at, self._has_told = None, False
            return
        if self._stopped_at is None:
            self._stopped_at = now
        if now - self._stopped_at >= IGNORED and not self._has_told:
            self._has_told = True
            self._screen.notify(
                f"{self._screen.conversation.agent_name} was told to stop and has not ended its turn. "
                f"{key_of(self._screen, 'session.ladder')}: wait, kill it, or restart it.",
                title=_NOTICE,
                severity="warning",
                timeout=15,
            )

    def _take_notice_away(self) -> None:
        """Remove the notice: the turn has ended."""
        app = self._screen.app
        for notice in [one for one in app._notifications if one.title == _NOTICE]:
            app._unnotify(notice)

    async def choose(self) -> None:
        """Let the user choose: wait, stop, kill or restart."""
        conversation = self._screen.conversation
        if conversation.running is None:
            self._screen.notify("There is no agent running.")
            return
        agent = conversation.running
        what = await choose(self._screen, self._heading(), list(self._items()), "wait")
        if conversation.running is not agent:
            return  # it has ended meanwhile
        if what == "stop":
            conversation.stop()
        elif what == "kill":
            self._screen.run_worker(agent.agent.stop(), group="kill")
        elif what == "restart":
            self._screen.rooms.beginning.again()

    def _heading(self) -> str:
        conversation = self._screen.conversation
        assert conversation.agent is not None
        connection = conversation.agent.connection
        heard = f"last heard {time.monotonic() - connection.last_heard:.0f} s ago"
        unread = f", does not read what it is sent ({size(connection.unread)})" if connection.unread else ""
        return f"{conversation.agent_name}: {heard}{unread}"

    def _items(self) -> Iterator[MenuItem]:
        running, session = self._screen.conversation.running, self._screen.conversation.session
        others = " and its other sessions here" if running is not None and running.is_shared else ""
        yield MenuItem("wait", "Wait", "do nothing now")
        if session is not None and session.turn_state == "running":
            yield MenuItem("stop", "Stop the turn", "ask the agent to end it")
        yield MenuItem("kill", "Kill the agent", f"end its process{others}; what was said stays")
        yield MenuItem("restart", "Restart the agent", "end it and begin again, below what was said")


class OptionMenus:
    """Menus for the modes, models and options of the agent."""

    def __init__(self, screen: SessionScreen) -> None:
        self._screen = screen

    def next_mode(self) -> None:
        """Switch to the next mode."""
        option = self._option("mode")
        if option is None:
            self._say_none("modes")
            return
        values = [choice.value for choice in option.config.choices()]
        current = self._screen.conversation.choosing.pending_value(option)
        place = values.index(current) + 1 if current in values else 0
        if values:
            self._set(option, values[place % len(values)])

    async def choose(self, category: str) -> None:
        """Let the user choose a value of the `mode` or the `model`."""
        option = self._option(category)
        if option is None:
            self._say_none(f"{category}s")
        else:
            await self._choose_value(option)

    async def choose_option(self) -> None:
        """Let the user choose any option, and then its value."""
        if not self._options:
            self._say_none("options")
            return

        def items() -> list[MenuItem]:
            return [MenuItem(one.config.id, one.config.name, one.value_name) for one in self._options]

        option_id = await choose(self._screen, "Options", items)
        if option_id is not None and (option := self._by_id(option_id)) is not None:
            await self._choose_value(option)

    async def _choose_value(self, option: Option) -> None:
        from acp_tui.protocol.schema import BooleanOption, SelectOption

        config = option.config
        if isinstance(config, BooleanOption):
            self._set(option, not self._screen.conversation.choosing.pending_value(option))
            return

        def now() -> SelectOption | None:
            known = self._by_id(config.id)
            return known.config if known is not None and isinstance(known.config, SelectOption) else None

        shown = option

        def items() -> list[MenuItem]:
            nonlocal shown
            shown = self._by_id(config.id) or shown
            return _items(known) if (known := now()) is not None else []

        def current() -> str | None:
            return known.current_value if (known := now()) is not None else None

        gone = "the agent does not offer this any more"
        value = await choose(self._screen, config.name, items, current, nothing=gone)
        if value is not None and self._by_id(config.id) is not None:
            self._set(shown, value)  # as it was chosen, whatever has come since

    def _say_none(self, what: str) -> None:
        conversation = self._screen.conversation
        ready = conversation.phase == "ready"
        self._screen.notify(f"This agent has no {what}." if ready else "The agent is not ready.")

    def _set(self, option: Option, value: str | bool) -> None:
        if option.fixed:
            name = safe_line(option.config.name)
            self._screen.notify(f"This agent does not let anybody set {name}.")
            return
        self._screen.run_worker(self._screen.conversation.choosing.set_option(option, value), group="options")

    @property
    def _options(self) -> Sequence[Option]:
        """The options that the agent offers by now."""
        session = self._screen.conversation.session
        return session.options if session is not None else ()

    def _by_id(self, option_id: str) -> Option | None:
        return next((option for option in self._options if option.config.id == option_id), None)

    def _option(self, category: str) -> Option | None:
        session = self._screen.conversation.session
        return session.option(category) if session is not None else None


def _items(config: SelectOption) -> list[MenuItem]:
    from acp_tui.protocol.schema import OptionValueGroup

    items = []
    for choice in config.options:
        if isinstance(choice, OptionValueGroup):
            items += [
                MenuItem(one.value, one.name, one.description or "", choice.name) for one in choice.options
            ]
        else:
            items.append(MenuItem(choice.value, choice.name, choice.description or ""))
    return items
