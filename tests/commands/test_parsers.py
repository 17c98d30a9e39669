"""The options of the subcommands."""

from __future__ import annotations

from acp_tui import cli
from acp_tui.commands.parsers import PARTS, SUBCOMMANDS
from acp_tui.store.search_documents import COLUMNS


def test_the_parts_that_can_be_searched_are_those_of_the_index() -> None:
    assert PARTS == COLUMNS


def test_the_help_of_each_subcommand_fits_80_columns_and_names_its_options() -> None:
    for name, subcommand in SUBCOMMANDS.items():
        parser = subcommand.parser()
        text = parser.format_help()

        assert f"acp-tui {name}" in text
        assert max(map(len, text.splitlines())) <= 80
        assert [word for word in parser._option_string_actions if word not in text] == []


def test_every_subcommand_has_its_options_in_the_table() -> None:
    assert list(SUBCOMMANDS) == list(cli._COMMANDS)  # private: named apart, so that help loads no parser
