"""Tests of `ui/application/terminal.py`."""

from __future__ import annotations

import base64
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from acp_tui.conversation.conversation import Conversation
from acp_tui.desktop import ClipboardProgram, desktop_clipboard, speaks_777
from acp_tui.store.settings import Calls
from acp_tui.ui.application import terminal as clipboard
from acp_tui.ui.application.terminal import (
    GIVE_TITLE_BACK,
    KEEP_TITLE,
    OSC52_LIMIT,
    QUIET,
    Attention,
    Clipboard,
    Seat,
    State,
    run_clipboard,
    state_of,
)
from acp_tui.ui.widgets.text import plain
from tests.terminal import Terminal
from tests.ui.seats import seat
from tests.waiting import until

BELL = "\x07"


@dataclass
class Double:
    """A double of a conversation."""

    phase: str = "ready"
    is_active: bool = False
    questions: dict[Any, Any] = field(default_factory=dict)
    agent_name: str = "Agent"
    launch: object = "a launch"

    @property
    def is_over(self) -> bool:
        return self.phase in ("failed", "ended", "recorded", "ending")


STATES: dict[State, Double] = {
    "starting": Double("starting"),
    "ready": Double(),
    "working": Double(is_active=True),
    "asks": Double(is_active=True, questions={"q": "?"}),
    "ended": Double("ended"),
}


