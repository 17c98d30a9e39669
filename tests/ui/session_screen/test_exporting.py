from __future__ import annotations

import json
from pathlib import Path

from acp_tui.ui.screens.menu import Menu
from tests.ui.seats import seat


async def test_a_session_is_exported_in_the_form_that_is_chosen(tmp_path: Path, home: Path) -> None:
    async with seat(tmp_path) as here:
        await here.press("alt+e")
        assert not isinstance(here.app.screen, Menu)
        await here.say("hello there")
        await here.until(lambda: "heard hello there" in here.said)

        for keys in (("enter",), ("down", "down", "enter")):
            await here.press("alt+e")
            await here.is_before(Menu)
            await here.press(*keys)

    text, data = (next((home / "data" / "exports").glob(f"*-hello-there.{kind}")) for kind in ("md", "json"))
    assert "> hello there\n\nheard hello there\n" in text.read_text()
    assert [entry["type"] for entry in json.loads(data.read_text())["entries"]][:1] == ["user_message"]
    assert "heard hello there" in data.read_text()
