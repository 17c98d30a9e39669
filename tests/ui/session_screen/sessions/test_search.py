"""The search over a session, and the way to the places that it finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.agent.replay import replay
from acp_tui.session.entries import Message, Thought, ToolCall, UserCommand, UserMessage, text_of
from acp_tui.store.recordings import read
from acp_tui.store.search_documents import DocumentReader
from acp_tui.store.search_index import build, index_folder
from acp_tui.ui.entries.entry import EntryBlock
from acp_tui.ui.panes.chat import ChatPane
from acp_tui.ui.screens import search
from acp_tui.ui.screens.search import SearchScreen
from acp_tui.ui.session_screen.sessions.search import place_of
from tests import recordings
from tests.conversation.talks import launch
from tests.recorded_talks import Row, answered, call, call_update, chunk, prompt, start, write
from tests.tables import each
from tests.ui.seats import seat, told

pytestmark = pytest.mark.slow


def long_talk(session: str = "s1", cwd: str = "/w") -> list[Row]:
    rows = [start(), ("out", {"jsonrpc": "2.0", "id": 90, "method": "session/new", "params": {"cwd": cwd}})]
    rows.append(("in", {"jsonrpc": "2.0", "id": 90, "result": {"sessionId": session}}))
    for number in range(1, 41):
        rows += [
            prompt(f"Question number{number} of many", session, number),
            chunk(f"Answer number{number} " * 30, session),
            call(f"c{number}", f"Read file{number}.txt", session, kind="read"),
            call_update(f"c{number}", session, status="completed"),
            answered(number),
        ]
    return rows


@pytest.fixture(autouse=True)
def journals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path))
    monkeypatch.setattr(search, "build_command", lambda: ("true",))
    folder = tmp_path / "data" / "journals"
    write(folder / "long.ndjson", long_talk())
    build(folder, index_folder())
    return folder


def at_cursor(chat: ChatPane) -> str:
    block = chat.cursor
    if not isinstance(block, EntryBlock):
        return ""
    entry = block.entry
    return entry.title if isinstance(entry, ToolCall) else text_of(entry).strip()  # type: ignore[arg-type]


async def test_enter_opens_the_recorded_session_at_the_place(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.write("/search number7 in:answer")
        await here.press("enter")
        await here.is_before(SearchScreen)
        await here.sees("1 place\n", "Answer number7")
        await here.press("enter")
        await here.until(lambda: here.conversation.phase == "recorded")
        chat = here.session.query_one(ChatPane)
        await here.until(lambda: at_cursor(chat).startswith("Answer number7 "))
        await here.sees("Answer number7 ")

        # a second place is in the session that is open by now
        await here.press("ctrl+l")
        await here.write("/search file30 in:tool")
        await here.press("enter")
        await here.is_before(SearchScreen)
        await here.sees("1 place\n", "Read file30.txt")
        await here.press("enter")
        await here.until(lambda: at_cursor(chat) == "Read file30.txt")
        assert len(here.tabs.screens) == 2


async def test_a_place_of_a_session_that_goes_on_is_shown_in_its_tab(tmp_path: Path, journals: Path) -> None:
    can = {"loadSession": True}
    agent = launch(can=can)
    begun = {"start": list(agent.argv), "agent": agent.name, "cwd": str(tmp_path), "version": "1"}
    rows = [("note", begun | {"at": "2026-03-02T12:00:00+00:00"}), *long_talk("s7", str(tmp_path))[1:]]
    for number in (41, 42):
        rows += [prompt("Twice", "s7", number), chunk("Once", "s7"), answered(number)]
    write(journals / "plain.ndjson", rows)
    build(journals, index_folder())
    async with seat(tmp_path, can=can) as here:

        async def opens(words: str, answer: str) -> None:
            await here.write(f"/search agent:plain {words}")
            await here.press("enter")
            await here.is_before(SearchScreen)
            await here.sees(answer, " plain ")
            await here.press("enter")

        await opens("number7 in:answer", "Answer number7")
        await here.until(lambda: here.conversation.phase == "recorded")
        await here.press("f12")
        await here.until(lambda: here.conversation.phase == "ready")
        assert here.conversation.session is not None
        assert here.conversation.session.id == "s7"
        resumed, chat = here.session, here.session.query_one(ChatPane)

        for words, answer in (("number9 in:answer", "Answer number9"), ("file30 in:tool", "Read file30.txt")):
            await here.press("ctrl+l")
            await opens(words, answer)
            await here.until(lambda answer=answer: at_cursor(chat).startswith(answer))  # type: ignore[misc]
            assert here.session is resumed
            assert len(here.tabs.screens) == 2

        # said twice: only the recording tells which one it is
        await here.press("ctrl+l")
        await opens("Twice in:prompt", "2 places")
        await here.until(lambda: here.conversation.phase == "recorded")
        assert len(here.tabs.screens) == 3


async def test_a_recording_that_is_gone_is_said(
    tmp_path: Path, journals: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "build_command", lambda: ("sleep", "600"))  # else it is missed before Enter
    async with seat(tmp_path) as here:
        await here.write("/search number7 in:answer")
        await here.press("enter")
        await here.is_before(SearchScreen)
        await here.sees("1 place", "Answer number7")
        (journals / "long.ndjson").unlink()
        await here.press("enter")
        await here.until(lambda: "no longer exists" in told(here))


def is_told_anew(name: str) -> bool:
    """Return whether an agent tells a session again in a recording."""
    messages = [row.msg for row in recordings.rows(name) if isinstance(row.msg, dict)]
    return any(msg.get("method") in ("session/load", "session/resume") for msg in messages)


@pytest.mark.slow
@each("name", [name for name in recordings.NAMES if not is_told_anew(name)])
def test_each_document_has_its_entry(name: str) -> None:
    """The recorded traffic of real agents: what a search finds is in the chat, with the same words."""
    path = recordings.FOLDER / f"{name}.ndjson"
    sessions = replay(read(path)).sessions
    reader = DocumentReader()
    documents = [found for line in path.read_bytes().splitlines(keepends=True) for found in reader.take(line)]
    documents += reader.finish()

    for document in documents:
        session = sessions.get(document.session)
        if session is None or not document.texts:
            continue
        place = place_of(session, document)
        assert place is not None, document
        entry = session.entries[place]
        if document.call:
            assert isinstance(entry, ToolCall)
            assert entry.tool_call_id == document.call
        elif "prompt" in document.texts:
            assert isinstance(entry, UserMessage)
        elif "answer" in document.texts:
            assert isinstance(entry, Message | Thought)
            first = document.texts["answer"][0]
            # What an agent sends as a message and nobody said is recorded, and not in the chat.
            assert first in text_of(entry) or first.startswith("[MODE_UPDATE]")
        else:
            assert isinstance(entry, ToolCall | UserCommand)
