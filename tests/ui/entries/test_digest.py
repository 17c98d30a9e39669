"""What is left of a turn, or of a row of reads, on one line."""

from __future__ import annotations

from typing import Any

from acp_tui.protocol.schema import UsageUpdate
from acp_tui.session.entries import Diff, UserMessage
from acp_tui.session.text_buffer import TextBuffer
from acp_tui.session.turns import Turn
from acp_tui.ui.entries.folding import is_read, run_line, turn_facts, turn_line
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.transcript.blocks import Piece
from tests.ui.entries.rows import call

GLYPH = Look().glyph


def words(pieces: list[Piece]) -> str:
    return " ".join("".join(text for _, text in pieces).split())


def turn(used: int, cost: float, **more: Any) -> Turn:
    usage = UsageUpdate.model_validate(
        {"used": used, "size": 100_000, "cost": {"amount": cost, "currency": "USD"}}
    )
    return Turn(0, 1.0, 5.0, usage=usage, **more)


def test_a_turn_is_named_by_its_prompt_in_one_line() -> None:
    assert words(turn_line(UserMessage([TextBuffer("do\nthis  now")]), GLYPH)).endswith("do this now")
    assert words(turn_line(UserMessage([]), GLYPH)).endswith("(no text)")


def test_the_facts_of_a_turn_are_files_commands_time_context_and_its_own_cost() -> None:
    edits = [
        call(kind="edit", content=[Diff("/w/a", "one\n", "one\ntwo\n"), Diff("/w/b", "new\n")]),
        call(kind="execute"),
        call(kind="execute"),
    ]

    facts = words(turn_facts(edits, turn(12_000, 0.75), turn(1_000, 0.5), GLYPH))

    assert facts == "2 files +1 −1 2 commands 4.0 s ctx 12k 0.25 USD"


def test_an_end_that_is_none_of_the_usual_is_named_and_nothing_is_said_of_what_is_unknown() -> None:
    assert words(turn_facts([], Turn(0, 1.0, stop_reason="max_tokens"), None, GLYPH)) == "max tokens"
    assert turn_facts([], None, None, GLYPH) == []


def test_a_row_of_reads_names_the_first_of_them() -> None:
    calls = [call(kind="read", title=name) for name in "abc"] + [call(kind="search", title="d")]

    assert words(run_line(calls, "/w", GLYPH)).endswith("3 reads, 1 search a, b, c, …")


def test_only_reads_and_searches_that_went_well_are_folded() -> None:
    assert is_read(call(kind="search"))
    assert not is_read(call(kind="read", status="failed"))
    assert not is_read(call(kind="edit"))
    assert not is_read(UserMessage())
