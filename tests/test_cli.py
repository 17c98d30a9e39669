"""The parsing of the command line."""

from __future__ import annotations

import subprocess
import sys

import pytest

from acp_tui.cli import Refusal, main, parse


def test_a_wrong_command_line_is_an_exception_to_who_parses_it() -> None:
    with pytest.raises(Refusal):
        parse(["--bogus"])


def test_all_that_follows_the_agents_name_belongs_to_the_agent() -> None:
    words = ["--help", "--cwd", "/x", "--", "--agent", "other", "-v"]

    options = parse(["--mode", "plan", "--agent", "gemini", *words])

    assert (options.agent, options.agent_args, options.mode) == ("gemini", tuple(words), "plan")


def test_the_agent_may_be_joined_to_its_option() -> None:
    options = parse(["--agent=npx some-agent --flag", "--version"])

    assert (options.agent, options.agent_args) == ("npx some-agent --flag", ("--version",))


def test_options_end_at_two_dashes_and_what_follows_is_the_agent() -> None:
    assert parse(["--cwd", "/x", "--"]).agent is None
    assert parse(["--", "gemini", "--acp"])[:2] == ("gemini", ("--acp",))


def test_files_with_mcp_servers_can_be_named_several_times() -> None:
    assert parse(["--mcp-config", "a", "--mcp-config=b"]).mcp_config == ["a", "b"]


def test_folders_can_be_added_several_times() -> None:
    assert parse(["--add-dir", "a", "--add-dir=b"]).add_dir == ["a", "b"]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--agent"], "needs the name of an agent"),
        (["--agent", "--"], "needs the name of an agent"),
        (["--bogus"], "unknown option --bogus"),
        (["--vers"], "unknown option --vers"),
        (["gemini"], "To start an agent: acp-tui --agent gemini"),
        (["doctor", "gemini"], "To examine an agent: acp-tui doctor --agent gemini"),
        (["log", "decisions", "gemini"], "Try: acp-tui log decisions --help"),
        (["rules", "check", "--bogus"], "Try: acp-tui rules --help"),
        (["--cwd"], "--cwd"),
        (["--cwd", "--agent", "x"], "--cwd"),
        (["--log-level", "loud"], "loud"),
        (["--demo", "--agent", "x"], "exclude each other"),
    ],
)
def test_a_wrong_command_line_is_told_in_two_lines_at_most(
    argv: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(argv) == 2

    said = capsys.readouterr()
    assert message in said.err
    assert said.err.startswith("acp-tui: ")
    assert said.err.count("\n") <= 2
    assert said.out == ""


@pytest.mark.parametrize("daemon", [False, True])
def test_the_process_ends_though_a_thread_still_waits_for_a_disk(daemon: bool) -> None:
    code = (
        "import sys, threading; from acp_tui.cli import drop_threads\n"
        f"threading.Thread(target=threading.Event().wait, daemon={daemon}).start()\n"
        "drop_threads(7); sys.exit(7)"
    )

    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 7
