"""The start of an agent in the sandbox, beside one without."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import Final

from acp_tui.sandbox.machine import try_fences
from tests.bench.installed import PYTHON
from tests.bench.table import Row, at_most

_WAYS: Final = {
    "off": "sandbox without network",
    "on": "sandbox with network",
    "strict": "strict sandbox",
}


def rows(env: Mapping[str, str], quick: bool) -> Iterator[Row]:
    """Yield what each sandbox adds to a start: the median over pairs that ran one after the other."""
    if try_fences().means is None:
        return
    runs = 4 if quick else 30
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder, "home", "work")
        (workspace / ".git" / "hooks").mkdir(parents=True)
        own = {**env, "HOME": str(workspace.parent), "ACP_TUI_HOME": str(workspace.parent / "ours")}
        figures: dict[str, list[tuple[float, ...]]] = {how: [] for how in ("without", *_WAYS)}
        for number in range(runs + 1):  # the first finds out which sandbox there is
            for how, found in figures.items():
                took = _one(how, workspace, own)
                found += [took] if number else []
    plain = figures["without"]
    for place, kind in enumerate(("wall", "CPU")):
        yield Row(f"start without a sandbox, {kind}", "ms", median(one[place] for one in plain))
        for how, name in _WAYS.items():
            pairs = zip(figures[how], plain, strict=True)
            more = median(one[place] - other[place] for one, other in pairs)
            yield Row(f"{name}, more {kind}", "ms", more, None, at_most(10) if kind == "CPU" else None)


def _one(how: str, workspace: Path, env: Mapping[str, str]) -> tuple[float, ...]:
    done = subprocess.run(
        [PYTHON, "-m", "tests.bench.apps.one_start", how, str(workspace)],
        check=False,
        env=dict(env),
        capture_output=True,
        text=True,
    )
    if done.returncode:
        sys.exit(f"no start: {done.stderr}")
    return tuple(map(float, done.stdout.split()))
