"""The table of commands: keys and slash commands.

Keys, the palette, the help and the slash menu are made from these rows; the README lists their keys.
The functions of the commands are in `session_screen/command_functions.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from textual.binding import Binding

Group = Literal["Session", "Permissions", "Panes", "Chat", "Changes", "Agent", "Program"]
"""The task that a command belongs to, as the help and the palette show it."""

Scope = Literal["app", "session", "chat"]
"""The reach of a key: everywhere, the session screen, or the chat pane."""


class Command(NamedTuple):
    """A command of the user."""

    name: str
    """The name in the settings."""
    title: str
    """The action, starting with a verb; shown in the palette and the help."""
    keys: str = ""
    """The keys, as Textual names them; "" for a command without one."""
    scope: Scope = "session"
    group: Group = "Session"
    short: str = ""
    """The word in the row of keys, if there is room; "" for none."""
    is_first: bool = True
    """True to give its key priority over the focused widget."""
    slash: tuple[str, ...] = ()
    """The words after `/`; the first one is listed, the others also work."""
    summary: str = ""
    """One sentence, for the palette and the slash menu."""
    hint: str = ""
    """The optional argument."""
    synonyms: str = ""
    """Other words that find it in the palette."""

    @property
    def binding(self) -> Binding:
        """Textual's binding of the command."""
        action = f"{'screen.' if self.scope == 'chat' else ''}run({self.name!r})"
        return Binding(
            self.keys,
            action,
            self.short or self.title,
            id=self.name,
            show=bool(self.short),
            priority=self.is_first,
        )


