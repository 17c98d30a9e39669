"""The menu of an agent's model providers."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from acp_tui.agent.agent import Agent
from acp_tui.agent.capabilities import AgentError
from acp_tui.protocol.schema import Provider, has
from acp_tui.ui.screens.base.menu import LineDialog, MenuItem, choose
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.ui.widgets.text import safe_line

_DISABLE, _SPEAK = "disable", "speak:"
_LONGEST: Final = 500
"""Most characters of an address."""
_NOT_CHANGED: Final = "Provider not changed"


def can_choose_provider(agent: Agent | None) -> bool:
    """Return whether an agent lists providers."""
    return agent is not None and has(agent.can.providers)


async def choose_provider(screen: ConversationScreen) -> None:
    """Let the user choose or disable a provider."""
    agent = screen.conversation.agent
    if agent is None:
        return
    try:
        providers = await agent.providers.list()
        provider = await _chosen(screen, providers)
        said = await _change(screen, agent, provider) if provider is not None else ""
    except AgentError as error:
        screen.notify(str(error), title=_NOT_CHANGED, severity="error")
        return
    if said:
        screen.notify(said, title="Providers")


async def _chosen(screen: ConversationScreen, providers: list[Provider]) -> Provider | None:
    if not providers:
        screen.notify("The agent lists no providers.")
        return None
    items = [MenuItem(str(at), safe_line(one.provider_id), _about(one)) for at, one in enumerate(providers)]
    used = next((str(at) for at, one in enumerate(providers) if one.current is not None), None)
    choice = await choose(screen, "Providers of models", items, used)
    return providers[int(choice)] if choice is not None else None


def _about(provider: Provider) -> str:
    if provider.current is None:
        return "not in use"
    needed = ", required" if provider.required else ""
    return safe_line(f"{provider.current.api_type} at {provider.current.base_url}{needed}")


async def _change(screen: ConversationScreen, agent: Agent, provider: Provider) -> str:
    """Choose or disable a provider; return a sentence for the user, or ""."""
    name = safe_line(provider.provider_id)
    items = [MenuItem(_SPEAK + word, f"Use it: {safe_line(word)}") for word in provider.supported]
    if provider.current is not None and not provider.required:
        items.append(MenuItem(_DISABLE, "Do not use it"))
    if not items:
        screen.notify(f"{name} names no protocol that it supports.", title=_NOT_CHANGED, severity="warning")
        return ""
    spoken = _SPEAK + provider.current.api_type if provider.current is not None else None
    choice = await choose(screen, name, items, spoken)
    if choice is None:
        return ""
    if choice == _DISABLE:
        await agent.providers.disable(provider)
        return f"{name} is not used any more."
    address = await _address(screen, provider)
    if not address:
        return ""
    await agent.providers.choose(provider.provider_id, choice.removeprefix(_SPEAK), address)
    return f"{name} is used at {safe_line(address)}. Keys stay with the agent: set them where it reads them."


async def _address(screen: ConversationScreen, provider: Provider) -> str:
    """Ask for the address of a provider; return "" if the user enters no valid one."""
    dialog = LineDialog(
        f"Address of {safe_line(provider.provider_id)}",
        provider.current.base_url if provider.current is not None else "",
        screen.theme_styles,
        placeholder="https://…",
        does="use",
        longest=_LONGEST,
    )
    typed = (await screen.ask(dialog) or "").strip()
    try:
        parts = urlsplit(typed)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_address = False
    if typed and not is_address:
        screen.notify("An address begins with https:// or http://.", title=_NOT_CHANGED, severity="warning")
        return ""
    return typed
