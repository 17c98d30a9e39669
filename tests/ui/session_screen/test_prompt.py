"""The rows above the prompt: the note for the agent, and queued prompts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from acp_tui.conversation.rejections import Rejections
from acp_tui.ui.session_screen.prompt import pending_rows


def rows(facts: Rejections, width: int = 80) -> list[str]:
    conversation: Any = SimpleNamespace(rejections=facts, queue=[])
    return ["".join(text for _, text in left) for left, _ in pending_rows(conversation, width, str)]


def test_a_note_is_shown_as_it_goes_out() -> None:
    facts = Rejections(lambda: None)
    for number in range(5):
        facts.add(f"rejected {number}", "")
    assert [row.strip() for row in rows(facts)] == [
        "with the next prompt",
        *facts.note().splitlines(),
    ]


def test_of_a_very_long_note_it_is_said_how_much_is_not_shown() -> None:
    facts = Rejections(lambda: None)
    facts.add(f"put these files back: {', '.join(['some/where/file.txt'] * 40)}", "")
    shown = rows(facts)
    assert len(shown) == 8
    assert shown[-1].strip() == "9 more lines"
