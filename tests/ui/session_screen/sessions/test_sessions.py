"""The list of earlier sessions: while it is read, after something was deleted, and what is open already."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from acp_tui.agent.agent import Agent
from acp_tui.agent.agent_methods import PAGES
from acp_tui.agent.capabilities import NotOffered
from acp_tui.protocol.schema import SessionInfo
from acp_tui.store.recordings import RecordedSession
from acp_tui.store.settings import Settings
from acp_tui.ui.screens.base.menu import Menu
from acp_tui.ui.session_screen.sessions import sessions
from acp_tui.ui.session_screen.sessions.sessions import SessionPages, SessionsMenu
from tests.agent.puppet import Conversation, conversation
from tests.conversation.talks import PLAIN
from tests.ui.seats import Seat, seat, told
from tests.ui.two_sessions import two_sessions


def page(name: str, cursor: str | None = None) -> dict[str, Any]:
    return {"sessions": [{"sessionId": name, "cwd": "/w"}], "nextCursor": cursor}


def listing_of(talk: Conversation) -> SessionPages:
    def ask(ask: Callable[[Agent], Awaitable[Any]]) -> Awaitable[Any]:
        return ask(talk.agent)

    return SessionPages(SimpleNamespace(agent=talk.agent, ask=ask))  # type: ignore[arg-type]  # all it asks for


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


def names(listing: SessionPages) -> list[str]:
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


@pytest.mark.slow
async def test_c48_a_list_without_an_end_ends() -> None:
    async with conversation() as talk:
        pages = [page(str(number), f"c{number}") for number in range(PAGES)]

        asking = asyncio.create_task(talk.agent.listing.whole())
        for one in pages:
            talk.puppet.answers(await talk.puppet.hears("session/list"), one)

        assert len(await asking) == PAGES


NAMES = ("apples", "pears and apples", "plums", "apples again")


class Slow:
    """An agent's list of which each page waits until it is let through."""

    def __init__(self, *pages: list[str]) -> None:
        self.pages = pages
        self.lets = asyncio.Semaphore(0)

    async def pages_read(self) -> AsyncIterator[list[SessionInfo]]:
        for page in self.pages:
            await self.lets.acquire()
            yield [SessionInfo(session_id=f"id of {name}", title=name, cwd="/w") for name in page]


def listed_by(here: Seat, slow: Slow, monkeypatch: pytest.MonkeyPatch) -> Agent:
    agent = here.conversation.agent
    assert agent is not None
    monkeypatch.setattr(agent.listing, "pages", slow.pages_read)
    return agent


@pytest.mark.slow
async def test_a_list_that_is_slow_says_that_it_is_read_and_comes_page_by_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Slow(["apples"], ["pears"])
    async with two_sessions(tmp_path, PLAIN) as (here, _, _):
        listed_by(here, slow, monkeypatch)
        await here.press("alt+s")
        menu = await here.is_before(SessionsMenu)
        await here.sees("asking the agent for its sessions", "reading the agent's list")

        slow.lets.release()
        await here.sees("apples", "reading more")
        assert menu.highlighted_key() == "take-up:id of apples"
        slow.lets.release()
        await here.sees("pears")
        await here.until(lambda: "reading more" not in here.text)


@pytest.mark.slow
async def test_a_time_that_is_none_does_not_hide_the_folder_behind_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def pages_read() -> AsyncIterator[list[SessionInfo]]:
        yield [SessionInfo(session_id="x", title="apples", cwd="/folder", updated_at="just now " * 50)]

    async with two_sessions(tmp_path, PLAIN) as (here, _, _):
        assert here.conversation.agent is not None
        monkeypatch.setattr(here.conversation.agent.listing, "pages", pages_read)
        await here.press("alt+s")
        await here.is_before(SessionsMenu)

        await here.sees("apples", "just now", "/folder")


@pytest.mark.slow
async def test_sessions_are_one_list_with_the_newest_first_and_each_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, folder = datetime.now(UTC), ""

    async def pages_read() -> AsyncIterator[list[SessionInfo]]:
        for name, age in (("old", 3), ("new", 0), ("ours", 2)):
            told = (now - timedelta(hours=age)).isoformat()
            yield [SessionInfo(session_id=name, title=f"{name} one", cwd=folder, updated_at=told)]

    path = tmp_path / "j.ndjson"
    recorded = [
        RecordedSession(path, "demo", (), "/elsewhere", "ours one", now, 9, "ours"),
        RecordedSession(path, "other", (), "/elsewhere", "theirs", now - timedelta(hours=1), 9, "ours"),
    ]
    monkeypatch.setattr(sessions, "recent_sessions", lambda *_: recorded)
    async with two_sessions(tmp_path, PLAIN) as (here, _, _):
        assert here.conversation.agent is not None
        folder = here.conversation.cwd
        monkeypatch.setattr(here.conversation.agent.listing, "pages", pages_read)
        await here.press("alt+s")
        await here.is_before(SessionsMenu)
        await here.sees("old one")

        rows = [row.strip(" │▶") for row in here.text.splitlines() if " ago" in row or "just now" in row]
        assert [" ".join(row.split()) for row in rows] == [
            "1 new one demo · just now",
            "2 theirs other · 1 h ago · recording · /elsewhere",
            "3 ours one demo · 2 h ago",
            "4 old one demo · 3 h ago",
        ]


