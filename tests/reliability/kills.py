"""The client is killed while an agent talks: nothing was on the screen that is not on the disk."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

from tests.reliability.row import Result, Row
from tests.terminal import NeverShown, Terminal, acp_tui

_AGENT: Final = Path(__file__).with_name("numbered_agent.py")
_PRINTS: Final = "n=0; while :; do printf 'k%06d\\n' $n; n=$((n+1)); [ $((n%40)) = 0 ] && sleep 0.03; done"
_KINDS: Final = {
    "flood": "flood",
    "mixed": "mixed",
    "own command": f"!{_PRINTS}",
    "terminal": f"run {_PRINTS}",
}
"""Keys by the kind of screen."""
_WORD: Final = re.compile(r"k\d{6}")


class _Watched(Terminal):
    """A terminal that remembers each numbered word that it has shown."""

    def __init__(self, argv: Sequence[str], **given: Any) -> None:
        super().__init__(argv, **given)
        self.words: set[str] = set()
        self._kills = False
        self._end = ""

    def _take(self, text: str) -> None:
        if self._kills and _WORD.search(text):
            self.process.kill()
        super()._take(text)
        drawn = self._end + text  # not the screen: half of a frame mixes old words and new ones
        self.words.update(_WORD.findall(drawn))
        self._end = drawn[-6:]

    def kill_at_a_word(self) -> None:
        """Kill the program as soon as it draws a word, the newest that it knows, and take in what it drew."""
        self._kills = True
        end = time.monotonic() + 10
        while self.process.poll() is None and time.monotonic() < end:
            self._read(0.05)
        self.process.kill()
        self.process.wait()
        while self._read(0.05):
            pass


def run(count: int, seed: int) -> Result:
    result = Result(unit="kills")
    words = 0
    for number in range(count):
        kind = list(_KINDS)[number % len(_KINDS)]
        patience = Random(seed + number).uniform(0.05, 1.5)
        shown, problems = _killed(kind, patience)
        result.tried += 1
        words += shown
        result.wrong += [f"{kind}, killed after {patience:.3f} s: {problem}" for problem in problems]
    result.notes.append(f"{words:,} numbered words were seen on the screens")
    return result


def _killed(kind: str, patience: float) -> tuple[int, list[str]]:
    """Return how many words were seen, and what is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "home")
        (home / "config").mkdir(parents=True)
        (home / "config" / "settings.toml").write_text('policy = "allow-everything"\n')
        argv = acp_tui(f"{sys.executable} -S -P {_AGENT}", "--cwd", folder)
        env = {"HOME": folder, "ACP_TUI_HOME": str(home), "PATH": os.environ["PATH"]}
        with _Watched(argv, cwd=Path(folder), env=env) as terminal:
            try:
                terminal.until(lambda screen: "F1 help" in screen and "starting" not in screen)
                terminal.type(f"{_KINDS[kind]}\r")
                terminal.until(lambda _: terminal.words)
                end = time.monotonic() + patience
                terminal.until(lambda _: time.monotonic() > end)
                terminal.kill_at_a_word()
            except NeverShown as error:
                return 0, [str(error)[:2000]]
            words = terminal.words
        return len(words), _missing(words, home / "data" / "journals")


def _missing(words: set[str], folder: Path) -> list[str]:
    """Return what was seen and is in no whole line of the journal, and which other lines are not whole."""
    problems: list[str] = []
    recorded: set[str] = set()
    for path in folder.glob("*.ndjson"):
        whole, _, _ = path.read_bytes().rpartition(b"\n")  # a kill may cut the line that is being written
        for line in whole.splitlines():
            try:
                json.loads(line)
            except ValueError:
                problems.append(f"a line is not whole: {line[:80]!r}")
        recorded.update(_WORD.findall(whole.decode("utf-8", "replace")))
    if lost := sorted(words - recorded):
        problems.append(f"{len(lost)} of {len(words)} words were seen and are not recorded: {lost[:5]}")
    return problems


ROW: Final = Row(
    "kills",
    "when the client is killed, all that was ever on the screen is in the journal, in whole lines",
    small=8,
    full=500,
    run=run,
)
