"""The documents for developers name what is there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from textual.binding import Binding

from acp_tui.ui.commands import COMMANDS
from acp_tui.ui.panes.chat import ChatPane
from acp_tui.ui.widgets.key_names import key_text
from acp_tui.ui.widgets.prompt_box import PromptBox
from acp_tui.ui.widgets.textual_internals import class_bindings_of

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
ROOMS = {path.name for path in (ROOT / "acp_tui").iterdir() if path.is_dir()}
PLACES = {"acp_tui", "tests", "docs", "themes", "screenshots", ".ci", *ROOMS}


def paths_in(text: str) -> list[str]:
    """Return what looks like a path of the project: in backquotes, or where a link leads."""
    code = " ".join(re.findall(r"`([^`\n]+)`", text)).split()
    named = [word for word in code if "/" in word and word.partition("/")[0] in PLACES]
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in link]
    return [word for word in [*named, *links] if "…" not in word]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_path_that_a_document_names_is_there(document: Path) -> None:
    bases = [ROOT, ROOT / "acp_tui", document.parent]

    missing = [
        path for path in paths_in(document.read_text()) if not any((base / path).exists() for base in bases)
    ]

    assert missing == []


def test_the_picture_of_the_rooms_is_that_of_the_import_contract() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contracts = project["tool"]["importlinter"]["contracts"]
    layers = next(one["layers"] for one in contracts if one["name"] == "Rooms import downwards only")
    lines = (ROOT / "CONTRIBUTING.md").read_text().splitlines()

    drawn = [line.strip().split("  ")[0] for line in lines if line.startswith("    ")]

    assert [line for line in drawn if line in layers] == layers


def test_make_runs_the_tests_as_the_readme_does() -> None:
    makefile, readme = (ROOT / "Makefile").read_text(), (ROOT / "README.md").read_text()

    assert ".venv/bin/pytest -n auto\n" in readme
    assert "$(BIN)/pytest -n auto\n" in makefile


def keys_of_readme() -> set[str]:
    """Return the keys in the first column of the table of keys."""
    _, _, section = (ROOT / "README.md").read_text().partition("\n## Keys\n")
    rows = [line.split(" | ")[0] for line in section.partition("\n## ")[0].splitlines() if line[:2] == "| "]
    cells = " ".join(rows).replace("\\\\", "\\").replace("`", "")
    numbers = " ".join(f"Alt+{number}" for number in range(1, 10))
    return set(cells.replace("Alt+1 … Alt+9", numbers).replace(",", " ").split())


def test_the_table_of_keys_in_the_readme_has_every_command_and_no_other_key() -> None:
    bindings = [Binding(command.keys, "") for command in COMMANDS if command.keys]
    bindings += [binding for kind in (PromptBox, ChatPane) for _, binding in class_bindings_of(kind)]
    commands = {key_text(command.keys, ascii=True) for command in COMMANDS if command.keys}
    bound = {key_text(key, ascii=True) for binding in bindings for key in binding.key.split(",")}
    named = keys_of_readme()

    assert commands - named == set()
    assert {key for key in named if re.fullmatch(r"(Ctrl|Alt|Shift)\+\S+|F\d+", key)} - bound == set()


def test_the_table_of_commands_in_the_readme_is_that_of_the_program() -> None:
    _, _, section = (ROOT / "README.md").read_text().partition("\n## Commands\n")
    rows = [line for line in section.partition("\n## ")[0].splitlines() if line.startswith("| `/")]

    assert rows == [
        f"| {', '.join(f'`/{word}`' for word in command.slash)} | {command.summary} |"
        for command in COMMANDS
        if command.slash
    ]
