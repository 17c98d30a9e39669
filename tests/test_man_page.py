"""The man page that the build hook makes."""

from __future__ import annotations

import re

from acp_tui.cli import whole_parser
from acp_tui.commands.parsers import SUBCOMMANDS
from hatch_build import man_page


def test_the_man_page_has_every_option_of_the_program_and_of_its_subcommands() -> None:
    page = man_page("1.2.3").replace("\\-", "-")
    parsers = [whole_parser(), *(one.parser() for one in SUBCOMMANDS.values())]
    options = {word for parser in parsers for word in parser._option_string_actions} - {"-h", "--help"}

    assert [word for word in sorted(options) if not re.search(rf"\\fB{word}\\fR", page)] == []
    assert [name for name in SUBCOMMANDS if f"acp-tui {name}" not in page] == []


def test_the_man_page_begins_with_the_name_and_has_the_version() -> None:
    lines = man_page("1.2.3").replace("\\-", "-").splitlines()

    assert lines[0].startswith(".TH ACP-TUI")
    assert '"acp-tui 1.2.3"' in lines[0]
    assert lines[1:3] == [
        ".SH NAME",
        "acp-tui - terminal client for coding agents that speak the Agent Client Protocol",
    ]
