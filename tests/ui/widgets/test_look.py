"""The marks of the interface, and the styles of a theme."""

import pytest
from rich.cells import cell_len
from rich.style import Style

from acp_tui.ui.widgets.look import GLYPHS, Look


@pytest.mark.parametrize("name", GLYPHS)
def test_every_mark_is_one_cell_wide_and_has_an_ascii_form(name: str) -> None:
    unicode, plain = Look().glyph(name), Look(ascii=True).glyph(name)

    assert cell_len(unicode) == 1
    assert plain.isascii()
    assert plain.isprintable()


def test_a_role_that_a_theme_leaves_out_is_drawn_as_text() -> None:
    look = Look(styles={"error": Style(bold=True)})

    assert look["error"].bold
    assert look["success"] == Style.null()
