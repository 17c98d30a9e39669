"""The command line: parse it, start the agent, then load the interface.

Imports are inside the functions that need them: `--help` and each subcommand load only what they need, and
the agent is started before Textual is loaded, which takes a tenth of a second.
"""

from __future__ import annotations

import errno
import gc
import os
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

if TYPE_CHECKING:  # for annotations only: each command loads no more than it needs
    import logging
    from argparse import ArgumentParser

    from acp_tui.agent.process import Process, SpawnFailed
    from acp_tui.conversation.start_options import SandboxOption, Start
    from acp_tui.store.agents import KnownAgent, Launch, ProtocolChoice
    from acp_tui.store.mcp import McpServer
    from acp_tui.store.settings import Settings
    from acp_tui.store.toml_check import Problem


_LEVELS: Final = ("debug", "info", "warning", "error")

USAGE, FAILURE, INTERRUPTED = 2, 1, 130
"""Exit codes: wrong command line, failure, Ctrl+C."""


class Refusal(Exception):
    """The program cannot start as requested; the message goes to stderr."""

    def __init__(self, text: str, code: int = FAILURE) -> None:
        super().__init__(text)
        self.code = code


class Options(NamedTuple):
    """The parsed command line."""

    agent: str | None = None
    agent_args: Sequence[str] = ()
    demo: bool = False
    cwd: str = "."
    add_dir: Sequence[str] = ()
    mode: str | None = None
    mcp_config: Sequence[str] = ()
    theme: str | None = None
    log_level: str = "warning"
    log_file: str | None = None
    resumes_newest: bool = False
    resume: str | None = None
    prompt: str = ""
    sandbox: SandboxOption = ""


def parse(argv: Sequence[str]) -> Options:
    """Parse a command line without --help and --version.

    Raises:
        Refusal: it is invalid.
    """
    ours, agent, agent_args = split(argv)
    given = read(_parser(), ours, agent) if ours else {}  # creating a parser takes longer than all the rest
    return Options(agent, tuple(agent_args), **given)


def read(parser: ArgumentParser, ours: Sequence[str], agent: str | None) -> dict[str, Any]:
    """Return the values of the options by name.

    Raises:
        Refusal: they are invalid.
    """
    # only where options are parsed
    from argparse import ArgumentError

    try:
        found, unknown = parser.parse_known_args(ours)
    except ArgumentError as error:
        raise Refusal(f"{error}\nTry: {parser.prog} --help", USAGE) from None
    if unknown:
        raise Refusal(_advice(parser, unknown[0]), USAGE)
    if getattr(found, "demo", False) and agent is not None:
        raise Refusal("--demo and --agent cannot be combined; leave one out.", USAGE)
    if getattr(found, "resumes_newest", False) and getattr(found, "resume", None) is not None:
        raise Refusal("--continue and --resume cannot be combined; leave one out.", USAGE)
    return vars(found)


def split(argv: Sequence[str]) -> tuple[list[str], str | None, Sequence[str]]:
    """Return (acp-tui's options, the agent, its arguments); the last are passed on unparsed."""
    for index, word in enumerate(argv):
        rest = argv[index + 1 :]
        if word == "--":
            return list(argv[:index]), rest[0] if rest else None, rest[1:]
        if word == "--agent":
            if not rest or rest[0] == "--":
                raise Refusal("--agent needs the name of an agent, such as: acp-tui --agent gemini", USAGE)
            return list(argv[:index]), rest[0], rest[1:]
        if word.startswith("--agent="):
            return list(argv[:index]), word.removeprefix("--agent="), rest
    return list(argv), None, ()


OWN: Final = frozenset(
    f"--{name}"
    for name in (
        *("agent", "demo", "mode", "mcp-config", "sandbox", "no-sandbox"),
        *("continue", "resume", "prompt", "cwd", "add-dir"),
        *("theme", "log-level", "log-file", "print-completion"),
    )
)
"""Options of acp-tui that look misplaced behind an agent's name; to make a parser for them takes too long."""


