"""Tests of `ui/application/clipboard.py`."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from acp_tui.desktop import ClipboardProgram, desktop_clipboard
from acp_tui.ui.application import clipboard
from acp_tui.ui.application.clipboard import OSC52_LIMIT, Clipboard, run_clipboard
from acp_tui.ui.widgets.text import plain
from tests.ui.seats import seat

HERE = {"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}
OVER_SSH = {"SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"}


def program(folder: Path, name: str, script: str) -> None:
    """Put a program on the PATH of a test."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs beside which there are only those of the system."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return tmp_path


@pytest.mark.parametrize(
    ("env", "platform", "there", "name"),
    [
        (HERE, "linux", ("wl-copy", "xclip", "xsel"), "wl-copy"),
        (HERE, "linux", ("xclip", "xsel"), "xclip"),
        ({"DISPLAY": ":0"}, "linux", ("wl-copy", "xsel"), "xsel"),
        ({}, "linux", ("wl-copy", "xclip", "xsel", "pbcopy", "clip.exe"), None),
        ({}, "darwin", ("pbcopy",), "pbcopy"),
        ({"WSL_DISTRO_NAME": "Debian"}, "linux", ("clip.exe",), "clip.exe"),
        (OVER_SSH, "darwin", ("pbcopy",), None),
        ({**OVER_SSH, "WAYLAND_DISPLAY": "wayland-0"}, "linux", ("wl-copy",), None),
        ({**OVER_SSH, "DISPLAY": "localhost:10.0"}, "linux", ("wl-copy", "xclip"), "xclip"),
    ],
)
def test_the_program_is_that_of_the_desktop_that_the_user_sits_at(
    env: dict[str, str], platform: str, there: tuple[str, ...], name: str | None
) -> None:
    way = desktop_clipboard(env, lambda program: program if program in there else None, platform)

    assert (way.name if way is not None else None) == name


async def test_a_text_goes_to_the_desktop_and_not_also_through_the_terminal(programs: Path) -> None:
    program(programs, "wl-copy", f"cat > {programs}/copied; sleep 60 &")  # it stays to hand the text out
    written: list[str] = []

    assert await Clipboard(written.append, HERE).put("ä line\n") == ""

    assert (programs / "copied").read_text() == "ä line\n"
    assert written == []


async def test_a_program_that_fails_leaves_it_to_the_terminal_and_is_named_once(programs: Path) -> None:
    program(programs, "wl-copy", "exit 1")
    written: list[str] = []
    outside = Clipboard(written.append, HERE)

    said = await outside.put("text")

    assert "OSC 52" in said
    assert "wl-copy failed" in said
    assert written == [f"\x1b]52;c;{base64.b64encode(b'text').decode()}\x07"]
    assert await outside.put("again") == ""


def test_a_program_that_hangs_is_left_alone(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clipboard, "PATIENCE", 0.1)
    program(programs, "wl-copy", "exec sleep 60")

    assert run_clipboard(ClipboardProgram("wl-copy", ("wl-copy",)), "text") is False


async def test_in_tmux_the_text_is_in_its_buffer_also_where_it_cannot_hand_it_on(programs: Path) -> None:
    program(programs, "tmux", f'[ "$2" = -w ] && exit 1; cat > {programs}/copied')
    written: list[str] = []
    text = "x" * OSC52_LIMIT

    said = await Clipboard(written.append, {**OVER_SSH, "TMUX": "/tmp/tmux"}).put(text)

    assert (programs / "copied").read_text() == text
    assert "tmux's buffer" in said
    assert written == []


async def test_a_text_too_long_for_terminals_is_not_sent_and_a_notice_says_what_to_do() -> None:
    written: list[str] = []

    said = await Clipboard(written.append, OVER_SSH, export="Alt+E").put("x" * OSC52_LIMIT)

    assert said.startswith("It is not on the clipboard: 74 thousand characters")
    assert "Alt+E writes the session into a file." in said
    assert written == []


@pytest.mark.slow
async def test_copying_in_the_interface_reaches_the_terminal(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        here.app.copy_to_clipboard("[b]text")
        code = base64.b64encode(b"[b]text").decode()
        await here.until(lambda: f"\x1b]52;c;{code}\x07" in here.written)
        assert here.app.clipboard == "[b]text"
        await here.until(lambda: any("OSC 52" in one.message for one in here.notices))


@pytest.mark.parametrize(
    ("text", "copied", "dropped"),
    [
        ("a\tb\nc\r\nd", "a\tb\nc\nd", 0),
        ("ls\x1b[201~\rrm -rf x\r", "ls[201~rm -rf x", 3),
        ("safe\b\b\b\bevil \x9b31m", "safeevil 31m", 5),
        ("r\u200bm\u202e \u3164x\u00ad", "rm x", 4),
        ("👨\u200d👩\u200d👧 ☁️ می\u200cخواهم", "👨\u200d👩\u200d👧 ☁️ می\u200cخواهم", 0),
    ],
)
def test_what_goes_to_a_clipboard_acts_nowhere(text: str, copied: str, dropped: int) -> None:
    assert plain(text) == (copied, dropped)


@pytest.mark.slow
async def test_it_is_said_what_was_not_copied(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:

        def said() -> list[str]:
            return [one.message for one in here.notices if "Copied without" in one.message]

        here.app.copy_to_clipboard("one\ttwo\n")
        assert said() == []
        here.app.copy_to_clipboard("ls\x1b\x9b\u200b")
        await here.until(said)
        assert said() == ["Copied without 3 control or invisible characters."]
        assert here.app.clipboard == "ls"

        here.session.prompt.insert("own\x1b text")
        here.session.prompt.select_all()
        here.session.prompt.action_copy()

        await here.until(lambda: len(said()) > 1)
        assert said()[1:] == ["Copied without 1 control or invisible character."]
        assert here.app.clipboard == "own text"