@pytest.mark.slow
async def test_a_slow_list_with_nothing_in_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Slow([])
    async with two_sessions(tmp_path, PLAIN) as (here, _, _):
        listed_by(here, slow, monkeypatch)
        await here.press("alt+s")
        await here.is_before(SessionsMenu)
        slow.lets.release()
        await here.sees("No earlier sessions.")
        await here.press("escape")

        monkeypatch.setattr(sessions, "FIRST_PAGE", 60.0)
        slow.lets.release()  # at once, this time
        await here.press("alt+s")
        await here.until(lambda: "No earlier sessions" in told(here))
        assert not isinstance(here.app.screen, SessionsMenu)


@pytest.mark.slow
@pytest.mark.parametrize("answer", ["delete", "keep"])
async def test_after_a_delete_the_filter_stays_and_the_next_one_is_moved_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    slow = Slow(list(NAMES))
    async with two_sessions(tmp_path, PLAIN) as (here, _, _):
        agent = listed_by(here, slow, monkeypatch)

        async def delete_session(session_id: str) -> None:
            slow.pages = ([name for name in NAMES if f"id of {name}" != session_id],)

        monkeypatch.setattr(agent, "delete_session", delete_session)
        slow.lets.release()
        await here.press("alt+s")
        menu = await here.is_before(SessionsMenu)
        await here.press(*"apples", "down")
        assert menu.highlighted_key() == "take-up:id of pears and apples"
        await here.press("ctrl+d")
        await here.is_before(Menu)
        slow.lets.release()
        await here.press(*(["down", "enter"] if answer == "delete" else ["enter"]))

        menu = await here.is_before(SessionsMenu)
        after = "apples again" if answer == "delete" else "pears and apples"
        await here.until(lambda: menu.highlighted_key() == f"take-up:id of {after}")
        assert menu.place.words == "apples"
        assert "plums" not in here.text
        assert ("pears and apples" in here.text) == (answer == "keep")


@pytest.mark.slow
async def test_sessions_that_are_open_say_in_which_tab(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with two_sessions(tmp_path, PLAIN) as (here, first, second):
        slow = Slow(["apples"])
        listed_by(here, slow, monkeypatch)
        for number, screen in enumerate((first, second)):
            assert screen.conversation.session is not None
            monkeypatch.setattr(screen.conversation.session, "id", f"id of {NAMES[number]}")
        slow.pages = (list(NAMES),)
        slow.lets.release()
        await here.press("alt+s")
        await here.is_before(SessionsMenu)

        await here.sees("open in tab 1", "this session")
        row = next(row for row in here.text.splitlines() if "open in tab 1" in row)
        assert "apples " in row


@pytest.mark.slow
async def test_an_open_session_without_a_title_has_that_of_its_tab(tmp_path: Path) -> None:
    async with two_sessions(tmp_path, PLAIN) as (here, first, second):
        await here.press("alt+s")
        await here.is_before(SessionsMenu)
        await here.sees("open in tab 1", "this session")
        for screen in (first, second):
            assert screen.conversation.session is not None
            assert screen.conversation.session.id not in here.text
        assert here.text.count("no prompt yet") == 2


@pytest.mark.slow
async def test_each_session_that_an_agent_had_is_offered_and_one_that_is_open_is_gone_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))
    async with seat(tmp_path, Settings(snapshots=False)) as here:
        first = here.session
        await here.press("ctrl+n")
        await here.until(lambda: here.session is not first and here.conversation.phase == "ready")
        second = here.session
        await here.until(lambda: here.session.query("#prompt"))
        await here.say("pears")
        await here.sees("heard pears")
        await here.press("alt+1")
        await here.until(lambda: here.session is first)
        await here.say("apples")
        await here.sees("heard apples")

        await here.press("alt+s")
        await here.is_before(SessionsMenu)
        await here.sees("pears", "open in tab 2")
        rows = [row for row in here.text.splitlines() if "recording" in row]
        assert len(rows) == 1
        assert "pears" in rows[0], "the session in view is not offered"
        await here.press("enter")
        await here.until(lambda: here.session is second)

        await here.press("alt+w")
        await here.until(lambda: here.session is first)
        for _ in range(2):  # the second time it is open
            await here.press("alt+s")
            await here.is_before(SessionsMenu)
            await here.press("enter")
            await here.until(lambda: here.conversation.phase == "recorded")
            assert len(here.tabs.screens) == 2
            assert here.said[:2] == ["pears", "heard pears"]
            await here.press("alt+1")
            await here.until(lambda: here.session is first)


