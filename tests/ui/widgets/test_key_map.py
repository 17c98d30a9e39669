from collections import Counter
from itertools import pairwise
from pathlib import Path

from acp_tui.ui.widgets.key_map import key_map
from tests.ui.seats import seat


async def test_no_key_does_two_things_where_both_are_heard(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.until(lambda: bool(here.session.query("#prompt")))
        heard = [
            line
            for line in key_map(here.session)
            if line.group in ("Everywhere", "Session", "Prompt", "Chat")
        ]

        keys = Counter(key for line in heard for key in line.keys)
        assert {key: count for key, count in keys.items() if count > 1} == {}


async def test_a_group_of_keys_stands_together(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        groups = [line.group for line in key_map(here.session)]

        changes = sum(before != after for before, after in pairwise(groups))
        assert changes == len(set(groups)) - 1
        assert groups[-1] == "Everywhere"
