"""The package as an installation lays it out: byte-compiled, with its themes, in a home of its own."""

from __future__ import annotations

import compileall
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
PYTHON = sys.executable
ACP_TUI = (PYTHON, "-P", "-c", "import sys; from acp_tui.cli import main; sys.exit(main())")
"""The code of an installed package's script; `-P`: nothing of the current folder."""


@contextmanager
def installed() -> Iterator[dict[str, str]]:
    """Give the environment in which the installed package is the one that is imported."""
    with tempfile.TemporaryDirectory(prefix="acp-tui-bench-") as name:
        folder = Path(name)
        site = folder / "site"
        skip = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "acp_tui", site / "acp_tui", ignore=skip)
        shutil.copytree(ROOT / "themes", site / "acp_tui" / "themes", dirs_exist_ok=True)
        shutil.copytree(ROOT / "tests" / "bench", site / "tests" / "bench", ignore=skip)
        compileall.compile_dir(site, quiet=1)
        yield {
            "PATH": os.environ["PATH"],
            "HOME": name,
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "PYTHONPATH": str(site),
            "ACP_BENCH_SENT": str(folder / "sent"),
        }