def misplaced(agent_args: Sequence[str]) -> tuple[str, ...]:
    """Return the words for the agent that are options of acp-tui, too."""
    words = (word.partition("=")[0] for word in agent_args)
    return tuple(dict.fromkeys(word for word in words if word in OWN))


_WORDS_OF_OTHERS: Final = {
    "resume": "acp-tui --resume",
    "continue": "acp-tui --continue",
    "-r": "acp-tui --resume",
    "-p": "acp-tui --prompt TEXT, which opens the interface",
    "--print": "acp-tui --prompt TEXT, which opens the interface",
    "-m": "/model in a session",
    "--model": "/model in a session",
}
"""Options and commands of other clients, and what to use here."""


def _advice(parser: ArgumentParser, word: str) -> str:
    """Return the error message for an unknown argument."""
    from acp_tui.store.toml_check import nearest  # needed only for mistakes

    aim = {"acp-tui": "start", "acp-tui doctor": "check"}.get(parser.prog)
    what = f"unknown option {word}" if word.startswith("-") else f"unknown command '{word}'"
    if aim == "start" and (ours := _WORDS_OF_OTHERS.get(word)) is not None:
        return f"{what}. Use: {ours}"
    if aim is None:
        return f"{what}\nTry: {parser.prog} --help"
    if word.startswith("-"):
        what += nearest(word, [name for one in parser._actions for name in one.option_strings])
        return f"{what}\nTry: {parser.prog} --help (options of the agent come after --agent NAME)"
    return f"{what}. To {aim} an agent: {parser.prog} --agent {word}"


_ABOUT: Final = """\
A terminal client for coding agents that speak the Agent Client Protocol.

NAME is a known agent (gemini, claude, …), a program or "a command line". All
words after it are passed to the agent. Without one, the start screen opens.
"""
_USAGE: Final = """\
acp-tui [options] --agent NAME [arguments of the agent …]
       acp-tui COMMAND …"""
EXAMPLES: Final = """\
examples:
  acp-tui --agent gemini --experimental-acp
  acp-tui --cwd ~/src/app --mode plan --agent "npx some-agent --flag"
  git diff | acp-tui --prompt "Review this change" --agent claude
"""


def _parser() -> ArgumentParser:
    """Return the parser of acp-tui's own options; `--agent` is in it only for help and completions."""
    # only where options are parsed
    from argparse import SUPPRESS

    from acp_tui.commands.parsers import SUBCOMMANDS, new_parser

    listed = ", ".join(SUBCOMMANDS)
    made = new_parser("acp-tui", _ABOUT, f"commands, each with --help:\n  {listed}\n\n{EXAMPLES}", _USAGE)
    made.argument_default = SUPPRESS
    agent = made.add_argument_group("agent")
    agent.add_argument("--agent", metavar="NAME", help="start this agent")
    agent.add_argument("--demo", action="store_true", help="start the bundled demo agent: no key, no network")
    agent.add_argument("--mode", metavar="ID", help="select this mode of the agent")
    agent.add_argument(
        "--mcp-config",
        action="append",
        metavar="FILE",
        help="pass the MCP servers in FILE to the agent (repeatable)",
    )
    agent.add_argument(
        "--sandbox",
        nargs="?",
        const="on",
        choices=("on", "strict", "partial"),
        metavar="HOW",
        help="start it in a sandbox of the system; HOW: on, strict or partial",
    )
    agent.add_argument(
        "--no-sandbox", action="store_const", const="off", dest="sandbox", help="start it without a sandbox"
    )
    session = made.add_argument_group("session")
    session.add_argument(
        "-c",
        "--continue",
        action="store_true",
        dest="resumes_newest",
        help="resume the newest session of this folder",
    )
    session.add_argument(
        "--resume",
        nargs="?",
        const="",
        metavar="ID",
        help="resume this session, or choose one from the list",
    )
    session.add_argument(
        "--prompt", metavar="TEXT", help="the first prompt; text piped to stdin is added to it"
    )
    session.add_argument("--cwd", metavar="DIR", help="the workspace; by default the current folder")
    session.add_argument(
        "--add-dir", action="append", metavar="DIR", help="an additional folder for the agent (repeatable)"
    )
    program = made.add_argument_group("program")
    program.add_argument("--theme", metavar="NAME", help="use this theme")
    program.add_argument(
        "--log-level", choices=_LEVELS, metavar="LEVEL", help="debug, info, warning (default) or error"
    )
    program.add_argument("--log-file", metavar="FILE", help="write the log here")
    program.add_argument(
        "--print-completion",
        choices=_SHELLS,
        metavar="SHELL",
        help=f"print completions for {_one_of(_SHELLS)}",
    )
    program.add_argument("--version", action="store_true", help="show the version")
    program.add_argument("-h", "--help", action="store_true", help="show this help")
    return made


