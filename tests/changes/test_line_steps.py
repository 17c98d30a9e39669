"""Tests of `changes/line_steps.py`."""

from __future__ import annotations

from pathlib import Path

from acp_tui.changes.line_steps import LineSteps, hunks_of
from acp_tui.session.events import LineStep
from tests.changes.workspaces import workspace


async def learned(steps: LineSteps, snapshots: object, first: object) -> dict[str, LineStep]:
    return await steps.learn(await snapshots.changes(first))  # type: ignore[attr-defined]


async def test_each_look_tells_the_lines_that_a_change_has_replaced(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="1\n2\n3\n4\n5\n", b="x\n")
    steps, first = LineSteps(snapshots), await snapshots.take()

    (root / "a").write_text("1\n2\nthree\n4\n5\n")
    told = await learned(steps, snapshots, first)
    assert {path: step.hunks for path, step in told.items()} == {"a": ((2, 3, 2, 3),)}
    assert await learned(steps, snapshots, first) == {}

    (root / "a").write_text("0\n1\n2\nthree\n5\n")
    (root / "new").write_text("n\nn\n")
    (root / "b").unlink()
    again = await learned(steps, snapshots, first)
    assert again["a"].was == told["a"].id
    assert {path: step.hunks for path, step in again.items()} == {
        "a": ((0, 0, 0, 1), (3, 4, 4, 4)),
        "new": ((0, 0, 0, 2),),
        "b": None,
    }
    assert again["new"].was == ""


async def test_a_renamed_file_goes_on_from_its_old_name(tmp_path: Path) -> None:
    text = "".join(f"{number}\n" for number in range(50))
    root, snapshots = workspace(tmp_path, old=text)
    steps, first = LineSteps(snapshots), await snapshots.take()
    (root / "old").write_text(f"first\n{text}")
    before = await learned(steps, snapshots, first)
    (root / "old").unlink()
    (root / "new").write_text(f"first\n{text}last\n")

    (step,) = (await learned(steps, snapshots, first)).values()

    assert (step.was, step.moved_from, step.hunks) == (before["old"].id, "old", ((51, 51, 51, 52),))


async def test_an_earlier_run_is_continued(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="1\n")
    first = await snapshots.take()
    (root / "a").write_text("1\n2\n")
    (seen,) = await snapshots.changes(first)
    steps = LineSteps(snapshots)
    steps.recall({"a": seen.new_id})
    (root / "a").write_text("1\n2\n3\n")

    assert (await learned(steps, snapshots, first))["a"].hunks == ((2, 2, 2, 3),)


async def test_lost_and_binary_contents_have_no_lines(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="1\n")
    (root / "bin").write_bytes(b"\0\1\2")
    first = await snapshots.take()
    (root / "bin").write_bytes(b"\0\1\3")
    (root / "a").write_text("2\n")
    changes = {change.path: change for change in await snapshots.changes(first)}
    pairs = [(changes["bin"].old_id, changes["bin"].new_id), ("1" * 40, changes["a"].new_id)]
    pairs += [(changes["a"].old_id, changes["a"].new_id), ("", changes["a"].new_id)]
    pairs += [(changes["a"].new_id, changes["a"].new_id)]

    assert await hunks_of(snapshots, pairs) == [None, None, ((0, 1, 0, 1),), ((0, 0, 0, 1),), ()]


async def test_lines_that_look_like_git_are_lines(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="keep\n")
    first = await snapshots.take()
    (root / "a").write_text("keep\n@@ -1 +1 @@\ndiff --git a/7 b/7\nBinary files\n\\ No newline\n-- x\n++ y")

    assert (await learned(LineSteps(snapshots), snapshots, first))["a"].hunks == ((1, 1, 1, 7),)
