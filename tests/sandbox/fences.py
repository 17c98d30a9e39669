"""A sandbox for tests, where this machine has one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir
from unittest.mock import patch

import pytest

from acp_tui.sandbox.fence import Wanted
from acp_tui.sandbox.landlock import FILES_SINCE, version
from acp_tui.sandbox.machine import Means, try_fences
from acp_tui.sandbox.sandbox import Network, Sandbox

HERE = try_fences()

HAS_BUBBLEWRAP = HERE.means == Means("bubblewrap")

needs_bubblewrap = pytest.mark.skipif(  # without it there is no wall to test; `.ci/run` installs it
    not HAS_BUBBLEWRAP, reason=f"no bubblewrap here: {HERE.why or 'without ids of processes of its own'}"
)
needs_fenced_agent = pytest.mark.skipif(  # the agent of a checkout in /tmp is not there inside
    not HAS_BUBBLEWRAP or Path(__file__).is_relative_to(gettempdir()),
    reason="no bubblewrap here, or a checkout in /tmp: the sandbox has a /tmp of its own, without our agent",
)
needs_landlock = pytest.mark.skipif(  # a kernel before 6.2 cannot keep files as they are
    version() < FILES_SINCE, reason="the kernel has no Landlock 3, which also guards truncating"
)


def lay_out(home: Path) -> Path:
    """Make a home with a key, another project, and a workspace with a repository; return the workspace."""
    files = {
        ".ssh/id": "the key",
        ".bashrc": "# mine\n",
        ".netrc": "a password",
        "other/file": "mine\n",
        "ours/journal": "another session\n",
        "work/.git/config": "[core]\n",
        "work/.git/HEAD": "ref: refs/heads/main\n",
        "work/.git/hooks/pre-push": "#!/bin/sh\n",
        "work/.envrc": "# mine\n",
        "work/file": "hello\n",
    }
    for name, text in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return home / "work"


@contextmanager
def sandbox(
    home: Path,
    *,
    wanted: Wanted | None = None,
    network: Network = "on",
    state: Sequence[str] = (),
    others: Sequence[str] = (),
    means: Means | None = None,
    environment: Mapping[str, str] = os.environ,
    roots: Sequence[Path] = (),
    strict: bool = False,
    programs: Sequence[str] = (),
) -> Iterator[Sandbox]:
    """Make a sandbox around the workspace of a home."""
    best = means or HERE.means or Means("bubblewrap")
    with patch.dict(os.environ, {"HOME": str(home)}):
        made = Sandbox.make(
            [str(each) for each in (roots or [home / "work"])],
            means=best,
            wanted=wanted or Wanted(),
            network=network,
            state=state,
            others=others,
            ours=[str(home / "ours")],
            environment=environment,
            strict=strict,
            programs=programs,
        )
    try:
        yield made
    finally:
        made.close()