def help_text() -> str:
    """Return the text of `--help`."""
    return _parser().format_help()


def whole_parser() -> ArgumentParser:
    """Return the parser of all options and subcommands, for completions and the man page."""
    # only for completions and the man page
    from acp_tui.commands.parsers import SUBCOMMANDS

    made = _parser()
    below = made.add_subparsers(title="commands", prog="acp-tui", metavar="COMMAND")
    for name, subcommand in SUBCOMMANDS.items():
        parser = subcommand.parser()
        below.add_parser(
            name,
            parents=[parser],
            add_help=False,
            usage=parser.format_usage().removeprefix("usage: ").rstrip(),
            help=subcommand.about,
            description=parser.description,
            epilog=parser.epilog,
        )
    return made


_SHELLS: Final = ("bash", "zsh", "tcsh")


def _one_of(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"


def known_agents_and_settings() -> tuple[Mapping[str, KnownAgent], Settings, list[Problem]]:
    """Return (the agents by name, the settings, their problems)."""
    # not for --help
    from acp_tui.store.agents import known_agents
    from acp_tui.store.folders import settings_path
    from acp_tui.store.settings import load

    settings, problems = load(settings_path())
    return known_agents(settings.agents), settings, problems


def launch_of(
    agent: str | None, agent_args: Sequence[str], demo: bool, known: Mapping[str, KnownAgent]
) -> Launch | None:
    """Return the launch of the agent on the command line, or None.

    Raises:
        Refusal: there is no such agent on this machine.
    """
    # not for --help
    from acp_tui.store.agents import LaunchError, demo_launch, resolve

    if demo:
        return demo_launch()
    if agent is None:
        return None
    try:
        return resolve(agent, agent_args, known)
    except LaunchError as error:
        raise Refusal(f"{error.title}.\n{error.advice}") from None


def folder(text: str, what: str) -> str:
    """Return an absolute path to an existing folder; links stay as they are."""
    # not for --help
    from pathlib import Path

    from acp_tui.formatting import expand_home

    if not text:  # perhaps an unset variable: do not fall back to the current folder
        raise Refusal(f"{what} is empty; name a folder, or . for the current one.")
    path = Path(os.path.abspath(Path(expand_home(text))))  # noqa: PTH100 (resolve() would follow links)
    if not path.exists():
        raise Refusal(f"{what} does not exist: {path}")
    if not path.is_dir():
        raise Refusal(f"{what} is not a folder: {path}")
    if not os.access(path, os.R_OK | os.X_OK):
        raise Refusal(f"{what} is not readable: {path}")
    return str(path)


FRAMES: Final = "500"
"""Maximum frames per second in Textual.

After a late frame, the echo of a key waits up to two periods. Fast output is drawn at its own, slower pace.
"""


def main(argv: list[str] | None = None) -> int:
    """Run acp-tui with these arguments, by default the process's own, and return its exit code."""
    words = sys.argv[1:] if argv is None else argv
    try:
        _open_missing_streams()
        printed = _printed(words)
        if printed is not None:
            return printed
        _run(parse(words))
    except Refusal as refusal:
        print(f"acp-tui: {refusal}", file=sys.stderr)
        return refusal.code
    except KeyboardInterrupt:  # Ctrl+C before the interface handles keys
        return INTERRUPTED


def _printed(words: list[str]) -> int | None:
    """Handle a command line that needs no interface; return its exit code, or None for others."""
    try:
        code = _print(words)
        if code is not None:
            sys.stdout.flush()
    except BrokenPipeError:  # the reader has stopped
        code = 0
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EIO, errno.EBADF, errno.EDQUOT) or error.filename:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        raise Refusal(f"Cannot write the output: {error.strerror}.", 1) from None
    return code


