"""The client is killed while it goes back, merges, or writes what the user edited: nothing is lost."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Final

from tests.reliability.row import Result, Row
from tests.terminal import NeverShown, Terminal, acp_tui

_AGENT: Final = Path(__file__).with_name("edit_agent.py")
_FILES: Final = 40
"""Files that go back."""
_EACH: Final = 4_000
"""Lines of each of them."""
_LINES: Final = 20_000
"""Lines of a file that is merged or edited: a write of it takes a while."""
_MINE: Final = "mine\n" * _LINES
_EDITOR: Final = f"""#!{sys.executable}
import sys
from pathlib import Path
Path(sys.argv[1]).write_text("mine\\n" * {_LINES})
Path("saved").touch()
"""


def run(count: int, seed: int) -> Result:
    result = Result(unit="kills")
    kinds = list(_KINDS)
    done = dict.fromkeys(kinds, 0)
    for number in range(count):
        kind = kinds[number % len(kinds)]
        delay = Random(seed + number).uniform(0.1, 1.4)  # files are written at about 0.7
        try:
            problems, is_done = _KINDS[kind](delay)
        except NeverShown as error:
            problems, is_done = [str(error)[:3000]], False
        result.tried += 1
        done[kind] += is_done
        result.wrong += [f"{kind}, killed after {delay:.3f} s: {problem}" for problem in problems]
    told = ", ".join(f"{kind} {number}" for kind, number in done.items())
    result.notes.append(f"kills after which the work was done at least in part: {told}")
    return result


@contextmanager
def _started(policy: str) -> Iterator[tuple[Terminal, Path, Path]]:
    """Start the program in a folder; yield it with its workspace and its data folder."""
    with tempfile.TemporaryDirectory() as folder:
        home, work = Path(folder, "home"), Path(folder, "work")
        (home / "config").mkdir(parents=True)
        (home / "config" / "settings.toml").write_text(f'policy = "{policy}"\n')
        work.mkdir()
        (work / "a").write_text("old\n" * _LINES)
        editor = Path(folder, "editor")
        editor.write_text(_EDITOR)
        editor.chmod(0o755)
        argv = acp_tui(f"{sys.executable} -S -P {_AGENT}", "--cwd", str(work))
        env = {"HOME": folder, "ACP_TUI_HOME": str(home), "PATH": os.environ["PATH"], "EDITOR": str(editor)}
        with Terminal(argv, cwd=work, env=env, rows=50) as terminal:
            terminal.until(lambda screen: "F1 help" in screen and "starting" not in screen)
            yield terminal, work, home / "data"


def _say(terminal: Terminal, prompt: str) -> None:
    terminal.type(f"{prompt}\r")


def _kill(terminal: Terminal, key: str, delay: float) -> None:
    """Press a key and kill the program a while later."""
    terminal.type(key)
    end = time.monotonic() + delay
    terminal.until(lambda _: time.monotonic() > end or terminal.process.poll() is not None)
    terminal.process.kill()
    terminal.process.wait()


def _back(delay: float) -> tuple[list[str], bool]:
    """Kill it while many files go back."""
    with _started("allow-everything") as (terminal, work, data):
        terminal.until(lambda _: any(b'"kept": ' in one.read_bytes() for one in data.rglob("*.ndjson")))
        _say(terminal, f"many {_FILES} first")
        terminal.until(f"+{_FILES * _EACH} ")  # all of them are seen
        _say(terminal, f"many {_FILES} second")
        terminal.until(lambda screen: screen.count("It is over.") == 2 and " ready" in screen)
        terminal.type("/rewind\r")
        terminal.until("Go back to which prompt?")
        terminal.type("\r")
        terminal.until(lambda screen: "will be reverted" in screen and "Esc close" in screen)
        _kill(terminal, "b", delay)
        problems, back = [], 0
        for number in range(_FILES):
            now = (work / f"{number}.txt").read_text()
            texts = {text: f"{text} {number}\n" * _EACH for text in ("first", "second")}
            if now not in texts.values():
                problems.append(f"{number}.txt is neither as before nor as after ({len(now)} characters)")
            back += now == texts["first"]
            problems += [
                f"the {text} text of {number}.txt is in no snapshot"
                for text, whole in texts.items()
                if now != whole and not _is_kept(data / "snapshots", whole)
            ]
        return problems, back > 0


def _is_kept(stores: Path, text: str) -> bool:
    """Return whether a snapshot store has a content."""
    content = text.encode()
    name = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    for store in stores.iterdir():
        if (store / "HEAD").exists():
            asked = ["git", "--git-dir", str(store), "cat-file", "-e", name]
            if subprocess.run(asked, check=False, capture_output=True).returncode == 0:
                return True
    return False


def _merged(delay: float) -> tuple[list[str], bool]:
    """Kill it while a merge is written."""
    with _started("allow-everything") as (terminal, work, _):
        _say(terminal, "stale a")
        terminal.until(lambda screen: "Merge both versions" in screen and "Esc " in screen)
        _armed(terminal)
        _kill(terminal, "m", delay)
        old = "old\n" * _LINES
        newer = f"newer\n{old[4:]}"
        merge = f"{newer[:-4]}proposed\n"
        now = (work / "a").read_text()
        return [] if now in (newer, merge) else [f"a holds {len(now)} other characters"], now == merge


def _edited(how: str, delay: float) -> tuple[list[str], bool]:
    """Kill it while a text that the user edited is written in place of the agent's."""
    with _started("ask") as (terminal, work, data):
        _say(terminal, f"{how} a")
        terminal.until("Edit it")
        _armed(terminal)
        _kill(terminal, "e", delay)
        old = "old\n" * _LINES
        now = (work / "a").read_text()
        problems = []
        if now not in (old, old.replace("old", "proposed"), _MINE):
            problems.append(f"a holds {len(now)} other characters")
        kept = [path.read_text() for path in (data / "edits").rglob("*") if path.is_file()]
        if (work / "saved").exists() and now != _MINE and _MINE not in kept:
            problems.append("what the user saved is neither in the file nor kept")
        return problems, now == _MINE


def _armed(terminal: Terminal) -> None:
    """Wait until the keys of the question count."""
    terminal.until(lambda screen: "Esc decide later" in screen or "Esc close" in screen)


_KINDS: Final[dict[str, Callable[[float], tuple[list[str], bool]]]] = {
    "back": _back,
    "merge": _merged,
    "edit through us": lambda delay: _edited("ours", delay),
    "edit of its own": lambda delay: _edited("own", delay),
}

ROW: Final = Row(
    "edits",
    "when the client is killed, files are as before or as after a step, and both texts are on the disk",
    small=4,
    full=200,
    run=run,
)
