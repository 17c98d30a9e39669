"""The parts of the reference pages that are read from the program."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, get_args

from textual.dom import DOMNode

from acp_tui import cli
from acp_tui.commands.parsers import SUBCOMMANDS
from acp_tui.store.agents import known_agents
from acp_tui.store.setting_list import DEFAULT, listed
from acp_tui.store.settings import SETTINGS, Settings
from acp_tui.ui.application.command_table import COMMANDS, Command, Group
from acp_tui.ui.panes.chat import ChatPane
from acp_tui.ui.panes.plan import PlanPane
from acp_tui.ui.screens.base.menu import Menu
from acp_tui.ui.screens.base.text_screens import MarkdownScreen, SessionDetailsScreen, SourceScreen
from acp_tui.ui.screens.bundle import BundleScreen
from acp_tui.ui.screens.help import HelpScreen
from acp_tui.ui.screens.protocol import FrameList, FrameScreen, ProtocolScreen
from acp_tui.ui.screens.questions.address import AddressDialog
from acp_tui.ui.screens.questions.form import FormDialog
from acp_tui.ui.screens.questions.login import LoginDialog, LoginWait, TerminalLoginScreen
from acp_tui.ui.screens.questions.permission import PermissionDialog
from acp_tui.ui.screens.questions.stale_write import StaleWriteDialog
from acp_tui.ui.screens.review.blame import BlameList, BlameScreen
from acp_tui.ui.screens.review.changes import ChangesScreen
from acp_tui.ui.screens.review.notes import PassageList, PassageScreen
from acp_tui.ui.screens.review.plan_step import PlanStepScreen
from acp_tui.ui.screens.review.subagent import SubagentScreen
from acp_tui.ui.screens.review.tool_call import ToolCallScreen
from acp_tui.ui.screens.rules.decisions import DecisionsScreen
from acp_tui.ui.screens.rules.rule_editor import RuleEditor, RuleTrial
from acp_tui.ui.screens.rules.rules import RulesScreen, RuleTrust
from acp_tui.ui.screens.search import SearchScreen
from acp_tui.ui.screens.settings import SettingsScreen
from acp_tui.ui.screens.start import FailureScreen, StartScreen
from acp_tui.ui.session_screen.prompt.queue import QueueMenu
from acp_tui.ui.session_screen.review.go_back import GoBackDialog
from acp_tui.ui.session_screen.review.notes import NotesMenu
from acp_tui.ui.session_screen.review.restore import RestoreDialog
from acp_tui.ui.session_screen.sessions.sessions import SessionsMenu
from acp_tui.ui.widgets.controls import Choices, OneOf
from acp_tui.ui.widgets.diff.noted_view import NotedDiffView
from acp_tui.ui.widgets.diff.view import DiffView
from acp_tui.ui.widgets.key_names import key_text
from acp_tui.ui.widgets.prompt_box import PromptBox
from acp_tui.ui.widgets.rows.note_field import NoteField
from acp_tui.ui.widgets.rows.search_bar import FindBar, SearchBar
from acp_tui.ui.widgets.terminal.view import TerminalView
from acp_tui.ui.widgets.textual_internals import class_bindings_of
from acp_tui.ui.widgets.transcript.transcript import Transcript

DOCS: Final = Path(__file__).parents[2] / "docs"

SCREENS: Final[Mapping[str, tuple[type[DOMNode], ...]]] = {
    "Prompt": (PromptBox,),
    "Chat and other texts": (ChatPane, Transcript, FindBar, SearchBar),
    "Plan": (PlanPane,),
    "Reply to a passage": (PassageScreen, PassageList),
    "Permission question": (PermissionDialog,),
    "Changes and diffs": (ChangesScreen, NotedDiffView, DiffView, NoteField),
    "Tool call": (ToolCallScreen, TerminalView),
    "Chat of a subagent": (SubagentScreen,),
    "Step of a plan": (PlanStepScreen,),
    "Question about a newer file": (StaleWriteDialog,),
    "Question with a link": (AddressDialog,),
    "Form": (FormDialog, Choices, OneOf),
    "Restore": (RestoreDialog,),
    "Go back": (GoBackDialog,),
    "Start screen": (StartScreen, FailureScreen),
    "Login": (LoginDialog, LoginWait, TerminalLoginScreen),
    "Menus": (Menu, SessionsMenu, QueueMenu, NotesMenu),
    "Permission rules": (RulesScreen, RuleTrust, RuleEditor, RuleTrial),
    "Decision log": (DecisionsScreen,),
    "Settings": (SettingsScreen,),
    "Protocol log": (ProtocolScreen, FrameList, FrameScreen, BundleScreen),
    "Search": (SearchScreen,),
    "Blame": (BlameScreen, BlameList),
    "Help and details": (HelpScreen, SessionDetailsScreen, SourceScreen, MarkdownScreen),
}
"""The classes whose keys are listed together. The lists of all screens have the keys of `FrameList`."""

_APPLIES: Final = {
    "now": "at once",
    "next agent": "to agents started later",
    "next start": "at the next start",
}


def _table(heading: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    heading = list(heading)
    yield f"| {' | '.join(heading)} |"
    yield f"|{' --- |' * len(heading)}"
    for row in rows:
        cells = (cell.replace("|", "\\|") for cell in row)
        yield f"| {' | '.join(cells)} |"


def _key(keys: Iterable[str]) -> str:
    return " ".join(f"`{key_text(key, ascii=True)}`" for key in keys)


def commands_by_task() -> Iterator[str]:
    """Yield the table of all commands: the slash words, the key, and the name in the settings."""
    for group in get_args(Group):
        yield f"### {group}"
        yield ""
        yield from _table(
            ("command", "key", "slash command", "name in settings"),
            (_command(one) for one in COMMANDS if one.group == group and not _is_counted(one)),
        )
        yield ""


_SAME: Final = 2
"""Most words that a summary has beyond the title without saying more."""


def _is_counted(command: Command) -> bool:
    return command.name.startswith("app.go-") and command.name != "app.go-1"


def _command(command: Command) -> tuple[str, str, str, str]:
    words = " ".join(f"`/{word}`" for word in command.slash)
    news = set(command.summary.casefold().split()) - set(command.title.casefold().split())
    title = f"{command.title}: {command.summary}" if len(news) > _SAME else command.title
    if command.name == "app.go-1":
        return ("Go to session 1 to 9", "`Alt+1` to `Alt+9`", "", "`app.go-1` to `app.go-9`")
    return (title, _key(filter(None, command.keys.split(","))), words, f"`{command.name}`")


def keys_of_screens() -> Iterator[str]:
    """Yield the tables of keys of screens, panes and dialogs."""
    told = {command.name for command in COMMANDS if command.scope != "chat"}
    for heading, kinds in SCREENS.items():
        rows: dict[str, tuple[str, list[str]]] = {}
        for kind in kinds:
            for _, binding in class_bindings_of(kind):
                if binding.id and binding.id not in told:
                    _, keys = rows.setdefault(binding.id, (binding.description, []))
                    keys += [key for key in binding.key.split(",") if key not in keys]
        told |= rows.keys()
        yield f"### {heading}"
        yield ""
        yield from _table(
            ("key", "action", "name in settings"),
            ((_key(keys), about, f"`{name}`") for name, (about, keys) in rows.items()),
        )
        yield ""


def settings() -> Iterator[str]:
    """Yield the table of settings."""
    found, _ = listed(None, Settings(), {})
    assert all(one.source == DEFAULT for one in found)
    yield from _table(
        ("setting", "meaning", "values", "default", "applies"),
        (
            (
                f"`{one.name}`",
                one.about,
                f"`{one.values}`" if one.values[:1] in "[{" else one.values,
                "by the locale" if one.name == "ascii" else one.value,
                _APPLIES[SETTINGS[one.name.partition(".")[0]].applies],
            )
            for one in found
        ),
    )


def command_line() -> Iterator[str]:
    """Yield the help of the program and of its subcommands."""
    yield "```text"
    yield from cli.help_text().splitlines()
    yield "```"
    for name, subcommand in SUBCOMMANDS.items():
        yield ""
        yield f"## acp-tui {name}"
        yield ""
        yield "```text"
        yield from subcommand.parser().format_help().splitlines()
        yield "```"


def agents() -> Iterator[str]:
    """Yield the table of known agents."""
    known = known_agents({})
    yield from _table(
        ("name", "agent", "command", "install"),
        (
            (
                f"`{name}`",
                agent.title,
                f"`{' '.join(agent.command)}`",
                f"`{agent.install}`" if agent.install else "",
            )
            for name, agent in sorted(known.items())
        ),
    )


PARTS: Final[Mapping[str, Mapping[str, Callable[[], Iterator[str]]]]] = {
    "keys.md": {"commands": commands_by_task, "screens": keys_of_screens},
    "settings.md": {"settings": settings},
    "command-line.md": {"help": command_line},
    "agents.md": {"agents": agents},
}
"""The generated parts by page and name. A page marks each by two comments."""


def written(page: str, text: str) -> str:
    """Return the text of a page with its generated parts as they should be."""
    for name, lines in PARTS[page].items():
        begin, end = f"<!-- {name}: written by python -m tests.reference -->", f"<!-- end of {name} -->"
        part = "\n".join(lines()).strip("\n")
        found = re.findall(f"{re.escape(begin)}\n.*?{re.escape(end)}", text, re.DOTALL)
        if len(found) != 1:
            raise ValueError(f"{page} needs one part between {begin} and {end}")
        text = text.replace(found[0], f"{begin}\n{part}\n{end}")
    return text