def _print(words: list[str]) -> int | None:
    if words and words[0] in _COMMANDS:
        return run(words[0], words[1:])
    ours, _, _ = split(words)
    if "--help" in ours or "-h" in ours:
        print(help_text(), end="")
        return 0
    if any(word.partition("=")[0] == "--print-completion" for word in ours):
        print_completion(ours)
        return 0
    if "--version" in ours:
        # --help and --version need no more
        from acp_tui import __version__

        print(f"acp-tui {__version__}")
        return 0
    return None


def print_completion(ours: Sequence[str]) -> None:
    """Print the completion script of a shell.

    Raises:
        Refusal: the shell is not known.
    """
    # only for --print-completion
    import shtab

    shell = read(_parser(), ours, None)["print_completion"]
    parser = whole_parser()
    folders, files = ("--cwd", "--add-dir"), ("--mcp-config", "--log-file")
    for action in parser._actions:  # where shtab looks for it
        if action.option_strings[-1:] == ["--agent"]:
            action.choices = sorted(known_agents_and_settings()[0])
        elif action.option_strings[-1:] and action.option_strings[-1] in (*folders, *files):
            kind = shtab.DIRECTORY if action.option_strings[-1] in folders else shtab.FILE
            action.complete = kind  # type: ignore[attr-defined]
    print(shtab.complete(parser, shell))


def _open_missing_streams() -> None:
    """Open closed standard streams on /dev/null, or the next file would take their place."""
    if sys.stdin is not None and sys.stdout is not None and sys.stderr is not None:
        return
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdin = sys.stdin or open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


def _run(options: Options) -> NoReturn:
    # only for the interface
    from acp_tui import lazy_annotations, lazy_dataclasses

    gc.disable()  # start-up objects stay alive; the interface re-enables it
    lazy_annotations.install()
    lazy_dataclasses.install()
    load_asyncio()
    cwd = folder(options.cwd, "The workspace")
    roots = [folder(extra, "The folder of --add-dir") for extra in options.add_dir]
    start = _prepared(options, cwd, tuple(root for root in dict.fromkeys(roots) if root != cwd))
    try:
        # after the agent has started
        from acp_tui.ui.application.app import run

        code, leave = run(start)
    finally:  # even if the interface cannot be loaded or fails
        start.guard.close()
    if leave:
        print(how_to_resume(leave))
    end_process(code)


_LONGEST_ID: Final = 200
"""Maximum characters of an id that is printed."""


def how_to_resume(session_id: str) -> str:
    """Return the line about resuming a session, safe to paste although the agent chose the id."""
    is_plain = session_id.isascii() and len(session_id) <= _LONGEST_ID and not session_id.startswith("-")
    if is_plain and all(letter.isalnum() or letter in "-_.:@/+" for letter in session_id):
        return f"To resume this session: acp-tui --resume {session_id}"
    return "To resume this session, choose it from the list of acp-tui --resume"


_THREADS_END: Final = 0.3  # seconds


def end_process(code: int) -> NoReturn:
    """End the process without waiting for busy threads, and without freeing every object.

    A thread may read from a disk that does not answer, and freeing every object takes noticeable time.
    Everything that must be kept is already on disk.
    """
    end = time.monotonic() + _THREADS_END
    others = [one for one in threading.enumerate() if one is not threading.main_thread() and not one.daemon]
    for thread in others:
        thread.join(max(0.0, end - time.monotonic()))
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # the reader has ended
            stream.flush()
    os._exit(code)


def load_asyncio() -> None:
    """Import asyncio without `ssl`, which is slow to load.

    Agents are reached through pipes, without TLS. A later import of `ssl` works.
    """
    if "ssl" in sys.modules or "asyncio" in sys.modules:
        return
    sys.modules["ssl"] = None  # type: ignore[assignment]  # makes its import fail
    try:
        import asyncio  # noqa: F401
    finally:
        del sys.modules["ssl"]


