from __future__ import annotations

import json
import multiprocessing
from pathlib import Path

import pytest

from acp_tui.store import history
from acp_tui.store.history import History, workspace_name
from acp_tui.store.prompt import Prompt
from tests.full_disk import Disk


def texts(kept: History) -> list[str]:
    return [prompt.text for prompt in kept.prompts]


def test_what_was_said_is_there_in_the_next_run_chips_and_all(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "h.ndjson"
    said = Prompt("see [pasted 2 lines #1]", {"[pasted 2 lines #1]": "a\nb"})
    History(path).add(said)

    later = History(path)
    later.read()

    assert later.prompts == [said]
    assert path.stat().st_mode & 0o777 == 0o600


def test_programs_that_run_at_once_see_what_the_others_say(tmp_path: Path) -> None:
    one, other = History(tmp_path / "h"), History(tmp_path / "h")
    one.add(Prompt("a"))
    other.add(Prompt("b"))
    one.add(Prompt("c"))
    other.read()

    assert texts(one) == texts(other) == ["a", "b", "c"]


def test_the_same_prompt_twice_in_a_row_counts_once(tmp_path: Path) -> None:
    kept = History(tmp_path / "h")
    for text in "aab":
        kept.add(Prompt(text))

    assert texts(kept) == ["a", "b"]


def test_broken_lines_are_skipped_and_a_torn_one_takes_nothing_with_it(tmp_path: Path) -> None:
    path = tmp_path / "h"
    rows = [
        b'{"text": "good"}',
        b"{",
        b"[1]",
        b'{"text": 1}',
        b'{"text": "x", "chips": [1]}',
        b"\xff",
        b'{"te',
    ]
    path.write_bytes(b"\n".join(rows))
    kept = History(path)

    kept.add(Prompt("after"))

    assert texts(kept) == ["good", "after"]


def test_only_the_newest_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MOST", 5)
    kept, other = History(tmp_path / "h"), History(tmp_path / "h")
    other.add(Prompt("first"))
    for number in range(40):
        kept.add(Prompt(f"say {number:03}"))
    other.read()

    assert texts(kept) == texts(other) == [f"say {number:03}" for number in range(35, 40)]
    assert len((tmp_path / "h").read_bytes().splitlines()) <= 10


def test_a_huge_history_is_cut_by_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "_ROOM", 10_000)
    kept = History(tmp_path / "h")
    for number in range(12):
        kept.add(Prompt(f"{number}" * 1000))

    assert (tmp_path / "h").stat().st_size < 12_000
    assert texts(kept)[-1].startswith("11")


def test_a_folder_that_cannot_be_written_loses_nothing_in_this_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    kept = History(tmp_path / "file" / "h")

    kept.add(Prompt("a"))

    assert texts(kept) == ["a"]
    assert kept.problem is not None


def test_a_prompt_for_which_the_disk_has_not_room_enough_is_there_for_this_run_and_torn_in_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = History(tmp_path / "h")
    kept.add(Prompt("a"))
    disk = Disk(monkeypatch, room=8)
    kept.add(Prompt("b"))
    assert texts(kept) == ["a", "b"]
    assert "No space left" in str(kept.problem)

    disk.room = 1 << 20
    kept.add(Prompt("c"))
    other = History(tmp_path / "h")
    other.read()

    assert (tmp_path / "h").read_bytes().count(b"\n") == len(other.prompts) == 2
    assert texts(kept) == ["a", "b", "c"]
    assert kept.problem is None


def test_without_a_file_nothing_is_written() -> None:
    kept = History(None)
    kept.add(Prompt("a"))
    kept.read()

    assert texts(kept) == ["a"]


def add_many(path: Path, name: str) -> None:
    kept = History(path)
    for number in range(50):
        kept.add(Prompt(f"{name}{number}"))


def test_no_prompt_is_lost_or_torn_between_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "h"
    context = multiprocessing.get_context("spawn")
    others = [context.Process(target=add_many, args=(path, name)) for name in "ab"]
    for process in others:
        process.start()
    for process in others:
        process.join()

    lines = [json.loads(line)["text"] for line in path.read_bytes().splitlines()]

    assert sorted(lines) == sorted(f"{name}{number}" for name in "ab" for number in range(50))


def test_workspaces_have_names_of_their_own() -> None:
    assert workspace_name("/a/b c") != workspace_name("/x/b c")
    assert workspace_name("/a/b c").startswith("b-c-")
    assert "/" not in workspace_name("/")
