"""Keys as a terminal without the Kitty keyboard protocol sends them."""

from __future__ import annotations

import time
from collections.abc import Iterable

import pytest
from textual import constants
from textual._xterm_parser import XTermParser
from textual.binding import Binding, BindingType
from textual.events import Key

from acp_tui.ui.alt_keys import teach_alt_keys
from acp_tui.ui.app import AcpApp
from acp_tui.ui.session_screen.screen import SessionScreen
from acp_tui.ui.widgets.prompt_box import PromptBox


def keys_with_alt(bindings: Iterable[BindingType]) -> list[str]:
    keys = [key for one in bindings if isinstance(one, Binding) for key in one.key.split(",")]
    return [key for key in keys if key.startswith("alt+") and (len(key) == 5 or key == "alt+enter")]


KEYS = keys_with_alt([*AcpApp.BINDINGS, *SessionScreen.BINDINGS, *PromptBox.BINDINGS])


def read(sequence: str) -> list[str]:
    """Return the keys that the parser makes of a sequence, also those that it waits with."""
    parser = XTermParser()
    found = list(parser.feed(sequence))
    time.sleep(constants.ESCAPE_DELAY + 0.01)
    return [event.key for event in (*found, *parser.tick()) if isinstance(event, Key)]


@pytest.mark.parametrize("key", KEYS)
def test_a_key_of_ours_with_alt_arrives_as_itself(key: str) -> None:
    teach_alt_keys()
    last = key.removeprefix("alt+")

    assert read("\x1b" + ("\r" if last == "enter" else last)) == [key]


def test_the_keys_are_those_of_tabs_and_of_a_new_line_too() -> None:
    assert {"alt+1", "alt+9", "alt+a", "alt+enter"} <= set(KEYS)
