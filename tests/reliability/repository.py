"""Hostile repositories: no settings, hooks, filters or remotes of theirs run anything through us."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final
from unittest.mock import patch

from acp_tui.changes import file_list
from acp_tui.changes.git_store import SnapshotError
from acp_tui.changes.snapshots import Snapshots
from acp_tui.changes.tracker import ChangeTracker
from acp_tui.changes.undo import Hunk, restore, reverse
from acp_tui.changes.untracked import differences, marks
from acp_tui.conversation.file_search import WorkspaceFiles
from tests.reliability.row import Result, Row

_LONGEST: Final = 60.0  # seconds for one repository
_HOOKS: Final = (
    "pre-commit", "post-commit", "post-checkout", "post-merge", "post-index-change", "reference-transaction",
    "fsmonitor-watchman", "update", "pre-auto-gc", "post-rewrite", "sendemail-validate",
)  # fmt: skip
_COMMANDS: Final = {
    "core": ("fsmonitor", "pager", "editor", "sshCommand", "alternateRefsCommand", "gitProxy", "askPass"),
    'filter "evil"': ("clean", "smudge", "process"),
    "diff": ("external",),
    'diff "evil"': ("command", "textconv"),
    'merge "evil"': ("driver",),
    "credential": ("helper",),
    "gpg": ("program",),
    "interactive": ("diffFilter",),
    "uploadpack": ("packObjectsHook",),
    "alias": ("ls-files", "config", "update-index", "diff-files", "fast-import", "check-ignore"),
    'remote "evil"': ("uploadpack", "receivepack", "proxy"),
}


class _Hostile:
    """One workspace, and a folder in which something appears if its code is run."""

    def __init__(self, folder: Path, rng: random.Random) -> None:
        self.root, self.ran, self.rng = folder / "work", folder / "ran", rng
        self.ran.mkdir()
        (self.root / "a" / "b").mkdir(parents=True)
        for name in ("f.py", "a/f.py", "a/b/f.py"):
            (self.root / name).write_text("x = 1\n" * 5)
        self.git("init", "-q")
        self.git("add", ".")
        self.git("commit", "-qm", "1")

    def git(self, *words: str, at: Path | None = None) -> None:
        who = ("-c", "user.name=x", "-c", "user.email=x", "-c", "protocol.file.allow=always")
        subprocess.run(["git", *who, *words], cwd=at or self.root, capture_output=True)

    def command(self, name: str) -> str:
        return f"touch {self.ran}/{name.replace(' ', '_')}; cat"

    def settings(self, folder: Path, tag: str) -> None:
        with (folder / "config").open("a") as file:
            for section, names in _COMMANDS.items():
                file.write(f"[{section}]\n")
                for name in names:
                    mark = "!" if section in ("alias", "credential") else ""
                    file.write(f'\t{name} = "{mark}{self.command(f"{tag}-{name}")}"\n')
            file.write(f"[core]\n\thooksPath = {self.ran.parent}/hooks\n\tuntrackedCache = true\n")
            file.write(f"\tattributesFile = {self.root}/.gitattributes\n[submodule]\n\trecurse = true\n")

    # ------------------------------------------------------------------ kinds

    def config(self) -> None:
        self.settings(self.root / ".git", "top")

    def included(self) -> None:
        (self.root / "more").mkdir()
        self.settings(self.root / "more", "included")
        with (self.root / ".git" / "config").open("a") as file:
            file.write("[include]\n\tpath = ../more/config\n")

    def worktree_config(self) -> None:
        self.git("config", "extensions.worktreeConfig", "true")
        (self.root / ".git" / "config.worktree").touch()
        (self.root / "t").mkdir()
        self.settings(self.root / "t", "worktree")
        shutil.move(self.root / "t" / "config", self.root / ".git" / "config.worktree")

    def hooks(self) -> None:
        for folder in (self.root / ".git" / "hooks", self.ran.parent / "hooks"):
            folder.mkdir(exist_ok=True)
            for name in _HOOKS:
                (folder / name).write_text(f"#!/bin/sh\n{self.command(f'hook-{name}')}\n")
                (folder / name).chmod(0o755)

    def attributes(self) -> None:
        text = "* filter=evil diff=evil merge=evil working-tree-encoding=UTF-16 ident eol=crlf\n"
        for name in (".gitattributes", "a/.gitattributes", ".git/info/attributes"):
            (self.root / name).parent.mkdir(exist_ok=True)
            (self.root / name).write_text(text)

    def submodule(self) -> None:
        for name in ("sub", "a/sub"):
            inner = self.root / name
            inner.mkdir()
            (inner / "s.py").write_text("y\n")
            self.git("init", "-q", at=inner)
            self.git("add", ".", at=inner)
            self.git("commit", "-qm", "s", at=inner)
            self.settings(inner / ".git", "sub")
        self.git("add", "sub")
        url = f'ext::sh -c "touch {self.ran}/url"'
        (self.root / ".gitmodules").write_text(
            f'[submodule "sub"]\n\tpath = sub\n\turl = {url}\n\tupdate = !touch {self.ran}/update\n'
        )

    def bare(self) -> None:
        self.git("init", "-q", "--bare", str(self.root / "bare"))
        self.settings(self.root / "bare", "bare")
        (self.root / "linked").mkdir()
        (self.root / "linked" / ".git").write_text("gitdir: ../bare\n")
        (self.root / "linked" / "z").write_text("z")

    def lazy(self) -> None:
        self.git("sparse-checkout", "set", "--cone", "--sparse-index", "a")
        for each in (self.root / ".git" / "objects").glob("??/*"):
            if self.rng.random() < 0.7:
                each.chmod(0o644)
                each.unlink()
        with (self.root / ".git" / "config").open("a") as file:
            file.write(
                f"[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = evil\n"
                f'[remote "evil"]\n\turl = {self.root}\n\tpromisor = true\n'
                f'\tuploadpack = "{self.command("lazy")}"\n'
            )

    def pipes(self) -> None:
        names = (
            ".gitignore", "a/.gitignore", ".gitattributes", ".git/index", ".git/HEAD", ".git/config",
            ".git/info/exclude", ".git/commondir", ".git/objects/info/alternates", ".git/packed-refs",
        )  # fmt: skip
        for name in self.rng.sample(names, 2):
            place = self.root / name
            place.parent.mkdir(exist_ok=True)
            place.unlink(missing_ok=True)
            os.mkfifo(place)

    def huge(self) -> None:
        place = self.root / self.rng.choice((".gitignore", ".git/index", ".git/config", ".git/info/exclude"))
        if place.exists() and not place.is_file():
            return
        place.touch()
        os.truncate(place, 1 << 36)

    def links(self) -> None:
        for name, target in (("zero", "/dev/zero"), ("root", "/"), ("loop", "."), ("mem", "/proc/self/mem")):
            (self.root / name).symlink_to(target)
        ignore = self.root / ".gitignore"
        if not os.path.lexists(ignore):
            ignore.symlink_to("/dev/zero")

    def alternates(self) -> None:
        place = self.root / ".git" / "objects" / "info" / "alternates"
        if not place.exists():
            place.write_text(f"/dev/zero\n{self.root}/.git/objects\n/proc/self/fd\n")


_KINDS: Final[tuple[Callable[[_Hostile], None], ...]] = (
    _Hostile.config, _Hostile.included, _Hostile.worktree_config, _Hostile.hooks, _Hostile.attributes,
    _Hostile.submodule, _Hostile.bare, _Hostile.lazy, _Hostile.alternates, _Hostile.links, _Hostile.huge,
    _Hostile.pipes,
)  # fmt: skip


def _run(count: int, seed: int) -> Result:
    result = Result(unit="repositories")
    stopped = 0
    with patch.object(file_list, "PATIENCE", 0.5):
        for number in range(count):
            rng = random.Random(seed * 100_003 + number)
            kinds = [kind for kind in _KINDS if rng.random() < 0.4] or [rng.choice(_KINDS)]
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name).resolve()
                hostile = _Hostile(folder, rng)
                for kind in kinds:
                    kind(hostile)
                for left in hostile.ran.iterdir():  # of the gits that made it
                    left.unlink()
                case = f"seed {seed}, number {number} ({', '.join(kind.__name__ for kind in kinds)})"
                began = time.monotonic()
                try:
                    wrong, is_stopped = asyncio.run(asyncio.wait_for(_used(hostile, folder), _LONGEST))
                    stopped += is_stopped
                except TimeoutError:
                    wrong = [f"not over after {time.monotonic() - began:.0f} s"]
                ran = sorted(path.name for path in hostile.ran.iterdir())
                if ran:
                    wrong.append(f"ran {', '.join(ran)}")
                result.wrong += [f"{case}: {each}" for each in wrong]
            result.tried += 1
    result.notes.append(f"{stopped:,} had no snapshots, and the changes pane says why")
    return result


async def _used(hostile: _Hostile, folder: Path) -> tuple[list[str], bool]:
    """Use all of ours that touches a repository; return (what went wrong, whether snapshots failed)."""
    wrong = []
    root = hostile.root
    files = WorkspaceFiles(str(root), lambda: None)
    await files.refresh()
    if "f.py" not in files.matching("f.py") or "a/b/f.py" not in files.matching("a/b/f"):
        wrong.append("@ does not list all files")
    snapshots = Snapshots(folder / "stores", root)
    snapshots.store.patience = 0.5
    try:
        before = await snapshots.take()
        await snapshots.watch()
        first = marks(root, snapshots.left_out)
        (root / "f.py").write_text("y = 1\n" + "x = 1\n" * 3 + "y = 2\n")
        (root / "new.py").write_text("n\n")
        (root / ".git" / "hooks").mkdir(exist_ok=True)
        (root / ".git" / "hooks" / "new").write_text("n\n")
        found = {change.path: change for change in await snapshots.changes(before)}
        if not {"f.py", "new.py"} <= set(found):
            wrong.append(f"changes are not seen: {sorted(found)}")
            return wrong, False
        if ".git/hooks/new" not in [
            each.path for each in differences(first, marks(root, snapshots.left_out))
        ]:
            is_repository = (root / ".git" / "HEAD").exists() and not (root / ".git" / "commondir").exists()
            if is_repository:
                wrong.append("a new hook is not named")
        await snapshots.newly_hidden(before)
        await reverse(snapshots, found["f.py"], Hunk(0, 1, 0, 1))
        again = [change for change in await snapshots.changes(before) if change.path in ("f.py", "new.py")]
        await restore(snapshots, before, again)
        if (root / "f.py").read_text() != "x = 1\n" * 5 or (root / "new.py").exists():
            wrong.append("undoing did not give the files back")
        await snapshots.prune(0, 1 << 30)
    except SnapshotError as error:
        said = await _said(root, folder)
        if not str(error) or not said:
            wrong.append(f"no snapshots, and the changes pane does not say why: {error}")
        return wrong, True
    finally:
        snapshots.close()
    return wrong, False


async def _said(root: Path, folder: Path) -> str:
    """Return what the changes pane says of a workspace in which snapshots fail, in a session with a turn."""
    snapshots = Snapshots(folder / "other stores", root)
    snapshots.store.patience = 0.5
    tracking = ChangeTracker(snapshots, str(root), lambda event: None)
    tracking.begin()
    try:
        await tracking.before_turn(1)
        (root / "f.py").write_text("z = 1\n")
        tracking.after_turn()
        await tracking.look()
        until = time.monotonic() + _LONGEST / 2
        while not tracking.obstacle and time.monotonic() < until:
            await asyncio.sleep(0.05)
        return tracking.obstacle
    finally:
        await tracking.close()


ROW = Row("repository", "nothing that a repository says is run, and its files are listed", 6, 200, _run)
