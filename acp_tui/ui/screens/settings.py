"""The settings screen: each setting with its value, source and meaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar, Final

from rich.cells import set_cell_size
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input
from typing_extensions import override

from acp_tui.formatting import from_home
from acp_tui.store.setting_list import DEFAULT, ListedSetting
from acp_tui.store.toml_check import Problem
from acp_tui.ui.screens.base.editor import begin, open_in_editor
from acp_tui.ui.screens.base.full_screens import ListScreen, list_keys
from acp_tui.ui.widgets.delay import draws
from acp_tui.ui.widgets.rows.row_view import RowList, StatusRow, StatusRows
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import safe_line, shortened
from acp_tui.ui.widgets.transcript.blocks import Piece

_NAME: Final = 26
_VALUE: Final = 24
"""Cells of the columns of names and values; a longer value is shown whole below the list."""
_WIDE: Final = 110
"""Width from which a row shows the meaning."""
_PROBLEMS: Final = 3
"""Most problems above the list."""


class SettingList(RowList[ListedSetting]):
    """A list of settings; those that are set are emphasised."""

    BINDINGS: ClassVar[list[BindingType]] = [*list_keys("setting-list", opens="Edit")]

    @override
    def pieces(self, item: ListedSetting) -> tuple[list[Piece], list[Piece]]:
        is_set = item.source != DEFAULT
        name, value = safe_line(item.name), shortened(safe_line(item.value), _VALUE)
        left: list[Piece] = [
            ("strong" if is_set else "text", f" {name:<{_NAME}} "),
            ("accent" if is_set else "text", f"{set_cell_size(value, _VALUE)} "),
        ]
        if self.row_width >= _WIDE:
            left.append(("muted", f" {item.about}"))
        return left, [("accent" if is_set else "muted", f"  {safe_line(item.source)} ")]


class SettingsScreen(ListScreen):
    """Lists all settings; opens their file in the editor, at the line."""

    NOTHING = "No setting matches."
    FILTER = "filter settings"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Close", id="settings.close"),
        Binding("slash", "filter", "Search", id="settings.find"),
        Binding("r", "rules", "Permission rules", id="settings.rules"),
    ]

    def __init__(
        self,
        file: Path,
        read: Callable[[], tuple[Sequence[ListedSetting], Sequence[Problem]]],
        styles: Styles,
        show_rules: Callable[[], None],
    ) -> None:
        """Show settings.

        Args:
            file: settings.toml, which need not exist.
            read: returns all saved settings, and the problems of the file.
            styles: the theme's styles.
            show_rules: opens the permission rules.
        """
        super().__init__(styles)
        self._file = file
        self._list = read
        self._show_rules = show_rules

    @override
    def make_list(self) -> SettingList:
        return SettingList(self.theme_styles, id="settings")

    @override
    def compose_content(self) -> ComposeResult:
        yield from super().compose_content()
        yield StatusRows(self.theme_styles, id="about")

    def on_mount(self) -> None:
        """List the settings."""
        self.show_settings()
        self.rows.focus()

    def on_input_changed(self) -> None:
        """Filter by words."""
        self.show_settings()

    def on_row_list_moved(self) -> None:
        """Show the explanation of the setting under the cursor."""
        self._show_about()

    def on_row_list_opened(self, event: SettingList.Opened) -> None:
        """Open the file at a setting, or at its end for one that is not in it."""
        setting: ListedSetting = event.item
        begin(self.app, lambda: self._edit(setting.line))

    def action_rules(self) -> None:
        """Open the permission rules, which have a file of their own."""
        self._show_rules()

    async def _edit(self, line: int | None) -> None:
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            problem = f"{self._file.parent} cannot be created: {error.strerror}."
        else:
            problem = await open_in_editor(self.app, self._file, line)
        if problem:
            self.app.notify(problem, title="Edit", severity="warning")
        if draws(self):
            self.show_settings()

    def show_settings(self) -> None:
        """List the saved settings."""
        found, problems = self._list()
        words = self.query_one(Input).value.casefold().split()
        shown = [one for one in found if all(word in _text(one) for word in words)]
        self.rows.show(shown)
        self.show_nothing(not shown)
        count = sum(one.source != DEFAULT for one in found)
        left = [
            ("strong", f" {len(found)} settings"),
            ("muted", f"  {count} set  {safe_line(from_home(str(self._file)))}"),
        ]
        lines: list[StatusRow] = [(left, ())]
        lines += [
            ([("warning", f" {safe_line(from_home(str(problem)))}")], ()) for problem in problems[:_PROBLEMS]
        ]
        self.show_title(*lines)
        self._show_about()

    def _show_about(self) -> None:
        setting = self.rows.current
        rows: list[StatusRow] = []
        if setting is not None and self.rows.display:
            waits = [("warning", "  applies at the next start of acp-tui")] * setting.is_pending
            rows = [
                ([("text", f" {setting.about}.")], waits),
                ([("muted", f" {setting.values}")], ()),
            ]
            value = safe_line(setting.value)
            if shortened(value, _VALUE) != value:
                rows.insert(1, ([("text", f" {value}")], ()))
        self.query_one("#about", StatusRows).set_rows(rows)


def _text(setting: ListedSetting) -> str:
    return " ".join((setting.name, setting.value, setting.source, setting.about)).casefold()