def _prepared(options: Options, cwd: str, extra_roots: tuple[str, ...]) -> Start:
    """Return the start of the interface, with the agent's process already running."""
    # only for the interface
    from acp_tui.conversation.start_options import Start
    from acp_tui.store.folders import settings_path
    from acp_tui.trusted_programs import expose
    from acp_tui.workspace.guard import Guard

    expose([cwd, *extra_roots])
    known, settings, problems = known_agents_and_settings()
    mcp_servers, unset = _mcp_servers(options, settings)
    _start_log(options)
    launch = launch_of(options.agent, options.agent_args, options.demo, known)
    piped = _piped()
    _check_terminal()
    os.environ.setdefault("TEXTUAL_FPS", FRAMES)  # read when Textual is imported
    guard = Guard()
    start = Start(
        cwd=cwd,
        misplaced=misplaced(options.agent_args),
        settings=settings,
        guard=guard,
        known=known,
        launch=launch,
        extra_roots=extra_roots,
        sandbox=options.sandbox,
        mode=options.mode,
        theme=options.theme,
        mcp_servers=tuple(mcp_servers),
        problems=(*problems, *unset),
        settings_file=settings_path(),
        continues=options.resumes_newest,
        resume=options.resume,
        prompt=options.prompt,
        piped=piped,
    )
    if launch is not None:
        start.process, start.spawn_error = _spawn(start, launch)
    return start


def _mcp_servers(options: Options, settings: Settings) -> tuple[Sequence[McpServer], Sequence[Problem]]:
    """Return (the MCP servers of settings and files, their problems)."""
    if not (options.mcp_config or settings.mcp_servers):
        return (), ()
    # only for the interface
    from pathlib import Path

    from acp_tui.formatting import expand_home
    from acp_tui.store.folders import settings_path
    from acp_tui.store.mcp import collect

    paths = [Path(os.path.abspath(Path(expand_home(name)))) for name in options.mcp_config]  # noqa: PTH100
    return collect(settings.mcp_servers, settings_path(), paths, os.environ)


def _spawn(start: Start, launch: Launch) -> tuple[Process | None, SpawnFailed | None]:
    """Return (the process, None) or (None, the error to show)."""
    # only for the interface
    from acp_tui.agent.process import SpawnFailed

    try:
        return start.spawn(launch), None
    except SpawnFailed as error:
        return None, error


_PIPED: Final = 8 << 20
"""Maximum bytes of piped text: more is no prompt."""


def _piped() -> str:
    """Return piped text from stdin, and connect stdin to the terminal for the keys.

    Raises:
        Refusal: it is not text, or too long.
    """
    if sys.stdin is None or sys.stdin.isatty() or sys.stdout is None or not sys.stdout.isatty():
        return ""
    raw = sys.stdin.buffer.read(_PIPED + 1)
    if len(raw) > _PIPED:
        raise Refusal(f"The text on stdin is too long for a prompt: more than {_PIPED >> 20} MB.")
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise Refusal("The text on stdin is not UTF-8, so it cannot be a prompt.") from None
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError:
        return text  # `_check_terminal` reports that
    os.dup2(terminal, 0)
    os.close(terminal)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    return text.strip()


def _check_terminal() -> None:
    for stream, name in ((sys.stdin, "input"), (sys.stdout, "output")):
        if stream is None or not stream.isatty():
            raise Refusal(f"this needs a terminal, but its {name} is not one.\nRun it in a terminal.")
    if os.environ.get("TERM") == "dumb":
        raise Refusal("this terminal (TERM=dumb) cannot show an interface.\nSet TERM to what it really is.")


