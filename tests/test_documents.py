"""The documents for developers name what is there."""

from __future__ import annotations

import importlib
import pkgutil
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.binding import Binding
from textual.dom import DOMNode

import acp_tui.ui
from acp_tui.ui.application.command_table import COMMANDS
from acp_tui.ui.panes.chat import ChatPane
from acp_tui.ui.screens.protocol import FrameList
from acp_tui.ui.widgets.key_names import key_text
from acp_tui.ui.widgets.prompt_box import PromptBox
from acp_tui.ui.widgets.rows.row_view import RowList
from acp_tui.ui.widgets.textual_internals import class_bindings_of
from tests.reference.pages import PARTS, written
from tests.tables import each

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
ROOMS = {path.name for path in (ROOT / "acp_tui").iterdir() if path.is_dir()}
PLACES = {"acp_tui", "tests", "docs", "themes", "screenshots", ".ci", *ROOMS}


def paths_in(text: str) -> list[str]:
    """Return what looks like a path of the project: in backquotes, or where a link leads."""
    code = " ".join(re.findall(r"`([^`\n]+)`", text)).split()
    named = [word for word in code if "/" in word and word.partition("/")[0] in PLACES]
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in link]
    return [word for word in [*named, *links] if "…" not in word]


@each("document", DOCUMENTS)
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


@pytest.mark.parametrize("page", PARTS)
def test_a_reference_page_is_what_the_program_says(page: str) -> None:
    text = (ROOT / "docs" / page).read_text()

    assert written(page, text) == text, "python -m tests.reference writes it"


def test_the_page_of_keys_has_every_action_with_a_key() -> None:
    for module in pkgutil.walk_packages(acp_tui.ui.__path__, "acp_tui.ui."):
        importlib.import_module(module.name)
    text = (ROOT / "docs" / "keys.md").read_text()
    kinds = [kind for kind in every(DOMNode) if kind.__module__.startswith("acp_tui.")]
    names = {binding.id for kind in kinds for _, binding in class_bindings_of(kind) if binding.id}
    lists = [kind for kind in kinds if issubclass(kind, RowList) and kind is not FrameList]
    of_lists = {binding.id for kind in lists for _, binding in class_bindings_of(kind) if binding.id}

    missing = {name for name in names - of_lists if f"`{name}`" not in text}

    assert missing == {f"app.go-{number}" for number in range(2, 9)}


def test_every_key_that_the_readme_names_is_one() -> None:
    kinds: list[type[DOMNode]] = [PromptBox, ChatPane]
    bindings = [Binding(command.keys, "") for command in COMMANDS if command.keys]
    bindings += [binding for kind in kinds for _, binding in class_bindings_of(kind)]
    bound = {key_text(key, ascii=True) for binding in bindings for key in binding.key.split(",")}

    named = set(re.findall(r"\b(?:(?:Ctrl|Alt|Shift)\+[A-Z][a-z]*|(?:Ctrl|Alt|Shift)\+\d|F\d+)\b", README))

    assert named - bound == set()


def test_every_word_that_the_readme_names_is_a_command() -> None:
    words = {f"/{word}" for command in COMMANDS for word in command.slash}

    assert set(re.findall(r"`(/[a-z]+)`", README)) - words == set()


def every(kind: type[DOMNode]) -> Iterator[type[DOMNode]]:
    """Yield the classes below a class."""
    for one in kind.__subclasses__():
        yield one
        yield from every(one)
