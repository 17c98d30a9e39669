"""The way back to an earlier prompt."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_tui.protocol.schema import AgentMessageChunk, TextContent
from acp_tui.session.events import Prompted, TurnEnded
from acp_tui.session.session import Session
from acp_tui.store.settings import Policy, Settings
from acp_tui.ui.panes.chat import ChatPane
from acp_tui.ui.screens.base.menu import Menu
from acp_tui.ui.session_screen.review.go_back import GoBackDialog
from acp_tui.ui.session_screen.review.restore import RestoreDialog
from acp_tui.ui.session_screen.screen import SessionScreen
from acp_tui.ui.session_screen.sessions.hand_over import brief_before
from acp_tui.ui.widgets.prompt_box import PromptBox
from tests.conversation.talks import PLAIN, TRACKED
from tests.recordings import recording
from tests.ui.seats import Seat, seat, told


@pytest.fixture(autouse=True)
def each_turn_waits_for_its_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine git takes longer than a turn waits for it, which then has no clear beginning."""
    monkeypatch.setattr("acp_tui.changes.tracker.PATIENCE", 10.0)


@asynccontextmanager
async def two_turns(folder: Path, **like: Any) -> AsyncIterator[Seat]:
    """Sit where the agent wrote `a.txt` in the first turn, and changed it in the second."""
    async with seat(folder, TRACKED, **like) as here:
        tracking = here.conversation.tracker
        assert tracking is not None
        await here.until(lambda: tracking.first)
        await run(here, f"sh echo one > {folder}/a.txt; echo written")
        await run(here, f"sh echo two > {folder}/a.txt; echo changed")
        yield here


async def run(here: Seat, prompt: str) -> None:
    await here.say(prompt)
    await here.until(lambda: here.conversation.session and prompt in here.said)
    tracking = here.conversation.tracker
    await here.until(lambda: not here.conversation.is_busy and (not tracking or tracking.is_settled))
    session, chat = here.conversation.session, here.session.query_one(ChatPane)
    assert session is not None
    await here.until(lambda: chat.blocks and getattr(chat.blocks[-1], "entry", None) is session.entries[-1])


async def in_new_tab(here: Seat, old: SessionScreen) -> None:
    """Wait until another tab is there, with something in its prompt."""
    await here.until(lambda: here.session is not old and bool(here.session.query(PromptBox)) and here.draft)


async def test_a_brief_has_the_conversation_before_a_prompt_and_nothing_after_it() -> None:
    session = Session("s", "/w")
    for words in ("first", "second", "third"):
        session.apply(Prompted([TextContent(text=words)]))
        session.apply(AgentMessageChunk(content=TextContent(text=f"answer to {words}")))
        session.apply(TurnEnded("end_turn"))

    brief = brief_before(session, 2, "The files are as they were.")

    assert "> first\n\n## Answer\n\n> answer to first" in brief
    assert "The files are as they were." in brief
    assert "second" not in brief
    assert brief_before(session, 1, "") == "", "before the first prompt nothing was said"


@pytest.mark.slow
async def test_files_and_conversation_go_back_to_a_prompt_in_a_new_tab_and_the_old_one_stays(
    tmp_path: Path,
) -> None:
    async with two_turns(tmp_path) as here:
        old = here.session
        await here.press("f2", "b")
        await here.is_before(GoBackDialog)
        await here.sees("Go back to “sh echo two", "M a.txt will be reverted", "Files and conversation")
        assert (tmp_path / "a.txt").read_text() == "two\n", "nothing is done before it is said"
        await here.press("b")

        await in_new_tab(here, old)
        assert (tmp_path / "a.txt").read_text() == "one\n"
        assert here.draft.startswith("[earlier conversation, 1 turn #1]")
        sent = here.session.prompt.prompt.whole
        assert "written" in sent
        assert "changed" not in sent.partition("sh echo two")[0]
        assert "The files on disk are as they were at this point." in sent
        assert "Tab 1 has the whole conversation." in told(here)
        assert old in here.tabs.screens

        await here.tabs.go_to(0)
        await here.press("alt+u")
        await here.is_before(RestoreDialog)
        await here.press("u")
        await here.until(lambda: (tmp_path / "a.txt").read_text() == "two\n")


@pytest.mark.slow
async def test_the_brief_is_unfolded_and_edited_before_it_is_sent(tmp_path: Path) -> None:
    async with two_turns(tmp_path) as here:
        old = here.session
        await here.press("f2", "b")
        await here.is_before(GoBackDialog)
        await here.press("c")
        await in_new_tab(here, old)
        assert (tmp_path / "a.txt").read_text() == "two\n", "only the conversation goes back"

        await here.press("alt+o")

        assert "which you do not know" in here.draft
        assert "read them again" in here.draft


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "policy", "begins"),
    [("plan", "read-only", ("plan", "read-only")), ("yolo", "allow-everything", ("code", "ask"))],
)
async def test_the_new_tab_asks_as_the_old_one_but_for_what_only_that_one_allows(
    tmp_path: Path, mode: str, policy: Policy, begins: tuple[str, str]
) -> None:
    async with seat(tmp_path, PLAIN, modes=["code", "plan", "yolo"], mode="code") as here:
        old, choices = here.session, here.conversation.choices
        session = here.conversation.session
        assert session is not None
        option = session.option("mode")
        assert option is not None
        await choices.set_option(option, mode)
        choices.set_policy(policy)
        await run(here, "first words")
        await here.press("f2", "b")
        await here.is_before(GoBackDialog)
        await here.press("c")
        await in_new_tab(here, old)

        def begun() -> tuple[str | bool, Policy | None]:
            session = here.conversation.session
            option = session.option("mode") if session is not None else None
            return option.config.current_value if option is not None else "", here.conversation.choices.policy

        await here.until(lambda: here.conversation.phase == "ready" and begun() == begins)


