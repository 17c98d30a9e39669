"""Folded turns and reads: their one line, and the chat around them."""

from __future__ import annotations

from typing import Any

from typing_extensions import override

from acp_tui.protocol.schema import Cost, TurnUsage, UsageUpdate
from acp_tui.session.entries import AgentMessage, Diff, ToolCall, UserCommand, UserMessage
from acp_tui.session.text_buffer import TextBuffer
from acp_tui.session.turns import Turn
from acp_tui.ui.entries.entry import EntryBlock
from acp_tui.ui.entries.folding import Folding, is_read, run_line, turn_facts, turn_line
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.transcript.blocks import Piece
from tests.ui.entries.rows import block, rows
from tests.ui.entries.rows import call as tool_call


def said(text: str) -> UserMessage:
    return UserMessage([TextBuffer(text)])


def answer(text: str) -> AgentMessage:
    return AgentMessage([TextBuffer(text)], finished=True)


def call(name: str, kind: str = "read", status: str = "completed", **more: Any) -> ToolCall:
    return ToolCall(name, name, kind, status, ended=1.0, **more)


EDIT = Diff(path="/w/src/a.py", old_text="a\nb\n", new_text="a\nc\nd\n")


class Chat:
    """A chat that grows entry by entry, and is idle when it is told so."""

    def __init__(self, *entries: Any, turns: tuple[Turn, ...] = (), idle: bool = True) -> None:
        self.blocks: list[EntryBlock] = []
        self.idle = idle
        known = dict(enumerate(turns))

        def turn_of(place: int) -> tuple[Turn | None, Turn | None]:
            at = next((at for at, turn in known.items() if turn.first == place), -1)
            return known.get(at), known.get(at - 1)

        self.folding = Folding(self.blocks, lambda changed: None, turn_of, lambda: self.idle)
        for entry in entries:
            self.add(entry)

    def add(self, entry: Any) -> None:
        self.blocks.append(block(entry))
        self.folding.changed([len(self.blocks) - 1])

    @property
    def text(self) -> list[str]:
        return [row for shown in self.blocks for row in rows(shown, 110) if row]


def test_a_turn_folds_to_a_line_with_what_it_brought_and_opens_again() -> None:
    usage = UsageUpdate(used=31_000, cost=Cost(amount=0.5, currency="USD"))
    before = UsageUpdate(cost=Cost(amount=0.2, currency="USD"))
    chat = Chat(
        said("first"),
        answer("one"),
        said("add a flag\nplease"),
        call("Edit a.py", "edit", content=[EDIT]),
        call("pytest", "execute"),
        UserCommand("own", "ls", ended=1.0, exit_code=0),
        answer("Done."),
        turns=(Turn(0, 0.0, 1.0, "end_turn", before), Turn(2, 1.0, 6.2, "cancelled", usage)),
    )
    open_text = chat.text

    assert chat.folding.toggle_turn(4) is chat.blocks[2]
    folded = chat.text
    assert folded[:2] == ["› first", "  one"]
    assert folded[2].startswith("▸ add a flag please  ")
    assert folded[2].endswith("1 file +2 −1  1 command  cancelled  5.2 s  ctx 31k  0.30 USD")
    assert [line[:4] for line in folded[3:]] == ["! ls"], "a command of the user is no part of the turn"
    assert chat.blocks[2].is_action

    assert chat.folding.toggle_turn(2) is chat.blocks[2]
    assert chat.text == open_text
    assert not chat.blocks[2].is_action


def test_a_turn_that_runs_is_not_folded() -> None:
    chat = Chat(said("go"), answer("on"), idle=False)

    assert chat.folding.toggle_turn(1) is None
    assert chat.text == ["› go", "  on"]


def test_older_turns_fold_and_what_the_user_opened_stays_open() -> None:
    chat = Chat(said("a"), answer("1"), said("b"), answer("2"), said("c"), answer("3"))

    chat.folding.fold_older(by_user=False)
    assert chat.text == ["▸ a", "▸ b", "› c", "  3"]

    assert chat.folding.open(chat.blocks[1])
    chat.folding.fold_older(by_user=False)
    assert chat.text == ["› a", "  1", "▸ b", "› c", "  3"]

    chat.folding.fold_older(by_user=True)
    assert chat.text == ["▸ a", "▸ b", "› c", "  3"]


def test_reads_in_a_row_fold_when_something_follows_them() -> None:
    chat = Chat(said("go"), call("a.py"), call("b.py"), call("c.py"), call("find x", "search"), idle=False)
    assert len(chat.text) == 5

    chat.add(answer("I see."))
    assert chat.text == ["› go", "▸ 3 reads, 1 search  a.py, b.py, c.py, …", "  I see."]

    assert chat.folding.open(chat.blocks[1])
    chat.add(answer("More."))
    chat.folding.changed([2])
    assert len(chat.text) == 7, "what the user has opened stays open"


def test_two_reads_or_reads_that_failed_or_run_stay_as_they_are() -> None:
    chat = Chat(
        call("a"), call("b"), answer("x"), call("c"), call("d", status="failed"), call("e"), answer("y")
    )

    assert len(chat.text) == 7