class Place(Seat):
    """A seat with a clock of its own, on which what comes later comes by hand."""

    def __init__(self, focus: bool | None = False) -> None:
        self.now = 100.0
        super().__init__(lambda: self.now)
        self.focus = focus
        self.waiting: list[tuple[float, Callable[[], None]]] = []

    def later(self, seconds: float, do: Callable[[], None]) -> None:
        self.waiting.append((self.now + seconds, do))

    def go_on(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds
        due = [do for at, do in self.waiting if at <= self.now]
        self.waiting = [(at, do) for at, do in self.waiting if at > self.now]
        for do in due:
            do()


class View:
    """A screen."""


def told(*states: Double, focus: bool | None = False, calls: Calls = "auto") -> list[str]:
    """Return the output to the terminal for these states."""
    written: list[str] = []
    attention, view = Attention(written.append, Place(focus), calls), View()
    for state in states:
        attention.update(cast(Conversation, state), view)
    return written


class Called:
    """The notifications that a user gets."""

    def __init__(self, focus: bool | None) -> None:
        self.place = Place(focus)
        self.written: list[str] = []
        self.attention = Attention(self.written.append, self.place)
        self.view = View()

    def become(self, *states: State) -> None:
        for state in states:
            self.attention.update(cast(Conversation, STATES[state]), self.view)

    @property
    def calls(self) -> list[str]:
        return [text for text in self.written if BELL * 2 in text]


@pytest.mark.parametrize("state", list(STATES))
def test_what_a_conversation_is_at_comes_from_its_phase_its_turn_and_its_questions(state: State) -> None:
    assert state_of(cast(Conversation, STATES[state])) == state


def test_a_login_is_a_question() -> None:
    assert state_of(cast(Conversation, Double("logging-in"))) == "asks"


@pytest.mark.parametrize(
    ("before", "after", "call"),
    [
        ("working", "ready", "is done"),
        ("working", "asks", "needs an answer"),
        ("working", "ended", "has ended"),
        ("ready", "ended", "has ended"),
        ("starting", "ready", ""),
        ("ready", "working", ""),
        ("asks", "working", ""),
        ("working", "working", ""),
    ],
)
def test_the_user_is_called_when_a_turn_ends_a_question_comes_or_the_agent_dies(
    before: State, after: State, call: str
) -> None:
    written = told(STATES[before], STATES[after])[len(told(STATES[before])) :]
    calls = [text for text in written if BELL * 2 in text]

    assert calls == ([f"\x1b]9;acp-tui: Agent {call}\x07\x07"] if call else [])


def test_a_terminal_that_knows_osc_777_is_called_by_it_alone() -> None:
    written: list[str] = []
    attention, view = Attention(written.append, Place(), by_777=True), View()
    for state in (Double(is_active=True, agent_name="a;b"), Double(agent_name="a;b")):
        attention.update(cast(Conversation, state), view)

    assert [text for text in written if BELL * 2 in text] == ["\x1b]777;notify;a,b;is done\x07\x07"]


@pytest.mark.parametrize(
    ("environment", "speaks"),
    [
        ({"TERM": "rxvt-unicode-256color"}, True),
        ({"TERM": "foot"}, True),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7600"}, True),
        ({"TERM": "xterm-256color"}, False),
        ({}, False),
    ],
)
def test_osc_777_is_for_the_terminals_that_show_it(environment: dict[str, str], speaks: bool) -> None:
    assert speaks_777(environment) is speaks


def test_nobody_is_called_who_looks_or_wants_no_calls_or_leaves() -> None:
    working, ready = STATES["working"], STATES["ready"]
    assert not any(BELL * 2 in text for text in told(working, ready, focus=True))
    assert not any(BELL * 2 in text for text in told(working, ready, calls="never"))
    assert not any(BELL * 2 in text for text in told(working, Double("ending")))


def test_who_wants_it_is_called_while_they_look() -> None:
    assert any(
        BELL * 2 in text for text in told(STATES["working"], STATES["ready"], focus=True, calls="always")
    )


def test_where_no_terminal_tells_of_a_focus_a_while_without_a_key_calls() -> None:
    here = Called(focus=None)
    here.become("working")
    here.place.go_on(QUIET + 1)
    here.become("ready")

    assert len(here.calls) == 1


def test_a_key_puts_the_call_off_and_it_comes_when_no_more_are_typed() -> None:
    here = Called(focus=None)
    here.become("working", "asks")
    here.place.go_on(QUIET - 1)
    here.place.touch()
    here.place.go_on(QUIET - 1)
    assert here.calls == []

    here.place.go_on(2)

    assert len(here.calls) == 1
    here.place.go_on(100)
    assert len(here.calls) == 1


def test_a_call_that_waits_is_dropped_when_the_user_has_answered_or_left() -> None:
    for after in ("answered", "left"):
        here = Called(focus=None)
        here.become("working", "asks")
        if after == "answered":
            here.become("working")
        else:
            here.attention.end()
        here.place.go_on(QUIET + 1)

        assert here.calls == []


@pytest.mark.parametrize(("focus", "calls"), [(True, 0), (False, 1)])
def test_once_the_terminal_has_told_of_its_focus_that_counts(focus: bool, calls: int) -> None:
    here = Called(focus=None)
    here.become("working", "ready")
    here.place.focus = focus

    here.place.go_on(QUIET + 1)

    assert len(here.calls) == calls


def test_each_session_has_a_state_of_its_own_and_the_seen_one_has_the_title() -> None:
    written: list[str] = []
    attention, seen, other = Attention(written.append, Place()), View(), View()

    for _ in range(3):
        attention.update(cast(Conversation, STATES["working"]), seen)
        attention.update(cast(Conversation, STATES["ready"]), other, is_seen=False)
    assert written == [f"{KEEP_TITLE}\x1b]2;Agent: working{BELL}"]

    attention.update(cast(Conversation, STATES["asks"]), other, is_seen=False)
    assert written[1:] == [f"\x1b]9;acp-tui: Agent needs an answer{BELL * 2}"]


def test_the_title_says_who_and_what_and_is_given_back() -> None:
    written: list[str] = []
    attention, view = Attention(written.append, Place(focus=True)), View()

    attention.end()
    states: list[State] = ["starting", "ready", "ready", "working"]
    for state in states:
        attention.update(cast(Conversation, STATES[state]), view)
    attention.end()
    attention.end()

    titles = ["Agent: starting", "Agent: ready", "Agent: working"]
    sequences = [f"\x1b]2;{title}\x07" for title in titles]
    assert written == [KEEP_TITLE + sequences[0], *sequences[1:], GIVE_TITLE_BACK]


def test_a_name_cannot_end_the_title_and_begin_something_else() -> None:
    (written,) = told(Double(agent_name="x\x07\x1b]52;c;aGk=\x07"))

    assert written == f"{KEEP_TITLE}\x1b]2;x␇␛]52;c;aGk=␇: ready\x07"


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


@pytest.mark.slow
@pytest.mark.parametrize("told", [True, False], ids=["told by a signal", "not told at all"])
async def test_nothing_is_left_when_the_terminal_has_gone(told: bool, tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    drawn = threading.Event()
    program = [sys.executable, "-c", "from acp_tui.cli import main; raise SystemExit(main(['--demo']))"]
    environment = {**os.environ, "ACP_TUI_HOME": str(tmp_path), "TERM": "xterm-256color"}
    running = subprocess.Popen(program, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    threading.Thread(target=_read, args=(ours, drawn), daemon=True).start()
    assert drawn.wait(60)
    agents = _children(running.pid)
    assert agents

    if told:
        running.send_signal(signal.SIGHUP)
    os.close(ours)

    running.wait(60)
    await until(lambda: not any(Path(f"/proc/{agent}").exists() for agent in agents))


@pytest.mark.slow
@pytest.mark.parametrize("typed", ["/markdown\r", "/long 900\r"])
def test_a_terminal_that_takes_nothing_does_not_hold_the_end(typed: str, tmp_path: Path) -> None:
    env = {"ACP_TUI_HOME": str(tmp_path), "HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    with Terminal([sys.executable, "-m", "acp_tui", "--demo"], cwd=tmp_path, env=env) as terminal:
        terminal.until("F1 help")
        terminal.until("Ask anything")
        terminal.type(typed)
        terminal.until("Demo agent")
        terminal.process.send_signal(signal.SIGTERM)  # and from here on nobody reads

        assert terminal.process.wait(30) == 0


def _read(terminal: int, drawn: threading.Event) -> None:
    seen = b""
    try:
        while data := os.read(terminal, 65536):
            seen += data
            if b"Ask anything" in seen:
                drawn.set()
    except OSError:
        pass  # closed


def _children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
