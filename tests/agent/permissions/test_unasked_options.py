"""Modes and options that act unasked cover only what was shown of them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.agent.granted import granted, served
from tests.agent.permissions.turn import MODES, RUN, asked, wants
from tests.sent import Frame


async def test_the_user_who_chose_a_mode_that_acts_unasked_is_not_asked(tmp_path: Path) -> None:
    async with granted(tmp_path, "ask", **MODES) as talk:
        session = talk.agent.sessions["s2"]
        await talk.prompted(session="s2")
        talk.puppet.updates("current_mode_update", "s2", currentModeId="yolo")
        await talk.until(lambda: session.options[0].config.current_value == "yolo")
        by_itself = wants(talk, "terminal/create", **RUN)
        talk.agent.answer("s2", (await asked(talk, session)).key, "refuse")
        await talk.puppet.answer_to(by_itself)

        setting = asyncio.create_task(talk.agent.set_option("s2", session.options[0], "yolo"))
        talk.puppet.answers(await talk.puppet.hears("session/set_mode"), {})
        await setting

        assert "result" in await served(talk, "terminal/create", **RUN)
        assert not session.questions


def offers(option_id: str, current: str, called: str, about: str, **more: Any) -> Frame:
    """Return an option of which "x" is called and described so."""
    values = [{"value": "start", "name": "Start"}, {"value": "x", "name": called, "description": about}]
    option = {"id": option_id, "name": option_id.title(), "category": option_id, "type": "select"}
    return {**option, "currentValue": current, "options": values, **more}


UNASKED = "Looks only, without asking"


HIDING = "Look at the workspace and change nothing of it, then run everything without asking"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shown", "later", "is_asked"),
    [
        (offers("mode", "start", "Plan", "Looks only"), offers("mode", "x", "Plan", UNASKED), True),
        (offers("mode", "start", "Plan", "Looks only"), offers("mode", "x", "YOLO", ""), True),
        (offers("model", "start", "M", ""), offers("model", "x", "M", UNASKED, name="Model (trust)"), True),
        (offers("model", "start", "M", ""), offers("model", "x", "M", UNASKED, category="mode"), True),
        (offers("model", "start", "M", UNASKED), offers("model", "x", "M", UNASKED), True),
        (offers("mode", "start", "Go", UNASKED), offers("mode", "x", "Go", UNASKED), True),
        (offers("mode", "start", "Go", "x" * 200 + UNASKED), offers("mode", "x", "Go", UNASKED), True),
        (offers("mode", "start", HIDING, ""), offers("mode", "x", HIDING, ""), True),
        (offers("mode", "start", "YOLO", ""), offers("mode", "x", "YOLO", ""), False),
        (offers("mode", "start", "Never ask", ""), offers("mode", "x", "Never ask", UNASKED), False),
        (offers("mode", "start", "YOLO", ""), offers("mode", "x", "Plan", ""), True),
        (offers("mode", "start", "YOLO", ""), offers("mode", "start", "YOLO", ""), True),
    ],
)
@pytest.mark.parametrize("with_answer", [False, True])
async def test_a_choice_lets_what_was_shown_of_it_and_later_words_can_only_take_that_away(
    tmp_path: Path, shown: Frame, later: Frame, is_asked: bool, with_answer: bool
) -> None:
    async with granted(tmp_path, "ask", configOptions=[shown]) as talk:
        session = talk.agent.sessions["s2"]
        await talk.prompted(session="s2")
        setting = asyncio.create_task(talk.agent.set_option("s2", session.options[0], "x"))
        request = await talk.puppet.hears("session/set_config_option")
        talk.puppet.answers(request, {"configOptions": [later if with_answer else shown]})
        await setting
        talk.puppet.updates("config_option_update", "s2", configOptions=[later])

        writing = wants(talk, "fs/write_text_file", path=str(tmp_path / "a"), content="new")
        await talk.until(lambda: session.questions or talk.puppet.sent.answers(writing))

        assert bool(session.questions) is is_asked
        assert (tmp_path / "a").exists() is not is_asked


async def test_a_mode_that_the_agent_refuses_or_that_the_user_left_lets_nothing(tmp_path: Path) -> None:
    async with granted(tmp_path, "ask", **MODES) as talk:
        session = talk.agent.sessions["s2"]
        await talk.prompted(session="s2")
        for mode, answer in (("yolo", {}), ("default", {"error": {"code": -1, "message": "no"}})):
            setting = asyncio.create_task(talk.agent.set_option("s2", session.options[0], mode))
            talk.puppet.answers(await talk.puppet.hears("session/set_mode"), **(answer or {"result": {}}))
            await asyncio.gather(setting, return_exceptions=True)
        assert session.options[0].config.current_value == "yolo"

        wants(talk, "terminal/create", **RUN)
        assert (await asked(talk, session)).unasked


@pytest.mark.parametrize(
    ("name", "writes", "runs"),
    [
        ("YOLO", True, True),
        ("Accept edits", True, False),
        ("Auto-approve reads", False, False),
        ("No auto-approve", False, False),
    ],
)
async def test_a_mode_lets_only_what_its_name_says(
    tmp_path: Path, name: str, writes: bool, runs: bool
) -> None:
    shown = offers("mode", "start", name, "")
    async with granted(tmp_path, "ask", configOptions=[shown]) as talk:
        session = talk.agent.sessions["s2"]
        await talk.prompted(session="s2")
        setting = asyncio.create_task(talk.agent.set_option("s2", session.options[0], "x"))
        request = await talk.puppet.hears("session/set_config_option")
        talk.puppet.answers(request, {"configOptions": [offers("mode", "x", name, "")]})
        await setting

        writing = wants(talk, "fs/write_text_file", path=str(tmp_path / "a"), content="new")
        await talk.until(lambda: session.questions or talk.puppet.sent.answers(writing))
        assert (not session.questions) is writes
        count = len(session.questions)

        running = wants(talk, "terminal/create", **RUN)
        await talk.until(lambda: len(session.questions) > count or talk.puppet.sent.answers(running))
        assert (len(session.questions) == count) is runs
