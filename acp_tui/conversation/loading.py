"""The modules that a conversation needs and that the first frame does without."""

from __future__ import annotations

import asyncio
import importlib
from typing import Final

_SLOWLY: Final = (
    "pydantic",
    "acp_tui.protocol.schema",
    "acp_tui.protocol.schema",
    "acp_tui.protocol.schema",
    "acp_tui.protocol.validation",
    "acp_tui.session.session",
    "acp_tui.agent.host",
    "acp_tui.agent.agent",
)


async def load() -> None:
    """Import them one by one, so that keys are answered in between."""
    for module in _SLOWLY:
        importlib.import_module(module)
        await asyncio.sleep(0)
