"""What keys open over a session, by name."""

from __future__ import annotations

from textual.actions import parse
from textual.binding import Binding

from acp_tui.ui.panes.chat import ChatPane
from acp_tui.ui.session_screen.doors import DOORS
from acp_tui.ui.session_screen.keys import KEYS
from acp_tui.ui.session_screen.slash import OWN


def test_every_key_and_command_that_opens_something_has_a_door_and_every_door_a_key() -> None:
    keys = [binding.action for binding in (*KEYS, *ChatPane.BINDINGS) if isinstance(binding, Binding)]
    by_key = {parameters[0] for _, name, parameters in map(parse, keys) if name == "open"}
    by_name = {parameters[0] for _, name, parameters in (parse(own.action) for own in OWN) if name == "open"}

    assert by_key == DOORS.keys()
    assert by_name <= DOORS.keys()
