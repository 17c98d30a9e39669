"""Several sessions at once, on one agent or several."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from textual.widgets import Input

from acp_tui.conversation.session_start import KnownSession
from acp_tui.protocol.schema import SessionInfo
from acp_tui.session.session import Session
from acp_tui.store.folders import state_folder
from acp_tui.store.preferences import SessionNames
from acp_tui.store.settings import Settings
from acp_tui.ui.screens.base.menu import LineDialog
from acp_tui.ui.screens.questions.permission import PermissionDialog
from acp_tui.ui.screens.start import FailureScreen, StartScreen
from acp_tui.ui.session_screen.screen import SessionScreen
from acp_tui.ui.session_screen.sessions.session_name import title_of
from acp_tui.ui.session_screen.sessions.sessions import SessionsMenu
from tests.ui.seats import Seat, seat
from tests.ui.two_sessions import is_over, two_sessions

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))


def told(here: Seat) -> str:
    """Return the notifications."""
    return " ".join(notice.message for notice in here.notices)


async def delete_listed(here: Seat, words: str) -> None:
    """Delete the session found by some words."""
    await here.press("alt+s")
    menu = await here.is_before(SessionsMenu)
    await here.press(*words, "ctrl+d")
    await here.until(lambda: here.app.screen is not menu)
    await here.sees("Delete it")
    await here.press("down", "enter")
    await here.is_before(SessionsMenu)


async def had_its_turn(here: Seat, screen: SessionScreen) -> Session:
    """Have something said in a session, so that it is listed, and return it once that is over."""
    session = screen.conversation.session
    assert session is not None
    await here.say("/fill")
    await here.until(lambda: is_over(session))
    return session


async def test_c51_two_sessions_of_one_agent_keep_what_is_said_apart(tmp_path: Path) -> None:
    async with two_sessions(tmp_path) as (here, first, second):
        assert first.conversation.running is second.conversation.running
        first.conversation.say("/fill")
        await here.say("/markdown")

        for screen, said in ((first, "/fill"), (second, "/markdown")):
            session = screen.conversation.session
            assert session is not None
            await here.until(partial(is_over, session))
            assert title_of(screen) == (session.title or said)
        await here.sees(" 1 ", " 2 ")


async def test_c81_a_question_of_another_session_is_marked_and_asked_when_it_is_seen(tmp_path: Path) -> None:
    async with two_sessions(tmp_path) as (here, first, _second):
        await here.write("a draft")
        first.conversation.say("/ask")
        await here.until(lambda: first.conversation.questions)
        await here.sees("? 1")
        assert isinstance(here.app.screen, SessionScreen)

        await here.press("ctrl+pageup")
        await here.is_before(PermissionDialog)
        assert here.session is first

        await here.press("ctrl+pagedown")
        assert here.draft == "a draft"
        assert isinstance(here.app.screen, SessionScreen)
        await here.press("alt+1")
        await here.is_before(PermissionDialog)


async def test_a_closed_session_leaves_the_agent_to_the_others(tmp_path: Path) -> None:
    async with two_sessions(tmp_path) as (here, first, second):
        await here.press("alt+w")
        await here.until(lambda: here.session is first)
        await here.until(lambda: second not in here.tabs.screens)

        await here.say("/fill")
        session = first.conversation.session
        assert session is not None
        await here.until(lambda: is_over(session))


async def test_c45_an_earlier_session_is_taken_up_with_what_was_said_in_it(tmp_path: Path) -> None:
    async with two_sessions(tmp_path) as (here, first, second):
        await here.say("/markdown")
        said = second.conversation.session
        assert said is not None
        await here.until(lambda: is_over(said))
        await here.press("alt+w")
        await here.until(lambda: here.session is first)

        await here.press("alt+s")
        menu = await here.is_before(SessionsMenu)
        await here.press(*"markdown")
        assert menu.highlighted_key() == f"take-up:{said.id}"
        await here.press("enter")
        await here.until(lambda: here.session is not first and here.session.conversation.phase == "ready")

        again = here.session.conversation.session
        assert again is not None
        assert again.id == said.id
        assert [type(entry) for entry in again.entries] == [type(entry) for entry in said.entries]


async def test_c45_of_a_load_that_failed_nothing_stays_on_the_screen(tmp_path: Path) -> None:
    async with seat(tmp_path, can={"loadSession": True}, refuses_to_attach=True) as here:
        running = here.conversation.running
        await here.tabs.open(running=running, known_session=KnownSession(SessionInfo(session_id="gone")))
        await here.is_before(FailureScreen)
        await here.sees("could not resume this session", "No such session")
        assert "as before" not in here.text

        await here.press("n")
        await here.until(lambda: here.conversation.phase == "ready")

        assert here.conversation.running is running
        await here.say("hello")
        await here.sees("heard hello")
        assert "as before" not in here.text
        await here.tabs.end()


async def test_c49_a_deleted_session_is_not_offered_any_more(tmp_path: Path) -> None:
    async with two_sessions(tmp_path) as (here, first, second):
        session = await had_its_turn(here, second)
        await here.press("alt+w")
        await here.until(lambda: here.session is first)
        agent = first.conversation.agent
        assert agent is not None

        await delete_listed(here, "fill")

        assert session.id not in {info.session_id for info in await agent.listing.whole()}


async def test_c49_no_tab_stays_on_a_session_that_was_deleted_from_another_one(tmp_path: Path) -> None:
    async with two_sessions(tmp_path) as (here, first, second):
        await had_its_turn(here, second)
        await here.press("alt+1")
        await here.until(lambda: here.session is first)

        await delete_listed(here, "fill")

        assert here.tabs.screens == [first]


async def test_a_session_that_is_deleted_from_another_tab_leaves_that_tab_in_view(tmp_path: Path) -> None:
    async with two_sessions(tmp_path) as (here, first, second):
        await had_its_turn(here, second)
        await here.press("ctrl+n")
        await here.until(lambda: len(here.tabs.screens) == 3 and here.conversation.phase == "ready")
        third = here.session
        await here.until(lambda: third.query("#prompt"))

        await delete_listed(here, "fill")

        assert here.session is third
        assert here.tabs.screens == [first, third]


async def test_c49_where_a_session_was_deleted_from_its_own_tab_a_new_one_begins(tmp_path: Path) -> None:
    async with two_sessions(tmp_path) as (here, _first, second):
        before = await had_its_turn(here, second)

        await delete_listed(here, "fill")
        await here.press("escape")
        await here.sees("has no memory of the conversation")
        await here.say("/fill")
        after = second.conversation.session
        assert after is not None
        assert after.id != before.id
        await here.until(lambda: is_over(after))


async def test_another_agent_is_chosen_for_a_tab_of_its_own_and_escape_goes_back(tmp_path: Path) -> None:
    async with two_sessions(tmp_path) as (here, _first, second):
        await here.press("alt+n")

        await here.is_before(StartScreen)
        assert len(here.tabs.screens) == 3

        await here.press("escape")
        await here.until(lambda: len(here.tabs.screens) == 2)
        assert here.session is second


async def test_a_name_of_the_user_stays_over_titles_of_the_agent_and_over_restarts(tmp_path: Path) -> None:
    async with two_sessions(tmp_path, Settings(snapshots=False)) as (here, _first, second):
        await here.press("alt+r")
        await here.is_before(LineDialog)
        await here.press(*"mine", "enter")
        await here.sees("2 mine")
        await here.say("/fill")
        session = second.conversation.session
        assert session is not None
        await here.until(lambda: is_over(session) and session.title)
        assert title_of(second) == "mine"
        assert SessionNames(state_folder() / "names.json").get("demo", session.id) == "mine"

        await here.press("alt+i")
        await here.sees("your name       mine", f"title           {session.title}")
        await here.press("escape")
        await here.say("/rename")
        await here.is_before(LineDialog)
        await here.sees(f"Leave empty for {session.title}")
        await here.press("ctrl+u", "enter")
        await here.until(lambda: title_of(second) == session.title)


async def test_a_command_of_ours_is_run_and_not_said(tmp_path: Path) -> None:
    async with two_sessions(tmp_path) as (here, _first, second):
        await here.write("/ren")
        await here.sees("/rename <name>  give this session another name")
        await here.press("tab")
        await here.write("a [b]name[/b]\x1b")
        await here.press("enter")

        await here.sees("2 a [b]name[/b]␛")
        assert here.draft == ""
        assert here.said == []
        await here.say("/file")  # of the demo agent
        await here.until(lambda: second.conversation.session and second.conversation.session.turns)


async def test_the_tab_that_is_seen_is_drawn_where_there_is_no_room_for_all(tmp_path: Path) -> None:
    async with two_sessions(tmp_path) as (here, _first, _second):
        for number, screen in enumerate(here.tabs.screens, 1):
            session = screen.conversation.session
            assert session is not None
            here.tabs.names.put("demo", session.id, f"a name as long as it gets {number}")
        await here.pilot.resize_terminal(42, 24)
        await here.sees("2 a name as long as it")
        assert "1 a name" not in here.text

        await here.pilot.click("#sessions", offset=(1, 0))

        await here.sees("1 a name as long as it")


async def test_a_session_behind_an_empty_one_is_named_on_leaving(tmp_path: Path) -> None:
    async with two_sessions(tmp_path, Settings(snapshots=False)) as (here, first, second):
        assert here.session is second
        assert here.tabs.resumable == ""
        first.conversation.say("/fill")
        session = first.conversation.session
        assert session is not None
        await here.until(partial(is_over, session))

        assert here.tabs.resumable == session.id


async def test_continue_goes_to_the_newest_session_of_the_folder_if_it_is_open(tmp_path: Path) -> None:
    async with two_sessions(tmp_path) as (here, first, second):
        await here.say("/continue")
        await here.until(lambda: "No earlier session in this folder." in told(here))
        first.conversation.say("/fill")
        session = first.conversation.session
        await here.until(lambda: session is not None and is_over(session))

        await here.say("/continue")

        await here.until(lambda: here.session is first)
        assert here.tabs.screens == [first, second]


async def test_a_session_is_forked_into_a_tab_of_its_own(tmp_path: Path) -> None:
    async with two_sessions(tmp_path) as (here, _first, second):
        source = second.conversation.session
        assert source is not None
        await here.say("/fill")
        await here.until(lambda: is_over(source))

        await here.say("/fork")
        await here.until(lambda: here.session is not second)
        await here.until(lambda: here.session.query("#prompt") and here.conversation.phase == "ready")
        forked = here.conversation.session
        assert forked is not None
        assert forked.id != source.id
        assert here.conversation.running is second.conversation.running
        await here.sees("3 fork: /fill", "Forked from")
        await here.say("/rewind")
        await here.sees("Go back to which prompt?", "/fill  turn 1")
        await here.press("escape")

        await here.say("/markdown")
        await here.until(lambda: is_over(forked))
        assert len(source.turns) == 1

        await here.press("alt+s")
        menu = await here.is_before(SessionsMenu)
        await here.sees("Ctrl+B fork")
        await here.press(*"fill")
        await here.until(lambda: menu.highlighted_key() is not None)
        before = here.session
        await here.press("ctrl+b")
        await here.until(lambda: here.session is not before and here.conversation.phase == "ready")
        assert len(here.tabs.screens) == 4


async def test_a_fork_is_offered_only_where_the_agent_can_and_a_refusal_opens_no_tab(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.write("/fo")
        assert "/fork" not in here.text.replace("/fo ", "")
        await here.press("enter")
        await here.sees("heard /fo")

    (tmp_path / "b").mkdir()
    async with seat(tmp_path / "b", can={"sessionCapabilities": {"fork": {}}}, fork_fails=True) as here:
        await here.say("wait")
        await here.sees("waiting")
        await here.press("alt+k")
        await here.until(lambda: "once the turn is over" in told(here))
        await here.press("escape")
        await here.until(lambda: not here.conversation.is_busy)
        await here.press("alt+k")
        await here.until(lambda: "No room for a copy" in told(here))
        assert len(here.tabs.screens) == 1


async def test_the_start_screen_is_left_by_the_keys_that_leave_a_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with two_sessions(tmp_path) as (here, _first, _second):
        left: list[bool] = []
        monkeypatch.setattr(here.tabs, "leave", lambda: left.append(True))
        await here.press("alt+n")
        field = (await here.is_before(StartScreen)).query_one(Input)

        await here.press(*"gem", "left", "ctrl+d")
        assert field.value == "ge"
        await here.press("ctrl+c")
        assert field.value == ""
        await here.press("ctrl+c")
        await here.until(lambda: "again quits" in told(here))
        assert left == []
        await here.press("ctrl+c")
        await here.until(lambda: left == [True])
        await here.press("ctrl+d")
        await here.until(lambda: left == [True, True])


async def test_a_command_line_that_cannot_be_started_stays_to_be_mended(tmp_path: Path) -> None:
    async with two_sessions(tmp_path) as (here, _first, _second):
        await here.press("alt+n")
        before = await here.is_before(StartScreen)
        await here.press(*"no-such-agent", "enter")
        await here.until(lambda: here.app.screen is not before)
        again = await here.is_before(StartScreen)

        assert again.query_one(Input).value == "no-such-agent"
        assert "neither a known agent nor a program" in " ".join(str(notice.title) for notice in here.notices)


async def test_an_edited_command_that_cannot_be_started_stays_to_be_mended(tmp_path: Path) -> None:
    async with two_sessions(tmp_path) as (here, _first, _second):
        await here.say("/die")
        before = await here.is_before(FailureScreen)
        await here.press("e")
        before.query_one(Input).value = "no-such-agent"
        await here.press("enter")
        await here.until(lambda: here.app.screen is not before)
        again = await here.is_before(FailureScreen)

        assert again.query_one(Input).value == "no-such-agent"
        assert again.query_one(Input).has_focus
