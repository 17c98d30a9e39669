"""Modules that are loaded when something of them is first used."""

from __future__ import annotations

import subprocess
import sys
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path

from acp_tui.lazy_modules import LAZY

PREPARED = """
import sys, threading
sys.path.insert(0, sys.argv[1])
from acp_tui import lazy_modules
lazy_modules.LAZY = frozenset({"rooms.late", "rooms.later", "rooms.broken"})
lazy_modules.install()
print("start")
"""


def run(folder: Path, script: str) -> list[str]:
    """Return the lines that a script prints where modules of a folder are late."""
    rooms = folder / "rooms"
    rooms.mkdir()
    (rooms / "__init__.py").touch()
    (rooms / "late.py").write_text("print('late is loaded')\nfrom rooms import later\nNAME = 'late'\n")
    (rooms / "later.py").write_text("print('later is loaded')\nfrom rooms import late\nNAME = 'later'\n")
    (rooms / "broken.py").write_text("raise ValueError('broken')\n")
    argv = [sys.executable, "-c", PREPARED + script, str(folder)]
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout.splitlines()[1:]


def test_a_lazy_module_is_loaded_by_its_first_use(tmp_path: Path) -> None:
    lines = run(tmp_path, "from rooms import late\nprint('imported')\nprint(late.NAME)\nprint(late.NAME)")

    assert lines == ["imported", "late is loaded", "late", "late"]


def test_a_name_taken_from_a_lazy_module_loads_it(tmp_path: Path) -> None:
    lines = run(tmp_path, "from rooms.late import NAME\nprint(NAME)")

    assert lines == ["late is loaded", "late"]


def test_a_second_application_leaves_the_lazy_modules_of_the_first_whole(tmp_path: Path) -> None:
    lines = run(tmp_path, "from rooms import late\nlazy_modules.install()\nprint(late.NAME)")

    assert lines == ["late is loaded", "late"]


def test_lazy_modules_may_use_each_other(tmp_path: Path) -> None:
    lines = run(tmp_path, "from rooms import late\nlate.NAME\nprint(late.later.late.later.NAME)")

    assert lines == ["late is loaded", "later is loaded", "later"]


def test_a_loaded_module_is_one_like_all_others(tmp_path: Path) -> None:
    lines = run(
        tmp_path,
        "from rooms import late\nlate.NAME\n"
        "print(type(late).__name__, late is sys.modules['rooms.late'], type(late.__loader__).__name__)",
    )

    assert lines == ["late is loaded", "module True SourceFileLoader"]


def test_a_name_that_is_not_there_is_an_attribute_error(tmp_path: Path) -> None:
    lines = run(tmp_path, "from rooms import late\nprint(hasattr(late, 'OTHER'), hasattr(late, 'OTHER'))")

    assert lines == ["late is loaded", "False False"]


def test_a_module_that_cannot_be_loaded_says_so_each_time(tmp_path: Path) -> None:
    lines = run(
        tmp_path,
        "from rooms import broken\n"
        "for _ in range(2):\n"
        "    try:\n        broken.NAME\n    except ValueError as error:\n        print(error)",
    )

    assert lines == ["broken", "broken"]


def test_threads_that_want_the_same_module_load_it_once(tmp_path: Path) -> None:
    lines = run(
        tmp_path,
        "from rooms import late\n"
        "threads = [threading.Thread(target=lambda: late.NAME) for _ in range(8)]\n"
        "for thread in threads:\n    thread.start()\n"
        "for thread in threads:\n    thread.join()\n"
        "print(late.NAME)",
    )

    assert lines == ["late is loaded", "late"]


def on_disk(name: str) -> ModuleSpec | None:
    """Return where a module is, also if the finder of lazy modules has been asked for it."""
    parent = on_disk(name.rpartition(".")[0]) if "." in name else None
    return PathFinder.find_spec(name, parent.submodule_search_locations if parent is not None else None)


def test_every_lazy_module_is_there_and_written_in_python() -> None:
    specs = [on_disk(name) for name in sorted(LAZY)]

    assert all(spec is not None and isinstance(spec.loader, SourceFileLoader) for spec in specs)
