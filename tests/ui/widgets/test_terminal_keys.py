"""Keys become the bytes that programs in terminals know."""

import pytest

from acp_tui.ui.widgets.terminal_keys import bytes_of_key


@pytest.mark.parametrize(
    ("key", "character", "application", "data"),
    [
        ("a", "a", False, b"a"),
        ("ü", "ü", False, "ü".encode()),
        ("A", "A", False, b"A"),
        ("full_stop", ".", False, b"."),
        ("ctrl+d", "\x04", False, b"\x04"),
        ("alt+b", None, False, b"\x1bb"),
        ("up", None, True, b"\x1bOA"),
        ("ctrl+right", None, False, b"\x1b[1;5C"),
        ("shift+tab", None, False, b"\x1b[Z"),
        ("backspace", "\x7f", False, b"\x7f"),
        ("f5", None, False, b"\x1b[15~"),
        ("unknown_key", None, False, b""),
    ],
)
def test_keys_become_bytes(key: str, character: str | None, application: bool, data: bytes) -> None:
    assert bytes_of_key(key, character, application) == data


@pytest.mark.parametrize(
    ("key", "sent"), [("alt+h", b"\x1bh"), ("alt+full_stop", b"\x1b."), ("alt+f12", b""), ("alt+enter", b"")]
)
def test_a_key_with_alt_is_the_key_behind_an_escape(key: str, sent: bytes) -> None:
    assert bytes_of_key(key, None) == sent
