"""The name of a session, here and at its agent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acp_tui.ui.session_screen.sessions.session_name import own_name, title_of
from tests.ui.seats import seat, told

pytestmark = pytest.mark.slow

CAN: dict[str, Any] = {"sessionCapabilities": {"title": {}}}


async def test_c157_a_new_name_goes_to_the_agent_whose_title_is_shown(tmp_path: Path) -> None:
    async with seat(tmp_path, can=CAN) as here:
        await here.say("/rename mine")
        await here.until(lambda: title_of(here.session) == "mine!")

        session = here.conversation.session
        assert session is not None
        assert (session.title, own_name(here.session)) == ("mine!", "mine!")
        assert told(here) == "The agent calls it “mine!”."


async def test_a_name_that_the_agent_refuses_stays_here(tmp_path: Path) -> None:
    async with seat(tmp_path, can=CAN) as here:
        await here.say("/rename bad")
        await here.until(lambda: told(here).startswith("The agent keeps its own title"))

        assert title_of(here.session) == "bad"


async def test_c156_an_agent_that_takes_no_title_hears_of_none(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.say("/rename mine")
        await here.until(lambda: told(here).startswith("Renamed"))
        await here.say("hello")
        await here.sees("heard hello")

        assert title_of(here.session) == "mine"
        session = here.conversation.session
        assert session is not None
        assert session.title == ""
