from rich.segment import Segment
from rich.style import Style
from textual.color import Color

from acp_tui.ui.ascii_filter import AsciiFilter


def test_marks_are_drawn_in_ascii_cell_for_cell_and_letters_stay() -> None:
    style = Style(bold=True)
    row = [Segment("┌─┐│█→…", style), Segment("Ελλάδα 日本"), Segment("plain")]

    made = AsciiFilter().apply(row, Color(0, 0, 0))

    assert [segment.text for segment in made] == ["+-+|#>~", "Ελλάδα 日本", "plain"]
    assert made[0].style == style
