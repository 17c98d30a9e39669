"""The keys of the session screen. Each has an id, by which the settings give it other keys."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding

KEYS: Final = (
    Binding("escape", "stop_turn", "Stop", id="session.stop"),
    Binding("shift+tab", "next_mode", "Next mode", id="session.next-mode", priority=True),
    Binding("ctrl+o", "details", "Details", id="session.details", priority=True),
    Binding("ctrl+t", "pane('plan')", "Plan", id="session.plan", priority=True),
    Binding("f2", "pane('chat')", "Chat", id="session.chat", priority=True),
    Binding("f3", "pane('plan')", "Plan", id="session.plan-pane", show=False, priority=True),
    Binding("f4", "pane('tool-calls')", "Tool calls", id="session.tool-calls", priority=True),
    Binding("f5", "pane('changes')", "Changes", id="session.changes", priority=True),
    Binding("f6", "choose_mode", "Mode", id="session.mode", priority=True),
    Binding("f7", "choose_model", "Model", id="session.model", priority=True),
    Binding("f8", "choose_option", "Options", id="session.options", priority=True),
    Binding("h", "hide_pane", "Hide this pane", id="session.hide-pane", show=False),
    Binding("f9", "side", "Side panes", id="session.side", priority=True),
    Binding("f11", "zoom", "Zoom", id="session.zoom", priority=True),
    Binding("ctrl+y", "answer", "Answer", id="session.answer", priority=True),
    Binding("ctrl+backslash", "protocol", "Protocol", id="session.protocol", priority=True),
    Binding("alt+g", "send_now", "Stop and send now", id="session.send-now", show=False, priority=True),
    Binding("alt+up", "edit_queue", "Edit what waits", id="session.edit-queue", show=False, priority=True),
    Binding("alt+p", "policy", "What is allowed unasked", id="session.policy", show=False, priority=True),
    Binding("alt+l", "rules", "Rules", id="session.rules", show=False, priority=True),
    Binding("alt+d", "decisions", "Decisions", id="session.decisions", show=False, priority=True),
    Binding("alt+q", "queue", "Queue: edit, move, drop", id="session.queue", show=False, priority=True),
    Binding("alt+i", "session_details", "Session details", id="session.about", show=False, priority=True),
    Binding("alt+r", "rename", "Rename the session", id="session.rename", show=False, priority=True),
    Binding("alt+f12", "log_out", "Log out", id="session.log-out", show=False, priority=True),
    Binding("alt+k", "fork", "Fork this session", id="session.fork", show=False, priority=True),
    Binding("alt+c", "copy_answer", "Copy the last answer", id="session.copy", show=False, priority=True),
    Binding("alt+e", "export", "Export the session", id="session.export", show=False, priority=True),
    Binding(
        "alt+u",
        "restore_turn",
        "Restore files to before the last turn",
        id="session.restore",
        show=False,
        priority=True,
    ),
    Binding(
        "alt+t",
        "drop_note",
        "Do not tell of rejections",
        id="session.drop-note",
        show=False,
        priority=True,
    ),
    Binding("alt+b", "choose_range", "Changes since", id="session.range", show=False, priority=True),
    Binding("ctrl+f", "find", "Find in the chat", id="session.find", show=False, priority=True),
    Binding("f12", "restart", "Restart the agent", id="session.restart", show=False),
    Binding("alt+x", "ladder", "Wait, stop, kill or restart", id="session.ladder", show=False, priority=True),
    Binding("ctrl+l", "prompt", "Prompt", id="session.prompt", show=False, priority=True),
)
"""A priority key works wherever the focus is, also in the prompt."""
