"""The user's own editor on a true terminal."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import termios
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from textual.app import App

from acp_tui.ui.screens.base.editor import as_typed, begin, editor
from tests.conversation.talks import AGENT
from tests.terminal import Terminal

pytestmark = pytest.mark.slow

EDITOR = """#!/bin/sh
echo "the editor has $(cat "$1")"
read line
case "$line" in
fail) printf 'half' >"$1"; exit 3 ;;
esac
printf '%s and %s\\n' "$(cat "$1")" "$line" >"$1"
"""


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    program = tmp_path / "my editor"
    program.write_text(EDITOR)
    program.chmod(0o755)
    (tmp_path / "tmp").mkdir()
    env = {
        "ACP_TUI_HOME": str(tmp_path / "home"),
        "PATH": f"{tmp_path}:/usr/bin:/bin",
        "VISUAL": f"'{program.name}'",
        "TMPDIR": str(tmp_path / "tmp"),
    }
    argv = [sys.executable, "-m", "acp_tui", "--agent", sys.executable, "-S", "-E", str(AGENT)]
    work = tmp_path / "work"  # what acp-tui and the editor write lies elsewhere, and is no change to look at
    work.mkdir()
    with Terminal(argv, cwd=work, env=env) as one:
        one.until("F1 help")
        one.until("Ask anything")
        yield one
    # Nothing of the draft stays where others could look for it, unless a problem has named it.
    assert [path.name for path in (tmp_path / "tmp").rglob("*.md")] in ([], ["prompt.md"])


def test_what_is_written_in_the_editor_is_the_draft_and_can_be_sent(
    terminal: Terminal, tmp_path: Path
) -> None:
    terminal.type("draft\x07")
    terminal.until("the editor has draft")
    terminal.type("more\n")
    terminal.until("draft and more")
    terminal.until("F1 help")
    terminal.type("\r")

    terminal.until("heard draft and more")
    assert [path for path in (tmp_path / "tmp").iterdir() if path.is_file()] == []


def test_what_an_editor_has_not_read_is_typed_nowhere(terminal: Terminal) -> None:
    terminal.type("draft\x07")
    terminal.until("the editor has draft")
    terminal.type("more\nzzz")
    terminal.until("draft and more")
    terminal.until("F1 help")

    terminal.type("!")

    terminal.until("draft and more!")


def test_an_editor_that_fails_loses_neither_the_draft_nor_what_it_wrote(
    terminal: Terminal, tmp_path: Path
) -> None:
    terminal.type("draft\x07")
    terminal.until("the editor has draft")
    terminal.type("fail\n")

    terminal.until("exited with code 3")
    assert "› draft" in terminal.screen
    (left,) = (tmp_path / "tmp").glob("*/prompt.md")
    assert left.read_text() == "half"


def test_an_editor_that_the_agent_has_put_on_path_is_not_run(tmp_path: Path) -> None:
    workspace, other = tmp_path / "work", tmp_path / "other"
    for folder, words in ((workspace, "planted"), (other, "the user's")):
        folder.mkdir()
        (folder / "my-editor").write_text(f'#!/bin/sh\necho " {words}" >>"$1"\n')
        (folder / "my-editor").chmod(0o755)
    env = {
        "ACP_TUI_HOME": str(tmp_path / "home"),
        "PATH": f"{workspace}:{other}:/usr/bin:/bin",
        "VISUAL": "my-editor",
    }
    argv = [sys.executable, "-m", "acp_tui", "--agent", sys.executable, "-S", "-E", str(AGENT)]
    with Terminal(argv, cwd=workspace, env=env) as terminal:
        terminal.until("F1 help")
        terminal.until("Ask anything")
        terminal.type("draft\x07")

        terminal.until("the user's")


def test_an_editor_that_is_not_there_gives_the_terminal_back(tmp_path: Path) -> None:
    env = {"ACP_TUI_HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin", "VISUAL": "no-such-editor"}
    argv = [sys.executable, "-m", "acp_tui", "--agent", sys.executable, "-S", "-E", str(AGENT)]
    with Terminal(argv, cwd=tmp_path, env=env) as terminal:
        terminal.until("F1 help")
        terminal.until("Ask anything")
        terminal.type("draft\x07")
        terminal.until("no-such-editor")
        terminal.type(" goes on\r")

        terminal.until("heard draft goes on")


def test_a_signal_to_end_ends_the_editor_too_and_the_draft_is_there_next_time(
    terminal: Terminal, tmp_path: Path
) -> None:
    terminal.type("draft\x07")
    terminal.until("the editor has draft")
    terminal.process.send_signal(signal.SIGTERM)

    assert terminal.exit_code() == 0, terminal.screen
    (kept,) = (tmp_path / "home" / "data" / "drafts").iterdir()
    assert '"draft"' in kept.read_text()


def test_the_editor_is_the_one_of_the_environment_split_as_a_shell_would(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    assert editor() == ("vi",)
    monkeypatch.setenv("EDITOR", "code --wait")
    assert editor() == ["code", "--wait"]
    monkeypatch.setenv("VISUAL", "'my editor' -x")
    assert editor() == ["my editor", "-x"]
    monkeypatch.setenv("VISUAL", "'broken")
    assert editor() == ["code", "--wait"]


COUNTING = """#!/bin/sh
echo x >>"$HOME/opened"
echo "the editor is open"
case "$MOOD" in
brief) exit 0 ;;
raw) stty raw -echo; kill -9 $$ ;;
deaf) trap '' TERM ;;
esac
read line
"""


@pytest.fixture
def counted(tmp_path: Path) -> Iterator[Callable[[str], Terminal]]:
    """Start a program whose editor counts how often it is opened, with a changed file to look at."""
    program = tmp_path / "counting"
    program.write_text(COUNTING)
    program.chmod(0o755)
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    started: list[Terminal] = []

    def start(mood: str) -> Terminal:
        env = {
            "ACP_TUI_HOME": str(tmp_path / "home"),
            "HOME": str(tmp_path),
            "PATH": f"{tmp_path}:/usr/bin:/bin",
            "VISUAL": program.name,
            "MOOD": mood,
        }
        argv = [sys.executable, "-m", "acp_tui", "--agent", sys.executable, "-S", "-E", str(AGENT)]
        terminal = Terminal(argv, cwd=workspace, env=env)
        started.append(terminal)
        terminal.__enter__()
        terminal.until("Ask anything")
        return terminal

    yield start
    for terminal in started:
        terminal.__exit__(None, None, None)


def opened(folder: Path) -> int:
    path = folder / "opened"
    return len(path.read_text().splitlines()) if path.exists() else 0


def show_change(terminal: Terminal) -> None:
    """Have the agent tell of a changed file, and open it on the changes screen."""
    diff = {"type": "diff", "path": "new.txt", "oldText": "a", "newText": "b"}
    call = {
        "kind": "tool_call",
        "toolCallId": "c1",
        "title": "Edit",
        "status": "completed",
        "content": [diff],
    }
    (Path(terminal.cwd) / "new.txt").write_text("b")
    terminal.type(f"updates {json.dumps([call])}\r")
    terminal.until("new.txt")
    terminal.until(lambda screen: "new.txt" in screen.partition("─ changes")[2])
    terminal.type("\x1b[15~\r")
    terminal.until(lambda screen: "Esc Close" in screen and "+ b" in screen)


@pytest.mark.parametrize("keys", ["e", "ee", "eee"])
@pytest.mark.parametrize("mood", ["", "brief"])
def test_keys_in_one_read_open_one_editor_for_a_change(
    counted: Callable[[str], Terminal], tmp_path: Path, keys: str, mood: str
) -> None:
    terminal = counted(mood)
    show_change(terminal)
    terminal.type(f"n{keys}")
    terminal.until(lambda screen: opened(tmp_path))
    if not mood:
        terminal.until("the editor is open")
        terminal.type("\n")
    terminal.until(lambda screen: not terminal.modes[3] & termios.ICANON)  # we have the terminal again
    terminal.until("Esc Close")
    terminal.type("\x1b")
    terminal.until("Ask anything")

    assert opened(tmp_path) == 1


def test_keys_in_one_read_open_one_editor_for_a_prompt(
    counted: Callable[[str], Terminal], tmp_path: Path
) -> None:
    terminal = counted("")
    terminal.type("\x07\x07\x1a\x07")
    terminal.until("the editor is open")
    terminal.type("\n")
    terminal.until("Ask anything")
    terminal.type("still here")
    terminal.until("still here")

    assert opened(tmp_path) == 1


def test_an_editor_that_is_killed_leaves_no_modes_behind(
    counted: Callable[[str], Terminal], tmp_path: Path
) -> None:
    terminal = counted("raw")
    before = terminal.modes_at_start
    terminal.type("\x07")
    terminal.until("was killed by SIGKILL")
    terminal.type("\x11")
    terminal.exit_code()

    assert terminal.modes == before


def test_an_editor_that_does_not_listen_is_ended_with_the_program(
    counted: Callable[[str], Terminal], tmp_path: Path
) -> None:
    terminal = counted("deaf")
    terminal.type("\x07")
    terminal.until("the editor is open")
    terminal.process.send_signal(signal.SIGTERM)

    assert terminal.exit_code() == 0, terminal.screen
    assert terminal.modes == terminal.modes_at_start


class Borrowing(App[None]):
    """Lends nothing, but knows how often it would."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = 0
        self.done = asyncio.Event()

    async def work(self) -> None:
        self.begun += 1
        await self.done.wait()


async def test_what_gives_the_terminal_away_begins_once_at_a_time() -> None:
    app = Borrowing()
    async with app.run_test() as pilot:
        begin(app, app.work)
        begin(app, app.work)
        await pilot.pause()
        begin(app, app.work)
        await pilot.pause()
        assert app.begun == 1

        app.done.set()
        await app.workers.wait_for_complete()
        begin(app, app.work)
        await app.workers.wait_for_complete()
        assert app.begun == 2


@pytest.mark.parametrize(
    ("before", "written", "typed"),
    [
        ("one", "one\n", "one"),
        ("one\r\ntwo", "one\r\ntwo\r\n", "one\r\ntwo"),
        ("one\n", "one\n", "one\n"),
        ("one\r\n", "one\r\n", "one\r\n"),
        ("one", "one\n\n", "one\n"),
    ],
)
def test_the_line_end_that_an_editor_puts_last_is_not_taken_for_a_change(
    before: str, written: str, typed: str
) -> None:
    assert as_typed(written, before) == typed
