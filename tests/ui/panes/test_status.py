"""What the status line says of the context."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.ui.seats import seat


@pytest.mark.parametrize(
    ("usage", "shown"),
    [
        ({"used": 50, "size": 200}, "ctx 25 %"),
        ({"used": 900, "size": 100}, "ctx 100 %"),
        ({"used": 5000, "size": 0}, "ctx 5k of ?"),
        ({"used": None, "size": 100}, "ctx ?"),
    ],
)
async def test_r39_usage_is_capped_and_what_is_unknown_is_said(
    usage: dict[str, Any], shown: str, tmp_path: Path
) -> None:
    """R39: more used than there is, no size, and missing fields."""
    async with seat(tmp_path, updates=[{"kind": "usage_update", **usage}]) as here:
        await here.sees(shown)


async def test_a_name_of_any_length_leaves_in_view_what_is_allowed_unasked(tmp_path: Path) -> None:
    async with seat(tmp_path, name="agent " * 10_000) as here:
        await here.sees("agent agent agent agent…")
        await here.sees("asks for all")


async def test_facts_for_which_there_is_no_room_are_left_out_whole(tmp_path: Path) -> None:
    usage = {"kind": "usage_update", "used": 50, "size": 200, "cost": {"amount": 1.25, "currency": "USD"}}
    async with seat(tmp_path, updates=[usage]) as here:
        await here.sees("ctx 25 % · 1.25 USD")

        await here.pilot.resize_terminal(58, 24)
        await here.until(lambda: "1.2" not in here.text)
        assert "ctx 25 %" in here.text
        await here.pilot.resize_terminal(42, 24)
        await here.until(lambda: "ctx" not in here.text)
        assert "asks for all" in here.text
        assert "F1 help" in here.text
