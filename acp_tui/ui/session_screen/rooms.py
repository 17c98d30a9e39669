"""What a session screen can do beside showing its conversation, each part made when it is first needed."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_tui.conversation.start import Start
    from acp_tui.ui.session_screen.beginning import Beginning
    from acp_tui.ui.session_screen.copying import Copying
    from acp_tui.ui.session_screen.exporting import Exporting
    from acp_tui.ui.session_screen.naming import Naming
    from acp_tui.ui.session_screen.opened import Opened
    from acp_tui.ui.session_screen.option_menus import OptionMenus
    from acp_tui.ui.session_screen.own_shell import OwnShell
    from acp_tui.ui.session_screen.ruling import Ruling
    from acp_tui.ui.session_screen.screen import SessionScreen
    from acp_tui.ui.session_screen.slash import Slash
    from acp_tui.ui.session_screen.unresponsive import Unresponsive


class Rooms:
    """The parts of one screen. The first frame needs none of them, so it does not wait for their modules."""

    def __init__(self, screen: SessionScreen, start: Start) -> None:
        self._screen = screen
        self._start = start

    @cached_property
    def beginning(self) -> Beginning:
        """Leads to a session, and explains what stands in the way."""
        from acp_tui.ui.session_screen.beginning import Beginning

        return Beginning(self._screen, self._start)

    @cached_property
    def copying(self) -> Copying:
        """Copies what was said."""
        from acp_tui.ui.session_screen.copying import Copying

        return Copying(self._screen)

    @cached_property
    def exporting(self) -> Exporting:
        """Writes the session into a file."""
        from acp_tui.ui.session_screen.exporting import Exporting

        return Exporting(self._screen)

    @cached_property
    def naming(self) -> Naming:
        """Names the session."""
        from acp_tui.ui.session_screen.naming import Naming

        return Naming(self._screen)

    @cached_property
    def opened(self) -> Opened:
        """Opens tool calls, files and details over the session."""
        from acp_tui.ui.session_screen.opened import Opened

        return Opened(self._screen, self._start)

    @cached_property
    def option_menus(self) -> OptionMenus:
        """Sets modes, models and options."""
        from acp_tui.ui.session_screen.option_menus import OptionMenus

        return OptionMenus(self._screen)

    @cached_property
    def own_shell(self) -> OwnShell:
        """Runs the person's own commands."""
        from acp_tui.ui.session_screen.own_shell import OwnShell

        return OwnShell(self._screen, self._start)

    @cached_property
    def ruling(self) -> Ruling:
        """Leads to the person's rules."""
        from acp_tui.ui.session_screen.ruling import Ruling

        return Ruling(self._screen, self._start)

    @cached_property
    def slash(self) -> Slash:
        """Knows our own commands behind `/`."""
        from acp_tui.ui.session_screen.slash import Slash

        return Slash(self._screen)

    @cached_property
    def unresponsive(self) -> Unresponsive:
        """Deals with an agent that does not answer."""
        from acp_tui.ui.session_screen.unresponsive import Unresponsive

        return Unresponsive(self._screen)
