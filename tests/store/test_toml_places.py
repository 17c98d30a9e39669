import pytest

from acp_tui.store.toml_places import Place, line_of

TEXT = """\
# settings
theme = "acp-dark"

[keys]
"session.stop" = "f9"

[[rules]]
decision = "allow"

[[rules]]  # the second
decision = "deny"
path.inner = "x"
"""


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (("theme",), 2),
        (("keys", "session.stop"), 5),
        (("keys", "not there"), 4),
        (("rules", 0, "decision"), 8),
        (("rules", 1), 10),
        (("rules", 1, "path", "inner"), 12),
        (("nowhere", "at all"), None),
    ],
)
def test_a_place_is_found_or_else_what_is_around_it(place: Place, line: int | None) -> None:
    assert line_of(TEXT, place) == line
