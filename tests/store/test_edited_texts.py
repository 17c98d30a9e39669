"""Texts that the user has edited, on disk until they are written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from acp_tui.store.edited_texts import EditedText, left_behind

KILLED = """
import os, signal, sys
from pathlib import Path
from acp_tui.store.edited_texts import EditedText
text = EditedText(Path(sys.argv[1]), "a.py", "proposed")
text.path.write_text("mine")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_text_is_private_has_the_suffix_of_its_file_and_is_read_as_saved(tmp_path: Path) -> None:
    kept = EditedText(tmp_path / "edits", "my script.py", "one\r\n")

    assert kept.path.name == "my_script.py"
    assert kept.path.read_bytes() == b"one\r\n"
    assert kept.path.parent.stat().st_mode & 0o077 == 0
    kept.path.write_text("mine\n")
    assert kept.read() == "mine\n"
    kept.drop()
    assert list((tmp_path / "edits").iterdir()) == []


def test_a_name_is_no_option_and_leads_nowhere_else(tmp_path: Path) -> None:
    for name in ("../../x", "-c quit", "+q", "..", ""):
        kept = EditedText(tmp_path / "edits", name, "")
        assert kept.path.parent.parent == tmp_path / "edits"
        assert kept.path.name[:1] not in "-+."


def test_what_is_left_to_the_user_stays_and_is_not_told_again(tmp_path: Path) -> None:
    kept = EditedText(tmp_path, "a.py", "mine")

    path = kept.leave()

    assert path.read_text() == "mine"
    assert left_behind(tmp_path) == []


def test_after_a_kill_the_text_is_told_once_and_that_of_a_running_program_is_not(tmp_path: Path) -> None:
    running = EditedText(tmp_path, "b.py", "theirs")
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], env=dict(os.environ))
    assert killed.returncode == -signal.SIGKILL

    (path,) = left_behind(tmp_path)

    assert path.read_text() == "mine"
    assert path.name == "a.py"
    assert left_behind(tmp_path) == []
    assert running.read() == "theirs"
