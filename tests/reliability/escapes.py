"""Reads, writes and lists that race with links: nothing outside the workspace is read or written."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

from acp_tui.changes.restore import put_back, read_file
from acp_tui.workspace.files import FileError, Files
from tests.reliability.row import Result, Row

_SECRET: Final = "the secret"
_MINE: Final = "inside"
_NAMES: Final = ("f", "d/f", "d/e/f", "l/f", "l", "d/l", "new/deep/f")
_ODD: Final = (
    "..", "../out/secret", "d/../../out/secret", "/proc/self/root{out}/secret", "/proc/self/cwd/secret",
    "{out}/secret", "d/\0/f", "x" * 300, "d//f", "./f", "F", "D/F", "d/e/../../f", "~/secret", "f/", "f/..",
    "d/\ud800", "", ".", "/dev/stdin", "/dev/fd/0", "/proc/self/environ", "//{out}/secret", "hard", "mount/f",
    "file://{out}/secret", "d\\..\\..\\out\\secret", "%2e%2e/out/secret",
)  # fmt: skip


class _Swapper(threading.Thread):
    """Exchanges folders and files of the workspace for links that lead out, and back, as fast as it can."""

    def __init__(self, root: Path, out: Path, seed: int) -> None:
        super().__init__(daemon=True)
        self.root, self.out, self.rng = root, out, random.Random(seed)
        self.is_over = False
        self.swaps = 0

    def run(self) -> None:
        while not self.is_over:
            with suppress(OSError):
                self._swap()
                self.swaps += 1

    def _swap(self) -> None:
        place = self.root / self.rng.choice(("d", "d/e", "f", "d/f", "l", "new"))
        target = self.out if self.rng.random() < 0.5 else self.out / "secret"
        if os.path.realpath(place.parent) != str(place.parent):
            return  # it would itself reach out
        aside = self.root / f".aside{self.rng.random()}"
        if place.is_symlink() or not place.exists():
            with suppress(FileNotFoundError):
                place.unlink()
            if place.name == "f":
                place.write_text(_MINE)
            else:
                place.mkdir()
                (place / "f").write_text(_MINE)
            return
        aside.symlink_to(target)
        away = self.root / f".away{self.rng.random()}"
        place.rename(away)
        aside.rename(place)
        if away.is_dir():
            shutil.rmtree(away, ignore_errors=True)
        else:
            away.unlink(missing_ok=True)


def _run(count: int, seed: int) -> Result:
    result = Result(unit="requests")
    done = 0
    with tempfile.TemporaryDirectory() as name:
        base = Path(name).resolve()
        root, out = base / "work", base / "out"
        out.mkdir()
        for folder in (root / "d" / "e", root / "l"):
            folder.mkdir(parents=True)
        (out / "secret").write_text(_SECRET)
        (out / "f").write_text(_SECRET)
        (root / "hard").write_text(_MINE)
        for each in ("f", "d/f", "d/e/f", "l/f"):
            (root / each).write_text(_MINE)
        before = _outside(out)
        swapper = _Swapper(root, out, seed)
        swapper.start()
        rng = random.Random(seed)
        files = Files([root])
        try:
            for number in range(count):
                what, path = _asked(rng, root, out)
                with suppress(FileError, OSError, ValueError):
                    text = _tried(files, root, what, path, number)
                    done += 1
                    if _SECRET in text:
                        result.wrong.append(
                            f"seed {seed}, number {number}: {what} {path!r} gave what is outside"
                        )
                result.tried += 1
                if number % 500 == 0 and _outside(out) != before:
                    result.wrong.append(f"seed {seed}, before number {number}: something outside has changed")
                    break
        finally:
            swapper.is_over = True
            swapper.join()
        if _outside(out) != before:
            result.wrong.append(f"seed {seed}: something outside has changed")
    result.notes.append(f"{done:,} were carried out, {swapper.swaps:,} links were swapped meanwhile")
    return result


def _asked(rng: random.Random, root: Path, out: Path) -> tuple[str, str]:
    what = rng.choice(("read", "write", "compare", "list", "put back", "remove", "read for undoing"))
    if rng.random() < 0.3:
        odd = rng.choice(_ODD).replace("{out}", str(out))
        return what, odd if odd.startswith(("/", "~", "file:")) else f"{root}/{odd}"
    return what, f"{root}/{rng.choice(_NAMES)}"


def _tried(files: Files, root: Path, what: str, path: str, number: int) -> str:
    if what == "read":
        return files.read_text(path)
    if what == "write":
        stale = files.compare(path, f"{number}")[0]
        return files.write_text(path, f"{number}", stale).old or ""
    if what == "compare":
        return files.compare(path, f"{number}")[0].now or ""
    relative = path.removeprefix(f"{root}/")
    if what == "list":
        return str(files.contains(path))
    if what == "read for undoing":
        return read_file(root, relative).decode("utf-8", "replace")
    content = f"{number}".encode() if what == "put back" else None
    put_back(root, relative, relative, content, 0o100644)
    return ""


def _outside(out: Path) -> dict[str, tuple[str, int, int]]:
    """Return what is outside: it has to stay as it is."""
    return {
        str(path): (path.read_text() if path.is_file() else "", path.stat().st_mode, path.stat().st_mtime_ns)
        for path in [out, *out.rglob("*")]
    }


ROW = Row("escapes", "nothing outside the workspace is read or written", 3_000, 30_000, _run)
