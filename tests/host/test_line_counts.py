"""Lines are counted in texts that git takes for data, and in no data."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.host.line_counts import Counts, LineCounts
from tests.host.workspaces import workspace

_LONG = "".join(f"line {number}\n" for number in range(30))


def wide(text: str) -> bytes:
    return text.encode("utf-16")


@pytest.mark.parametrize(
    ("old", "new", "counts"),
    [
        (wide(_LONG), wide(_LONG + "more\nand more\n"), Counts(2, 0)),
        (wide(_LONG), wide(_LONG.replace("line 7\n", "")), Counts(0, 1)),
        (wide(_LONG), wide(_LONG.replace("\n", "\r\n")), Counts(0, 0)),
        (None, wide(_LONG), Counts(30, 0)),
        (wide(_LONG), None, Counts(0, 30)),
        (_LONG.encode(), wide(_LONG), Counts(0, 0)),
        (_LONG.encode("utf-32-be"), wide(_LONG), Counts(0, 0)),
        (None, wide("no end"), Counts(1, 0)),
        (b"a\0b", b"a\0c", None),
        (wide(_LONG), b"a\0c", None),
        (b"a\n", b"b\n", Counts(1, 1)),
    ],
)
async def test_lines_of_texts_are_counted(
    tmp_path: Path, old: bytes | None, new: bytes | None, counts: Counts | None
) -> None:
    root, snapshots = workspace(tmp_path)
    for content in (old, new):
        if content is None:
            (root / "a").unlink(missing_ok=True)
        else:
            (root / "a").write_bytes(content)
        if content is old:
            before = await snapshots.take()
    (change,) = await snapshots.changes(before)
    lines = LineCounts(snapshots)

    await lines.learn([change])

    assert lines.of(change) == counts


async def test_each_pair_of_texts_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, snapshots = workspace(tmp_path)
    before = await snapshots.take()
    (root / "a").write_bytes(b"\0\1")
    (root / "b").write_bytes(b"plain\n")
    changes = await snapshots.changes(before)
    lines = LineCounts(snapshots)
    await lines.learn(changes)
    monkeypatch.setattr(snapshots, "texts", None)

    await lines.learn(changes)

    assert [lines.of(each) for each in changes] == [None, Counts(1, 0)]
