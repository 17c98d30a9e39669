"""The keys of the session screen. Each has an id, by which the settings give it other keys."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding


def _unseen(key: str, action: str, description: str, name: str) -> Binding:
    """Return a key that the footer has no room for; F1 and the palette tell of it."""
    return Binding(key, action, description, id=name, show=False, priority=True)


KEYS: Final = (
    Binding("escape", "stop_turn", "Stop", id="session.stop"),
    Binding("ctrl+c", "interrupt", "Copy; empty the prompt; stop", id="session.interrupt", show=False),
    Binding("shift+tab", "next_mode", "Next mode", id="session.next-mode", priority=True),
    Binding("ctrl+o", "open('call')", "Details", id="session.details", priority=True),
    Binding("ctrl+t", "pane('plan')", "Plan", id="session.plan", priority=True),
    Binding("f2", "pane('chat')", "Chat", id="session.chat", priority=True),
    _unseen("f3", "pane('plan')", "Plan", "session.plan-pane"),
    Binding("f4", "pane('tool-calls')", "Tool calls", id="session.tool-calls", priority=True),
    Binding("f5", "pane('changes')", "Changes", id="session.changes", priority=True),
    Binding("f6", "open('mode')", "Mode", id="session.mode", priority=True),
    Binding("f7", "open('model')", "Model", id="session.model", priority=True),
    Binding("f8", "open('option')", "Options", id="session.options", priority=True),
    Binding("h", "arrange('hide')", "Hide this pane", id="session.hide-pane", show=False),
    Binding("f9", "arrange('side')", "Side panes", id="session.side", priority=True),
    Binding("f11", "arrange('zoom')", "Zoom", id="session.zoom", priority=True),
    Binding("ctrl+y", "open('answer')", "Answer", id="session.answer", priority=True),
    Binding("ctrl+backslash", "open('protocol')", "Protocol", id="session.protocol", priority=True),
    _unseen("alt+g", "send_now", "Stop and send now", "session.send-now"),
    _unseen("alt+up", "edit_queue", "Edit what waits", "session.edit-queue"),
    _unseen("alt+p", "open('policy')", "What is allowed unasked", "session.policy"),
    _unseen("alt+l", "open('rules')", "Rules", "session.rules"),
    _unseen("alt+d", "open('decisions')", "Decisions", "session.decisions"),
    _unseen("alt+q", "open('queue')", "Queue: edit, move, drop", "session.queue"),
    _unseen("alt+i", "open('details')", "Session details", "session.about"),
    _unseen("alt+r", "open('rename')", "Rename the session", "session.rename"),
    _unseen("alt+f12", "open('log-out')", "Log out", "session.log-out"),
    _unseen("alt+k", "open('fork')", "Fork this session", "session.fork"),
    _unseen("alt+h", "open('hand-over')", "Tell the agent what stands above", "session.hand-over"),
    _unseen("alt+c", "copy('answer')", "Copy the last answer", "session.copy"),
    _unseen("alt+e", "open('export')", "Export the session", "session.export"),
    _unseen("alt+u", "open('restore')", "Restore files to before the last turn", "session.restore"),
    _unseen("alt+t", "drop_note", "Do not tell of rejections", "session.drop-note"),
    _unseen("alt+v", "open('range')", "Changes since", "session.range"),
    _unseen("ctrl+f", "open('find')", "Find in the chat", "session.find"),
    Binding("f12", "restart", "Restart the agent", id="session.restart", show=False),
    _unseen("alt+x", "open('ladder')", "Wait, stop, kill or restart", "session.ladder"),
    _unseen("alt+j", "open('background')", "Stop what goes on in the background", "session.background"),
    _unseen("ctrl+l", "arrange('prompt')", "Prompt", "session.prompt"),
)
"""A priority key works wherever the focus is, also in the prompt. What `open` opens is in `doors`."""
