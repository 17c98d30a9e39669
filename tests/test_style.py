"""Rules of the style that no checker knows."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
CLASS = re.compile(r"^ *class ([A-Z]\w*)", re.MULTILINE)
QUESTION = re.compile(r'^ *"""(?:What|Which|Whether|How|Where|Who)\b.*', re.MULTILINE)


def test_a_class_name_of_the_package_exists_once() -> None:
    names = Counter(
        name for path in (ROOT / "acp_tui").rglob("*.py") for name in CLASS.findall(path.read_text())
    )

    assert len(names) > 100
    assert [name for name, count in names.items() if count > 1] == []


def test_a_docstring_begins_with_its_noun_or_an_imperative() -> None:
    files = [path for room in ("acp_tui", "tests") for path in (ROOT / room).rglob("*.py")]

    questions = [
        f"{path.relative_to(ROOT)}: {found.strip()}"
        for path in files
        for found in QUESTION.findall(path.read_text())
    ]

    assert questions == []


def test_a_folder_names_modules_that_it_has() -> None:
    folders = [path for path in (ROOT / "acp_tui").rglob("__init__.py") if path.parent.name != "acp_tui"]
    named = {path: re.findall(r"`([a-z_0-9]+)`", path.read_text()) for path in folders}

    assert sum(map(len, named.values())) > 100
    assert [
        f"{path.parent.relative_to(ROOT)}: {name}"
        for path, names in named.items()
        for name in names
        if not (path.with_name(f"{name}.py").exists() or path.with_name(name).is_dir())
    ] == []
