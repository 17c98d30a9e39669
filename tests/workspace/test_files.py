"""Tests of `workspace/files.py`."""

from __future__ import annotations

import errno
import os
import resource
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from acp_tui.workspace import files as module
from acp_tui.workspace.backups import Backups
from acp_tui.workspace.files import (
    FileError,
    Files,
    NotAFile,
    NotAllowed,
    NotFound,
    NotText,
    OtherTarget,
    OutsideRoots,
    Stale,
    TooLarge,
    WriteFailed,
    Written,
    with_targets,
)
from tests.offspring import descriptors

OLD = b"old line\n" * 2_000
NEW = b"another new line\n" * 3_000


class _Killed(BaseException):
    """Stands for SIGKILL during a write."""


def _half_written(place: Path, backups: Backups, monkeypatch: pytest.MonkeyPatch, left: bytes) -> None:
    """Leave a file and its backup as after a kill."""
    place.write_bytes(OLD)
    write = os.write

    def killed(file: int, content: bytes) -> int:
        if content != NEW:
            return write(file, content)
        place.write_bytes(left)
        raise _Killed

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", killed)
        patch.setattr(Path, "unlink", lambda *_: None)
        with place.open("r+b") as file, pytest.raises(_Killed):
            backups.write(str(place), file.fileno(), NEW)


@pytest.mark.parametrize(
    ("left", "then"),
    [
        (OLD, OLD),
        (NEW, NEW),
        (NEW[:100] + OLD[100:], OLD),
        (NEW[:8192] + OLD[8192:], OLD),
        (NEW[: len(OLD) + 5_000], OLD),
        (NEW[:20_000], OLD),
        (b"", OLD),
        (b"what somebody wrote since then\n", b"what somebody wrote since then\n"),
    ],
)
def test_what_is_half_written_is_given_back_and_nothing_else_is_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left: bytes, then: bytes
) -> None:
    place, backups = tmp_path / "a", Backups(tmp_path / "backups")
    _half_written(place, backups, monkeypatch, left)
    assert len(list(backups.folder.iterdir())) == 1
    inode = place.stat().st_ino

    restored = backups.restore()

    assert place.read_bytes() == then
    assert place.stat().st_ino == inode
    assert list(restored) == ([str(place)] if left != then else [])
    assert list(backups.folder.iterdir()) == []


def test_a_backup_of_another_file_or_one_that_was_not_written_to_its_end_is_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, backups = tmp_path / "a", Backups(tmp_path / "backups")
    _half_written(place, backups, monkeypatch, NEW[:10])
    place.rename(tmp_path / "kept")
    place.write_bytes(NEW[:10])
    (backups.folder / "cut").write_bytes(b'{"path": "/a", "old": 9')
    (backups.folder / "empty").touch()

    assert list(backups.restore()) == []

    assert place.read_bytes() == NEW[:10]
    assert list(backups.folder.iterdir()) == []


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, backups = tmp_path / "a", Backups(tmp_path / "backups")
    place.write_bytes(OLD)
    write = os.write

    def failing(file: int, content: bytes) -> int:
        if content == NEW:
            write(file, NEW[:50])
            raise OSError(28, "No space left on device")
        return write(file, content)

    monkeypatch.setattr(os, "write", failing)
    with place.open("r+b") as file, pytest.raises(OSError, match="No space"):
        backups.write(str(place), file.fileno(), NEW)

    assert place.read_bytes() == OLD
    assert list(backups.folder.iterdir()) == []


def test_backups_are_for_their_owner_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, backups = tmp_path / "a", Backups(tmp_path / "backups")
    before = os.umask(0)
    try:
        _half_written(place, backups, monkeypatch, b"")
    finally:
        os.umask(before)

    (kept,) = backups.folder.iterdir()
    assert (kept.stat().st_mode & 0o777, backups.folder.stat().st_mode & 0o777) == (0o600, 0o700)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "ws-evil").mkdir()
    (tmp_path / "ws").mkdir()
    return tmp_path / "ws"


