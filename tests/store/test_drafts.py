from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from acp_tui.store.drafts import Draft
from acp_tui.store.prompt import Prompt

_KILLED = """
import os, signal, sys
from pathlib import Path
from acp_tui.store.drafts import Draft
from acp_tui.store.prompt import Prompt
Draft(Path(sys.argv[1]), "ws").keep(Prompt("half a thought"))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_draft_survives_a_killed_program_and_is_offered_once(tmp_path: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", _KILLED, str(tmp_path)], check=False)
    assert killed.returncode == -signal.SIGKILL

    assert Draft(tmp_path, "ws").left() == Prompt("half a thought")
    assert Draft(tmp_path, "ws").left() is None


def test_a_draft_of_a_program_that_runs_is_its_own(tmp_path: Path) -> None:
    running = Draft(tmp_path, "ws")
    running.keep(Prompt("mine"))

    assert Draft(tmp_path, "ws").left() is None
    running.leave()
    assert Draft(tmp_path, "ws").left() == Prompt("mine")


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="no such call")  # then the write finds out
def test_a_full_disk_leaves_the_draft_that_was_there(tmp_path: Path) -> None:
    draft = Draft(tmp_path, "ws")
    draft.keep(Prompt("a thought"))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        draft.keep(Prompt("a thought that grew" * 100))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    draft.leave()

    assert "drafts are not kept" in str(draft.problem)
    assert Draft(tmp_path, "ws").left() == Prompt("a thought")


def test_the_newest_state_is_kept_whole(tmp_path: Path) -> None:
    draft = Draft(tmp_path, "ws")
    draft.keep(Prompt("long " * 100, {"[pasted 2 lines #1]": "a\nb"}))
    draft.keep(Prompt("short"))
    (path,) = tmp_path.iterdir()
    draft.leave()

    assert path.stat().st_mode & 0o777 == 0o600
    assert Draft(tmp_path, "ws").left() == Prompt("short")


def test_a_draft_that_was_sent_is_gone(tmp_path: Path) -> None:
    draft = Draft(tmp_path, "ws")
    draft.keep(Prompt("something"))
    draft.keep(Prompt(""))

    assert list(tmp_path.iterdir()) == []
    draft.keep(Prompt("again"))
    draft.leave()
    assert Draft(tmp_path, "ws").left() == Prompt("again")


def test_of_several_drafts_the_newest_comes_first_and_broken_ones_never(tmp_path: Path) -> None:
    for age, text in ((10, "older"), (5, "newer")):
        draft = Draft(tmp_path, "ws")
        draft.keep(Prompt(text))
        path = max(tmp_path.iterdir(), key=lambda one: one.stat().st_ctime_ns)
        os.utime(path, (1000 - age, 1000 - age))
        draft.leave()
    (tmp_path / "ws.broken.json").write_text("{")
    other = Draft(tmp_path, "ws")

    assert [other.left(), other.left(), other.left()] == [Prompt("newer"), Prompt("older"), None]


def test_another_workspace_has_its_own(tmp_path: Path) -> None:
    draft = Draft(tmp_path, "ws")
    draft.keep(Prompt("here"))
    draft.leave()

    assert Draft(tmp_path, "w").left() is None


def test_a_folder_that_cannot_be_written_is_a_problem_not_a_crash(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    draft = Draft(tmp_path / "file", "ws")

    draft.keep(Prompt("x"))

    assert draft.problem is not None
    assert draft.left() is None
