"""The first frame: it looks as the session does after it, and keeps what is typed."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from textual.events import Key, Paste

import acp_tui.ui
from acp_tui.conversation.start_options import Start
from acp_tui.store.settings import Settings
from acp_tui.ui.application.app import SOONER, AcpApp
from acp_tui.ui.application.first_frame import FirstFrame
from acp_tui.ui.application.terminal_input import TerminalDriver
from acp_tui.ui.screens.help import HelpScreen
from tests.bench.program import Program
from tests.conversation.talks import PLAIN, start
from tests.ui.screens.stage import screen_text
from tests.ui.seats import Seat, seat
from tests.waiting import until

CHAT = 40
"""Cells of a row that the chat has at every size."""


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A folder whose path fits one row of the chat."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


class Beginning:
    """The interface with only its first frame, until it is told to load the rest."""

    def __init__(self, began: Start, monkeypatch: pytest.MonkeyPatch) -> None:
        self._load = AcpApp.load
        monkeypatch.setattr(AcpApp, "load", lambda app: None)
        self.app = AcpApp(began)

    async def go_on(self) -> None:
        self._load(self.app)
        await until(lambda: self.app.is_complete)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)])
async def test_the_session_looks_as_the_first_frame_did(
    short_folder: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    began = start(short_folder, PLAIN)
    beginning = Beginning(began, monkeypatch)
    async with beginning.app.run_test(size=size) as pilot:
        await pilot.pause()
        before = screen_text(beginning.app).splitlines()
        await beginning.go_on()
        here = Seat(beginning.app, pilot)
        await here.sees("Ask anything", "all keys")
        after = here.text.splitlines()
        await here.tabs.end()
    began.guard.close()
    top = 1 if size[0] < 100 else 0  # where it is narrow, the panes are tabs above the chat

    shift = next(row for row, line in enumerate(after) if "acp-tui" in line) - 1
    assert shift == top
    assert any(line.split()[:2] == ["Ctrl+Q", "quit"] for line in after), "the way out"
    for row in range(1, 10):
        assert before[row][:CHAT].rstrip() == after[row + shift][:CHAT].rstrip()
    assert before[-3:-1] == after[-3:-1]
    assert before[-1].split()[:2] == after[-1].split()[:2] == ["Plain", "agent"]


@pytest.mark.slow
async def test_what_is_typed_before_the_session_is_there_is_shown_at_once_and_goes_into_the_prompt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = start(tmp_path, PLAIN)
    beginning = Beginning(began, monkeypatch)
    async with beginning.app.run_test(size=(120, 40)) as pilot:
        for key in ("h", "o", "x", "backspace", "i"):
            await pilot.press(key)
        beginning.app.post_message(Paste(" there\nyou"))
        await pilot.pause()
        assert "you" in screen_text(beginning.app).splitlines()[-2]
        await beginning.go_on()
        here = Seat(beginning.app, pilot)

        await here.until(lambda: here.draft == "hoi there\nyou")
        await here.press("!")
        await here.until(lambda: here.draft == "hoi there\nyou!")
        await here.press("f2", "z")
        assert here.draft == "hoi there\nyou!"
        await here.tabs.end()
    began.guard.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("enter_sends", "keys", "draft"),
    [
        (True, ("space", "enter", "a"), " a"),
        (True, ("a", "alt+enter", "b"), "a\nb"),
        (True, ("a", "ctrl+j", "b"), "a\nb"),
        (False, ("a", "enter", "b"), "a\nb"),
    ],
)
async def test_enter_means_in_the_first_frame_what_it_means_in_the_prompt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, enter_sends: bool, keys: tuple[str, ...], draft: str
) -> None:
    began = start(tmp_path, PLAIN._replace(enter_sends=enter_sends))
    beginning = Beginning(began, monkeypatch)
    async with beginning.app.run_test(size=(120, 40)) as pilot:
        await pilot.press(*keys)
        first = beginning.app.screen
        assert isinstance(first, FirstFrame)
        assert first.typed == draft
        await beginning.go_on()
        here = Seat(beginning.app, pilot)

        await here.until(lambda: here.draft == draft)
        await here.tabs.end()
    began.guard.close()


@pytest.mark.slow
async def test_a_prompt_that_was_sent_and_a_key_that_opens_something_act_once_the_session_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = start(tmp_path, PLAIN)
    beginning = Beginning(began, monkeypatch)
    async with beginning.app.run_test(size=(120, 40)) as pilot:
        await pilot.press("h", "i", "enter", "f1")
        assert "Ask anything" in screen_text(beginning.app)
        await beginning.go_on()
        here = Seat(beginning.app, pilot)

        await here.is_before(HelpScreen)
        await here.press("escape")
        await here.sees("heard hi")
        await here.tabs.end()
    began.guard.close()


async def test_the_key_that_quits_quits_before_anything_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = start(tmp_path, PLAIN)
    beginning = Beginning(began, monkeypatch)
    async with beginning.app.run_test(size=(120, 40)) as pilot:
        beginning.app.post_message(Key("ctrl+q", None))
        await until(lambda: not beginning.app.is_running)
        await pilot.pause()
    began.guard.close()


@pytest.mark.slow
async def test_a_draft_of_the_last_run_is_put_away_where_something_was_typed_before_it_could_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))
    async with seat(tmp_path, Settings(snapshots=False)) as here:
        await here.write("/run rm -rf important ")
    began = start(tmp_path, Settings(snapshots=False))
    beginning = Beginning(began, monkeypatch)
    async with beginning.app.run_test(size=(120, 40)) as pilot:
        await pilot.press("h", "i", "enter")
        await beginning.go_on()
        here = Seat(beginning.app, pilot)

        await here.sees("heard hi")
        assert "important" not in here.said[0]
        assert here.session.prompt.stashed is not None
        assert "important" in here.session.prompt.stashed.text
        await here.tabs.end()
    began.guard.close()


async def test_a_key_is_drawn_at_once_and_needs_no_turn_of_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = start(tmp_path, PLAIN)
    beginning = Beginning(began, monkeypatch)
    drawn: list[str] = []
    async with beginning.app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        first = beginning.app.screen
        assert isinstance(first, FirstFrame)
        monkeypatch.setattr(AcpApp, "post_display_hook", lambda app: drawn.append(first.typed))
        first.keep(Key("h", "h"))
        first.keep(Key("i", "i"))

        assert drawn == ["h", "hi"]
        assert "hi" in screen_text(beginning.app).splitlines()[-2]
    began.guard.close()


async def test_a_key_of_the_terminal_is_drawn_in_the_next_turn_of_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = start(tmp_path, PLAIN)
    beginning = Beginning(began, monkeypatch)
    async with beginning.app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        first = beginning.app.screen
        assert isinstance(first, FirstFrame)
        driver = TerminalDriver(beginning.app)
        thread = Thread(target=driver.process_message, args=[Key("h", "h")])
        thread.start()
        thread.join()
        await asyncio.sleep(0)

        assert first.typed == "h"
    began.guard.close()


async def test_the_key_that_quits_quits_while_the_session_is_mounted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(app: AcpApp, mode: str) -> None:
        mounting.set()
        await asyncio.Event().wait()

    mounting = asyncio.Event()
    monkeypatch.setattr("acp_tui.ui.application.app.mount_mode", never)
    began = start(tmp_path, PLAIN)
    beginning = Beginning(began, monkeypatch)
    async with beginning.app.run_test(size=(120, 40)) as pilot:
        going_on = asyncio.create_task(beginning.go_on())
        await mounting.wait()
        beginning.app.post_message(Key("ctrl+q", None))
        await until(lambda: not beginning.app.is_running)
        going_on.cancel()
        await pilot.pause()
    began.guard.close()


async def test_threads_that_compute_give_way_soon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float] = []
    monkeypatch.setattr(sys, "setswitchinterval", seen.append)
    async with seat(tmp_path):
        assert seen == [SOONER]


HEAVY = (
    "hashlib",
    "acp_tui.protocol",
    "acp_tui.session.session",
    "acp_tui.ui.session_screen",
    "markdown_it",
    "pydantic",
    "pygments",
    "rapidfuzz",
    "textual.document",
    "textual.widgets._markdown",
    "textual.widgets._text_area",
    "tree_sitter",
    "tomlkit",
    "watchfiles",
)
"""Each takes more time than drawing the first frame does, or is part of what does."""

MOST = 45
"""Modules of ours: each takes about a third of a millisecond."""


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("start")
    argv = (sys.executable, "-m", "tests.ui.start_reporter", str(folder), "--agent", "sleep", "60")
    theirs = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "LC_"))}
    env = {**theirs, "HOME": str(folder), "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    with Program(argv, env) as program:
        program.look_on_until((folder / "settled").exists)
    return {name: json.loads((folder / name).read_text()) for name in ("first", "settled")}


@pytest.mark.slow
def test_nothing_heavy_is_loaded_for_the_first_frame(reports: dict[str, Any]) -> None:
    loaded = {
        module
        for module in reports["first"]["modules"]
        for heavy in HEAVY
        if module == heavy or module.startswith(f"{heavy}.")
    }

    assert loaded == set()
    assert "acp_tui.ui.application.first_frame" in reports["first"]["modules"]


@pytest.mark.slow
def test_methods_of_dataclasses_are_not_compiled_before_they_are_used(reports: dict[str, Any]) -> None:
    assert reports["first"]["compiled"] is False


@pytest.mark.slow
def test_few_modules_of_ours_are_loaded_for_the_first_frame(reports: dict[str, Any]) -> None:
    ours = [module for module in reports["first"]["modules"] if module.startswith("acp_tui.")]

    assert len(ours) <= MOST, " ".join(ours)


@pytest.mark.slow
def test_the_agent_is_started_before_textual_is_loaded(reports: dict[str, Any]) -> None:
    assert reports["first"]["textual_came_first"] is False


@pytest.mark.slow
def test_a_new_session_needs_no_module_of_those_that_are_loaded_late(reports: dict[str, Any]) -> None:
    assert reports["settled"]["late"] == []


def test_garbage_is_not_collected_before_the_first_frame_and_never_among_what_the_start_made(
    reports: dict[str, Any],
) -> None:
    assert reports["first"]["collects"] is False
    assert reports["settled"]["frozen"] > 10_000


def test_every_sheet_is_read_soon_after_the_first_frame(reports: dict[str, Any]) -> None:
    folder = Path(acp_tui.ui.__file__).parent
    sheets = {str(path.relative_to(folder)) for path in folder.rglob("*.tcss")}

    assert sheets <= set(reports["settled"]["sheets"])
    assert len(sheets) > 5


@pytest.mark.slow
def test_openssl_is_not_loaded() -> None:
    script = (
        "import sys; from acp_tui import cli, platform; cli.load_asyncio(); platform.load_hashlib();"
        "import acp_tui.ui.after_start; sys.exit(not {'_ssl', '_hashlib'}.isdisjoint(sys.modules))"
    )

    assert subprocess.run([sys.executable, "-c", script]).returncode == 0
