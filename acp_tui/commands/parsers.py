"""The options of the subcommands, which is all that help, completions and the man page need."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:  # for annotations only: the help needs no values
    from datetime import datetime

_WIDTH: Final = 80
"""Columns of the help."""


def new_parser(prog: str, about: str, ending: str = "", usage: str | None = None) -> ArgumentParser:
    """Return a parser without options.

    Args:
        prog: the words of the command line before the options.
        about: the text before the options in the help.
        ending: the text after them.
        usage: the usage, if it cannot be made from the options.
    """
    return ArgumentParser(
        prog=prog,
        usage=usage,
        description=about,
        epilog=ending,
        formatter_class=lambda prog: RawDescriptionHelpFormatter(prog, max_help_position=22, width=_WIDTH),
        add_help=False,
        allow_abbrev=False,
        exit_on_error=False,
    )


def blame() -> ArgumentParser:
    """Return the parser of the arguments after `acp-tui blame`."""
    made = new_parser(
        "acp-tui blame",
        "Show the turn and the tool call that each line of a file comes from, over all\n"
        "recorded sessions. With a LINE, show its prompt, session and recording, too.",
        "Exit code: 0 success, 1 the file cannot be read, 2 wrong command line.",
        "acp-tui blame [options] FILE[:LINE]",
    )
    made.add_argument("file", nargs="?", metavar="FILE[:LINE]", help="the file, and one line of it")
    return _with_json_and_help(made, "print JSON, one object a line")


def doctor() -> ArgumentParser:
    """Return the parser of the options before the agent of `acp-tui doctor`."""
    made = new_parser(
        "acp-tui doctor",
        "Check what this machine supports and what is missing. With an agent, check it:\n"
        "how it starts, what it supports, which rules of the protocol it breaks, and how\n"
        "acp-tui handles each.\n\n"
        "Nothing is sent to the agent's model unless --prompt is given.",
        "Exit code: 0 no failures, 1 a check failed, 2 wrong command line.",
        "acp-tui doctor [--cwd DIR] [--json]\n"
        "       acp-tui doctor [options] --agent NAME [arguments of the agent …]\n"
        "       acp-tui doctor [options] --demo",
    )
    made.add_argument("--demo", action="store_true", help="check the bundled demo agent")
    made.add_argument(
        "--cwd", default=".", metavar="DIR", help="the workspace; by default the current folder"
    )
    made.add_argument(
        "--timeout", type=_seconds, default=30.0, metavar="S", help="seconds for each answer (default: 30)"
    )
    made.add_argument(
        "--protocol",
        choices=["1", "2", "newest"],
        help="the version of the protocol to ask the agent for; by default as in the settings",
    )
    made.add_argument(
        "--prompt",
        metavar="TEXT",
        help="also send this, twice: once to the end, once to be cancelled; a third time if a cancel in "
        "between breaks the second",
    )
    made.add_argument(
        "--files",
        action="store_true",
        help="also start it under strace and list what it writes below your home: what a sandbox "
        "has to leave open for it",
    )
    return _with_json_and_help(made, "print JSON")


def log() -> ArgumentParser:
    """Return the parser of the arguments after `acp-tui log decisions`."""
    made = new_parser(
        "acp-tui log decisions",
        "Print the decision log: requests of agents and their answers, oldest first.",
        "Exit code: 0 success, 1 the log cannot be read, 2 wrong command line.",
    )
    made.add_argument(
        "--since",
        type=_since,
        metavar="WHEN",
        help="only since then: 7d, 12h, 30m or a date such as 2026-03-01",
    )
    made.add_argument("--session", metavar="ID", help="only of this session")
    made.add_argument("--agent", metavar="NAME", help="only of this agent")
    return _with_json_and_help(made, "print JSON, one object a line")


def rules() -> ArgumentParser:
    """Return the parser of the arguments after `acp-tui rules`."""
    made = new_parser(
        "acp-tui rules",
        "Check your permission rules, or try them on past requests.\n\n"
        "  check   report mistakes in rule files\n"
        "  try     apply the rules to past requests of agents\n\n"
        "Without a FILE, check reads your rules.toml and .acp-tui/rules.toml of the\n"
        "current folder. try uses the same files; the deny and ask rules of the second\n"
        "always apply, its allow rules only if you trust it.",
        "Exit code: 0 success, 1 mistakes found, 2 wrong command line.",
        "acp-tui rules check [--cwd DIR] [FILE …]\n       acp-tui rules try [options]",
    )
    made.add_argument("what", choices=["check", "try"], help="the subcommand")
    made.add_argument("files", nargs="*", metavar="FILE", help="a rule file, for check")
    made.add_argument("--cwd", default=".", metavar="DIR", help="use this folder instead of the current one")
    made.add_argument("--since", type=_days, metavar="DAYS", help="only sessions of the last DAYS")
    made.add_argument("--agent", metavar="NAME", help="only sessions with this agent")
    return _with_json_and_help(made, "print JSON, one object a line")


def sandbox() -> ArgumentParser:
    """Return the parser of the options before the command of `acp-tui sandbox`."""
    made = new_parser(
        "acp-tui sandbox",
        "Run a command in the sandbox of agents, to see and test what it keeps out.\n\n"
        "The workspace, the folders that you add and the agent's own folders are\n"
        "writable; keys and acp-tui's own folders are hidden; the rest is read-only.\n"
        "[sandbox] of your settings applies. docs/sandbox.md has the details.",
        "Exit code: that of the command, or 128 + its signal; 1 there is no sandbox,\n"
        "2 wrong command line, 127 command not found.",
        "acp-tui sandbox [options] -- COMMAND [ARGUMENT …]",
    )
    made.add_argument(
        "--cwd", default=".", metavar="DIR", help="the workspace; by default the current folder"
    )
    made.add_argument(
        "--add-dir",
        action="append",
        default=[],
        metavar="DIR",
        help="an additional writable folder (repeatable)",
    )
    made.add_argument(
        "--agent", metavar="NAME", help="make the folders of this agent below your home writable"
    )
    made.add_argument("--no-network", action="store_true", help="without a network")
    made.add_argument(
        "--strict", action="store_true", help="hide your home, but for the workspace and what programs need"
    )
    made.add_argument(
        "--partial",
        action="store_true",
        help="accept a sandbox that leaves sockets open, if there is no other",
    )
    return _with_help(made)


PARTS: Final = ("prompt", "answer", "plan", "tool", "output", "decision", "file")
"""The parts of a session to which a search can be limited."""


def search() -> ArgumentParser:
    """Return the parser of the arguments after `acp-tui search`."""
    made = new_parser(
        "acp-tui search",
        "Search all recorded sessions: prompts, answers, plans, tool calls, output,\n"
        'decisions and files, newest first. WORDS can be "TWO WORDS" in a row and -WORD\n'
        "to exclude one (after --), and have filters: agent:NAME folder:DIR file:NAME\n"
        "since:7d until:2026-03-01 in:prompt.\n\n"
        "The index is made in the background; what it lacks is read from the recordings.",
        "Exit code: 0 something found, 1 nothing found, 2 wrong command line.",
        "acp-tui search [options] WORDS …",
    )
    made.add_argument("words", nargs="*", metavar="WORDS", help="the words to find")
    made.add_argument("--agent", default="", metavar="NAME", help="only sessions of this agent")
    made.add_argument("--cwd", default="", metavar="DIR", help="only sessions in this folder and below")
    made.add_argument("--file", default="", metavar="NAME", help="only where this file was read or changed")
    made.add_argument(
        "--since",
        default="",
        metavar="WHEN",
        help="only since then: 7d, 12h, 30m or a date such as 2026-03-01",
    )
    made.add_argument("--until", default="", metavar="WHEN", help="only before then")
    made.add_argument("--in", dest="part", choices=PARTS, metavar="PART", help=f"only in: {', '.join(PARTS)}")
    made.add_argument("--limit", type=_count, default=50, metavar="N", help="at most N results (default: 50)")
    made.add_argument("--index", action="store_true", help="only update the index")
    return _with_json_and_help(made, "print JSON, one object a line")


def sessions() -> ArgumentParser:
    """Return the parser of the arguments after `acp-tui sessions`."""
    made = new_parser(
        "acp-tui sessions",
        "List recorded sessions, newest first, and free their disk space.",
        "ID is an id of the list or its beginning, or the agent's id of a session. Open\n"
        "and protected sessions are never deleted.\n\n"
        "Exit code: 0 success, 1 something failed, 2 wrong command line.",
        "acp-tui sessions [options]",
    )
    what = made.add_mutually_exclusive_group()
    what.add_argument("--keep", nargs="+", metavar="ID", help="protect sessions from deletion")
    what.add_argument("--forget", nargs="+", metavar="ID", help="remove the protection")
    what.add_argument("--delete", nargs="+", metavar="ID", help="delete these")
    what.add_argument(
        "--free", type=_size, metavar="SIZE", help="delete the oldest until SIZE is freed, such as 500MB"
    )
    what.add_argument(
        "--older-than", type=_age, metavar="AGE", help="delete sessions unused for AGE, such as 90d"
    )
    made.add_argument(
        "--yes", action="store_true", help="really delete; otherwise only list what would be deleted"
    )
    return _with_json_and_help(made, "print JSON")


def _with_json_and_help(made: ArgumentParser, json: str) -> ArgumentParser:
    made.add_argument("--json", action="store_true", help=json)
    return _with_help(made)


def _with_help(made: ArgumentParser) -> ArgumentParser:
    made.add_argument("-h", "--help", action="store_true", help="show this help")
    return made


class Subcommand(NamedTuple):
    """A subcommand of `acp-tui`."""

    about: str
    """Its purpose, in a few words."""
    parser: Callable[[], ArgumentParser]


SUBCOMMANDS: Final[Mapping[str, Subcommand]] = {
    "blame": Subcommand("show who wrote each line of a file", blame),
    "doctor": Subcommand("check this machine, or an agent", doctor),
    "log": Subcommand("print the decision log", log),
    "rules": Subcommand("check the permission rules, or try them", rules),
    "sandbox": Subcommand("run a command in the sandbox of agents", sandbox),
    "search": Subcommand("search all recorded sessions", search),
    "sessions": Subcommand("list, protect and delete recorded sessions", sessions),
}


def _since(text: str) -> datetime:
    # only to read this value
    from acp_tui.formatting import moment

    try:
        return moment(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise ArgumentTypeError(f"must be a number of seconds, not {text}")
    return seconds


def _count(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= 100_000:
        raise ArgumentTypeError(f"must be a number from 1 to 100000, not {text}")
    return int(text)


def _days(text: str) -> float:
    try:
        days = float(text.removesuffix("d"))
    except ValueError:
        days = -1.0
    if not 0 < days < 100_000:
        raise ArgumentTypeError(f"must be a number of days, not {text}")
    return days


def _size(text: str) -> int:
    """Parse a size such as 500MB or 2 GB."""
    # only to read this value
    from acp_tui.store import toml_check

    try:
        return toml_check.byte_count(text, (), toml_check.Findings())
    except toml_check.ShapeError:
        raise ArgumentTypeError(f"must be like 500MB or 2GB, not {text}") from None


def _age(text: str) -> float:
    """Parse an age such as 90d."""
    # only to read this value
    from acp_tui.store import toml_check

    try:
        return toml_check.days(text, (), toml_check.Findings())
    except toml_check.ShapeError:
        raise ArgumentTypeError(f"must be like 90d, not {text}") from None
