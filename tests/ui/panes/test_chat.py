"""Turns and reads that fold to a line, with keys and in the whole interface."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acp_tui.protocol.validation import read_update
from tests.conversation.talks import PLAIN
from tests.ui.seats import seat

pytestmark = pytest.mark.slow


async def test_turns_fold_by_key_and_open_by_enter_and_for_a_hit(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        for text in ("first", "second", "third"):
            await here.say(text)
            await here.sees(f"heard {text}")

        await here.press("f2", "Z")
        await here.until(lambda: "heard first" not in here.text and "heard second" not in here.text)
        await here.sees("▸ first", "▸ second", "› third", "heard third")

        await here.press("left_curly_bracket", "left_curly_bracket", "enter")
        await here.sees("heard second", "▸ first")
        await here.press("z")
        await here.until(lambda: "heard second" not in here.text)

        await here.press("ctrl+f", *"heard f")
        await here.sees("heard first", "1/1", "▸ second")


async def test_older_turns_fold_by_themselves_with_the_setting(tmp_path: Path) -> None:
    async with seat(tmp_path, PLAIN._replace(fold_turns=True)) as here:
        await here.say("first")
        await here.sees("heard first")
        await here.say("second")

        await here.sees("▸ first", "› second", "heard second")
        await here.until(lambda: "heard first" not in here.text)


async def test_reads_in_a_row_are_one_line_until_enter_opens_it(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.say("wait")
        await here.sees("waiting")
        agent, session = here.conversation.agent, here.conversation.session
        assert agent is not None
        assert session is not None
        for name in ("one", "two", "three"):
            read = {"toolCallId": name, "title": f"{name}.py", "kind": "read", "status": "completed"}
            agent.note(session.id, read_update({"sessionUpdate": "tool_call", **read}))
        await here.until(lambda: here.text.count("✓ read") == 6)
        await here.press("escape")
        await here.sees("▸ 3 reads  one.py, two.py, three.py")

        await here.press("f2", "left_square_bracket", "left_square_bracket", "enter")

        await here.until(lambda: here.text.count("✓ read") == 6)


async def test_a_session_that_is_replayed_differently_stays_as_it_was_seen_with_a_notice(
    tmp_path: Path,
) -> None:
    async with seat(tmp_path, can={"loadSession": True}) as here:
        await here.say("first")
        await here.sees("heard first")
        await here.conversation.begin_new()
        await here.say("second")
        await here.sees("heard second")

        await here.press("f12")

        await here.sees(
            "heard first", "heard second", "reports this session differently", "it said: as before"
        )


async def test_no_empty_row_is_between_two_tool_calls_and_one_before_anything_else(tmp_path: Path) -> None:
    calls = [
        {"kind": "tool_call", "toolCallId": f"t{number}", "title": f"Look {number}", "status": "completed"}
        for number in range(3)
    ]
    word = {"kind": "agent_message_chunk", "content": {"type": "text", "text": "between"}}
    async with seat(tmp_path) as here:
        await here.say(f"updates {json.dumps([*calls[:2], word, calls[2]])}")
        await here.until(lambda: here.text.count("✓ tool   Look") >= 3 + 3)

        rows = [" ".join(row.partition("│")[0].split()[:4]) for row in here.text.splitlines()]
        start = rows.index("✓ tool Look 0")
        assert rows[start + 1 : start + 6] == ["✓ tool Look 1", "", "between", "", "✓ tool Look 2"]
