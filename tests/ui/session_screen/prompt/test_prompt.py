"""The prompt area: the rows above it, completions, attachments, drafts and the history."""

from __future__ import annotations

import json
import sys
import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from acp_tui.conversation.line_notes import LineNotes
from acp_tui.conversation.rejections import Rejections
from acp_tui.protocol.schema import AvailableCommand, AvailableCommandInput
from acp_tui.session.entries import UserCommand
from acp_tui.session.line_notes import note_on
from acp_tui.store.settings import Settings
from acp_tui.ui.application.app import AcpApp
from acp_tui.ui.screens.prompt_history import PastPrompts
from acp_tui.ui.session_screen.prompt.prompt import pending_rows, strip
from tests.conversation.talks import launch
from tests.terminal import Terminal
from tests.ui.seats import seat, told
from tests.waiting import PATIENCE

KEEPS = Settings(snapshots=False)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SHELL", "/bin/sh")
    return tmp_path / "home"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "cli.py").write_text("one\ntwo\nthree\n")
    return folder


@pytest.mark.slow
async def test_a_file_is_completed_shown_and_sent_as_a_link_to_an_agent_that_takes_no_files(
    workspace: Path,
) -> None:
    async with seat(workspace) as here:
        await here.write("see @cl")
        await here.until(lambda: here.session.prompt.completing)
        await here.press("tab")
        assert here.draft == "see @src/cli.py "
        assert not here.session.prompt.completing
        await here.write(":2")
        await here.sees("+ src/cli.py:2-2 14 B as a link")

        await here.press("enter")

        await here.until(lambda: "heard see @src/cli.py:2" in here.said)
        await here.sees("[src/cli.py")


@pytest.mark.slow
async def test_in_a_session_that_works_elsewhere_files_and_commands_are_those_of_its_folder(
    workspace: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "other.py").write_text("one\ntwo\n")
    async with seat(workspace) as here:
        await here.write("@cl")
        await here.until(lambda: here.session.prompt.completing)
        await here.press("ctrl+c")
        session = here.conversation.session
        assert session is not None

        session.cwd = str(elsewhere)  # as one has that was taken up

        await here.write("@oth")
        await here.until(lambda: here.session.prompt.completing)
        await here.press("tab")
        assert here.draft == "@other.py "
        await here.sees("+ other.py 8 B as a link")
        await here.press("ctrl+c")
        await here.say("!ls")
        await here.until(lambda: any(isinstance(one, UserCommand) and one.ended for one in session.entries))
        await here.sees("other.py")


@pytest.mark.slow
async def test_a_folder_that_is_taken_shows_what_lies_in_it(workspace: Path) -> None:
    async with seat(workspace) as here:
        await here.write("@")
        await here.until(lambda: here.session.prompt.completing)
        await here.press("enter")
        assert here.draft == "@src/"
        await here.until(lambda: here.session.prompt.completing)
        await here.press("enter")

        assert here.draft == "@src/cli.py "
        await here.press(*"so:", "2")
        assert here.draft == "@src/cli.py so:2"


@pytest.mark.slow
async def test_lines_are_named_right_behind_a_file_that_was_taken(workspace: Path) -> None:
    async with seat(workspace) as here:
        await here.write("@cl")
        await here.until(lambda: here.session.prompt.completing)
        await here.press("tab", ":", "2", "space")

        assert here.draft == "@src/cli.py:2 "


