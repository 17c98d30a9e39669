"""The build hook: makes the man page from the parser of the command line, and puts it into the wheel."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from argparse_manpage.manpage import Manpage
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_FILES = """\
.TP
.I ~/.config/acp-tui/settings.toml
the settings; /settings lists them
.TP
.I ~/.config/acp-tui/rules.toml
your permission rules
.TP
.I ~/.local/share/acp-tui/
recorded sessions, the decision log, snapshots, drafts and exports
.TP
.I ~/.local/state/acp-tui/
the log, the layout and earlier prompts"""
_ENVIRONMENT = """\
.TP
.B ACP_TUI_HOME
one folder for all files of acp\\-tui
.TP
.B VISUAL, EDITOR
the editor for prompts, changed files and settings
.TP
.B NO_COLOR
if set, no colours"""


def man_page(version: str) -> str:
    """Return the man page of the program."""
    from acp_tui.cli import EXAMPLES, whole_parser

    parser = whole_parser()
    synopsis = (parser.usage or "").replace("-", "\\-")
    parser.epilog = None
    page = Manpage(parser, {"version": version, "manual_title": "User Commands"})
    page.description = "terminal client for coding agents that speak the Agent Client Protocol"
    page.add_section("synopsis", "=", f".nf\n{synopsis}\n.fi")
    page.add_section("examples", "=", ".nf\n" + EXAMPLES.partition("\n")[2].replace("-", "\\-") + ".fi")
    page.add_section("files", "=", _FILES)
    page.add_section("environment", "=", _ENVIRONMENT)
    return str(page)


class ManPageHook(BuildHookInterface[Any]):
    """Adds the man page to the files of a wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the man page; hatchling takes it from there."""
        sys.path.insert(0, self.root)
        self._folder = tempfile.TemporaryDirectory(prefix="acp-tui-man-")
        path = Path(self._folder.name) / "acp-tui.1"
        path.write_text(man_page(self.metadata.version), encoding="utf-8")
        build_data["shared_data"][str(path)] = "share/man/man1/acp-tui.1"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the file, which is in the wheel by now."""
        self._folder.cleanup()
