"""Tests of `ui/session_screen/agent/login_dialogs.py`."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.events import Key

from acp_tui.conversation.conversation import Conversation
from acp_tui.conversation.login import can_log_out, log_out
from acp_tui.conversation.start_options import Start
from acp_tui.session.entries import Notice
from acp_tui.store.agents import Launch
from acp_tui.ui.screens.base.menu import Menu
from acp_tui.ui.screens.questions.login import LoginDialog, LoginWait, TerminalLoginScreen
from acp_tui.ui.session_screen.screen import SessionScreen
from acp_tui.ui.session_screen.sessions.sessions import SessionsMenu
from acp_tui.ui.widgets.terminal.view import TerminalView
from acp_tui.workspace.guard import Guard
from tests.conversation.talks import PLAIN, LeftOpen, Notes, said, talk
from tests.ui.seats import seat
from tests.waiting import until

AGENT = str(Path(__file__).parents[2] / "login_agent.py")


def launch(folder: Path, **like: Any) -> Launch:
    argv = (sys.executable, "-S", "-E", AGENT, str(folder), json.dumps(like))
    return Launch("locked", "Locked agent", argv, {"OF_LAUNCH": "1", "OF_BOTH": "launch"})


def start(folder: Path, **like: Any) -> Start:
    return Start(str(folder), PLAIN, Guard(), launch=launch(folder, **like))


def heard(folder: Path) -> list[list[str]]:
    """Return the requests to each process of the agent, in the order of the processes."""
    by_process: dict[str, list[str]] = {}
    for line in (folder / "heard").read_text().splitlines():
        process, method = line.split()
        by_process.setdefault(process, []).append(method)
    return list(by_process.values())


@pytest.mark.slow
async def test_c39_after_a_login_in_a_terminal_a_new_process_is_asked_again(tmp_path: Path) -> None:
    async with talk(start(tmp_path, at="session")) as (conversation, notes):
        notes.logins = ["tui", "tui"]
        failures = ["It broke.", ""]

        async def in_terminal(running: object, method: Any) -> str:
            notes.terminals.append(method)
            failure = failures.pop(0)
            if not failure:
                (tmp_path / "login").write_text("terminal")
            return failure

        notes.log_in_in_terminal = in_terminal  # type: ignore[method-assign]
        conversation.say("hello")
        await conversation.begin()
        await until(lambda: said(conversation)[-1:] == ["heard hello"])

        assert notes.errors == ["Log in first", "It broke."]
        assert [(method.id, method.args, method.env) for method in notes.terminals] == [
            ("tui", ["--login"], {"OF_METHOD": "2", "OF_BOTH": "method"})
        ] * 2
        assert heard(tmp_path) == [
            ["initialize", "session/new"],
            ["initialize", "session/new", "session/prompt"],
        ]
        assert notes.phases == ["starting", "logging-in", "starting", "ready"]


@pytest.mark.slow
@pytest.mark.parametrize(("can", "again"), [({}, "session/new"), ({"resume": {}}, "session/resume")])
async def test_c37_a_prompt_is_said_again_in_the_session_of_the_new_process(
    tmp_path: Path, can: dict[str, Any], again: str
) -> None:
    async with talk(start(tmp_path, can=can)) as (conversation, notes):
        notes.logins = ["tui"]

        async def in_terminal(*_: object) -> str:
            (tmp_path / "login").write_text("terminal")
            return ""

        notes.log_in_in_terminal = in_terminal  # type: ignore[method-assign, assignment]
        await conversation.begin()
        conversation.say("hello")
        await until(lambda: said(conversation)[-1:] == ["heard hello"])

        assert heard(tmp_path)[1] == ["initialize", again, "session/prompt"]
        assert conversation.phase == "ready"
        assert notes.given_back == []
        conversation.say("more")
        await until(lambda: said(conversation)[-1:] == ["heard more"])


@pytest.mark.slow
async def test_c39_all_sessions_of_the_agent_go_on_with_the_process_that_knows_of_the_login(
    tmp_path: Path,
) -> None:
    given = start(tmp_path, can={"resume": {}})
    async with talk(given) as (first, notes):

        async def in_terminal(*_: object) -> str:
            (tmp_path / "login").write_text("terminal")
            return ""

        notes.log_in_in_terminal = in_terminal  # type: ignore[method-assign, assignment]
        notes.logins = ["tui"]
        await first.begin()
        before = first.running
        other = Notes()
        other.conversation = second = Conversation(replace(given, launch=None), other, other, before)
        await second.begin()
        assert second.session is not None
        session_id = second.session.id

        first.say("hello")
        await until(lambda: said(first)[-1:] == ["heard hello"])
        second.say("more")
        await until(lambda: second.session and said(second)[-1:] == ["heard more"])

        assert before is not None
        assert not before.is_running, "nobody is left who needs it"
        assert second.running is first.running
        assert second.session.id == session_id
        assert other.offered == [], "nobody is asked twice"
        assert other.given_back == []
        await second.end()


async def test_c38_a_login_that_the_agent_stops_when_asked_is_offered_again(tmp_path: Path) -> None:
    async with talk(start(tmp_path, at="session", slow=True)) as (conversation, notes):
        notes.logins = ["page", None]
        beginning = asyncio.create_task(conversation.begin())
        await until(
            lambda: conversation.agent and "authenticate" in conversation.agent.connection.waiting_for
        )

        assert conversation.agent is not None
        conversation.agent.logins.stop()
        await beginning

        assert notes.errors == ["Log in first", "The login was stopped."]
        assert heard(tmp_path) == [["initialize", "session/new", "authenticate"]]
        assert conversation.phase == "failed"


async def test_a_login_that_the_user_does_not_wait_for_is_offered_again(tmp_path: Path) -> None:
    async with talk(start(tmp_path, at="session", slow=True)) as (conversation, notes):
        notes.logins = ["page", None]
        notes.impatience.set()

        await conversation.begin()

        assert notes.errors == ["Log in first", "The login was cancelled."]


@pytest.mark.slow
async def test_ways_that_only_the_refusal_names_are_offered(tmp_path: Path) -> None:
    async with talk(start(tmp_path, at="session", late=True)) as (conversation, notes):
        notes.logins = ["page"]
        await conversation.begin()

        assert notes.offered == ["page", "tui"]
        assert conversation.phase == "ready"


@pytest.mark.slow
async def test_c41_after_logging_out_a_prompt_leads_back_to_the_login(tmp_path: Path) -> None:
    (tmp_path / "login").write_text("before")
    async with talk(start(tmp_path)) as (conversation, notes):
        notes.logins = ["page"]
        await conversation.begin()
        assert can_log_out(conversation.agent)

        await log_out(conversation.agent, conversation.session)
        conversation.say("hello")
        await until(lambda: said(conversation)[-1:] == ["heard hello"])

        assert notes.errors == ["Log in first"]
        assert conversation.session is not None
        notices = [entry.text for entry in conversation.session.entries if isinstance(entry, Notice)]
        assert "Logged out. The agent may ask for a login again." in notices


async def test_an_end_during_a_login_in_a_terminal_ends_it(tmp_path: Path) -> None:
    async with talk(start(tmp_path, at="session")) as (conversation, notes):
        left_open = LeftOpen()
        notes.log_in_in_terminal = left_open  # type: ignore[method-assign, assignment]
        notes.logins = ["tui"]
        beginning = asyncio.create_task(conversation.begin())
        await until(lambda: not notes.logins)
        await conversation.end()
        await beginning
        await until(left_open.is_gone.is_set)

        assert conversation.phase == "ending"


@pytest.mark.slow
async def test_c39_the_agents_own_login_runs_on_a_terminal_with_its_arguments_and_variables(
    tmp_path: Path,
) -> None:
    async with seat(tmp_path, given=launch(tmp_path, at="session"), ready=False) as here:
        await here.is_before(LoginDialog)
        await here.press("down", "enter")
        await here.is_before(TerminalLoginScreen)
        await here.sees("login_agent.py", "--login", "variables 1 2 method", "password?")
        await here.press("n", "o", "enter")

        await here.is_before(LoginDialog)
        await here.sees("The login ended with exit code 3.")
        await here.press("down", "enter")
        await here.is_before(TerminalLoginScreen)
        await here.sees("password?")
        await here.press(*"sesame", "enter")

        await here.until(lambda: here.conversation.phase == "ready")
        await here.is_before(SessionScreen)
        await here.say("hello")
        await here.sees("heard hello")
        assert len(heard(tmp_path)) == 2


@pytest.mark.slow
async def test_a_login_on_a_page_shows_its_address_and_can_be_stopped(tmp_path: Path) -> None:
    async with seat(tmp_path, given=launch(tmp_path, at="session", slow=True), ready=False) as here:
        await here.is_before(LoginDialog)
        await here.press("enter")
        await here.is_before(LoginWait)
        await here.sees("visit https://example.com/login", "0:0")

        await here.press("escape")
        await here.is_before(LoginDialog)
        await here.sees("The login was stopped")


ADDRESS = "https://example.com/authorize?" + "&".join(f"parameter{number}=value" for number in range(40))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("streams", "prints"),
    [
        (["stdout"], f"Visit {ADDRESS} now.\n"),
        (["stderr"], f"Visit {ADDRESS} now.\n"),
        (["stdout", "stderr"], f"Visit {ADDRESS} now.\n"),
        (["stdout"], f"Visit {ADDRESS} "),
        (["stdout"], f"\x1b[1mVisit\x1b[0m \x1b[4;34m{ADDRESS}\x1b[0m\r\n"),
        (["stderr"], f"Visit \x1b]8;;{ADDRESS}\x1b\\this page\x1b]8;;\x1b\\\n"),
    ],
)
async def test_an_address_printed_on_either_stream_is_shown_opened_and_copied(
    tmp_path: Path, opened: list[str], streams: list[str], prints: str
) -> None:
    like = {"slow": True, "prints_on": streams, "prints": prints}
    async with seat(tmp_path, given=launch(tmp_path, at="session", **like), ready=False) as here:
        await here.is_before(LoginDialog)
        await here.press("enter")
        await here.is_before(LoginWait)
        await here.sees("https://example.com/authorize", "copy the address")

        await here.press("c")
        await here.until(lambda: here.app.clipboard == ADDRESS)
        await here.press("o")
        await here.is_before(Menu)
        await here.press("enter")
        await here.until(lambda: opened == [ADDRESS])
        await here.is_before(LoginWait)


@pytest.mark.slow
async def test_an_address_in_the_agents_own_login_is_opened_and_copied(
    tmp_path: Path, opened: list[str]
) -> None:
    given = launch(tmp_path, at="session", prints=f"Visit {ADDRESS}\n")
    async with seat(tmp_path, given=given, ready=False) as here:
        await here.is_before(LoginDialog)
        await here.press("down", "enter")
        await here.is_before(TerminalLoginScreen)
        await here.sees("password?")

        await here.press("f3")
        await here.until(lambda: here.app.clipboard == ADDRESS)
        await here.press("f2")
        await here.is_before(Menu)
        await here.press("enter")
        await here.until(lambda: opened == [ADDRESS])


@pytest.mark.slow
async def test_a_login_that_ends_below_a_menu_is_left_when_the_menu_is(tmp_path: Path) -> None:
    given = launch(tmp_path, at="session", prints=f"Visit {ADDRESS}\n")
    async with seat(tmp_path, given=given, ready=False) as here:
        await here.is_before(LoginDialog)
        await here.press("down", "enter")
        await here.is_before(TerminalLoginScreen)
        await here.sees("password?")
        await here.press(*"sesame", "f2")
        await here.is_before(Menu)
        (below,) = (one for one in here.app.screen_stack if isinstance(one, TerminalLoginScreen))
        below.query_one(TerminalView).post_message(Key("enter", "\r"))
        await here.until(lambda: below.failure is not None)
        await here.press("escape")

        await here.until(lambda: here.conversation.phase == "ready")


@pytest.mark.slow
async def test_c41_logging_out_is_offered_in_the_palette_only_where_the_agent_offers_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "login").write_text("before")
    async with seat(tmp_path, given=launch(tmp_path)) as here:
        await here.press("ctrl+p")
        await here.press(*"log out")
        await here.sees("Log out", "Alt+F12")
        await here.press("escape")
        await here.is_before(SessionScreen)

        await here.press("alt+f12")
        await here.until(lambda: not (tmp_path / "login").exists())
        await here.sees("Logged out.")
        await here.press("alt+i")
        await here.sees("session details", "Locked agent", "log out")

    (tmp_path / "other").mkdir()
    async with seat(tmp_path / "other") as here:
        await here.press("ctrl+p")
        await here.press(*"log")
        await here.sees("Show the decision log")
        assert "Log out" not in here.text


@pytest.mark.slow
async def test_c37_the_list_of_sessions_wants_a_login_first_and_is_asked_for_once_more(
    tmp_path: Path,
) -> None:
    async with seat(tmp_path, given=launch(tmp_path, can={"list": {}})) as here:
        await here.press("alt+s")
        await here.is_before(LoginDialog)
        await here.press("enter")
        await here.is_before(SessionsMenu)
        await here.sees("An old talk")

        assert heard(tmp_path) == [
            ["initialize", "session/new", "session/list", "authenticate", "session/list"]
        ]
