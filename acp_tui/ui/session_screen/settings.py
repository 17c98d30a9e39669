"""The settings screen over a session, with values that were chosen elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from acp_tui.conversation.start import Start
from acp_tui.store.folders import config_folder
from acp_tui.store.setting_list import DEFAULT, Override, listed, shown
from acp_tui.ui.application.app import AcpApp
from acp_tui.ui.panes.pane import PaneFrame
from acp_tui.ui.screens.settings import SettingsScreen
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.ui.widgets.key_names import key_of


def show_settings(
    screen: ConversationScreen, start: Start, app: AcpApp, show_rules: Callable[[], None]
) -> None:
    """Open the settings screen."""
    file = start.settings_file or config_folder() / "settings.toml"

    def overrides() -> dict[str, Override]:
        return dict(_overrides(screen, start, app))

    app.push_screen(
        SettingsScreen(
            file, lambda: listed(file, start.settings, overrides()), screen.theme_styles, show_rules
        )
    )


def _overrides(screen: ConversationScreen, start: Start, app: AcpApp) -> Iterator[tuple[str, Override]]:
    """Yield (name of the setting, the value that overrides it)."""
    settings, theme = start.settings, app.app_theme.name
    if theme != settings.theme:
        source = "--theme" if theme == start.theme else f"chosen with {key_of(screen, 'app.theme')}"
        yield "theme", Override(shown(theme), source)
    frames = screen.query(PaneFrame)
    panes = tuple(frame.pane.NAME for frame in frames if not frame.has_class("-hidden"))
    if set(panes) != set(settings.layout):
        yield "layout", Override(shown(panes), f"chosen with {key_of(screen, 'session.hide-pane')}")
    if settings.ascii is None:
        is_ascii = screen.theme_styles.ascii
        yield "ascii", Override(shown(is_ascii), "locale" if is_ascii else DEFAULT)
