"""The agent's list of sessions while it is read, page by page."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from acp_tui.agent.listing import PAGES
from acp_tui.ui.session_screen.session_listing import Listing
from tests.agent.puppet import Conversation, conversation


def page(name: str, cursor: str | None = None) -> dict[str, Any]:
    return {"sessions": [{"sessionId": name, "cwd": "/w"}], "nextCursor": cursor}


def listing_of(talk: Conversation) -> Listing:
    return Listing(SimpleNamespace(agent=talk.agent, session=None))  # type: ignore[arg-type]  # all it asks for


async def answered(talk: Conversation, asking: Any, *answers: Any) -> None:
    """Let something ask for the list until it is done, and answer it."""
    task = asyncio.ensure_future(asking)
    for answer in answers:
        request = await talk.puppet.hears("session/list")
        if isinstance(answer, str):
            talk.puppet.answers(request, error={"code": -32603, "message": answer})
        else:
            talk.puppet.answers(request, answer)
    await task


def names(listing: Listing) -> list[str]:
    return [info.session_id for info in listing.found]


async def test_c48_the_first_page_is_there_before_the_others_are_asked_for() -> None:
    async with conversation() as talk:
        listing = listing_of(talk)
        await answered(talk, listing.begin(), page("a", "c1"))
        assert (names(listing), listing.is_whole) == (["a"], False)

        shown: list[list[str]] = []
        await answered(
            talk, listing.read_on(lambda: shown.append(names(listing))), page("b", "c2"), page("c")
        )

        assert shown == [["a", "b", "c"]]
        assert (listing.is_whole, listing.problem) == (True, "")


async def test_c48_a_page_that_fails_costs_none_of_those_before_it() -> None:
    async with conversation() as talk:
        listing = listing_of(talk)
        await answered(talk, listing.begin(), page("a", "c1"))

        shown: list[list[str]] = []
        await answered(
            talk, listing.read_on(lambda: shown.append(names(listing))), page("b", "c2"), "It broke"
        )

        assert shown == [["a", "b"]]
        assert (listing.is_whole, listing.problem) == (False, "It broke")


async def test_a_list_that_fails_at_once_says_so_and_asks_no_more() -> None:
    async with conversation() as talk:
        listing = listing_of(talk)
        await answered(talk, listing.begin(), "It broke")
        await listing.read_on(lambda: None)

        assert (names(listing), listing.problem) == ([], "It broke")


async def test_c48_a_list_without_an_end_ends() -> None:
    async with conversation() as talk:
        pages = [page(str(number), f"c{number}") for number in range(PAGES)]

        asking = asyncio.create_task(talk.agent.listing.whole())
        for one in pages:
            talk.puppet.answers(await talk.puppet.hears("session/list"), one)

        assert len(await asking) == PAGES