@pytest.mark.slow
async def test_files_alone_go_back_and_the_prompt_is_here_again(tmp_path: Path) -> None:
    async with two_turns(tmp_path) as here:
        await here.say("/rewind")
        await here.is_before(Menu)
        await here.press(*"written", "enter")
        await here.is_before(GoBackDialog)
        await here.sees("A a.txt will be deleted: it did not exist")
        await here.press("f")

        await here.until(lambda: here.draft.startswith("sh echo one"))
        assert not (tmp_path / "a.txt").exists()
        assert "their state before I said “sh echo one" in here.conversation.rejections.note()


@pytest.mark.slow
async def test_a_file_that_an_editor_saves_meanwhile_is_kept(tmp_path: Path) -> None:
    async with two_turns(tmp_path) as here:
        old = here.session
        await here.press("f2", "b")
        await here.is_before(GoBackDialog)
        (tmp_path / "a.txt").write_text("mine\n")
        await here.press("b")

        await in_new_tab(here, old)
        assert (tmp_path / "a.txt").read_text() == "mine\n"
        assert "may have changed since" in here.session.prompt.prompt.whole
        await here.until(lambda: "Not restored: a.txt: changed meanwhile." in told(here))
        await here.tabs.go_to(0)
        await here.sees("a.txt: changed meanwhile")


@pytest.mark.slow
async def test_without_snapshots_the_conversation_goes_back_all_the_same(tmp_path: Path) -> None:
    async with seat(tmp_path, PLAIN) as here:
        old = here.session
        await run(here, "first words")
        await here.press("f2", "b")
        await here.is_before(GoBackDialog)
        await here.sees("This workspace has no snapshots")
        await here.press("c")

        await in_new_tab(here, old)
        assert here.draft == "first words"


@pytest.mark.slow
async def test_a_command_stands_alone_and_the_brief_is_stashed(tmp_path: Path) -> None:
    async with seat(tmp_path, TRACKED) as here:
        old = here.session
        for words in ("first words", "/command x"):
            await run(here, words)
        await here.press("f2", "b")
        await here.is_before(GoBackDialog)
        await here.sees("No file has changed since turn 2 began.")
        await here.press("b")  # of files and conversation, only the conversation has anything to go back
        await in_new_tab(here, old)
        assert here.draft == "/command x"

        await here.press("ctrl+s")

        assert here.draft.startswith("[earlier conversation, 1 turn")
        assert "heard first words" in here.session.prompt.prompt.whole


@pytest.mark.slow
async def test_the_agents_own_way_back_is_offered_where_it_has_one(tmp_path: Path) -> None:
    commands = [{"name": "rewind", "description": "take it back"}]
    updates = [{"kind": "available_commands_update", "availableCommands": commands}]
    async with seat(tmp_path, TRACKED, updates=updates) as here:
        await run(here, "first words")
        await here.press("f2", "b")
        await here.is_before(GoBackDialog)
        await here.sees("Use the agent's /rewind")
        await here.press("r")

        await here.until(lambda: here.draft == "/agent:rewind ")


@pytest.mark.slow
async def test_a_recorded_session_goes_back_in_a_new_tab_without_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))
    async with seat(tmp_path, Settings()) as here:
        for words in ("first words", "second words"):
            await run(here, words)
    (journal,) = (tmp_path / "home" / "data" / "journals").iterdir()
    async with seat(tmp_path, TRACKED) as here:
        await here.tabs.open(recorded=recording(journal))
        await here.sees("heard second words", "recorded, F12 resumes it")
        old = here.session
        await here.press("escape", "escape")
        await here.is_before(Menu)
        await here.press("enter")
        await here.is_before(GoBackDialog)
        await here.sees("A recorded session has no files to restore until it is resumed.")
        await here.press("c")

        await in_new_tab(here, old)
        assert "heard first words" in here.session.prompt.prompt.whole


@pytest.mark.slow
async def test_a_session_recorded_without_snapshots_says_so_and_its_prompts_are_the_brief(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))
    can = {"loadSession": True}
    workspace = tmp_path / "w"
    workspace.mkdir()
    async with seat(workspace, Settings(snapshots=False), can=can) as here:  # as older versions did
        for words in ("first words", "second words"):
            await run(here, words)
    (journal,) = (tmp_path / "home" / "data" / "journals").iterdir()
    async with seat(workspace, Settings(), can=can, tells_nothing=True) as here:
        await here.tabs.open(recorded=recording(journal), resumes=True)
        await here.until(lambda: here.conversation.phase == "ready")
        tracking = here.conversation.tracker
        assert tracking is not None
        await here.until(lambda: tracking.first and tracking.lost)
        old = here.session
        await here.say("/rewind")
        await here.is_before(Menu)
        await here.press(*"second", "enter")
        await here.is_before(GoBackDialog)
        await here.sees("There are no snapshots of the earlier part of this session")
        await here.press("c")

        await in_new_tab(here, old)
        assert "> first words" in here.session.prompt.prompt.whole
        assert here.draft.endswith("second words")
