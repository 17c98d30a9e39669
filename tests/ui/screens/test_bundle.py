from __future__ import annotations

import json
from pathlib import Path

import pytest

from acp_tui.ui.screens.bundle import BundleScreen
from acp_tui.ui.screens.protocol import ProtocolScreen
from tests.ui.screens.stage import Stage, screen_text, styles, until


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))
    path = tmp_path / "j.ndjson"
    rows = [("err", "token=abcdefgh"), ("err", "[/x] Bearer 0123456789"), ("in", {"method": "x"})]
    path.write_text("".join(json.dumps({"t": 0, "dir": way, "msg": msg}) + "\n" for way, msg in rows))
    return path


def bundles(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "home" / "data" / "bundles").glob("*"))


@pytest.mark.slow
async def test_nothing_is_saved_before_the_user_has_seen_what_and_said_so(
    tmp_path: Path, journal: Path
) -> None:
    app = Stage(ProtocolScreen(journal, styles()))
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("s")
        await until(pilot, lambda: "2  token" in screen_text(app))

        shown = screen_text(app)
        assert "3 rows" in shown
        assert "[/x] Bearer ‹token 10›" in shown
        assert "0123456789" not in shown
        assert bundles(tmp_path) == []

        await pilot.press("s")
        await until(pilot, lambda: bool(bundles(tmp_path)))
        await until(pilot, lambda: isinstance(app.screen, ProtocolScreen))

    assert [path.name for path in bundles(tmp_path)] == ["j.redacted.ndjson"]
    assert "abcdefgh" not in bundles(tmp_path)[0].read_text()


@pytest.mark.slow
async def test_closing_it_saves_nothing(tmp_path: Path, journal: Path) -> None:
    app = Stage(BundleScreen(journal, styles()))
    async with app.run_test() as pilot:
        await until(pilot, lambda: "token" in screen_text(app))
        await pilot.press("escape")
        await until(pilot, lambda: app.results == [None])

    assert bundles(tmp_path) == []


async def test_an_unwritable_copy_is_reported_and_can_be_tried_again(tmp_path: Path, journal: Path) -> None:
    app = Stage(BundleScreen(journal, styles()))
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "token" in screen_text(app))
        (tmp_path / "home" / "data" / "bundles").write_text("a file where a folder should be")
        await pilot.press("s")
        await until(pilot, lambda: any("cannot be written" in said.message for said in app._notifications))

        (tmp_path / "home" / "data" / "bundles").unlink()
        await pilot.press("s")
        await until(pilot, lambda: bool(app.results))

    assert len(bundles(tmp_path)) == 1
