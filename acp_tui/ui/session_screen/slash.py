"""Commands of ours behind `/`, after the agent's own: what keys do, for hands that would rather write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from textual.actions import parse

from acp_tui.ui.widgets.text import exact_line, is_exact, shortened

if TYPE_CHECKING:
    from acp_tui.acp.commands import Command
    from acp_tui.ui.session_screen.screen import SessionScreen


class Own(NamedTuple):
    """A command of ours."""

    name: str
    about: str
    action: str
    """What is run, as a key would run it."""
    hint: str = ""
    """What may follow the name."""


OWN: Final = (
    Own("new", "open another session of this agent", "app.new_session"),
    Own("sessions", "take up an earlier session", "app.sessions"),
    Own("fork", "go on from here in another session", "screen.open('fork')"),
    Own("hand-over", "tell the agent what stands above", "screen.open('hand-over')"),
    Own("rename", "give this session a name of your own", "screen.open('rename')", "name"),
    Own("inbox", "what waits for you in all sessions", "app.inbox"),
    Own("close", "end this session", "app.close_session"),
    Own("mode", "choose a mode", "screen.open('mode')"),
    Own("model", "choose a model", "screen.open('model')"),
    Own("rules", "what agents may do unasked", "screen.open('rules')"),
    Own("details", "what is known of this session", "screen.open('details')"),
    Own("copy", "copy the last answer", "screen.copy('answer')"),
    Own("export", "write this session into a file", "screen.open('export')"),
    Own("find", "search the chat", "screen.open('find')"),
    Own("theme", "choose a theme", "app.theme"),
    Own("keys", "all keys", "app.help"),
    Own("quit", "end the agent and quit", "app.leave"),
)
"""A new command is a row here and an action with a key. The agent's command of the same name comes first."""


class Slash:
    """Offers and runs our commands over one session."""

    def __init__(self, screen: SessionScreen) -> None:
        self._screen = screen
        self._told: set[str] = set()
        """Names that it was said of that they are not offered."""

    def of_agent(self) -> list[Command]:
        """Return the agent's commands as of now, but those whose name cannot be printed."""
        return [command for command in self._all() if is_exact(command.name)]

    def _all(self) -> list[Command]:
        session = self._screen.conversation.session
        return session.commands if session is not None else []

    def tell_unprintable(self) -> None:
        """Say once of each command that it is not offered, for its name cannot be printed."""
        names = {command.name for command in self._all() if not is_exact(command.name)} - self._told
        if names:
            self._told |= names
            shown = ", ".join(f"/{shortened(exact_line(name), 40)}" for name in sorted(names)[:3])
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            self._screen.notify(
                f"Not offered, for their names hold what cannot be printed: {shown}{more}.",
                title="Commands of the agent",
                severity="warning",
            )

    def offered(self) -> list[Command]:
        """Return the agent's commands and ours."""
        return [*self.of_agent(), *self.commands()]

    def write(self, name: str) -> None:
        """Write one of the agent's commands in the prompt."""
        self._screen.prompt.replace_all(f"/{name} ")
        self._screen.arranging.leave()

    def commands(self) -> list[Command]:
        """Return the commands that the agent has none of the same name for, in the agent's words."""
        from acp_tui.acp.commands import Command, CommandInput

        return [
            Command(
                name=own.name, description=own.about, input=CommandInput(hint=own.hint) if own.hint else None
            )
            for own in self._ours()
        ]

    async def run(self, text: str) -> bool:
        """Run what was written if it is a command of ours; return whether it is."""
        name, _, rest = text.removeprefix("/").partition(" ")
        own = next((own for own in self._ours() if own.name == name), None)
        if own is None or not text.startswith("/") or (rest.strip() and not own.hint):
            return False
        if own.name == "rename" and rest.strip():
            self._screen.rooms.naming.rename(rest)
        else:
            await self._screen.run_action(own.action)
        return True

    def _ours(self) -> list[Own]:
        taken = {command.name for command in self.of_agent()}
        return [own for own in OWN if own.name not in taken and self._can(own.action)]

    def _can(self, action: str) -> bool:
        """Whether there is something for an action to act on now, as in the palette."""
        where, name, parameters = parse(action)
        node = self._screen.app if where == "app" else self._screen
        return node.check_action(name, parameters) is not False
