"""Known agents, the resolution of `--agent` to a program, and the launch of an agent.

LaunchError ├── NoSuchAgent       neither a known agent nor a program on this machine └── BadCommandLine    a
command line that cannot be split into words
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, get_args

from acp_tui.formatting import expand_home
from acp_tui.store import toml_check
from acp_tui.store.folders import data_folder

ProtocolChoice = Literal[1, 2, "newest"]
"""The version of the protocol to ask an agent for; `newest` is the latest that both speak."""


class Quirks(NamedTuple):
    """Known deviations of an agent from the protocol."""

    missing_file_reads_empty: bool = False
    """Read a missing file as "": an error keeps the agent from creating it."""
    title_is_command: bool = False
    """Take the title of an `execute` call as its command: the agent sends no input."""
    unsaid: tuple[str, ...] = ()
    """Texts that the agent sends as messages and that nobody said; `*` stands for the rest of a line."""


class Launch(NamedTuple):
    """An agent ready to be spawned."""

    name: str
    """Name of the known agent, or base name of the program."""
    title: str
    argv: tuple[str, ...]
    """Program, as an existing path, and arguments."""
    env: Mapping[str, str] = MappingProxyType({})
    """Variables added to our own environment."""
    quirks: Quirks = Quirks()
    login: str = ""
    """One line about logging in, or ""."""
    system_prompt: str = ""
    """Text that the user adds to the agent's system prompt."""
    protocol: ProtocolChoice = 1


class LaunchError(Exception):
    """An agent cannot be started as requested; `title` and `advice` are lines for display."""

    def __init__(self, title: str, advice: str) -> None:
        super().__init__(f"{title}. {advice}")
        self.title = title
        self.advice = advice


class NoSuchAgent(LaunchError):
    """Neither a known agent nor a program on this machine."""


class BadCommandLine(LaunchError):
    """A command line that cannot be split into words."""


SandboxNetwork = Literal["on", "off", "commands-off"]


class KnownAgent(NamedTuple):
    """An agent that can be started by name."""

    name: str = ""
    title: str = ""
    command: tuple[str, ...] = ()
    """Program, and its arguments for speaking the protocol."""
    env: Mapping[str, str] = MappingProxyType({})
    install: str = ""
    login: str = ""
    aliases: tuple[str, ...] = ()
    """Other names of its program or package."""
    adapts: str = ""
    """The agent's own program, if `command` is an adapter that speaks the protocol for it."""
    quirks: Quirks = Quirks()
    state: tuple[str, ...] = ()
    """Its own files and folders below the home, which it may write in a sandbox."""
    sandbox: bool | None = None
    """Start it in a sandbox; None: as set for all agents."""
    network: SandboxNetwork | None = None
    """Its network in a sandbox; None: as set for all agents."""
    system_prompt: str = ""
    """Text added to its system prompt, if it supports that."""
    protocol: ProtocolChoice | None = None
    """The version of the protocol to ask for; None for version 1."""

    def installed(self) -> bool:
        """Return whether its program is installed."""
        return bool(self.command) and _program(self.command[0], self.env) is not None

    def lacks_adapter(self) -> bool:
        """Return whether only its adapter is missing."""
        return not self.installed() and bool(self.adapts) and _program(self.adapts, self.env) is not None


def _protocol(value: Any, place: toml_check.Place, findings: toml_check.Findings) -> ProtocolChoice:
    """Read a version of the protocol, as a number or as text."""
    for choice in get_args(ProtocolChoice):
        if type(value) in (int, str) and str(value) == str(choice):
            found: ProtocolChoice = choice
            return found
    raise toml_check.ShapeError('1, 2 or "newest"')


KNOWN_AGENT: Final = toml_check.record(
    KnownAgent,
    {
        "title": toml_check.text,
        "command": toml_check.words,
        "env": toml_check.text_by_name,
        "install": toml_check.text,
        "login": toml_check.text,
        "aliases": toml_check.texts,
        "adapts": toml_check.text,
        "quirks": toml_check.record(
            Quirks,
            {
                "missing_file_reads_empty": toml_check.switch,
                "title_is_command": toml_check.switch,
                "unsaid": toml_check.texts,
            },
        ),
        "state": toml_check.texts,
        "sandbox": toml_check.switch,
        "network": toml_check.one_of(*get_args(SandboxNetwork)),
        "system_prompt": toml_check.text,
        "protocol": _protocol,
    },
)
"""Kind of an agent's table, built-in or in the settings."""

_RUNNERS: Final = frozenset(("npx", "bunx", "pnpx", "uvx", "node", "bun", "deno", "env"))
"""Programs that run another program named in their arguments."""


def known_agents(own: Mapping[str, KnownAgent] | None = None) -> dict[str, KnownAgent]:
    """Return all known agents by name; the user's own override the built-in ones."""
    known = _built_in()
    for name, agent in (own or {}).items():
        known[name] = _laid_over(known.get(name), name, agent)
    return known


DEMO: Final = "demo"
"""The name of the demo agent, unless a program has that name."""


def resolve(text: str, args: Sequence[str], known: Mapping[str, KnownAgent]) -> Launch:
    """Return the launch of a known agent, a command line, a program, or the demo agent by its name.

    A known agent's default arguments apply only without `args`.

    Raises:
        NoSuchAgent: there is no such agent or program.
        BadCommandLine: the string has an open quote or no word.
    """
    if agent := known.get(text):
        return _launch_known(agent, args)
    words = [text] if _program(text) else _split(text)
    program = _program(words[0])
    if program is None:
        if text == DEMO:
            return demo_launch()
        raise _no_such(words[0], known)
    name = Path(words[0]).name
    argv = (program, *words[1:], *args)
    for agent in known.values():
        if _runs(argv, agent):
            return _launch_of(agent, name, argv)
    return Launch(name, name, argv)


