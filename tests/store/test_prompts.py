"""Tests of `store/prompts.py`."""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from acp_tui.store import prompts as history
from acp_tui.store.prompts import Prompt, PromptDraft, PromptHistory, join_prompts, prompt_of, workspace_name
from tests.full_disk import Disk

_KILLED = """
import os, signal, sys
from pathlib import Path
from acp_tui.store.prompts import PromptDraft
from acp_tui.store.prompts import Prompt
PromptDraft(Path(sys.argv[1]), "ws").keep(Prompt("half a thought"))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_draft_survives_a_killed_program_and_is_offered_once(tmp_path: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", _KILLED, str(tmp_path)], check=False)
    assert killed.returncode == -signal.SIGKILL

    assert PromptDraft(tmp_path, "ws").take_over() == Prompt("half a thought")
    assert PromptDraft(tmp_path, "ws").take_over() is None


def test_notes_are_kept_with_a_draft_and_without_one(tmp_path: Path) -> None:
    for text in ("look", ""):
        ended = PromptDraft(tmp_path, "w")
        ended.keep(Prompt(text), line_notes=[{"text": "Why?"}])
        ended.leave()

        draft = PromptDraft(tmp_path, "w")

        assert draft.take_over() == Prompt(text)
        assert draft.line_notes == [{"text": "Why?"}]
    assert draft.take_over() is None, "they are offered once"


def test_a_draft_of_a_program_that_runs_is_its_own(tmp_path: Path) -> None:
    running = PromptDraft(tmp_path, "ws")
    running.keep(Prompt("mine"))

    assert PromptDraft(tmp_path, "ws").take_over() is None
    running.leave()
    assert PromptDraft(tmp_path, "ws").take_over() == Prompt("mine")


@pytest.mark.native
def test_a_full_disk_leaves_the_draft_that_was_there(tmp_path: Path) -> None:
    draft = PromptDraft(tmp_path, "ws")
    draft.keep(Prompt("a thought"))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        draft.keep(Prompt("a thought that grew" * 100))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    draft.leave()

    assert "drafts cannot be saved" in str(draft.problem)
    assert PromptDraft(tmp_path, "ws").take_over() == Prompt("a thought")


def test_the_newest_state_is_kept_whole(tmp_path: Path) -> None:
    draft = PromptDraft(tmp_path, "ws")
    draft.keep(Prompt("long " * 100, {"[pasted 2 lines #1]": "a\nb"}))
    draft.keep(Prompt("short"))
    (path,) = tmp_path.iterdir()
    draft.leave()

    assert path.stat().st_mode & 0o777 == 0o600
    assert PromptDraft(tmp_path, "ws").take_over() == Prompt("short")


def test_a_draft_that_was_sent_is_gone(tmp_path: Path) -> None:
    draft = PromptDraft(tmp_path, "ws")
    draft.keep(Prompt("something"))
    draft.keep(Prompt(""))

    assert list(tmp_path.iterdir()) == []
    draft.keep(Prompt("again"))
    draft.leave()
    assert PromptDraft(tmp_path, "ws").take_over() == Prompt("again")


def test_of_several_drafts_the_newest_comes_first_and_broken_ones_never(tmp_path: Path) -> None:
    for age, text in ((10, "older"), (5, "newer")):
        draft = PromptDraft(tmp_path, "ws")
        draft.keep(Prompt(text))
        path = max(tmp_path.iterdir(), key=lambda one: one.stat().st_ctime_ns)
        os.utime(path, (1000 - age, 1000 - age))
        draft.leave()
    (tmp_path / "ws.broken.json").write_text("{")
    other = PromptDraft(tmp_path, "ws")

    assert [other.take_over(), other.take_over(), other.take_over()] == [
        Prompt("newer"),
        Prompt("older"),
        None,
    ]


def test_another_workspace_has_its_own(tmp_path: Path) -> None:
    draft = PromptDraft(tmp_path, "ws")
    draft.keep(Prompt("here"))
    draft.leave()

    assert PromptDraft(tmp_path, "w").take_over() is None


def test_a_folder_that_cannot_be_written_is_a_problem_not_a_crash(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    draft = PromptDraft(tmp_path / "file", "ws")

    draft.keep(Prompt("x"))

    assert draft.problem is not None
    assert draft.take_over() is None


def texts(kept: PromptHistory) -> list[str]:
    return [prompt.text for prompt in kept.prompts]


def test_what_was_said_is_there_in_the_next_run_chips_and_all(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "h.ndjson"
    said = Prompt("see [pasted 2 lines #1]", {"[pasted 2 lines #1]": "a\nb"})
    PromptHistory(path).add(said)

    later = PromptHistory(path)
    later.read()

    assert later.prompts == [said]
    assert path.stat().st_mode & 0o777 == 0o600


def test_programs_that_run_at_once_see_what_the_others_say(tmp_path: Path) -> None:
    one, other = PromptHistory(tmp_path / "h"), PromptHistory(tmp_path / "h")
    one.add(Prompt("a"))
    other.add(Prompt("b"))
    one.add(Prompt("c"))
    other.read()

    assert texts(one) == texts(other) == ["a", "b", "c"]


def test_the_same_prompt_twice_in_a_row_counts_once(tmp_path: Path) -> None:
    kept = PromptHistory(tmp_path / "h")
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
    kept = PromptHistory(path)

    kept.add(Prompt("after"))

    assert texts(kept) == ["good", "after"]


def test_only_the_newest_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MOST", 5)
    kept, other = PromptHistory(tmp_path / "h"), PromptHistory(tmp_path / "h")
    other.add(Prompt("first"))
    for number in range(40):
        kept.add(Prompt(f"say {number:03}"))
    other.read()

    assert texts(kept) == texts(other) == [f"say {number:03}" for number in range(35, 40)]
    assert len((tmp_path / "h").read_bytes().splitlines()) <= 10


def test_a_huge_history_is_cut_by_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MAX_BYTES", 10_000)
    kept = PromptHistory(tmp_path / "h")
    for number in range(12):
        kept.add(Prompt(f"{number}" * 1000))

    assert (tmp_path / "h").stat().st_size < 12_000
    assert texts(kept)[-1].startswith("11")


def test_a_folder_that_cannot_be_written_loses_nothing_in_this_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    kept = PromptHistory(tmp_path / "file" / "h")

    kept.add(Prompt("a"))

    assert texts(kept) == ["a"]
    assert kept.problem is not None


def test_a_prompt_for_which_the_disk_has_not_room_enough_is_there_for_this_run_and_torn_in_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = PromptHistory(tmp_path / "h")
    kept.add(Prompt("a"))
    disk = Disk(monkeypatch, room=8)
    kept.add(Prompt("b"))
    assert texts(kept) == ["a", "b"]
    assert "No space left" in str(kept.problem)

    disk.room = 1 << 20
    kept.add(Prompt("c"))
    other = PromptHistory(tmp_path / "h")
    other.read()

    assert (tmp_path / "h").read_bytes().count(b"\n") == len(other.prompts) == 2
    assert texts(kept) == ["a", "b", "c"]
    assert kept.problem is None


def test_without_a_file_nothing_is_written() -> None:
    kept = PromptHistory(None)
    kept.add(Prompt("a"))
    kept.read()

    assert texts(kept) == ["a"]


def add_many(path: Path, name: str) -> None:
    kept = PromptHistory(path)
    for number in range(50):
        kept.add(Prompt(f"{name}{number}"))


@pytest.mark.slow
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


CHIP = "[pasted 84 lines #1]"


def test_a_chip_stands_for_its_text_and_one_that_is_not_known_for_itself() -> None:
    prompt = Prompt(f"see {CHIP} and [pasted 3 lines #2]", {CHIP: "all\nof it"})

    assert prompt.whole == "see all\nof it and [pasted 3 lines #2]"


def test_several_prompts_are_one_with_the_chips_of_all() -> None:
    other = "[pasted 9 lines #2]"

    assert join_prompts([Prompt(CHIP, {CHIP: "a"}), Prompt("and"), Prompt(other, {other: "b"})]).whole == (
        "a\n\nand\n\nb"
    )


@pytest.mark.parametrize("prompt", [Prompt("plain"), Prompt(CHIP, {CHIP: "a"})])
def test_what_is_kept_is_read_again(prompt: Prompt) -> None:
    import json

    assert prompt_of(json.dumps(prompt.row())) == prompt


@pytest.mark.parametrize(
    "row",
    [
        "",
        "{",
        "[]",
        "null",
        '{"text": 1}',
        '{"text": "a", "chips": {"b": 1}}',
        '{"chips": {}}',
        "[" * 100_000,
    ],
)
def test_a_broken_line_is_none(row: str) -> None:
    assert prompt_of(row) is None