@pytest.mark.slow
@pytest.mark.parametrize(("keys", "folder"), [((), "here"), (("down",), "there")])
async def test_a_folder_that_only_the_agent_names_is_lent_by_the_user_alone(
    tmp_path: Path, keys: tuple[str, ...], folder: str
) -> None:
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    listed = [{"sessionId": "apples", "title": "apples", "cwd": str(tmp_path / "there")}]
    can: dict[str, Any] = {"sessionCapabilities": {"list": {}, "resume": {}}}
    async with seat(tmp_path / "here", can=can, sessions=listed) as here:
        await here.press("alt+s")
        await here.is_before(SessionsMenu)
        await here.sees("apples")
        await here.press("enter")
        await here.sees("was in another folder", "Let it use that folder")
        await here.press(*keys, "enter")

        await here.until(lambda: here.conversation.session and here.conversation.session.id == "apples")
        assert here.conversation.roots[0] == str(tmp_path / folder)


@pytest.mark.slow
async def test_a_listed_folder_is_granted_as_what_it_led_to_when_it_was_judged(tmp_path: Path) -> None:
    work, inner, link = tmp_path / "work", tmp_path / "work" / "inner", tmp_path / "work" / "link"
    inner.mkdir(parents=True)
    link.symlink_to(inner)
    listed = [{"sessionId": "apples", "title": "apples", "cwd": str(link)}]
    can: dict[str, Any] = {"sessionCapabilities": {"list": {}, "resume": {}}}
    async with seat(work, can=can, sessions=listed) as here:
        await here.press("alt+s")
        await here.is_before(SessionsMenu)
        await here.sees("apples")
        await here.press("enter")

        await here.until(lambda: here.conversation.session and here.conversation.session.id == "apples")
        assert here.conversation.roots[0] == str(inner)


@pytest.mark.slow
async def test_a_session_is_archived_and_brought_back_before_it_is_resumed(tmp_path: Path) -> None:
    can: dict[str, Any] = {"sessionCapabilities": {"list": {}, "archive": {}, "resume": {}}}
    listed = [{"sessionId": name, "title": name, "cwd": str(tmp_path)} for name in ("apples", "pears")]
    async with seat(tmp_path, can=can, sessions=listed) as here:
        await here.press("alt+s")
        menu = await here.is_before(SessionsMenu)
        await here.sees("apples", "archive")
        await here.press("ctrl+t")
        await here.sees("Archived by")
        menu = await here.is_before(SessionsMenu)
        await here.until(lambda: menu.highlighted_key() == "take-up:pears")

        await here.press("down")
        await here.until(lambda: menu.highlighted_key() == "take-up:apples")
        await here.press("enter")
        await here.until(lambda: here.conversation.session and here.conversation.session.id == "apples")
        await here.press("alt+s")
        await here.is_before(SessionsMenu)
        await here.sees("apples", "pears")
        assert "Archived by" not in here.text


async def test_c156_the_filter_for_archived_sessions_goes_only_to_agents_that_archive() -> None:
    for can, filters in (({}, None), ({"archive": {}}, "include")):
        able: dict[str, Any] = {"sessionCapabilities": {"list": {}, **can}}
        async with conversation(able) as talk:
            asking = asyncio.create_task(talk.agent.listing.whole())
            request = await talk.puppet.hears("session/list")
            assert request["params"].get("archived") == filters
            talk.puppet.answers(request, page("a"))
            await asking
            if not can:
                with pytest.raises(NotOffered):
                    await talk.agent.listing.set_archived("a", archived=True)


@pytest.mark.slow
async def test_a_session_that_the_agent_has_open_for_others_is_marked(tmp_path: Path) -> None:
    can: dict[str, Any] = {"sessionCapabilities": {"list": {}, "status": {}}}
    listed = [{"sessionId": name, "title": name, "cwd": "/w"} for name in ("apples", "pears")]
    async with seat(tmp_path, can=can, sessions=listed, open=["pears"]) as here:
        await here.press("alt+s")
        await here.is_before(SessionsMenu)
        await here.sees("open in the agent")
        rows = [row for row in here.text.splitlines() if "open in the agent" in row]
        assert len(rows) == 1
        assert "pears" in rows[0]
