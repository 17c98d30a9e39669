"""The table of commands: keys and slash commands.

Keys, the palette, F1 and the slash menu are made from these rows; the README lists their keys.
The functions of the commands are in `session_screen/commands.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from textual.binding import Binding

Scope = Literal["app", "session", "chat"]
"""The reach of a key: everywhere, the session screen, or the chat pane."""


class Command(NamedTuple):
    """A command of the user."""

    name: str
    """The name in the settings; the first part is the group in the help."""
    title: str
    """The title in the palette and the help."""
    keys: str
    scope: Scope = "session"
    is_shown: bool = False
    """True to show it in the row of keys, if there is room."""
    is_first: bool = True
    """True to give its key priority over the focused widget."""
    slash: str = ""
    """The word behind `/`; a command of the agent with the same name comes first."""
    summary: str = ""
    """The description in the slash menu."""
    hint: str = ""
    """The optional argument."""

    @property
    def binding(self) -> Binding:
        """Textual's binding of the command."""
        action = f"{'screen.' if self.scope == 'chat' else ''}run({self.name!r})"
        return Binding(
            self.keys, action, self.title, id=self.name, show=self.is_shown, priority=self.is_first
        )


COMMANDS: Final = (
    Command(
        "app.quit", "Quit", "ctrl+q", "app", is_shown=True, slash="quit", summary="end the agent and quit"
    ),
    Command("app.help", "Help", "f1", "app", is_shown=True, slash="keys", summary="all keys"),
    Command("app.palette", "Palette", "ctrl+p", "app"),
    Command("app.theme", "Theme", "f10", "app", is_shown=True, slash="theme", summary="choose a theme"),
    Command(
        "session.new",
        "New session",
        "ctrl+n",
        "app",
        slash="new",
        summary="open another session of this agent",
    ),
    Command("session.other-agent", "Another agent", "alt+n", "app"),
    Command(
        "session.sessions", "Sessions", "alt+s", "app", slash="sessions", summary="take up an earlier session"
    ),
    Command("session.close", "Close session", "alt+w", "app", slash="close", summary="end this session"),
    Command(
        "app.inbox",
        "Inbox: what waits in all sessions",
        "alt+a",
        "app",
        slash="inbox",
        summary="what waits for you in all sessions",
    ),
    Command("app.suspend", "Suspend, until fg in the shell", "ctrl+z", "app", is_first=False),
    Command("app.next", "Next session", "ctrl+pagedown", "app"),
    Command("app.previous", "Previous session", "ctrl+pageup", "app"),
    *(Command(f"app.go-{number}", f"Session {number}", f"alt+{number}", "app") for number in range(1, 10)),
    Command("session.stop", "Stop", "escape", is_first=False, is_shown=True),
    Command("session.interrupt", "Copy; empty the prompt; stop", "ctrl+c", is_first=False),
    Command("session.next-mode", "Next mode", "shift+tab", is_shown=True),
    Command("session.details", "Details", "ctrl+o", is_shown=True),
    Command("session.plan", "Plan", "ctrl+t", is_shown=True),
    Command("session.chat", "Chat", "f2", is_shown=True),
    Command("session.plan-pane", "Plan", "f3"),
    Command("session.tool-calls", "Tool calls", "f4", is_shown=True),
    Command("session.changes", "Changes", "f5", is_shown=True),
    Command("session.mode", "Mode", "f6", is_shown=True, slash="mode", summary="choose a mode"),
    Command("session.model", "Model", "f7", is_shown=True, slash="model", summary="choose a model"),
    Command("session.options", "Options", "f8", is_shown=True),
    Command("session.hide-pane", "Hide this pane", "h", is_first=False),
    Command("session.side", "Side panes", "f9", is_shown=True),
    Command("session.zoom", "Zoom", "f11", is_shown=True),
    Command("session.answer", "Answer", "ctrl+y", is_shown=True),
    Command("session.protocol", "Protocol", "ctrl+backslash", is_shown=True),
    Command("session.send-now", "Stop and send now", "alt+g"),
    Command("session.edit-queue", "Edit what waits", "alt+up"),
    Command("session.policy", "What is allowed unasked", "alt+p"),
    Command("session.rules", "Rules", "alt+l", slash="rules", summary="what agents may do unasked"),
    Command("session.decisions", "Decisions", "alt+d"),
    Command("session.queue", "Queue: edit, move, drop", "alt+q"),
    Command(
        "session.about", "Session details", "alt+i", slash="details", summary="what is known of this session"
    ),
    Command(
        "session.rename",
        "Rename the session",
        "alt+r",
        slash="rename",
        summary="give this session a name of your own",
        hint="name",
    ),
    Command("session.log-out", "Log out", "alt+f12"),
    Command(
        "session.fork",
        "Fork this session",
        "alt+k",
        slash="fork",
        summary="go on from here in another session",
    ),
    Command(
        "session.hand-over",
        "Tell the agent what stands above",
        "alt+h",
        slash="hand-over",
        summary="tell the agent what stands above",
    ),
    Command("session.copy", "Copy the last answer", "alt+c", slash="copy", summary="copy the last answer"),
    Command(
        "session.export",
        "Export the session",
        "alt+e",
        slash="export",
        summary="write this session into a file",
    ),
    Command("session.restore", "Restore files to before the last turn", "alt+u"),
    Command("session.drop-note", "Do not tell of rejections", "alt+t"),
    Command("session.range", "Changes since", "alt+v"),
    Command("session.find", "Find in the chat", "ctrl+f", slash="find", summary="search the chat"),
    Command("session.restart", "Restart the agent", "f12", is_first=False),
    Command("session.ladder", "Wait, stop, kill or restart", "alt+x"),
    Command("session.background", "Stop what goes on in the background", "alt+j"),
    Command("session.prompt", "Prompt", "ctrl+l"),
    Command("chat.copy", "Copy this block", "c", "chat", is_first=False),
    Command("chat.copy-code", "Copy the code in this block", "y", "chat", is_first=False),
    Command("chat.source", "Source of this block", "v", "chat", is_first=False),
)
"""A new command is a row here, and its function in `session_screen/commands.py`."""


def bindings(*scopes: Scope) -> Iterator[Binding]:
    """Yield the bindings of these scopes, in the order of the table."""
    return (command.binding for command in COMMANDS if command.scope in scopes)
