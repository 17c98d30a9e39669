"""The menu of providers of models."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from acp_tui.agent.agent_methods import Providers
from acp_tui.protocol.schema import Provider
from acp_tui.ui.screens.base.menu import LineDialog, Menu
from tests.agent.puppet import conversation
from tests.ui.seats import Seat, seat, told

pytestmark = pytest.mark.slow

CAN: dict[str, Any] = {"providers": {}}
LISTED = [
    {
        "providerId": "main",
        "supported": ["anthropic", "openai"],
        "required": True,
        "current": {"apiType": "anthropic", "baseUrl": "https://one.example"},
    },
    {
        "providerId": "other",
        "supported": ["openai"],
        "current": {"apiType": "openai", "baseUrl": "http://two"},
    },
]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """Requests that the agent gets."""
    told: list[tuple[str, ...]] = []

    async def choose(_: Providers, provider_id: str, api_type: str, base_url: str) -> None:
        told.append((provider_id, api_type, base_url))

    async def disable(_: Providers, provider: Provider) -> None:
        told.append((provider.provider_id,))

    monkeypatch.setattr(Providers, "choose", choose)
    monkeypatch.setattr(Providers, "disable", disable)
    return told


async def listed(here: Seat) -> None:
    await here.say("/providers")
    await here.is_before(Menu)
    await here.sees("main", "anthropic at https://one.example, required", "other")


async def test_a_provider_is_used_at_an_address(tmp_path: Path, sent: list[tuple[str, ...]]) -> None:
    async with seat(tmp_path, can=CAN, providers=LISTED) as here:
        await listed(here)
        await here.press("enter")
        await here.sees("Use it: openai")
        assert "Do not use it" not in here.text, "it is required"
        await here.press("down", "enter")
        await here.is_before(LineDialog)
        await here.press("ctrl+u", *"https://new.example", "enter")

        await here.until(lambda: sent == [("main", "openai", "https://new.example")])


async def test_what_is_no_address_is_not_sent(tmp_path: Path, sent: list[tuple[str, ...]]) -> None:
    async with seat(tmp_path, can=CAN, providers=LISTED) as here:
        await listed(here)
        await here.press("enter", "enter")
        await here.is_before(LineDialog)
        await here.press("ctrl+u", *"new.example", "enter")

        await here.until(lambda: told(here).startswith("An address begins with"))
        assert sent == []


async def test_a_provider_that_is_not_required_may_be_left(
    tmp_path: Path, sent: list[tuple[str, ...]]
) -> None:
    async with seat(tmp_path, can=CAN, providers=LISTED) as here:
        await listed(here)
        await here.press("down", "enter")
        await here.sees("Do not use it")
        await here.press("down", "enter")

        await here.until(lambda: sent == [("other",)])


async def test_c156_an_agent_without_providers_is_not_asked(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        assert not here.session.can_run("session.providers")


async def test_c158_no_headers_are_sent() -> None:
    async with conversation({"providers": {}}) as talk:
        choosing = asyncio.create_task(talk.agent.providers.choose("main", "openai", "https://new.example"))
        call = await talk.puppet.hears("providers/set")
        assert set(call["params"]) == {"providerId", "apiType", "baseUrl"}
        talk.puppet.answers(call, {})
        await choosing