COMMANDS: Final = (
    # sessions
    Command(
        "session.new",
        "Open a new session",
        "ctrl+n",
        "app",
        slash=("new",),
        summary="another session of this agent, in a new tab",
        synonyms="create tab chat",
    ),
    Command(
        "session.clear",
        "Start over in this tab",
        slash=("clear", "reset"),
        summary="a new session here; the old one stays in the list of sessions",
        synonyms="new fresh empty context forget",
    ),
    Command(
        "session.other-agent",
        "Open a session with another agent",
        "alt+n",
        "app",
        slash=("agent", "agents"),
        summary="choose the agent of a new tab",
        synonyms="new switch gemini claude codex opencode",
    ),
    Command(
        "session.sessions",
        "Resume a session",
        "alt+s",
        "app",
        slash=("resume", "sessions"),
        summary="list the earlier sessions, resume or read one",
        synonyms="history open load list previous",
    ),
    Command(
        "session.search",
        "Search all sessions",
        slash=("search",),
        summary="find words in all recorded sessions",
        hint="words",
        synonyms="find history grep recorded",
    ),
    Command(
        "session.continue",
        "Continue the newest session",
        slash=("continue",),
        summary="resume the newest session of this folder",
        synonyms="resume last latest",
    ),
    Command(
        "session.close",
        "Close this session",
        "alt+w",
        "app",
        slash=("close",),
        summary="end this session and its tab",
        synonyms="tab exit end",
    ),
    Command(
        "app.inbox",
        "Show what is pending in all sessions",
        "alt+a",
        "app",
        slash=("inbox",),
        summary="questions and news of all sessions",
        synonyms="inbox questions notifications",
    ),
    Command("app.next", "Go to the next session", "ctrl+pagedown", "app", synonyms="tab"),
    Command("app.previous", "Go to the previous session", "ctrl+pageup", "app", synonyms="tab"),
    *(
        Command(f"app.go-{number}", f"Go to session {number}", f"alt+{number}", "app")
        for number in range(1, 10)
    ),
    Command(
        "session.about",
        "Show session details",
        "alt+i",
        slash=("status", "details", "usage", "cost", "context", "mcp"),
        summary="agent, model, usage, cost, MCP servers, files",
        synonyms="tokens information about version account",
    ),
    Command(
        "session.rename",
        "Rename this session",
        "alt+r",
        slash=("rename",),
        summary="give this session another name",
        hint="name",
        synonyms="title",
    ),
    Command(
        "session.fork",
        "Fork this session",
        "alt+k",
        slash=("fork", "branch"),
        summary="continue in a copy of this session",
        synonyms="copy duplicate",
    ),
    Command(
        "session.hand-over",
        "Send the earlier conversation to the agent",
        "alt+h",
        slash=("hand-over",),
        summary="send the earlier conversation to the agent",
        synonyms="context transcript",
    ),
    Command(
        "session.handoff",
        "Hand off to another agent",
        slash=("handoff",),
        summary="a new tab, with a brief on this session in its prompt",
        hint="agent",
        synonyms="continue delegate switch brief",
    ),
    Command(
        "session.export",
        "Export this session",
        "alt+e",
        slash=("export", "save"),
        summary="write this session into a Markdown or JSON file",
        synonyms="save markdown json share transcript",
    ),
    # what the agent may do
    Command(
        "session.answer",
        "Answer the pending question",
        "ctrl+y",
        group="Permissions",
        short="Answer",
        synonyms="permission approve allow reject",
    ),
    Command(
        "session.next-mode",
        "Switch to the next mode",
        "shift+tab",
        group="Permissions",
        short="Next mode",
        synonyms="cycle plan yolo",
    ),
    Command(
        "session.mode",
        "Choose a mode",
        "f6",
        group="Permissions",
        short="Mode",
        slash=("mode",),
        summary="choose the agent's mode",
        synonyms="switch change plan yolo",
    ),
    Command(
        "session.policy",
        "Choose the permission policy",
        "alt+p",
        group="Permissions",
        slash=("policy", "approvals"),
        summary="what is asked when no rule matches",
        synonyms="allow ask approve automatic",
    ),
    Command(
        "session.rules",
        "Show the permission rules",
        "alt+l",
        group="Permissions",
        slash=("permissions", "rules", "allowed-tools"),
        summary="what agents may do without a question",
        synonyms="allow deny",
    ),
    Command(
        "session.sandbox",
        "Open a place for the sandboxed agent",
        group="Permissions",
        slash=("sandbox",),
        summary="what the sandbox has refused, and how to allow it",
        synonyms="fence network isolation refused denied",
    ),
    Command(
        "session.decisions",
        "Show the decision log",
        "alt+d",
        group="Permissions",
        slash=("decisions",),
        summary="what was allowed and rejected, and why",
        synonyms="history audit allowed rejected",
    ),
    # panes
    Command("session.prompt", "Go to the prompt", "ctrl+l", group="Panes", synonyms="focus type"),
    Command("session.chat", "Go to the chat", "f2", group="Panes", short="Chat", synonyms="focus"),
    Command("session.plan-pane", "Go to the plan", "f3", group="Panes", synonyms="focus todo"),
    Command(
        "session.plan", "Go to the plan", "ctrl+t", group="Panes", short="Plan", synonyms="focus todo tasks"
    ),
    Command(
        "session.tool-calls",
        "Go to the tool calls",
        "f4",
        group="Panes",
        short="Tool calls",
        synonyms="focus",
    ),
    Command(
        "session.changes",
        "Go to the changed files",
        "f5",
        group="Panes",
        short="Changes",
        synonyms="focus diff files",
    ),
    Command("session.hide-pane", "Hide this pane", "h", group="Panes", is_first=False),
    Command(
        "session.side", "Toggle the sidebar", "f9", group="Panes", short="Sidebar", synonyms="side panes"
    ),
    Command(
        "session.zoom",
        "Maximize this pane",
        "f11",
        group="Panes",
        short="Maximize",
        synonyms="zoom full screen",
    ),
    # chat and queue
    Command(
        "session.stop",
        "Stop the agent",
        "escape",
        group="Chat",
        is_first=False,
        short="Stop",
        synonyms="cancel interrupt abort",
    ),
    Command(
        "session.interrupt",
        "Copy / clear the prompt / stop",
        "ctrl+c",
        group="Chat",
        is_first=False,
        synonyms="interrupt",
    ),
    Command(
        "session.send-now",
        "Steer the agent, or stop it and send now",
        "alt+g",
        group="Chat",
        synonyms="queue interrupt during",
    ),
    Command(
        "session.edit-queue",
        "Edit the last queued prompt",
        "alt+up",
        group="Chat",
        synonyms="queue pending",
    ),
    Command(
        "session.queue",
        "Edit the queue",
        "alt+q",
        group="Chat",
        slash=("queue",),
        summary="edit, move or drop queued prompts",
        synonyms="pending prompts reorder",
    ),
    Command(
        "session.find",
        "Find in the chat",
        "ctrl+f",
        group="Chat",
        slash=("find",),
        summary="search the chat",
        synonyms="search grep",
    ),
    Command(
        "session.details",
        "Show a tool call",
        "ctrl+o",
        group="Chat",
        short="Details",
        synonyms="details output expand",
    ),
    Command(
        "session.copy",
        "Copy the last answer",
        "alt+c",
        group="Chat",
        slash=("copy",),
        summary="copy the last answer",
        synonyms="clipboard yank",
    ),
    Command("chat.copy", "Copy this block", "c", "chat", "Chat", is_first=False),
    Command("chat.copy-code", "Copy the code in this block", "y", "chat", "Chat", is_first=False),
    Command(
        "chat.reply",
        "Reply to a passage of this block",
        "greater_than_sign",
        "chat",
        "Chat",
        is_first=False,
        synonyms="quote note comment",
    ),
    Command("chat.source", "Show the source of this block", "v", "chat", "Chat", is_first=False),
    Command("chat.allow", "Allow what the sandbox refused this call", "a", "chat", "Chat", is_first=False),
    Command("chat.go-back", "Go back to before this prompt", "b", "chat", "Chat", is_first=False),
    # files
    Command(
        "session.review",
        "Review the changes",
        group="Changes",
        slash=("diff", "changes", "review-changes"),
        summary="the differences of all changed files",
        synonyms="approve keep reject edits git status",
    ),
    Command(
        "session.second-opinion",
        "Let an agent review the changes",
        slash=("review",),
        summary="a new session that only looks, and remarks on lines",
        hint="agent",
        synonyms="second opinion critique check",
    ),
    Command(
        "session.remarks",
        "Make notes of the remarks",
        slash=("remarks",),
        summary="the remarks of this review, for the reviewed session",
        synonyms="review comments",
    ),
    Command(
        "session.restore",
        "Restore files to before the last turn",
        "alt+u",
        group="Changes",
        slash=("undo", "restore", "checkpoint"),
        summary="take back what a turn did to files",
        synonyms="revert back",
    ),
    Command(
        "session.rewind",
        "Go back to an earlier prompt",
        group="Changes",
        slash=("rewind", "back"),
        summary="files, conversation or both as they were before it",
        synonyms="edit revert undo checkpoint again Esc",
    ),
    Command(
        "session.blame",
        "Show who wrote each line of a file",
        group="Changes",
        slash=("blame",),
        summary="the turn and tool call of each line",
        hint="file:line",
        synonyms="annotate author origin",
    ),
    Command(
        "session.range",
        "Choose the range of changes",
        "alt+v",
        group="Changes",
        synonyms="since turn baseline diff",
    ),
    Command(
        "session.notes",
        "Edit the notes on lines",
        "alt+y",
        group="Changes",
        slash=("notes",),
        summary="the notes that go with the next prompt",
        synonyms="comment annotate review remark",
    ),
    Command(
        "session.drop-note",
        "Don't report rejections to the agent",
        "alt+t",
        group="Changes",
        synonyms="note",
    ),
    # the agent
    Command(
        "session.model",
        "Choose a model",
        "f7",
        group="Agent",
        short="Model",
        slash=("model", "models"),
        summary="choose the agent's model",
        synonyms="switch change",
    ),
    Command(
        "session.options", "Choose agent options", "f8", group="Agent", short="Options", synonyms="effort"
    ),
    Command(
        "session.compact",
        "Compact the context",
        group="Agent",
        slash=("compact", "compress", "summarize"),
        summary="have the agent summarize the conversation, if it can",
        synonyms="summary shorten tokens",
    ),
    Command(
        "session.restart", "Restart the agent", "f12", group="Agent", is_first=False, synonyms="reconnect"
    ),
    Command(
        "session.ladder",
        "Deal with an agent that hangs",
        "alt+x",
        group="Agent",
        synonyms="wait stop kill restart unresponsive",
    ),
    Command(
        "session.background",
        "Stop a background process",
        "alt+j",
        group="Agent",
        slash=("tasks", "bashes", "ps"),
        summary="list what runs in the background, and stop it",
        synonyms="jobs tasks terminal kill",
    ),
    Command(
        "session.providers",
        "Choose a provider of models",
        group="Agent",
        slash=("providers",),
        summary="point the agent to a provider of models",
        synonyms="api base url endpoint gateway",
    ),
    Command("session.log-out", "Log out", "alt+f12", group="Agent", slash=("logout",), summary="log out"),
    Command(
        "session.protocol",
        "Show the protocol log",
        "ctrl+backslash",
        group="Agent",
        short="Protocol",
        slash=("protocol",),
        summary="the messages between acp-tui and the agent",
        synonyms="debug messages json",
    ),
    Command(
        "session.doctor",
        "Check this machine",
        group="Agent",
        slash=("doctor",),
        summary="run acp-tui doctor",
        synonyms="check health diagnose problems",
    ),
    # the program
    Command(
        "app.help",
        "Show the keys",
        "f1",
        "app",
        "Program",
        short="Help",
        slash=("help", "keys", "shortcuts"),
        summary="all keys, and the places of files",
        synonyms="shortcuts bindings hotkeys ?",
    ),
    Command("app.palette", "Open the command palette", "ctrl+p", "app", "Program", synonyms="commands"),
    Command(
        "app.theme",
        "Choose a theme",
        "f10",
        "app",
        "Program",
        short="Theme",
        slash=("theme",),
        summary="choose the colours",
        synonyms="colors dark light appearance",
    ),
    Command(
        "session.settings",
        "Show the settings",
        group="Program",
        slash=("settings", "config", "preferences"),
        summary="every setting, its value and its meaning",
        synonyms="options configuration preferences toml edit customize",
    ),
    Command(
        "app.suspend", "Suspend (fg resumes)", "ctrl+z", "app", "Program", is_first=False, synonyms="shell"
    ),
    Command(
        "app.quit",
        "Quit",
        "ctrl+q",
        "app",
        "Program",
        short="Quit",
        slash=("exit", "quit", "q"),
        summary="end the agents and leave",
        synonyms="leave close bye",
    ),
)
"""A new command is a row here, and its function in `session_screen/command_functions.py`."""

_OURS: Final = {word for one in COMMANDS if one.name != "session.compact" for word in one.slash}


def agent_word(name: str) -> str:
    """Return the word after `/` for a command of the agent: `agent:NAME` if acp-tui has a command NAME."""
    return f"agent:{name}" if name in _OURS else name


BY_NAME: Final = {command.name: command for command in COMMANDS}


def bindings(*scopes: Scope) -> Iterator[Binding]:
    """Yield the bindings of these scopes, in the order of the table."""
    return (command.binding for command in COMMANDS if command.scope in scopes and command.keys)
