"""The way to the first frame: what is loaded for it, and what waits until it is drawn."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import acp_tui.ui
from tests.bench.program import Program

HEAVY = (
    "acp_tui.protocol",
    "acp_tui.session.session",
    "acp_tui.ui.session_screen",
    "markdown_it",
    "pydantic",
    "pygments",
    "rapidfuzz",
    "textual.document",
    "textual.widgets._markdown",
    "textual.widgets._text_area",
    "tree_sitter",
    "tomlkit",
    "watchfiles",
)
"""Each takes more time than drawing the first frame does, or is part of what does."""

MOST = 43
"""Modules of ours: each takes about a third of a millisecond."""


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("start")
    argv = (sys.executable, "-m", "tests.ui.start_reporter", str(folder), "--agent", "sleep", "60")
    theirs = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "LC_"))}
    env = {**theirs, "HOME": str(folder), "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    with Program(argv, env) as program:
        program.look_on_until((folder / "settled").exists)
    return {name: json.loads((folder / name).read_text()) for name in ("first", "settled")}


@pytest.mark.slow
def test_nothing_heavy_is_loaded_for_the_first_frame(reports: dict[str, Any]) -> None:
    loaded = {
        module
        for module in reports["first"]["modules"]
        for heavy in HEAVY
        if module == heavy or module.startswith(f"{heavy}.")
    }

    assert loaded == set()
    assert "acp_tui.ui.first_frame" in reports["first"]["modules"]


@pytest.mark.slow
def test_few_modules_of_ours_are_loaded_for_the_first_frame(reports: dict[str, Any]) -> None:
    ours = [module for module in reports["first"]["modules"] if module.startswith("acp_tui.")]

    assert len(ours) <= MOST, " ".join(ours)


@pytest.mark.slow
def test_the_agent_is_started_before_textual_is_loaded(reports: dict[str, Any]) -> None:
    assert reports["first"]["textual_came_first"] is False


def test_a_new_session_needs_no_module_of_those_that_are_loaded_late(reports: dict[str, Any]) -> None:
    assert reports["settled"]["late"] == []


def test_garbage_is_not_collected_before_the_first_frame_and_never_among_what_the_start_made(
    reports: dict[str, Any],
) -> None:
    assert reports["first"]["collects"] is False
    assert reports["settled"]["frozen"] > 10_000


def test_every_sheet_is_read_soon_after_the_first_frame(reports: dict[str, Any]) -> None:
    folder = Path(acp_tui.ui.__file__).parent
    sheets = {str(path.relative_to(folder)) for path in folder.rglob("*.tcss")}

    assert sheets <= set(reports["settled"]["sheets"])
    assert len(sheets) > 5


@pytest.mark.slow
def test_openssl_is_not_loaded() -> None:
    script = (
        "import sys; from acp_tui import cli; cli.load_asyncio(); cli.load_hashlib();"
        "import acp_tui.ui.after_start; sys.exit(not {'_ssl', '_hashlib'}.isdisjoint(sys.modules))"
    )

    assert subprocess.run([sys.executable, "-c", script]).returncode == 0