def _start_log(options: Options) -> None:
    # only for the interface
    import logging

    from acp_tui.store.folders import state_folder
    from acp_tui.store.plain_files import open_plain

    handler: logging.Handler
    own = state_folder() / "acp-tui.log"
    path = options.log_file or own
    try:
        # It may contain output of agents, so only its owner can read it.
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        if options.log_file:  # a terminal or /dev/null is fine, and so is a pipe with a reader
            os.close(os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC, 0o600))
        else:
            os.close(open_plain(own, flags))
        handler = logging.FileHandler(path, encoding="utf-8")
    except OSError as error:
        if options.log_file:
            raise Refusal(f"the log {options.log_file} cannot be written: {error.strerror}.") from None
        handler = logging.NullHandler()  # a read-only home must not prevent the start
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    handler.addFilter(_clean)
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(options.log_level.upper())


_LONGEST_IN_LOG: Final = 4_000
"""Maximum characters of one message."""


def _clean(record: logging.LogRecord) -> bool:
    """Make a log message one line of safe text: it may quote an agent, and the log may be a terminal."""
    # only for a log
    import logging

    from acp_tui.safe_text import safe, safe_line

    said = record.getMessage()
    record.msg, record.args = safe_line(said[:_LONGEST_IN_LOG]) + "…" * (len(said) > _LONGEST_IN_LOG), None
    if record.exc_info:
        record.exc_text = safe(logging.Formatter().formatException(record.exc_info))
    return True


def examine(words: Sequence[str]) -> int:
    """Run `acp-tui doctor` and return the exit code."""
    ours, agent, agent_args = split(words)
    # only for this subcommand
    from acp_tui.commands import parsers
    from acp_tui.commands.doctor import doctor
    from acp_tui.trusted_programs import expose

    if "--help" in ours or "-h" in ours:
        print(parsers.doctor().format_help(), end="")
        return 0
    options = read(parsers.doctor(), ours, agent)
    cwd = folder(options["cwd"], "The workspace")
    expose([cwd])
    if agent is None and not options["demo"]:
        return doctor.report_machine(cwd, as_json=options["json"])
    try:
        known = known_agents_and_settings()[0]
        launch = launch_of(agent, agent_args, options["demo"], known)
    except Refusal as refusal:
        if options["json"]:
            doctor.print_missing(agent or "", str(refusal))
        raise
    assert launch is not None
    wanted: dict[str, ProtocolChoice] = {"1": 1, "2": 2, "newest": "newest"}
    launch = launch._replace(protocol=wanted.get(options["protocol"], launch.protocol))
    state = doctor.state_of(launch, known) if options["files"] else None
    return doctor.run(
        launch, cwd, options["timeout"], options["prompt"], as_json=options["json"], state=state
    )


def print_log(words: Sequence[str]) -> int:
    """Run `acp-tui log` and return the exit code."""
    # only for this subcommand
    from acp_tui.commands import log, parsers
    from acp_tui.store.decisions import NAME
    from acp_tui.store.folders import data_folder

    if "--help" in words or "-h" in words:
        print(parsers.log().format_help(), end="")
        return 0
    if words[:1] != ["decisions"]:
        what = f", not '{words[0]}'" if words else ""
        raise Refusal(f"log needs a subcommand: decisions{what}", USAGE)
    options = read(parsers.log(), words[1:], None)
    return log.run(
        data_folder() / NAME, options["since"], options["session"], options["agent"], as_json=options["json"]
    )


def see_rules(words: Sequence[str]) -> int:
    """Run `acp-tui rules` and return the exit code."""
    # only for this subcommand
    from pathlib import Path

    from acp_tui.commands import parsers, rules

    if "--help" in words or "-h" in words:
        print(parsers.rules().format_help(), end="")
        return 0
    if not words:
        raise Refusal("rules needs a subcommand: check or try", USAGE)
    options = read(parsers.rules(), words, None)
    if options["what"] == "try" and options["files"]:
        raise Refusal("rules try takes no files; it uses the rule files in effect.", USAGE)
    # only for this subcommand
    from acp_tui.rules import rule_files, trusted_files
    from acp_tui.rules.rule_book import RuleBook
    from acp_tui.store import folders

    trust = trusted_files.Trust(folders.state_folder() / trusted_files.TRUST_NAME)
    book = RuleBook(folders.config_folder() / rule_files.NAME, trust)
    book.enter(folder(options["cwd"], "The folder"))
    if options["what"] == "check":
        return rules.check(book, [Path(name) for name in options["files"]])
    journals = folders.journals_folder()
    return rules.try_out(book, journals, options["since"], options["agent"], as_json=options["json"])


