"""The marks of the interface, and the styles of a theme."""

from rich.cells import cell_len
from rich.style import Style

from acp_tui.ui.widgets.styles import SYMBOLS, Styles
from tests.tables import each


@each("name", SYMBOLS)
def test_every_mark_is_one_cell_wide_and_has_an_ascii_form(name: str) -> None:
    unicode, plain = Styles().symbol(name), Styles(ascii=True).symbol(name)

    assert cell_len(unicode) == 1
    assert plain.isascii()
    assert plain.isprintable()


def test_a_role_that_a_theme_leaves_out_is_drawn_as_text() -> None:
    styles = Styles(by_role={"error": Style(bold=True)})

    assert styles["error"].bold
    assert styles["success"] == Style.null()