def agent_of(argv: Sequence[str], known: Mapping[str, KnownAgent]) -> KnownAgent | None:
    """Return the known agent that is started by a command line, or None."""
    return next((agent for agent in known.values() if _runs(argv, agent)), None)


def agent_behind(launch: Launch, known: Mapping[str, KnownAgent]) -> KnownAgent | None:
    """Return the known agent of a launch, by its name or its command line, or None."""
    return known.get(launch.name) or agent_of(launch.argv, known)


def quirks_of(argv: Sequence[str]) -> Quirks:
    """Return the quirks of the known agent started by a command line, or none."""
    agent = agent_of(argv, known_agents())
    return agent.quirks if agent is not None else Quirks()


def _launch_known(agent: KnownAgent, args: Sequence[str]) -> Launch:
    if not agent.command:
        raise NoSuchAgent(
            f"The agent '{agent.name}' has no command",
            f'Add command = ["program", "--option"] to [agents.{agent.name}] in settings.toml.',
        )
    program = _program(agent.command[0], agent.env)
    if program is None:
        advice = (
            f"Install it with: {agent.install}" if agent.install else "Check its command in settings.toml."
        )
        if agent.lacks_adapter():
            missing = f"{agent.title} is installed, but not its ACP adapter '{agent.command[0]}'"
        else:
            missing = f"{agent.title} is not installed: '{agent.command[0]}' is not on PATH"
        raise NoSuchAgent(missing, advice)
    argv = (program, *(args or agent.command[1:]))
    return _launch_of(agent, agent.name, argv)


def _launch_of(agent: KnownAgent, name: str, argv: tuple[str, ...]) -> Launch:
    return Launch(
        name,
        agent.title,
        argv,
        agent.env,
        agent.quirks,
        agent.login,
        system_prompt=agent.system_prompt,
        protocol=agent.protocol or 1,
    )


def _split(text: str) -> list[str]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise BadCommandLine(
            f"The command line of the agent cannot be read: {error}", "Check the quotes."
        ) from None
    if not words or not words[0]:
        raise BadCommandLine("The name of the agent is empty", "Try --agent gemini, or --demo.")
    return words


def _no_such(name: str, known: Mapping[str, KnownAgent]) -> NoSuchAgent:
    if "/" in name:
        there = Path(expand_home(name)).exists()
        why = "is not a program that may be run" if there else "does not exist"
        return NoSuchAgent(f"'{name}' {why}", "Check the path, or name a program on PATH.")
    guess = toml_check.nearest(name, known).removeprefix("; ")
    advice = f"{guess.capitalize()} " if guess else ""
    return NoSuchAgent(
        f"'{name}' is neither a known agent nor a program on PATH",
        f"{advice}Known: {', '.join(sorted(known))}.",
    )


def _program(text: str, env: Mapping[str, str] | None = None) -> str | None:
    """Return the absolute path of a program, looked up with the agent's PATH."""
    found = shutil.which(expand_home(text), path=(env or {}).get("PATH"))
    return os.path.abspath(found) if found else None  # noqa: PTH100 (pathlib would follow nothing but fold "..")


def _runs(argv: Sequence[str], agent: KnownAgent) -> bool:
    """Return whether a command line starts a known agent, directly or through a runner."""
    if not agent.command:
        return False
    names = {Path(agent.command[0]).name, *agent.aliases}
    candidates = argv if Path(argv[0]).name in _RUNNERS else argv[:1]
    return any(_base_name(word) in names for word in candidates)


def _base_name(word: str) -> str:
    """Return `gemini-cli` for `@google/gemini-cli@latest`."""
    return re.sub(r"(?<=.)@.*", "", word.rpartition("/")[2])


def _built_in() -> dict[str, KnownAgent]:
    tables: dict[str, Any] = tomllib.loads(Path(__file__).with_name("agents.toml").read_text("utf-8"))
    findings = toml_check.Findings()
    agents = {
        name: KNOWN_AGENT(table, (name,), findings)._replace(name=name) for name, table in tables.items()
    }
    assert not findings.items, findings.items
    return agents


def _laid_over(built_in: KnownAgent | None, name: str, own: KnownAgent) -> KnownAgent:
    """Return the user's agent, completed from the built-in one of that name."""
    under = built_in or KnownAgent(title=name)
    return KnownAgent(
        name=name,
        title=own.title or under.title,
        command=own.command or under.command,
        env={**under.env, **own.env},
        install=own.install or under.install,
        login=own.login or under.login,
        aliases=own.aliases or under.aliases,
        adapts=own.adapts or under.adapts,
        quirks=own.quirks if own.quirks != Quirks() else under.quirks,
        state=own.state or under.state,
        sandbox=own.sandbox if own.sandbox is not None else under.sandbox,
        network=own.network or under.network,
        system_prompt=own.system_prompt or under.system_prompt,
        protocol=own.protocol or under.protocol,
    )


def demo_launch() -> Launch:
    """Return the launch of the demo agent, with a folder for its sessions."""
    package = str(Path(__file__).parents[2])
    path = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    # -P: no file of the workspace must be imported instead of a module.
    argv = (sys.executable, "-P", "-m", "acp_tui.demo")
    env = {"PYTHONPATH": path, "ACP_TUI_DEMO_SESSIONS": str(data_folder() / "demo")}
    return Launch(DEMO, "Demo agent", argv, env)
