"""Pipes, devices and sockets in the place of acp-tui's own files: refused at once, and named."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_tui.rules import rule_files, trusted_files
from acp_tui.store import recordings, settings
from acp_tui.store.decisions import Decisions
from acp_tui.store.journal import JournalTail
from acp_tui.store.journal_overflow import kept_rows, paths_beside
from acp_tui.store.plain_files import SharedJson, append, locked, open_plain, plain_bytes, plain_text
from acp_tui.store.preferences import last_theme, load_layout
from acp_tui.store.prompts import Prompt, PromptDraft, PromptHistory
from acp_tui.ui.application import theme_files

WHY = "it is not a regular file, but a pipe, a socket or a device"


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))


MAKERS: list[Callable[[Path], None]] = [make_pipe, make_device, make_socket]


@pytest.fixture(params=MAKERS)
def strange(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)  # the path of a socket has few characters
    request.param(Path("strange"))
    return tmp_path / "strange"


@pytest.mark.parametrize("flags", [os.O_RDONLY, os.O_RDWR, os.O_WRONLY | os.O_CREAT | os.O_APPEND])
def test_it_is_opened_in_no_way_and_the_error_names_it(strange: Path, flags: int) -> None:
    with pytest.raises(OSError, match=WHY) as failed:
        open_plain(strange, flags)

    assert failed.value.filename == str(strange)


READERS: list[Callable[[Path], object]] = [
    plain_bytes, plain_text, JournalTail, recordings.read, recordings.prompted_sessions,
    lambda path: list(Decisions(path)), lambda path: SharedJson(path).read(),
    lambda path: SharedJson(path).change(lambda found: found), lambda path: append(path, b"x\n"),
    trusted_files.contents,
]  # fmt: skip


@pytest.mark.parametrize("reader", READERS)
def test_no_reader_and_no_writer_waits_for_it(strange: Path, reader: Callable[[Path], object]) -> None:
    with pytest.raises(OSError, match=WHY):
        reader(strange)


def test_files_that_the_user_writes_are_told_and_the_defaults_count(strange: Path) -> None:
    loaded, (problem,) = settings.load(strange)
    assert loaded == settings.Settings()
    assert str(problem) == f"{strange}: cannot be read ({WHY}); the defaults apply"

    found = theme_files.load(strange)
    assert isinstance(found, theme_files.ThemeProblem)
    assert found.path == strange
    assert WHY in found.message

    layout, told = load_layout(strange, ("plan",))
    assert layout.panes == ("plan",)
    assert str(told) == f"{strange}: cannot be read: {WHY}"

    rules = rule_files.load(strange)
    assert [rule.decision for rule in rules.rules] == ["ask"]
    assert str(rules.problems[0]).startswith(f"{strange}: cannot be read ({WHY})")


def test_files_that_may_be_lost_count_as_missing(strange: Path) -> None:
    assert last_theme(strange, "dark") is None
    assert recordings.head_of(strange) is None


def test_prompts_stay_in_memory(strange: Path) -> None:
    history = PromptHistory(strange)
    history.read()
    assert str(history.problem) == f"{strange}: earlier prompts cannot be read: {WHY}"

    history.add(Prompt("one"))

    assert str(history.problem) == f"{strange}: prompts cannot be saved: {WHY}"
    assert [each.text for each in history.prompts] == ["one"]


@pytest.mark.parametrize("make", MAKERS)
def test_beside_other_files_it_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None]
) -> None:
    monkeypatch.chdir(tmp_path)
    make(Path("w.1234.json"))
    assert PromptDraft(tmp_path, "w").take_over() is None

    for place in paths_beside(Path("journal.ndjson")):
        make(place)
    assert list(kept_rows(tmp_path / "journal.ndjson")) == []


@pytest.mark.parametrize("make", [make_pipe, make_socket])
def test_a_lock_is_not_taken_on_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None]
) -> None:
    monkeypatch.chdir(tmp_path)
    make(Path("names.json.lock"))

    with pytest.raises(OSError, match=WHY), locked(tmp_path / "names.json"):
        pass


def test_a_link_to_a_regular_file_is_read_and_a_new_file_is_private(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"\xef\xbb\xbfa\r\nb")
    (tmp_path / "link").symlink_to("real")
    os.close(open_plain(tmp_path / "new", os.O_WRONLY | os.O_CREAT))

    assert plain_text(tmp_path / "link", "utf-8-sig") == "a\nb"
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600
    with pytest.raises(IsADirectoryError):
        open_plain(tmp_path)
