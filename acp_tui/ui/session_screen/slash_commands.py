"""Slash commands of acp-tui and the agent, and the dispatch of a submitted prompt."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Final

from acp_tui.lazy_regex import regex
from acp_tui.store.prompts import Prompt
from acp_tui.ui.application.command_table import COMMANDS, Command, agent_word
from acp_tui.ui.screens.base.menu import MenuItem, choose
from acp_tui.ui.session_screen.command_functions import WITH_ARGUMENT, can_run, run
from acp_tui.ui.session_screen.parts import SessionParts
from acp_tui.ui.session_screen.prompt.completions import SlashCommand
from acp_tui.ui.widgets.key_names import key_of

_OF_AGENT: Final = regex(r"/agent:(\S+)(.*)", re.DOTALL)
"""The name in the list for an agent's command that acp-tui also has."""
_WAYS_OUT: Final = ("exit", "quit", ":q", ":q!", ":wq")
"""Words that quit other programs; sent to a model, they would waste a turn."""
_SECTIONS: Final = {"usage": "Usage", "cost": "Usage", "context": "Usage", "mcp": "MCP servers"}
"""The section of the session details for each command."""
_LIKE_A_COMMAND: Final = regex(r"/([\w-][\w:.-]*)(\s.*)?", re.DOTALL)
"""A text that looks like a command, and not like a path."""


def offered(parts: SessionParts) -> list[SlashCommand]:
    """Return all slash commands; an agent's command that acp-tui also has is `agent:NAME`."""
    ours = [
        SlashCommand(own.slash[0], own.summary, own.hint, bool(own.hint), own.slash[1:])
        for own in _slash_commands(parts)
    ]
    theirs = [
        SlashCommand(
            agent_word(command.name),
            command.description,
            command.input.hint if command.input is not None else "",
            command.input is not None,
        )
        for command in parts.agent_commands.printable
    ]
    named = {command.name for command in theirs}
    return [*(own for own in ours if own.name not in named), *theirs]


async def run_slash(parts: SessionParts, text: str) -> bool:
    """Run a text as a slash command of acp-tui; return False if it is none."""
    word, _, rest = text.removeprefix("/").partition(" ")
    own = next((own for own in _slash_commands(parts) if word in own.slash), None)
    if own is None or not text.startswith("/") or (rest.strip() and not own.hint):
        return False
    if own.name == "session.compact" and word in {one.name for one in parts.agent_commands.printable}:
        return False  # it is the agent's own
    if word in _SECTIONS:
        parts.details.session_details(_SECTIONS[word])
    elif rest.strip():
        WITH_ARGUMENT[own.name](parts, rest)
    else:
        await run(parts, own.name)
    return True


def _slash_commands(parts: SessionParts) -> list[Command]:
    """Return the slash commands of acp-tui that have something to act on."""
    return [own for own in COMMANDS if own.slash and can_run(parts, own.name)]


async def submit(parts: SessionParts, prompt: Prompt) -> None:
    """Dispatch a submitted prompt: shell command, slash command or message."""
    if prompt.is_command:
        parts.shell.run(prompt)
    elif prompt.text in _WAYS_OUT:
        await run(parts, "app.quit")
    elif await run_slash(parts, prompt.text):
        return
    elif (of_agent := _OF_AGENT.fullmatch(prompt.text)) is not None:
        _say(parts, prompt._replace(text=f"/{of_agent[1]}{of_agent[2]}"))
    elif (word := _unknown(parts, prompt.text)) is not None:
        parts.screen.run_worker(_ask_about(parts, prompt, word), group="slash")
    else:
        _say(parts, prompt)


def _say(parts: SessionParts, prompt: Prompt) -> None:
    """Send a prompt to the agent."""
    screen, conversation = parts.screen, parts.screen.conversation
    if conversation.phase == "recorded":
        parts.startup.continue_recorded(prompt)
        return
    conversation.say(prompt)
    if conversation.is_over:
        key = key_of(screen, "session.restart")
        screen.notify(f"No agent is running. {key} starts one.", severity="warning")


def _unknown(parts: SessionParts, text: str) -> str | None:
    """Return the unknown command at the start of a text, if the agent lists its commands."""
    found = _LIKE_A_COMMAND.fullmatch(text)
    theirs = {command.name for command in parts.agent_commands.printable}
    return found[1] if found is not None and theirs and found[1] not in theirs else None


async def _ask_about(parts: SessionParts, prompt: Prompt, word: str) -> None:
    """Ask before a text that looks like a command costs a turn."""
    screen = parts.screen
    agent = screen.conversation.agent_name
    names = [name for command in offered(parts) for name in (command.name, *command.aliases)]
    near = get_close_matches(word, names, 1, 0.6)
    items = [
        MenuItem("edit", "Edit it", "nothing is sent"),
        *(MenuItem("near", f"Use /{name}", "put into the prompt, not sent yet") for name in near),
        MenuItem("send", "Send it as it is", f"as a prompt to {agent}"),
    ]
    choice = await choose(screen, f"/{word} is not a command of acp-tui or {agent}", items, "edit")
    if choice == "send":
        _say(parts, prompt)
    elif choice == "near":
        rest = prompt.text.removeprefix(f"/{word}")
        screen.prompt.give_back(prompt._replace(text=f"/{near[0]}{rest}"))
    else:
        screen.prompt.give_back(prompt)