def test_a_read_that_turns_out_to_have_failed_comes_out_of_its_line() -> None:
    chat = Chat(call("a"), call("b"), call("c"), answer("x"))
    assert len(chat.text) == 2

    chat.blocks[1].entry.status = "failed"  # type: ignore[union-attr]
    chat.blocks[1].sync()
    chat.folding.changed([1])

    assert len(chat.text) == 4


def test_reads_in_a_row_wait_for_one_of_them_that_still_runs() -> None:
    chat = Chat(said("go"), *(call(str(number)) for number in range(7)), idle=False)

    chat.blocks[4].entry.status = "in_progress"  # type: ignore[union-attr]
    chat.blocks[4].sync()
    chat.folding.changed([4])
    assert len(chat.text) == 8, "the line would grow under the eyes"

    chat.add(answer("I see."))
    assert chat.text[5:] == ["▸ 3 reads  4, 5, 6", "  I see."]

    chat.blocks[4].entry.status = "completed"  # type: ignore[union-attr]
    chat.blocks[4].sync()
    chat.folding.changed([4])
    assert chat.text == ["› go", "▸ 7 reads  0, 1, 2, …", "  I see."]


def test_thousands_of_reads_cost_each_the_same() -> None:
    looked: list[int] = []

    class Counted(list[EntryBlock]):
        @override
        def __getitem__(self, index: Any) -> Any:
            looked.append(1)
            return super().__getitem__(index)

    chat = Chat(said("go"), idle=False)
    chat.folding = Folding(
        blocks := Counted(chat.blocks), lambda changed: None, lambda _: (None, None), lambda: False
    )
    chat.blocks = blocks
    for number in range(2_000):
        chat.add(call(str(number), status="in_progress"))
    for place in range(1, 2_001):
        blocks[place].entry.status = "completed"
        chat.folding.changed([place])

    assert len(looked) < 2_000 * 20


def test_reads_are_in_their_line_again_when_their_turn_is_opened() -> None:
    chat = Chat(said("go"), call("a"), call("b"), call("c"), answer("x"))
    before = chat.text

    chat.folding.toggle_turn(3)
    assert chat.text == ["▸ go"]
    chat.folding.toggle_turn(0)

    assert chat.text == before
    assert len(before) == 3


SYMBOL = Styles().symbol


def words(pieces: list[Piece]) -> str:
    return " ".join("".join(text for _, text in pieces).split())


def turn(used: int, cost: float, **more: Any) -> Turn:
    usage = UsageUpdate.model_validate(
        {"used": used, "size": 100_000, "cost": {"amount": cost, "currency": "USD"}}
    )
    return Turn(0, 1.0, 5.0, usage=usage, **more)


def test_a_turn_is_named_by_its_prompt_in_one_line() -> None:
    assert words(turn_line(UserMessage([TextBuffer("do\nthis  now")]), SYMBOL)).endswith("do this now")
    assert words(turn_line(UserMessage([]), SYMBOL)).endswith("(no text)")


def test_the_facts_of_a_turn_are_files_commands_time_context_and_its_own_cost() -> None:
    edits = [
        tool_call(kind="edit", content=[Diff("/w/a", "one\n", "one\ntwo\n"), Diff("/w/b", "new\n")]),
        tool_call(kind="execute"),
        tool_call(kind="execute"),
    ]

    facts = words(turn_facts(edits, turn(12_000, 0.75), turn(1_000, 0.5), SYMBOL))

    assert facts == "2 files +1 −1 2 commands 4.0 s ctx 12k 0.25 USD"


def test_c147_the_tokens_of_a_turn_stand_at_its_end_unless_there_are_none() -> None:
    spent = TurnUsage(input_tokens=43_000, output_tokens=40)

    assert words(turn_facts([], Turn(0, 1.0, spent=spent), None, SYMBOL)) == "↑ 43k ↓ 40"
    assert turn_facts([], Turn(0, 1.0, spent=TurnUsage(input_tokens=0, output_tokens=0)), None, SYMBOL) == []


def test_an_end_that_is_none_of_the_usual_is_named_and_nothing_is_said_of_what_is_unknown() -> None:
    assert words(turn_facts([], Turn(0, 1.0, stop_reason="max_tokens"), None, SYMBOL)) == "max tokens"
    assert turn_facts([], None, None, SYMBOL) == []


def test_a_row_of_reads_names_the_first_of_them() -> None:
    calls = [tool_call(kind="read", title=name) for name in "abc"] + [tool_call(kind="search", title="d")]

    assert words(run_line(calls, "/w", SYMBOL)).endswith("3 reads, 1 search a, b, c, …")


def test_only_reads_and_searches_that_went_well_are_folded() -> None:
    assert is_read(tool_call(kind="search"))
    assert not is_read(tool_call(kind="read", status="failed"))
    assert not is_read(tool_call(kind="edit"))
    assert not is_read(UserMessage())
