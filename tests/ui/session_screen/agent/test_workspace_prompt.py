"""The question about the prompt of a workspace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acp_tui.conversation.system_prompt import WORKSPACE_FILE
from acp_tui.ui.screens.rules.trust import TrustDialog
from tests.ui.seats import seat, told

pytestmark = pytest.mark.slow

CAN: dict[str, Any] = {"sessionCapabilities": {"systemPrompt": {}}}


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))
    path = tmp_path / WORKSPACE_FILE
    path.parent.mkdir()
    path.write_text("Use tabs.\n\x1b[31mAnd dots.")
    return path


async def test_a_trusted_prompt_counts_at_once_where_nothing_was_said(tmp_path: Path) -> None:
    async with seat(tmp_path, can=CAN) as here:
        await here.is_before(TrustDialog)
        await here.sees("Add the prompt of this workspace?", "Use tabs.", "And dots.")
        assert here.obeyed == []

        await here.press("t")
        await here.until(lambda: here.conversation.prompt_sent.startswith("Use tabs."))
        assert here.conversation.session is not None
        assert here.conversation.session.id == "s2"


async def test_a_prompt_that_is_not_trusted_is_not_asked_about_again(tmp_path: Path, file: Path) -> None:
    async with seat(tmp_path, can=CAN) as here:
        await here.is_before(TrustDialog)
        await here.press("n")
        await here.say("hello")
        await here.sees("heard hello")
        assert here.conversation.prompt_sent == ""

        await here.press("f1")
        await here.press("escape")
        await here.say("more")
        await here.sees("heard more")


async def test_c156_it_is_no_matter_for_an_agent_that_takes_none(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.say("hello")
        await here.sees("heard hello")
        assert told(here) == ""
