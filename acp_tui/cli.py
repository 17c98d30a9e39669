"""The command line: reads it, starts the agent, and only then loads the interface."""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from acp_tui.command_line import (
    INTERRUPTED,
    Options,
    Refusal,
    folder,
    known_agents_and_settings,
    launch_of,
    parse,
    split,
)

if TYPE_CHECKING:
    from acp_tui.agent.process import Process, SpawnFailed
    from acp_tui.conversation.start import Start
    from acp_tui.host.guard import Guard
    from acp_tui.store.launch import Launch
    from acp_tui.store.mcp import McpServer
    from acp_tui.store.problem import Problem
    from acp_tui.store.settings import Settings

HELP: Final = """\
A terminal client for coding agents that speak the Agent Client Protocol.

  acp-tui [options] --agent NAME [arguments of the agent …]
  acp-tui [options] --agent "COMMAND LINE"
  acp-tui doctor --agent NAME    examine an agent (doctor --help tells more)
  acp-tui log | rules | sessions what was asked, decided beforehand and recorded

NAME is a known agent (gemini, claude, codex, …), a program or a path. All that
follows it belongs to the agent. Without one a start screen shows what there is.

  --agent NAME      start this agent
  --demo            start the bundled demo agent: no install, key or network
  --cwd DIR         the workspace; the current folder by default
  --add-dir DIR     one more folder the agent may use (repeatable)
  --mode ID         ask the agent for this mode
  --mcp-config FILE lend the agent the MCP servers of this file (repeatable)
  --theme NAME      use this theme
  --log-level LEVEL debug, info, warning (default) or error
  --log-file FILE   write the log here
  --version         show the version
  --help            show this text

  acp-tui --agent gemini --experimental-acp
  acp-tui --cwd ~/src/app --mode plan --agent "npx some-agent --flag"
"""

FRAMES: Final = "500"
"""Frames a second, at most, for Textual: a key waits up to two periods for its echo after a frame that was
late. What comes fast is drawn at its own, slower pace."""


def main(argv: list[str] | None = None) -> int:
    """Run acp-tui with these arguments (the process's own by default) and return its exit code."""
    words = sys.argv[1:] if argv is None else argv
    try:
        _open_missing_streams()
        printed = _printed(words)
        return printed if printed is not None else _run(parse(words))
    except Refusal as refusal:
        print(f"acp-tui: {refusal}", file=sys.stderr)
        return refusal.code
    except KeyboardInterrupt:  # before the interface takes the keys
        return INTERRUPTED


def _printed(words: list[str]) -> int | None:
    """Print what needs no interface and return the exit code; None if the words ask for the interface."""
    try:
        code = _print(words)
        if code is not None:
            sys.stdout.flush()
    except BrokenPipeError:  # whoever reads has read enough
        code = 0
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EIO, errno.EBADF, errno.EDQUOT) or error.filename:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        raise Refusal(f"The output cannot be written: {error.strerror}.", 1) from None
    return code


def _print(words: list[str]) -> int | None:
    if words[:1] in (["doctor"], ["log"], ["rules"], ["sessions"]):
        from acp_tui import subcommands

        return subcommands.run(words[0], words[1:])
    ours, _, _ = split(words)
    if "--help" in ours or "-h" in ours:
        print(HELP, end="")
        return 0
    if "--version" in ours:
        from acp_tui import __version__

        print(f"acp-tui {__version__}")
        return 0
    return None


def _open_missing_streams() -> None:
    """Let a standard stream that was closed lead nowhere; else the next file would take its place."""
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


def _run(options: Options) -> int:
    gc.disable()  # what is made at the start stays; the interface enables it again
    _load_asyncio()
    cwd = folder(options.cwd, "The workspace")
    roots = [folder(extra, "The folder of --add-dir") for extra in options.add_dir]
    start = _prepared(options, cwd, tuple(root for root in dict.fromkeys(roots) if root != cwd))
    try:
        from acp_tui.ui.app import run

        return run(start)
    finally:  # also when the interface cannot be loaded, or ends in an error
        start.guard.close()


def _load_asyncio() -> None:
    """Import asyncio as on a Python that is built without OpenSSL, which takes long to load.

    Nothing here speaks TLS: agents are reached by pipes. Whoever imports `ssl` later gets it.
    """
    if "ssl" in sys.modules or "asyncio" in sys.modules:
        return
    sys.modules["ssl"] = None  # type: ignore[assignment]  # an import finds that it is not there
    try:
        import asyncio  # noqa: F401
    finally:
        del sys.modules["ssl"]


def _prepared(options: Options, cwd: str, extra_roots: tuple[str, ...]) -> Start:
    """Return all that the interface needs, with the agent already starting."""
    from acp_tui.conversation.start import Start
    from acp_tui.host.guard import Guard

    known, settings, problems = known_agents_and_settings()
    mcp_servers, unset = _mcp_servers(options, settings)
    _start_log(options)
    launch = launch_of(options.agent, options.agent_args, options.demo, known)
    _check_terminal()
    os.environ.setdefault("TEXTUAL_FPS", FRAMES)  # read when Textual is imported
    guard = Guard()
    process, spawn_error = _spawn(launch, cwd, guard) if launch else (None, None)
    return Start(
        cwd=cwd,
        settings=settings,
        guard=guard,
        known=known,
        launch=launch,
        process=process,
        spawn_error=spawn_error,
        extra_roots=extra_roots,
        mode=options.mode,
        theme=options.theme,
        mcp_servers=tuple(mcp_servers),
        problems=(*problems, *unset),
    )


def _mcp_servers(options: Options, settings: Settings) -> tuple[Sequence[McpServer], Sequence[Problem]]:
    """Return (the MCP servers of the settings and of the files named, what cannot be used of them)."""
    if not (options.mcp_config or settings.mcp_servers):
        return (), ()
    from pathlib import Path

    from acp_tui.store.folders import config_folder
    from acp_tui.store.mcp_config import collect

    paths = [Path(os.path.abspath(Path(name).expanduser())) for name in options.mcp_config]  # noqa: PTH100
    return collect(settings.mcp_servers, config_folder() / "settings.toml", paths, os.environ)


def _spawn(launch: Launch, cwd: str, guard: Guard) -> tuple[Process | None, SpawnFailed | None]:
    """Return (the started agent, None) or (None, why it failed), which the interface shows."""
    from acp_tui.agent.process import Process, SpawnFailed

    try:
        return Process.spawn(launch.argv, cwd=cwd, env=launch.env, guard=guard), None
    except SpawnFailed as error:
        return None, error


def _check_terminal() -> None:
    for stream, name in ((sys.stdin, "input"), (sys.stdout, "output")):
        if stream is None or not stream.isatty():
            raise Refusal(f"acp-tui needs a terminal, but its {name} is not one.\nRun it without pipes.")
    if os.environ.get("TERM") == "dumb":
        raise Refusal("this terminal (TERM=dumb) cannot show an interface.\nSet TERM to what it really is.")


def _start_log(options: Options) -> None:
    import logging

    from acp_tui.store.folders import state_folder

    handler: logging.Handler
    path = options.log_file or state_folder() / "acp-tui.log"
    try:
        # What agents say may stand in it: it is made for its owner only.
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600))
        handler = logging.FileHandler(path, encoding="utf-8")
    except OSError as error:
        if options.log_file:
            raise Refusal(f"the log {options.log_file} cannot be written: {error.strerror}.") from None
        handler = logging.NullHandler()  # a home that is read-only is no reason not to start
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(options.log_level.upper())
