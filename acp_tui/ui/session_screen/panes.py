"""What the panes of a session screen need to know of a session before they draw it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from acp_tui.session.session import Session
from acp_tui.store.settings import Settings
from acp_tui.ui.entries.entry import BlockContext
from acp_tui.ui.panes.changes import ChangesPane, untracked_lines
from acp_tui.ui.panes.chat import ChatPane
from acp_tui.ui.panes.pane import Pane
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.picture import has_pictures
from acp_tui.workspace.terminals import Terminal

if TYPE_CHECKING:
    from acp_tui.ui.session_screen.screen import SessionScreen


def furnish(screen: SessionScreen, session: Session, settings: Settings) -> None:
    """Have the panes show another session than before."""
    for pane in screen.query(Pane):
        pane.begin()
    for changes in screen.query(ChangesPane):
        changes.is_kept = lambda path: _is_kept(screen, path)
        changes.looking_for = lambda: _looking_for(screen)
        changes.beside = lambda: _beside(screen)
    chat = screen.query_one(ChatPane)
    chat.context = BlockContext(
        session.cwd,
        terminal=partial(terminal_of, screen),
        redraw=chat.changed,
        glyph=lambda name: screen.look.glyph(name),
        asks=session.asks,
        key=lambda name: key_of(screen, name),
        pictures=has_pictures(screen.app, screen.look),
        thoughts=settings.thoughts,
        fold_turns=settings.fold_turns,
    )


def terminal_of(screen: SessionScreen, terminal_id: str) -> Terminal | None:
    """Return a terminal of the session or of the person by its id, to look at; None for no such."""
    own = screen.parts.shell.terminal(terminal_id)
    host, session = screen.conversation.host, screen.conversation.session
    if own is not None or host is None or session is None:
        return own
    return host.terminals.find(session.id, terminal_id)


def _is_kept(screen: SessionScreen, path: str) -> bool:
    tracking = screen.conversation.tracking
    return tracking is not None and tracking.is_kept(path)


def _looking_for(screen: SessionScreen) -> float:
    tracking = screen.conversation.tracking
    return tracking.look_seconds if tracking is not None else 0.0


def _beside(screen: SessionScreen) -> list[str]:
    """Return what keeps changes from being shown, and what changed in files that are not tracked."""
    tracking, session = screen.conversation.tracking, screen.conversation.session
    if tracking is None:
        return []
    said = [text for text in (tracking.obstacle, tracking.lost) if text]
    if tracking.untracked and session is not None:
        said += untracked_lines(tracking.untracked)
    return said
