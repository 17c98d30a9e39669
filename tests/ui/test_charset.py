"""What the locale says of the terminal's characters."""

import pytest

from acp_tui.ui.charset import is_ascii


@pytest.mark.parametrize(
    ("env", "ascii"),
    [
        ({}, False),
        ({"LANG": "en_US.UTF-8"}, False),
        ({"LANG": "de_DE.utf8@euro"}, False),
        ({"LANG": "C.UTF-8"}, False),
        ({"LANG": "de_DE"}, False),
        ({"LANG": "C"}, True),
        ({"LANG": "POSIX"}, True),
        ({"LANG": "de_DE.ISO-8859-1"}, True),
        ({"LC_ALL": "C", "LANG": "en_US.UTF-8"}, True),
        ({"LC_CTYPE": "en_US.UTF-8", "LANG": "C"}, False),
        ({"LC_ALL": "", "LANG": "C"}, True),
        ({"LANG": "C", "LC_ALL": "en_US.UTF-8"}, False),
    ],
)
def test_only_a_locale_that_names_another_character_set_is_ascii(env: dict[str, str], ascii: bool) -> None:
    assert is_ascii(env) is ascii
