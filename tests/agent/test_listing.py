"""Which sessions an agent says it has."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.agent.puppet import conversation


async def test_c48_a_list_is_followed_to_its_end_and_never_in_circles() -> None:
    async with conversation() as talk:
        pages: list[Any] = [
            {"sessions": [{"sessionId": "a", "cwd": "/w"}, {"no": "id"}], "nextCursor": "c1"},
            {"sessions": [{"sessionId": "b", "cwd": "/w", "title": 5}], "nextCursor": "c2"},
            {"sessions": [{"sessionId": "c", "cwd": "/w"}], "nextCursor": "c1"},
        ]
        listing = asyncio.create_task(talk.agent.listing.whole("/w"))
        for page in pages:
            talk.puppet.answers(await talk.puppet.hears("session/list"), page)

        assert [info.session_id for info in await listing] == ["a", "b", "c"]
        assert talk.puppet.sent.requests("session/list") == [
            {"cwd": "/w"},
            {"cwd": "/w", "cursor": "c1"},
            {"cwd": "/w", "cursor": "c2"},
        ]

        listing = asyncio.create_task(talk.agent.listing.whole())
        talk.puppet.answers(await talk.puppet.hears("session/list"), None)
        assert await listing == []