def run_in_sandbox(words: Sequence[str]) -> int:
    """Run `acp-tui sandbox` and return the exit code."""
    # only for this subcommand
    from acp_tui.commands import parsers, sandbox
    from acp_tui.sandbox.choice import sandbox_for
    from acp_tui.sandbox.fence import NoFence

    end = words.index("--") if "--" in words else len(words)
    ours, command = words[:end], words[end + 1 :]
    if "--help" in ours or "-h" in ours:
        print(parsers.sandbox().format_help(), end="")
        return 0
    options = read(parsers.sandbox(), ours, None)
    if not command:
        raise Refusal("sandbox needs a command, such as: acp-tui sandbox -- bash", USAGE)
    cwd = folder(options["cwd"], "The workspace")
    roots = [cwd, *(folder(extra, "The folder of --add-dir") for extra in options["add_dir"])]
    known, settings, _ = known_agents_and_settings()
    launch = launch_of(options["agent"], (), False, known)
    try:
        made = sandbox_for(
            settings.sandbox,
            launch,
            known,
            roots,
            os.environ,
            partial=options["partial"],
            strict=options["strict"],
            network="off" if options["no_network"] else None,
        )
    except NoFence as error:
        raise Refusal(f"{error.title}\n{error.advice}") from None
    try:
        return sandbox.run(made, command, cwd)
    finally:
        made.close()


def see_sessions(words: Sequence[str]) -> int:
    """Run `acp-tui sessions` and return the exit code."""
    # only for this subcommand
    from acp_tui.commands import parsers, sessions
    from acp_tui.store.folders import data_folder

    if "--help" in words or "-h" in words:
        print(parsers.sessions().format_help(), end="")
        return 0
    return sessions.run(data_folder(), read(parsers.sessions(), words, None))


def search_sessions(words: Sequence[str]) -> int:
    """Run `acp-tui search` and return the exit code."""
    # only for this subcommand
    from acp_tui.commands import parsers, search
    from acp_tui.store.folders import journals_folder
    from acp_tui.store.search_index import has_full_text, index_folder
    from acp_tui.store.search_query import InvalidQuery

    ours = words[: words.index("--")] if "--" in words else words
    if "--help" in ours or "-h" in ours:
        print(parsers.search().format_help(), end="")
        return 0
    options, journals = read(parsers.search(), words, None), journals_folder()
    if options["index"]:
        return search.update_index(journals, index_folder())
    try:
        query = search.query_of(options)
    except InvalidQuery as error:
        raise Refusal(str(error), USAGE) from None
    if query.is_empty:
        raise Refusal("search needs words, such as: acp-tui search parser error", USAGE)
    if has_full_text():
        search.start_indexing()
    return search.run(journals, index_folder(), query, options["limit"], as_json=options["json"])


def blame_file(words: Sequence[str]) -> int:
    """Run `acp-tui blame` and return the exit code."""
    # only for this subcommand
    from acp_tui.changes.blame import place_in
    from acp_tui.commands import blame, parsers
    from acp_tui.store.folders import journals_folder, snapshots_folder

    if "--help" in words or "-h" in words:
        print(parsers.blame().format_help(), end="")
        return 0
    options = read(parsers.blame(), words, None)
    if not options["file"]:
        raise Refusal("blame needs a file, such as: acp-tui blame src/app.py:12", USAGE)
    path, line = place_in(options["file"])
    return blame.run(path, line, journals_folder(), snapshots_folder(), as_json=options["json"])


_COMMANDS: Final = {
    "blame": blame_file,
    "doctor": examine,
    "log": print_log,
    "rules": see_rules,
    "sandbox": run_in_sandbox,
    "search": search_sessions,
    "sessions": see_sessions,
}


def run(command: str, words: Sequence[str]) -> int:
    """Run a subcommand and return its exit code.

    Raises:
        Refusal: it cannot be done as requested.
    """
    return _COMMANDS[command](words)