@pytest.mark.slow
async def test_what_a_command_takes_is_shown_while_it_is_typed(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        session = here.conversation.session
        assert session is not None
        session.commands = [
            AvailableCommand(
                name="examine", description="Look at it", input=AvailableCommandInput(hint="[branch]")
            ),
            AvailableCommand(name="plain", description="Nothing more"),
        ]
        await here.write("/exa")
        await here.sees("/examine [branch]")
        await here.press("tab")
        assert here.draft == "/examine "
        await here.sees("/examine [branch]  Look at it")
        assert not here.session.prompt.completing
        await here.press(*"main")
        await here.sees("/examine [branch]")

        here.session.prompt.load_text("")
        await here.write("/plain more")
        await here.until(lambda: "Nothing more" not in here.text)


@pytest.mark.slow
async def test_what_was_said_is_found_again_in_the_next_run_and_a_draft_comes_back(workspace: Path) -> None:
    async with seat(workspace, KEEPS) as here:
        await here.say("fix the parser")
        await here.say("write some tests")
        await here.until(lambda: "heard write some tests" in here.said)
        await here.write("half a thought")

    async with seat(workspace, KEEPS) as here:
        await here.until(lambda: here.draft == "half a thought")
        await here.press("ctrl+r")
        await here.until(lambda: isinstance(here.app.screen, PastPrompts))
        await here.press(*"pars")
        await here.until(lambda: "write some tests" not in here.text)
        await here.press("enter")

        await here.until(lambda: here.draft == "fix the parser")
        await here.press("ctrl+z")
        assert here.draft == "half a thought"


@pytest.mark.slow
async def test_a_draft_to_another_agent_is_stashed_and_not_in_the_way(workspace: Path) -> None:
    async with seat(workspace, KEEPS) as here:
        await here.write("a thought for this one")

    other = launch()._replace(title="Other agent")
    async with seat(workspace, KEEPS, given=other) as here:
        await here.until(lambda: "Your unsent draft for Plain agent from last time is stashed" in told(here))
        assert here.draft == ""
        await here.press("ctrl+s")
        assert here.draft == "a thought for this one"


@pytest.mark.slow
async def test_what_is_queued_is_kept_with_the_draft_until_the_agent_has_it(
    workspace: Path, home: Path
) -> None:
    def kept() -> list[str]:
        return [json.loads(path.read_bytes())["text"] for path in (home / "data" / "drafts").glob("*.json")]

    async with seat(workspace, KEEPS) as here:
        await here.say("wait")
        await here.until(lambda: here.conversation.is_busy)
        await here.say("one")
        await here.say("two")
        await here.write("half a thought")
        await here.until(lambda: kept() == ["one\n\ntwo\n\nhalf a thought"])

        here.conversation.cancel()
        await here.until(lambda: kept() == ["half a thought"])


@pytest.mark.slow
async def test_a_draft_is_on_disk_soon_after_each_pause(workspace: Path, home: Path) -> None:
    async with seat(workspace, KEEPS) as here:
        for text in ("one", " two", " three"):
            await here.write(text)
            await here.until(
                lambda: any(
                    json.loads(path.read_bytes())["text"] == here.draft
                    for path in (home / "data" / "drafts").glob("*.json")
                )
            )


@pytest.mark.slow
async def test_who_keeps_no_journal_keeps_no_prompts_either(workspace: Path, home: Path) -> None:
    async with seat(workspace, KEEPS._replace(journal=False)) as here:
        await here.say("a secret")
        await here.write("and a half")
        await here.until(lambda: "heard a secret" in here.said)

    assert not [path for path in home.rglob("*") if path.is_file() and b"secret" in path.read_bytes()]
    assert not (home / "data" / "drafts").exists()


@pytest.mark.slow
async def test_a_command_behind_an_exclamation_mark_runs_here_and_is_offered_to_the_agent(
    workspace: Path,
) -> None:
    async with seat(workspace) as here:
        await here.say("!cat src/*")
        await here.until(lambda: here.draft == "[output of cat src/* #1] ")
        await here.sees("! cat src/*", "three")

        await here.press("enter")

        await here.until(
            lambda: here.said and here.said[-1].startswith("heard I ran `cat src/*` (exit code 0)")
        )


@pytest.mark.slow
async def test_escape_ends_a_command_before_it_stops_the_turn(workspace: Path) -> None:
    async with seat(workspace) as here:
        await here.say("wait")
        await here.until(lambda: here.conversation.is_busy)
        await here.say("!sleep 1000")
        await here.sees("running, Esc ends it")
        await here.press("escape")
        await here.sees("ended by a signal")
        assert here.conversation.is_busy

        await here.press("escape")

        await here.until(lambda: not here.conversation.is_busy)
        assert here.conversation.session is not None
        assert any(isinstance(entry, UserCommand) for entry in here.conversation.session.entries)


@pytest.mark.slow
async def test_an_unwritable_place_is_reported_once_and_nothing_else_suffers(
    workspace: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(AcpApp, "notify", lambda app, message, **more: told.append(message))
    (home / "data").mkdir(parents=True)
    (home / "data" / "drafts").write_text("")
    async with seat(workspace, KEEPS) as here:
        await here.write("half a thought")
        await here.until(lambda: told)
        await here.press("enter")

        await here.until(lambda: "heard half a thought" in here.said)
        assert len(told) == 1
        assert "drafts cannot be saved" in told[0]


@pytest.mark.slow
async def test_pages_of_the_chat_are_turned_from_the_prompt(tmp_path: Path) -> None:
    async with seat(tmp_path, size=(80, 24)) as here:
        content = {"type": "text", "text": "\n\n".join(f"line {number}" for number in range(60))}
        await here.say(f"updates {json.dumps([{'kind': 'agent_message_chunk', 'content': content}])}")
        await here.until(lambda: not here.conversation.is_busy and " line 59" in here.text)
        await here.write("a draft")

        await here.press("pageup", "pageup")
        await here.until(lambda: "line 59" not in here.text)
        assert here.app.focused is here.session.prompt
        await here.press("pagedown", "pagedown")
        await here.sees("line 59")

        here.session.prompt.load_text("\n".join(map(str, range(40))))
        here.session.prompt.move_cursor((39, 0))
        await here.press("pageup")
        assert 0 < here.session.prompt.cursor_location[0] < 39  # a page of the draft
        assert "line 59" in here.text


@pytest.mark.slow
async def test_what_an_empty_prompt_says_is_never_cut_without_a_mark(tmp_path: Path) -> None:
    async with seat(tmp_path, size=(36, 12)) as here:
        await here.sees("› Ask anything · @ files · / com")

        await here.pilot.resize_terminal(100, 24)
        await here.sees("/ commands · F1 help")


def rows(facts: Rejections, width: int = 80) -> list[str]:
    notes = LineNotes(lambda: None)
    conversation: Any = SimpleNamespace(
        rejections=facts, line_notes=notes, prompts=SimpleNamespace(queue=[], given=[])
    )
    return ["".join(text for _, text in left) for left, _ in pending_rows(conversation, width, str)]


def test_notes_on_lines_are_counted_above_the_prompt_and_gone_lines_are_named() -> None:
    notes = LineNotes(lambda: None)
    assert strip(notes) == ""
    notes.add(note_on(["a", "b"], 0, 0, "Why?", path="/w/a"))
    assert strip(notes) == "1 note goes with the next prompt"
    notes.add(replace(note_on(["a", "b"], 1, 1, "Why?", path="/w/b"), state="gone"))

    assert strip(notes) == "2 notes go with the next prompt, 1 on lines that are gone"


def test_a_note_is_shown_as_it_goes_out() -> None:
    facts = Rejections(lambda: None)
    for number in range(5):
        facts.add(f"rejected {number}", "")
    assert [row.strip() for row in rows(facts)] == [
        "sent with your next prompt",
        *facts.note().splitlines(),
    ]


def test_of_a_very_long_note_it_is_said_how_much_is_not_shown() -> None:
    facts = Rejections(lambda: None)
    facts.add(f"put these files back: {', '.join(['some/where/file.txt'] * 40)}", "")
    shown = rows(facts)
    assert len(shown) == 8
    assert shown[-1].strip() == "9 more lines"


@pytest.mark.slow
async def test_tab_completes_a_path_as_a_shell_does_and_never_leaves_the_prompt(workspace: Path) -> None:
    (workspace / "src" / "client.py").touch()
    async with seat(workspace) as here:
        await here.write("see sr")
        await here.press("tab")
        await here.until(lambda: here.draft == "see src/")
        await here.write("c")
        await here.press("tab")
        await here.until(lambda: here.draft == "see src/cli")
        await here.press("tab")
        await here.until(lambda: here.session.prompt.completing)
        await here.sees("src/cli.py", "src/client.py")
        await here.press("down", "tab")
        await here.until(lambda: here.draft == "see src/client.py")

        await here.write(" hello ")
        await here.press("tab", "c")
        assert here.draft == "see src/client.py hello c"


@pytest.mark.slow
async def test_tab_brings_the_list_back_that_escape_has_hidden(workspace: Path) -> None:
    async with seat(workspace) as here:
        await here.write("@cl")
        await here.until(lambda: here.session.prompt.completing)
        await here.press("escape")
        assert not here.session.prompt.completing

        await here.press("tab")
        await here.until(lambda: here.session.prompt.completing)


@pytest.mark.slow
async def test_ctrl_v_pastes_what_was_copied_here_and_says_so_where_there_is_nothing(workspace: Path) -> None:
    async with seat(workspace) as here:
        await here.press("ctrl+v")
        await here.until(lambda: "Nothing to paste." in told(here))

        here.app.copy_to_clipboard("copied")
        await here.press("ctrl+v")
        await here.until(lambda: here.draft == "copied")


@pytest.mark.slow
async def test_a_prompt_goes_with_the_image_that_was_on_its_way_when_enter_was_pressed(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_read = threading.Event()

    def slow(*_: object) -> Path:
        assert is_read.wait(PATIENCE)
        return workspace / "image.png"

    (workspace / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n and more")
    monkeypatch.setattr("acp_tui.conversation.clipboard_images.take_image", slow)
    monkeypatch.setattr("acp_tui.ui.session_screen.prompt.prompt.image_programs", lambda _: [("any",)])
    async with seat(workspace) as here:
        await here.press("ctrl+v", *"hi", "enter")
        await here.sees("Sent as soon as the clipboard has been read.")
        assert not here.said

        is_read.set()
        await here.until(lambda: here.said)
        assert not here.draft
        assert f"@{workspace / 'image.png'} hi" in here.said


@pytest.mark.slow
def test_ctrl_v_mentions_the_image_on_the_clipboard(workspace: Path, tmp_path: Path, home: Path) -> None:
    program = tmp_path / "bin" / "wl-paste"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nprintf '\\211PNG\\r\\n\\032\\n and more'\n")
    program.chmod(0o755)
    path = f"{program.parent}:/usr/bin:/bin"
    env = {"ACP_TUI_HOME": str(home), "HOME": str(tmp_path), "PATH": path, "WAYLAND_DISPLAY": "w"}
    with Terminal([sys.executable, "-m", "acp_tui", "--demo"], cwd=workspace, env=env) as terminal:
        terminal.until("Stride")
        terminal.type("\x16")

        terminal.until("image 17 B")
        terminal.until("@~/home/data/clipboard/")
