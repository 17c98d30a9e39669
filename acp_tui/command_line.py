"""Reads command lines and what they name: options, folders, agents. What cannot be read says what to do."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from acp_tui.store.agents import KnownAgent
    from acp_tui.store.launch import Launch
    from acp_tui.store.problem import Problem
    from acp_tui.store.settings import Settings

_LEVELS: Final = ("debug", "info", "warning", "error")

USAGE, FAILURE, INTERRUPTED = 2, 1, 130
"""Exit codes: the command line is wrong; it is right but cannot be done; Ctrl+C."""


class Refusal(Exception):
    """The program cannot start as asked; the text goes to stderr, `code` is the exit code."""

    def __init__(self, text: str, code: int = FAILURE) -> None:
        super().__init__(text)
        self.code = code


class Options(NamedTuple):
    """The command line, read but not yet checked against this machine."""

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


def parse(argv: Sequence[str]) -> Options:
    """Return the options of a command line; --help and --version are not among them.

    Raises:
        Refusal: it cannot be read.
    """
    ours, agent, agent_args = split(argv)
    given = read(_parser(), ours, agent) if ours else {}  # a parser costs more than all the rest
    return Options(agent, tuple(agent_args), **given)


def read(parser: ArgumentParser, ours: Sequence[str], agent: str | None) -> dict[str, Any]:
    """Return the values of the options by name.

    Raises:
        Refusal: they cannot be read.
    """
    from argparse import ArgumentError

    try:
        found, unknown = parser.parse_known_args(ours)
    except ArgumentError as error:
        raise Refusal(f"{error}\nTry: {parser.prog} --help", USAGE) from None
    if unknown:
        raise Refusal(_advice(parser, unknown[0]), USAGE)
    if getattr(found, "demo", False) and agent is not None:
        raise Refusal("--demo and --agent exclude each other; leave one out.", USAGE)
    return vars(found)


def split(argv: Sequence[str]) -> tuple[list[str], str | None, Sequence[str]]:
    """Return (our options, the agent, its arguments): what follows the agent's name is never looked at."""
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


def _advice(parser: ArgumentParser, word: str) -> str:
    """Return what is wrong with a word that nobody takes, and what to try."""
    aim = {"acp-tui": "start", "acp-tui doctor": "examine"}.get(parser.prog)
    what = f"unknown option {word}" if word.startswith("-") else f"do not know what to do with '{word}'"
    if aim is None:
        return f"{what}\nTry: {parser.prog} --help"
    if word.startswith("-"):
        return f"{what}\nTry: {parser.prog} --help (options of the agent come after --agent NAME)"
    return f"{what}\nTo {aim} an agent: {parser.prog} --agent {word}"


def _parser() -> ArgumentParser:
    from argparse import SUPPRESS, ArgumentParser  # not needed for --help and --version

    parser = ArgumentParser(
        prog="acp-tui", add_help=False, allow_abbrev=False, exit_on_error=False, argument_default=SUPPRESS
    )
    parser.add_argument("--demo", action="store_true", default=SUPPRESS)
    parser.add_argument("--cwd")
    parser.add_argument("--add-dir", action="append")
    parser.add_argument("--mode")
    parser.add_argument("--mcp-config", action="append")
    parser.add_argument("--theme")
    parser.add_argument("--log-level", choices=_LEVELS)
    parser.add_argument("--log-file")
    return parser


def known_agents_and_settings() -> tuple[Mapping[str, KnownAgent], Settings, list[Problem]]:
    """Return (the agents by name, the settings, what is wrong with them)."""
    from acp_tui.store.agents import known_agents
    from acp_tui.store.folders import config_folder
    from acp_tui.store.settings import load

    settings, problems = load(config_folder() / "settings.toml")
    return known_agents(settings.agents), settings, problems


def launch_of(
    agent: str | None, agent_args: Sequence[str], demo: bool, known: Mapping[str, KnownAgent]
) -> Launch | None:
    """Return how the agent of a command line is started; None without one.

    Raises:
        Refusal: there is no such agent on this machine.
    """
    from acp_tui.store.agents import AgentError, resolve
    from acp_tui.store.demo import demo_launch

    if demo:
        return demo_launch()
    if agent is None:
        return None
    try:
        return resolve(agent, agent_args, known)
    except AgentError as error:
        raise Refusal(f"{error.title}.\n{error.advice}") from None


def folder(text: str, what: str) -> str:
    """Return a folder of the user's as an absolute path; links in it stay as they are."""
    from pathlib import Path

    if not text:  # as from a variable that is not set: not the current folder without a word
        raise Refusal(f"{what} has no name; give a folder, or . for the current one.")
    path = Path(os.path.abspath(Path(text).expanduser()))  # noqa: PTH100 (resolve() would follow links)
    if not path.exists():
        raise Refusal(f"{what} does not exist: {path}")
    if not path.is_dir():
        raise Refusal(f"{what} is not a folder: {path}")
    if not os.access(path, os.R_OK | os.X_OK):
        raise Refusal(f"{what} may not be read: {path}")
    return str(path)
