"""Tests of `sandbox/machine.py`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from acp_tui.sandbox import bubblewrap, landlock, machine
from acp_tui.sandbox.fence import NoFence


def fake(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    program = folder / "bwrap"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr(bubblewrap, "program", lambda: str(program))


def test_bubblewrap_counts_if_a_command_runs_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, monkeypatch, "exit 0")

    assert machine.try_fences() == (machine.Means("bubblewrap"), "")


def test_where_proc_is_refused_it_goes_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, monkeypatch, 'case "$*" in *--proc*) echo "bwrap: Can\'t mount proc" >&2; exit 1;; esac')

    assert machine.try_fences() == (machine.Means("bubblewrap", has_proc=False), "")


@pytest.mark.parametrize("version", [0, 7])
def test_the_systems_own_words_say_why_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    fake(tmp_path, monkeypatch, "echo 'bwrap: No permissions to create a new namespace' >&2; exit 1")
    monkeypatch.setattr(landlock, "version", lambda: version)

    with pytest.raises(NoFence, match="No permissions to create a new namespace") as raised:
        machine.best_means(tmp_path / "memory", partial=False)

    assert ("--sandbox=partial" in raised.value.advice) == (version > 0)


def test_landlock_is_taken_by_name_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "program", lambda: None)
    monkeypatch.setattr(landlock, "version", lambda: 7)

    assert machine.best_means(tmp_path / "memory", partial=True) == machine.Means("landlock")
    with pytest.raises(NoFence, match="bubblewrap is not installed"):
        machine.best_means(tmp_path / "memory", partial=False)


def test_an_old_landlock_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "program", lambda: None)
    monkeypatch.setattr(landlock, "version", lambda: 2)

    with pytest.raises(NoFence):
        machine.best_means(tmp_path / "memory", partial=True)


def test_what_went_well_is_not_tried_again_until_the_program_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count, memory = tmp_path / "count", tmp_path / "memory"
    fake(tmp_path, monkeypatch, f"echo >> {count}")
    for _ in range(2):
        assert machine.best_means(memory, partial=False) == machine.Means("bubblewrap")
    assert count.read_text() == "\n"

    os.utime(tmp_path / "bwrap", (1, 1))
    machine.best_means(memory, partial=False)

    assert count.read_text() == "\n\n"


def test_what_failed_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, monkeypatch, "exit 1")
    with pytest.raises(NoFence):
        machine.best_means(tmp_path / "memory", partial=False)
    fake(tmp_path, monkeypatch, "exit 0")

    assert machine.best_means(tmp_path / "memory", partial=False) == machine.Means("bubblewrap")
