"""What is done instead of starting the interface: `acp-tui doctor`, `log`, `rules` and `sessions`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from acp_tui.command_line import USAGE, Refusal, folder, known_agents_and_settings, launch_of, read, split


def examine(words: Sequence[str]) -> int:
    """Examine an agent instead of starting the interface; return the exit code."""
    ours, agent, agent_args = split(words)
    from acp_tui import doctor

    if "--help" in ours or "-h" in ours:
        print(doctor.HELP, end="")
        return 0
    options = read(doctor.parser(), ours, agent)
    if agent is None and not options["demo"]:
        raise Refusal("doctor needs an agent, such as: acp-tui doctor --agent gemini", USAGE)
    cwd = folder(options["cwd"], "The workspace")
    try:
        launch = launch_of(agent, agent_args, options["demo"], known_agents_and_settings()[0])
    except Refusal as refusal:
        if options["json"]:
            doctor.print_missing(agent or "", str(refusal))
        raise
    assert launch is not None
    return doctor.run(launch, cwd, options["timeout"], options["prompt"], as_json=options["json"])


def print_log(words: Sequence[str]) -> int:
    """Print what was written down instead of starting the interface; return the exit code."""
    from acp_tui import log
    from acp_tui.store.decisions import NAME
    from acp_tui.store.folders import data_folder

    if "--help" in words or "-h" in words:
        print(log.HELP, end="")
        return 0
    if words[:1] != ["decisions"]:
        what = f", not '{words[0]}'" if words else ""
        raise Refusal(f"log prints decisions{what}\nTry: acp-tui log decisions", USAGE)
    options = read(log.parser(), words[1:], None)
    return log.run(
        data_folder() / NAME, options["since"], options["session"], options["agent"], as_json=options["json"]
    )


def see_rules(words: Sequence[str]) -> int:
    """Check or try the person's rules instead of starting the interface; return the exit code."""
    from pathlib import Path

    from acp_tui import rules

    if "--help" in words or "-h" in words:
        print(rules.HELP, end="")
        return 0
    if not words:
        raise Refusal("rules needs to know what to do, such as: acp-tui rules check", USAGE)
    options = read(rules.parser(), words, None)
    if options["what"] == "try" and options["files"]:
        raise Refusal("rules try takes no files; it uses those that count.", USAGE)
    from acp_tui.agent.rule_book import RuleBook
    from acp_tui.store import folders, rule_trust
    from acp_tui.store import rules as files

    trust = rule_trust.Trust(folders.state_folder() / rule_trust.NAME)
    book = RuleBook(folders.config_folder() / files.NAME, trust)
    book.enter(folder(options["cwd"], "The folder"))
    if options["what"] == "check":
        return rules.check(book, [Path(name) for name in options["files"]])
    journals = folders.data_folder() / "journals"
    return rules.try_out(book, journals, options["since"], options["agent"], as_json=options["json"])


def see_sessions(words: Sequence[str]) -> int:
    """List, mark or delete recorded sessions instead of starting the interface; return the exit code."""
    from acp_tui import sessions
    from acp_tui.store.folders import data_folder

    if "--help" in words or "-h" in words:
        print(sessions.HELP, end="")
        return 0
    return sessions.run(data_folder(), read(sessions.parser(), words, None))


_COMMANDS: Final = {"doctor": examine, "log": print_log, "rules": see_rules, "sessions": see_sessions}


def run(command: str, words: Sequence[str]) -> int:
    """Run one of the commands with its words and return its exit code.

    Raises:
        Refusal: it cannot be done as asked.
    """
    return _COMMANDS[command](words)
