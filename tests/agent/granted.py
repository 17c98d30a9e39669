"""A conversation with a session in a folder, and our answers to its requests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from acp_tui.store.settings import Policy
from tests.agent.puppet import Conversation, conversation
from tests.sent import Frame


@asynccontextmanager
async def granted(
    folder: Path, policy: Policy = "allow-everything", **setup: Any
) -> AsyncIterator[Conversation]:
    """A conversation with a session `s2` in a folder."""
    async with conversation(policy=policy) as talk:
        await talk.made("s2", str(folder), **setup)
        yield talk


async def served(talk: Conversation, method: str, **params: Any) -> Frame:
    """Return our answer to a request about the session `s2`."""
    number = len(talk.puppet.sent.frames)
    request_id = f"r{number}-{method}"
    talk.puppet.says({"id": request_id, "method": method, "params": {"sessionId": "s2", **params}})
    return await talk.puppet.answer_to(request_id)
