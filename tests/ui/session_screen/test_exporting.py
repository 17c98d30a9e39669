from __future__ import annotations

import json
from pathlib import Path

import pytest

from acp_tui.ui.screens.menu import Menu
from tests.ui.seats import seat


async def test_a_session_is_exported_in_the_form_that_is_chosen(tmp_path: Path, home: Path) -> None:
    async with seat(tmp_path) as here:
        await here.press("alt+e")
        assert not isinstance(here.app.screen, Menu)
        await here.say("hello there")
        await here.until(lambda: "heard hello there" in here.said)
        await here.say("!printf '\\033[32mprin\\033[0mted'")
        await here.until(lambda: "[output of" in here.draft)

        for keys in (("down", "enter"), ("down", "down", "enter")):
            await here.press("alt+e")
            await here.is_before(Menu)
            await here.press(*keys)

    text, data = (next((home / "data" / "exports").glob(f"*-hello-there.{kind}")) for kind in ("md", "json"))
    assert "> hello there\n\nheard hello there\n" in text.read_text()
    assert [entry["type"] for entry in json.loads(data.read_text())["entries"]][:1] == ["user_message"]
    assert "heard hello there" in data.read_text()
    assert "\n```\nprinted\n```\n" in text.read_text()
    assert [one["output"] for one in json.loads(data.read_text())["terminals"].values()] == ["printed"]
    assert json.loads(data.read_text())["agent"] == "Plain agent"
    readme = (Path(__file__).parents[3] / "README.md").read_text()
    assert [name for name in json.loads(data.read_text()) if f"`{name}`" not in readme] == []


async def test_what_the_journal_hides_is_hidden_in_an_export_too(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BUILD_TOKEN", 'planted/"é"-1234567')
    async with seat(tmp_path) as here:
        await here.say('about it planted/"é"-1234567')
        await here.until(lambda: len(here.said) == 2)
        for keys in (("enter",), ("down", "down", "enter")):
            await here.press("alt+e")
            await here.is_before(Menu)
            await here.press(*keys)

    for kind in ("md", "json"):
        path = next((home / "data" / "exports").glob(f"*-about-it.{kind}"))
        assert "about it" in path.read_text()
        assert "planted" not in path.read_text()
