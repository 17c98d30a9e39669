"""The person's own editor on a true terminal."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_tui.ui.screens.editor import editor
from tests.conversation.talks import AGENT
from tests.terminal import Terminal

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
    with Terminal(argv, cwd=tmp_path, env=env) as one:
        one.until("F1 help")
        one.until("Say something")
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
    assert list((tmp_path / "tmp").iterdir()) == []


def test_an_editor_that_fails_loses_neither_the_draft_nor_what_it_wrote(
    terminal: Terminal, tmp_path: Path
) -> None:
    terminal.type("draft\x07")
    terminal.until("the editor has draft")
    terminal.type("fail\n")

    terminal.until("ended with 3")
    assert "› draft" in terminal.screen
    (left,) = (tmp_path / "tmp").glob("*/prompt.md")
    assert left.read_text() == "half"


def test_an_editor_that_is_not_there_gives_the_terminal_back(tmp_path: Path) -> None:
    env = {"ACP_TUI_HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin", "VISUAL": "no-such-editor"}
    argv = [sys.executable, "-m", "acp_tui", "--agent", sys.executable, "-S", "-E", str(AGENT)]
    with Terminal(argv, cwd=tmp_path, env=env) as terminal:
        terminal.until("F1 help")
        terminal.until("Say something")
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
