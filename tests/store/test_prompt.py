"""What the person writes, with chips for what is long, and as it is kept."""

import pytest

from acp_tui.store.prompt import Prompt, prompt_of, together

CHIP = "[pasted 84 lines #1]"


def test_a_chip_stands_for_its_text_and_one_that_is_not_known_for_itself() -> None:
    prompt = Prompt(f"see {CHIP} and [pasted 3 lines #2]", {CHIP: "all\nof it"})

    assert prompt.whole == "see all\nof it and [pasted 3 lines #2]"


def test_several_prompts_are_one_with_the_chips_of_all() -> None:
    other = "[pasted 9 lines #2]"

    assert together([Prompt(CHIP, {CHIP: "a"}), Prompt("and"), Prompt(other, {other: "b"})]).whole == (
        "a\n\nand\n\nb"
    )


@pytest.mark.parametrize("prompt", [Prompt("plain"), Prompt(CHIP, {CHIP: "a"})])
def test_what_is_kept_is_read_again(prompt: Prompt) -> None:
    import json

    assert prompt_of(json.dumps(prompt.row())) == prompt


@pytest.mark.parametrize(
    "row",
    [
        "",
        "{",
        "[]",
        "null",
        '{"text": 1}',
        '{"text": "a", "chips": {"b": 1}}',
        '{"chips": {}}',
        "[" * 100_000,
    ],
)
def test_a_broken_line_is_none(row: str) -> None:
    assert prompt_of(row) is None
