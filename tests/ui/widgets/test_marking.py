from rich.segment import Segment
from rich.style import Style

from acp_tui.ui.widgets.marking import marked

PLAIN, RED, HIT = Style(), Style(color="red"), Style(reverse=True)


def hits(*row: Segment, needle: str) -> list[str]:
    """Return what is marked, piece by piece."""
    made = marked(row, needle, HIT)
    assert "".join(segment.text for segment in made) == "".join(segment.text for segment in row)
    return [segment.text for segment in made if segment.style is not None and segment.style.reverse]


def test_a_text_is_marked_in_any_case_wherever_it_is() -> None:
    assert hits(Segment("Read, then read on.", PLAIN), needle="read") == ["Read", "read"]


def test_a_text_over_several_segments_is_marked_in_each_and_keeps_their_colours() -> None:
    row = (Segment("a re", PLAIN), Segment("ad b", RED))

    assert hits(*row, needle="read") == ["re", "ad"]
    assert marked(row, "read", HIT)[2].style == RED + HIT


def test_letters_that_fold_to_several_move_no_mark() -> None:
    assert hits(Segment("Straße read", PLAIN), needle="read") == ["read"]


def test_without_a_hit_the_row_is_as_it_was() -> None:
    row = [Segment("text", RED)]

    assert marked(row, "nothing", HIT) == row
    assert marked(row, "", HIT) == row
