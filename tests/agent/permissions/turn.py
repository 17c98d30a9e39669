"""A turn of an agent that asks, and that acts without asking."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from acp_tui.rules.model import Rule
from acp_tui.rules.protected_files import destination
from acp_tui.session.entries import Notice
from acp_tui.session.questions import Permission
from acp_tui.session.session import Session
from acp_tui.store.settings import Policy
from tests.agent.granted import granted
from tests.agent.puppet import OPTIONS, Conversation
from tests.sent import Frame

RUN: Frame = {"command": "touch", "args": ["made"]}


MODES = {
    "modes": {
        "currentModeId": "default",
        "availableModes": [{"id": "default", "name": "Default"}, {"id": "yolo", "name": "YOLO"}],
    }
}


@asynccontextmanager
async def running(
    folder: Path, *rules: Rule, policy: Policy = "ask"
) -> AsyncIterator[tuple[Conversation, Session]]:
    """A turn of the session `s2` that works in a folder."""
    async with granted(folder, policy) as talk:
        talk.access.rules = rules
        await talk.prompted(session="s2")
        yield talk, talk.agent.sessions["s2"]


def wants(talk: Conversation, method: str, **params: Any) -> str:
    """Have the agent send a request, whose id is returned."""
    request_id = f"w{len(talk.puppet.sent.frames)}-{method}"
    talk.puppet.says({"id": request_id, "method": method, "params": {"sessionId": "s2", **params}})
    return request_id


async def asked(talk: Conversation, session: Session) -> Permission:
    await talk.until(lambda: session.questions, "a question")
    (question,) = session.questions.values()
    assert isinstance(question, Permission)
    return question


async def permitted(talk: Conversation, option: str, call: Frame) -> None:
    """Have the agent ask for a permission, and answer as the dialog does, which shows the places."""
    session = talk.agent.sessions["s2"]
    params = {"toolCall": {"toolCallId": "t1", **call}, "options": OPTIONS}
    request_id = wants(talk, "session/request_permission", **params)
    question = await asked(talk, session)
    assert not question.unasked
    paths = (session.cwd, *question.call.named_paths)
    question.places = {path: destination(path, session.cwd) for path in paths}
    talk.agent.answer("s2", question.key, option)
    await talk.puppet.answer_to(request_id)


def notices(session: Session) -> list[str]:
    return [entry.text for entry in session.entries if isinstance(entry, Notice)]