@pytest.fixture
def files(root: Path) -> Files:
    return Files([root])


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """A folder whose permissions apply, even to root."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        folder.chmod(0o755)
        if os.geteuid() != 0:
            yield folder
            return
        os.chown(folder, 65534, 65534)
        os.seteuid(65534)
        try:
            yield folder
        finally:
            os.seteuid(0)


def test_r28_a_file_is_read_with_its_own_line_ends_and_mark(root: Path, files: Files) -> None:
    (root / "a").write_bytes("\ufeffone\r\ntwo\rthree\n\nend".encode())
    assert files.read_text(f"{root}/a") == "\ufeffone\r\ntwo\rthree\n\nend"


@pytest.mark.parametrize(
    ("line", "limit", "expected"),
    [
        (None, None, "1\r\n2\r\n3"),
        (1, 1, "1\r\n"),
        (2, None, "2\r\n3"),
        (2, 1, "2\r\n"),
        (3, 1, "3"),
        (3, 10**12, "3"),
        (0, 1, "1\r\n"),
        (-5, 2, "1\r\n2\r\n"),
        (4, None, ""),
        (10**12, 1, ""),
        (1, 0, ""),
        (1, -1, ""),
    ],
)
def test_r29_lines_count_from_one_and_past_the_end_there_are_none(
    root: Path, files: Files, line: int | None, limit: int | None, expected: str
) -> None:
    (root / "a").write_bytes(b"1\r\n2\r\n3")
    assert files.read_text(f"{root}/a", line, limit) == expected


def test_lines_are_found_across_the_chunks_of_a_file(
    root: Path, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [f"{number} é\n" for number in range(30)]
    (root / "a").write_text("".join(lines))
    for size in (1, 2, 3, 7, 100):
        monkeypatch.setattr(module, "CHUNK", size)
        for first in (1, 2, 15, 30, 31):
            assert files.read_text(f"{root}/a", first, 3) == "".join(lines[first - 1 : first + 2])


def test_the_limit_in_bytes_counts_only_the_lines_asked_for(root: Path) -> None:
    (root / "a").write_text("0123456789\n" * 100)
    files = Files([root], read_limit=50)

    assert files.read_text(f"{root}/a", 90, 4) == "0123456789\n" * 4
    with pytest.raises(TooLarge, match="50 bytes"):
        files.read_text(f"{root}/a")


def test_a_read_that_begins_too_far_behind_is_refused(
    root: Path, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "a").write_text("0123456789\n" * 100)
    monkeypatch.setattr(module, "SKIP_LIMIT", 500)

    assert files.read_text(f"{root}/a", 40, 1) == "0123456789\n"
    with pytest.raises(TooLarge, match="500 bytes"):
        files.read_text(f"{root}/a", 2_000, 1)


def test_bytes_that_are_no_text_are_refused(root: Path, files: Files) -> None:
    (root / "a").write_bytes(b"ok\n\xff\xfe")
    with pytest.raises(NotText):
        files.read_text(f"{root}/a")


@pytest.mark.parametrize("name", ["gone", "gone/deeper", "file/below"])
def test_what_is_missing_is_not_found(root: Path, files: Files, name: str) -> None:
    (root / "file").touch()
    with pytest.raises(NotFound):
        files.read_text(f"{root}/{name}")


def test_only_plain_files_are_read_and_written(root: Path, files: Files) -> None:
    (root / "folder").mkdir()
    os.mkfifo(root / "pipe")
    for name in ("folder", "pipe", "", "."):
        with pytest.raises(NotAFile):
            files.read_text(f"{root}/{name}")
        with pytest.raises(NotAFile):
            files.write_text(f"{root}/{name}", "x")
    assert stat.S_ISFIFO((root / "pipe").stat().st_mode)


def refuses(files: Files, path: str) -> None:
    with pytest.raises(OutsideRoots):
        files.read_text(path)
    with pytest.raises(OutsideRoots):
        files.write_text(path, "broken in")
    assert not files.contains(path)


@pytest.mark.parametrize("there", [True, False])
def test_r25_a_link_out_of_the_roots_is_refused_whether_its_target_exists(
    root: Path, files: Files, there: bool
) -> None:
    target = root.parent / "outside" / "b"
    if there:
        target.write_text("secret")
    (root / "a").symlink_to(target)

    refuses(files, f"{root}/a")

    assert target.exists() == there
    if there:
        assert target.read_text() == "secret"


def test_r25_r26_a_linked_folder_out_of_the_roots_is_refused(root: Path, files: Files) -> None:
    (root / "link").symlink_to(root.parent / "outside")
    refuses(files, f"{root}/link/x")
    refuses(files, f"{root}/link/new/x")
    refuses(files, f"{root}/link/../x")  # the parent of what the link leads to
    assert not list((root.parent / "outside").iterdir())


@pytest.mark.parametrize("name", ["../ws-evil/x", "../outside/x", "new/../../outside/x"])
def test_r26_a_way_up_out_of_the_roots_is_refused(root: Path, files: Files, name: str) -> None:
    refuses(files, f"{root}/{name}")


def test_r26_a_root_is_a_folder_and_not_the_beginning_of_a_name(root: Path, files: Files) -> None:
    refuses(files, f"{root}-evil/x")


def test_r26_a_link_is_followed_before_the_way_up_behind_it(root: Path, files: Files) -> None:
    (root / "one" / "two").mkdir(parents=True)
    (root / "link").symlink_to("one/two")
    refuses(files, f"{root}/link/../../../x")

    files.write_text(f"{root}/link/../../x", "1")
    assert (root / "x").read_text() == "1"

    (root / "near").symlink_to("one")
    refuses(files, f"{root}/near/../../x")


@pytest.mark.parametrize("path", ["a", "", "./a", "~/a", "/ws\0/a", "/\ud800"])
def test_what_is_no_absolute_path_is_refused(files: Files, path: str) -> None:
    refuses(files, path)


def test_r25_links_that_stay_inside_work(root: Path, files: Files) -> None:
    (root / "deep").mkdir()
    (root / "link").symlink_to("deep")
    (root / "dangling").symlink_to("deep/later")

    files.write_text(f"{root}/link/a", "1")
    files.write_text(f"{root}/dangling", "2")

    assert files.read_text(f"{root}/deep/a") == "1"
    assert (root / "deep" / "later").read_text() == "2"
    assert (root / "dangling").is_symlink()
    assert files.read_text(f"{root}/deep/../link/a") == "1"


def test_r26_the_workspace_may_be_reached_by_an_alias(root: Path) -> None:
    alias = root.parent / "alias"
    alias.symlink_to(root)

    Files([alias]).write_text(f"{root}/a", "1")

    assert Files([root]).read_text(f"{alias}/a") == "1"
    assert Files([alias]).roots == (str(root.resolve()),)


def test_further_roots_are_open_too(root: Path) -> None:
    other = root.parent / "outside"
    files = Files([root, other, root])
    files.write_text(f"{other}/a", "1")
    assert files.read_text(f"{other}/a") == "1"
    assert len(files.roots) == 2


def test_a_link_that_leads_to_itself_is_an_error(root: Path, files: Files) -> None:
    (root / "loop").symlink_to("loop")
    for path in (f"{root}/loop", f"{root}/loop/x"):
        with pytest.raises(FileError):
            files.read_text(path)
        with pytest.raises(FileError):
            files.write_text(path, "x")


@pytest.mark.parametrize(
    "swap",
    [
        "mv folder away; ln -s ../outside folder",
        "mv folder ../outside/away; ln -s ../outside/away folder",
        "ln -sf ../../outside/a folder/a",
        "ln -sf ../.env folder/a",
        "ln -f .env folder/a",
        "rm folder/a; mkdir folder/a",
        "rm folder/a; mkfifo folder/a",
        "cp folder/a b; mv b folder/a",
        "ln -sfn sub link",
        "rm link; mkdir link; cp folder/a link/a",
    ],
)
def test_what_differs_from_what_was_decided_about_is_neither_read_nor_written(
    root: Path, files: Files, swap: str
) -> None:
    outside = root.parent / "outside"
    (outside / "a").write_text("secret")
    (root / ".env").write_text("secret")
    for name in ("folder", "sub"):
        (root / name).mkdir()
        (root / name / "a").write_text("mine")
    (root / "link").symlink_to("folder")
    open_before = descriptors()
    target = files.target(f"{root}/link/a" if "link" in swap else f"{root}/folder/a")
    subprocess.run(["sh", "-c", swap], cwd=root, check=True)
    seen = (root / "folder" / "a", root / "sub" / "a", outside / "a", root / ".env")
    before = [path.read_text() if path.is_file() else "" for path in seen]

    with pytest.raises(OtherTarget):
        files.read_text(target)
    with pytest.raises(OtherTarget):
        files.write_text(target, "broken in")
    with pytest.raises(OtherTarget):
        files.compare(target, "broken in")

    assert [path.read_text() if path.is_file() else "" for path in seen] == before
    assert sorted(path.name for path in outside.iterdir()) in (["a"], ["a", "away"])
    assert descriptors() == open_before


def test_a_file_that_comes_where_there_was_none_is_not_written(root: Path, files: Files) -> None:
    (root / ".env").write_text("secret")
    for make in ("ln .env new", "ln -s .env new", "cp .env new"):
        (root / "new").unlink(missing_ok=True)
        target = files.target(f"{root}/new")
        subprocess.run(["sh", "-c", make], cwd=root, check=True)
        with pytest.raises(OtherTarget):
            files.write_text(target, "broken in")
        assert (root / ".env").read_text() == "secret"


def test_words_that_come_before_the_write_are_kept(root: Path, files: Files) -> None:
    (root / "a").write_text("old")
    target = files.target(f"{root}/a")
    (root / "a").write_text("newer words of the user")

    with pytest.raises(OtherTarget):
        files.write_text(target, "theirs")

    assert (root / "a").read_text() == "newer words of the user"
    assert files.write_text(f"{root}/a", "theirs").old == "newer words of the user"


@pytest.mark.parametrize("names", [1, 2])
def test_a_file_swapped_at_the_last_moment_is_kept(
    root: Path, monkeypatch: pytest.MonkeyPatch, names: int
) -> None:
    (root / "a").write_text("old")
    if names > 1:
        os.link(root / "a", root / "b")
    files = Files([root], backups=Backups(root.parent / "backups"))
    opened, is_swapped = os.open, False

    def swap(name: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        nonlocal is_swapped
        file = opened(name, flags, mode, dir_fd=dir_fd)
        if name == "a" and flags & os.O_WRONLY:  # whether it may be written, which is looked at last
            (root / "c").write_text("secret")
            (root / "c").replace(root / "a")
            is_swapped = True
        return file

    monkeypatch.setattr(os, "open", swap)
    with pytest.raises(OtherTarget):
        files.write_text(f"{root}/a", "theirs")

    assert is_swapped

    assert (root / "a").read_text() == "secret"
    assert sorted(path.name for path in root.iterdir()) == ["a", "b"][:names]


@pytest.mark.parametrize("becomes", ["link", "pipe"])
def test_a_link_or_a_pipe_that_was_taken_for_a_file_is_neither_read_nor_replaced(
    root: Path, files: Files, monkeypatch: pytest.MonkeyPatch, becomes: str
) -> None:
    secret = root.parent / "outside" / "a"
    secret.write_text("secret")
    (root / "a").write_text("mine")
    target, plain = files.target(f"{root}/a"), (root / "a").stat()
    (root / "a").unlink()
    if becomes == "pipe":
        os.mkfifo(root / "a")
    else:
        (root / "a").symlink_to(secret)
    styles = os.stat
    monkeypatch.setattr(
        os, "stat", lambda path, **how: plain if how.get("dir_fd") is not None else styles(path, **how)
    )
    open_before = descriptors()

    with pytest.raises(FileError):
        files.read_text(target)
    with pytest.raises(FileError):
        files.write_text(target, "broken in")

    assert secret.read_text() == "secret"
    assert not (root / "a").is_file() or (root / "a").is_symlink()
    assert descriptors() == open_before


def test_what_came_where_nothing_was_found_is_not_written_over(root: Path, files: Files) -> None:
    with pytest.raises(NotFound):
        files.read_text(f"{root}/a")
    (root / "a").write_text("mine")

    with pytest.raises(Stale):
        files.write_text(f"{root}/a", "theirs")

    assert (root / "a").read_text() == "mine"


def test_contains_speaks_of_paths_that_exist_or_not(root: Path, files: Files) -> None:
    assert files.contains(str(root))
    assert files.contains(f"{root}/gone/../x")
    assert not files.contains("/etc/passwd")
    assert not files.contains("x")


def test_a_write_tells_what_was_there_before(root: Path, files: Files) -> None:
    path = f"{root}/a"
    assert files.write_text(path, "1\r\n") == Written(path, None, "1\r\n", real=path)
    assert files.write_text(path, "2") == Written(path, "1\r\n", "2", real=path)
    (root / "b").write_bytes(b"\xff")
    assert files.write_text(f"{root}/b", "") == Written(f"{root}/b", "ÿ", "", real=f"{root}/b")
    assert (root / "b").read_bytes() == b""


@pytest.mark.parametrize("text", ["a\r\nb\r\n", "\ufeffa\n", "no end", "\u2028\0\r", ""])
def test_r28_the_bytes_written_are_those_sent(root: Path, files: Files, text: str) -> None:
    files.write_text(f"{root}/a", text)
    assert (root / "a").read_bytes() == text.encode()


def test_half_a_character_is_written_as_lost(root: Path, files: Files) -> None:
    assert files.write_text(f"{root}/a", "x\ud83dy").new == "x\ufffdy"
    assert (root / "a").read_text() == "x\ufffdy"


def test_missing_folders_are_made(root: Path, files: Files) -> None:
    files.write_text(f"{root}/one/two/a", "1")
    assert (root / "one" / "two" / "a").read_text() == "1"


def test_a_file_in_the_place_of_a_folder_stays(root: Path, files: Files) -> None:
    (root / "one").write_text("1")
    with pytest.raises(NotAFile):
        files.write_text(f"{root}/one/two", "2")
    assert (root / "one").read_text() == "1"


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o664])
def test_the_mode_is_kept(root: Path, files: Files, mode: int) -> None:
    (root / "a").touch()
    (root / "a").chmod(mode)
    files.write_text(f"{root}/a", "1")
    assert stat.S_IMODE((root / "a").stat().st_mode) == mode


@pytest.mark.parametrize("names", [1, 2])
def test_new_content_does_not_run_as_another_user(
    root: Path, tmp_path: Path, files: Files, names: int
) -> None:
    (root / "a").write_text("old")
    for number in range(1, names):
        (root / f"other{number}").hardlink_to(root / "a")
    (root / "a").chmod(0o6755)
    lent = files if names == 1 else Files([root], backups=Backups(tmp_path / "backups"))
    lent.write_text(str(root / "a"), "new")
    assert stat.S_IMODE((root / "a").stat().st_mode) == 0o755
    assert (root / "a").stat().st_nlink == names


def test_a_file_with_several_names_stays_one_and_keeps_its_mode(root: Path, tmp_path: Path) -> None:
    files = Files([root], backups=Backups(tmp_path / "backups"))
    other = root / "other"
    other.write_text("old, and longer")
    other.chmod(0o640)
    (root / "a").hardlink_to(other)
    inode = other.stat().st_ino

    written = files.write_text(f"{root}/a", "new")

    assert written.other_names == 1
    assert (other.read_text(), (root / "a").read_text()) == ("new", "new")
    assert (root / "a").stat().st_ino == inode
    assert stat.S_IMODE(other.stat().st_mode) == 0o640
    assert list((tmp_path / "backups").iterdir()) == []


def test_a_link_to_a_file_inside_stays_a_link(root: Path, files: Files) -> None:
    (root / "true").write_text("old")
    (root / "link").symlink_to("true")

    files.write_text(f"{root}/link", "new")

    assert (root / "link").is_symlink()
    assert (root / "true").read_text() == "new"


@pytest.mark.native
def test_the_attributes_are_kept_but_for_those_that_speak_of_the_bytes(root: Path, files: Files) -> None:
    path = root / "a"
    path.write_text("old")
    path.chmod(0o640)
    try:
        os.setxattr(path, "user.origin", b"\x00here")
    except OSError as error:
        pytest.skip(f"no attributes on this file system: {error}")  # none can be lost
    with suppress(OSError):  # only root may
        os.setxattr(path, "security.capability", b"\x01\x00\x00\x02" + b"\x00" * 16)

    files.write_text(f"{root}/a", "new")

    assert path.read_text() == "new"
    assert os.getxattr(path, "user.origin") == b"\x00here"
    assert "security.capability" not in os.listxattr(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_gets_the_usual_mode(root: Path, files: Files) -> None:
    (root / "usual").touch()
    files.write_text(f"{root}/a", "1")
    assert (root / "a").stat().st_mode == (root / "usual").stat().st_mode


def test_nobody_sees_half_a_file(root: Path, files: Files) -> None:
    (root / "a").write_text("old")
    with open(root / "a") as reader:
        files.write_text(f"{root}/a", "new")
        assert reader.read() == "old"
    assert [path.name for path in root.iterdir()] == ["a"]


def test_what_is_written_is_on_disk_before_it_takes_the_place_of_the_old_file(
    root: Path, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "a").write_text("old")
    seen_at_sync: list[str] = []
    fsync = os.fsync

    def synced(descriptor: int) -> None:
        seen_at_sync.append((root / "a").read_text())
        assert os.pread(descriptor, 10, 0) == b"new", "nothing waits in a buffer of ours"
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "O_WRONLY", os.O_RDWR)

    files.write_text(f"{root}/a", "new")

    assert seen_at_sync == ["old"]


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(root: Path, files: Files) -> None:
    (root / "a").write_text("old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(WriteFailed, match=os.strerror(errno.EFBIG)):
            files.write_text(f"{root}/a", "x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (root / "a").read_text() == "old"
    assert [path.name for path in root.iterdir()] == ["a"]


def test_a_name_too_long_is_an_error(root: Path, files: Files) -> None:
    with pytest.raises(NotAFile):
        files.write_text(f"{root}/{'x' * 300}", "1")
    with pytest.raises(FileError):
        files.read_text(f"{root}/{'x' * 300}")


def test_a_root_that_is_gone_is_an_error(root: Path, files: Files) -> None:
    root.rmdir()
    with pytest.raises(NotFound):
        files.read_text(f"{root}/a")
    with pytest.raises(WriteFailed):
        files.write_text(f"{root}/a", "1")


def test_permissions_count(unprivileged: Path) -> None:
    files = Files([unprivileged])
    secret, fixed, closed = (unprivileged / name for name in ("secret", "fixed", "closed"))
    secret.write_text("1")
    secret.chmod(0o000)
    fixed.write_text("1")
    fixed.chmod(0o444)
    closed.mkdir(mode=0o500)

    with pytest.raises(NotAllowed):
        files.read_text(str(secret))
    with pytest.raises(NotAllowed):
        files.write_text(str(fixed), "2")
    with pytest.raises(NotAllowed):
        files.write_text(f"{closed}/new", "2")

    assert fixed.read_text() == "1"
    assert {path.name for path in unprivileged.iterdir()} == {"secret", "fixed", "closed"}


def test_what_may_be_written_but_not_read_is_replaced(unprivileged: Path) -> None:
    path = unprivileged / "a"
    path.write_text("1")
    path.chmod(0o200)
    assert Files([unprivileged]).write_text(str(path), "2").old is None
    path.chmod(0o600)
    assert path.read_text() == "2"


def test_reading_leaves_nothing_open(root: Path, files: Files) -> None:
    before = len(descriptors())
    (root / "folder").mkdir()
    files.write_text(f"{root}/one/two/a", "1")
    files.read_text(f"{root}/one/two/a")
    for path in (f"{root}/folder", f"{root}/one/gone/x", "/etc/passwd"):
        with pytest.raises(FileError):
            files.read_text(path)
    assert len(descriptors()) == before


def test_a_link_names_also_the_place_it_leads_to(tmp_path: Path) -> None:
    inside, outside = tmp_path / "w", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (inside / "a").symlink_to(outside)

    assert with_targets([f"{inside}/a/x", f"{inside}/b"], str(inside)) == (
        f"{inside}/a/x",
        f"{outside}/x",
        f"{inside}/b",
    )


def test_a_workspace_reached_by_an_alias_is_still_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    alias = tmp_path / "alias"
    alias.symlink_to(tmp_path / "real")

    assert with_targets([f"{alias}/x", f"{tmp_path}/real/x"], str(alias)) == (
        f"{alias}/x",
        f"{tmp_path}/real/x",
    )


def test_a_folder_beside_the_workspace_is_not_in_it_because_its_name_begins_alike(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real-evil").mkdir()
    alias = tmp_path / "alias"
    alias.symlink_to(tmp_path / "real")

    beside = f"{tmp_path}/real-evil/x"
    assert with_targets([beside], str(alias)) == (beside,)


def test_what_is_no_path_is_left_as_it_is() -> None:
    odd = ("/w/../x", "/w/\0", "/w/half a character \ud800")

    assert with_targets(odd, "/w") == odd
