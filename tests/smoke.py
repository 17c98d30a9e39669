"""Starts an installed acp-tui on a terminal, has a conversation with the demo agent, and leaves.

    python -m tests.smoke PROGRAM

For packages that were just built: exits with 0 when everything came as it should, else shows the screen. The
man page must be installed beside the program.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.terminal import NeverShown, Terminal

_CTRL_Q = "\x11"


def smoke(program: Path, folder: Path) -> str:
    """Play the shortest conversation and return its last screen.

    Raises:
        NeverShown: something did not come.
    """
    (folder / "workspace").mkdir()
    env = {"HOME": str(folder), "PATH": "/usr/bin:/bin", "ACP_TUI_DEMO_SPEED": "0"}
    with Terminal([str(program), "--demo"], cwd=folder / "workspace", env=env) as terminal:
        terminal.until("F1 help")
        terminal.type("/scenes")
        terminal.until("› /scenes")
        terminal.type(" \r")  # the space closes the list of completions
        screen = terminal.until("what it shows")
        terminal.type(_CTRL_Q)
        code = terminal.exit_code()
    if code != 0:
        raise NeverShown(f"it ended with {code}:\n{screen}")
    return screen


def main() -> int:
    """Run the smoke test for the program named on the command line."""
    page = Path(sys.argv[1]).absolute().parents[1] / "share" / "man" / "man1" / "acp-tui.1"
    if not page.is_file():
        print(f"there is no man page at {page}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        try:
            smoke(Path(sys.argv[1]).absolute(), Path(folder))
        except NeverShown as problem:
            print(problem, file=sys.stderr)
            return 1
    print(f"{sys.argv[1]} --demo started, answered and left")
    return 0


if __name__ == "__main__":
    sys.exit(main())
