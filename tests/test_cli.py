"""The program `acp-tui`: its command line, and what it does before the interface is there."""

from __future__ import annotations

import json
import os
import pty
import re
import resource
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from acp_tui import __version__
from acp_tui.cli import FRAMES, OWN, Options, Refusal, how_to_resume, main, misplaced, parse, whole_parser


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def agent(tmp_path: Path) -> str:
    """A program that says what it was given, and stays until its stdin ends."""
    program = tmp_path / "agent"
    program.write_text('#!/bin/sh\npwd\nprintf "%s\\n" "$FROM_SETTINGS" "$@"\nexec cat\n')
    program.chmod(0o755)
    return str(program)


def test_help_fits_a_small_screen_and_shows_both_forms(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    assert "  acp-tui --agent gemini --experimental-acp" in lines
    assert any('"npx some-agent --flag"' in line for line in lines)


def test_help_names_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    names = {*parse([])._fields, "help", "version", "continue"} - {"agent_args", "resumes_newest"}
    main(["--help"])

    text = re.sub(r"\s", " ", capsys.readouterr().out)
    assert [name for name in names if f"--{name.replace('_', '-')} " not in text] == []


def test_a_session_to_resume_is_named_or_the_newest_or_chosen() -> None:
    assert parse(["-c"]).resumes_newest
    assert parse(["--continue", "--agent", "sh", "-c"]) == Options("sh", ("-c",), resumes_newest=True)
    assert parse(["--resume"]).resume == ""
    assert parse(["--resume", "abc", "--agent", "sh"]).resume == "abc"
    assert parse([]).resume is None
    with pytest.raises(Refusal, match="--continue and --resume cannot be combined"):
        parse(["-c", "--resume"])


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_completions_are_printed_for_a_shell(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--print-completion", shell]) == 0

    printed = capsys.readouterr().out
    assert all(word in printed for word in ("resume", "agent", "gemini", "doctor", "add-dir"))


def test_completions_of_an_unknown_shell_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--print-completion", "dos"]) == 2
    assert "bash" in capsys.readouterr().err


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"acp-tui {__version__}\n"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--cwd", "{tmp}/none"], "does not exist: {tmp}/none"),
        (["--cwd", "~no-such-user"], "~no-such-user"),
        (["--cwd", "{tmp}/file"], "is not a folder"),
        (["--cwd", ""], "The workspace is empty"),
        (["--add-dir", ""], "The folder of --add-dir is empty"),
        (["--add-dir", "{tmp}/none"], "folder of --add-dir does not exist"),
        (["--agent", "no-such-agent"], "neither a known agent nor a program"),
        (["--agent", "{tmp}/file"], "is not a program that may be run"),
        (["--agent", "sh 'open"], "cannot be read"),
        (["--log-file", "{tmp}/none/log"], "cannot be written"),
        (["--agent", "sh"], "needs a terminal"),
        ([], "needs a terminal"),
    ],
)
def test_an_impossible_request_is_refused_before_anything_starts(
    tmp_path: Path, argv: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")

    assert main([word.format(tmp=tmp_path) for word in argv]) == 1

    said = capsys.readouterr()
    assert message.format(tmp=tmp_path) in said.err
    assert said.err.count("\n") <= 2
    assert said.out == ""


def settings(home: Path, text: str) -> None:
    (home / "config").mkdir(parents=True)
    (home / "config" / "settings.toml").write_text(text)


def cpu_seconds(*argv: str) -> float:
    """Return the CPU time of one run of Python."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *argv], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_are_quick(option: str) -> None:
    run = f"import sys; from acp_tui.cli import main; sys.exit(main(['{option}']))"
    plain = min(cpu_seconds("-c", "pass") for _ in range(7))
    ours = min(cpu_seconds("-c", run) for _ in range(7))

    assert ours <= 4 * plain


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_load_nothing_heavy(option: str) -> None:
    run = f"import sys; from acp_tui.cli import main; main(['{option}']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", run], check=True, capture_output=True, text=True)
    loaded = set(done.stdout.split())

    assert "acp_tui.cli" in loaded
    assert not {"textual", "asyncio", "platformdirs", "pydantic", "pathlib", "dataclasses"} & loaded


DRIVER = """
import json, logging, os, sys, types

def run(start):
    seen["process"] = start.process is not None
    seen["error"] = start.spawn_error and start.spawn_error.title
    if start.process is not None:
        os.set_blocking(start.process._stdout, True)
        data = b""
        while data.count(b"\\n") < int(os.environ["LINES_EXPECTED"]):
            data += os.read(start.process._stdout, 10000)
        seen["said"] = data.decode().splitlines()
        seen["pid"] = start.process.pid
    seen["launch"] = start.launch and start.launch.name
    seen["start"] = [start.cwd, start.extra_roots, start.mode, start.theme, start.settings.theme]
    seen["mcp"] = [server.params() for server in start.mcp_servers]
    seen["problems"] = [problem.message for problem in start.problems]
    seen["fps"] = os.environ["TEXTUAL_FPS"]
    logging.getLogger("agent").warning("it says %s", "\\x1b[2J\\ud800\\nfake" + "x" * 9000)
    return 7, "abc-1"

class App(types.ModuleType):
    @property
    def run(self):
        seen["textual"] = "textual" in sys.modules
        return run

seen = {}
sys.modules["acp_tui.ui.application.app"] = App("acp_tui.ui.application.app")
from acp_tui import cli
def note(code):
    open(sys.argv[1], "w").write(json.dumps({**seen, "code": code}))
    sys.exit(code)
cli.end_process = note
note(cli.main(sys.argv[2:]))
"""
"""Runs the command line with an interface that only notes what it is given."""


def started(tmp_path: Path, *argv: str, lines: int = 0, term: str = "xterm", **env: str) -> dict[str, object]:
    """Run acp-tui in a terminal and return what the interface was given, and what the terminal showed."""
    note, (ours, theirs) = tmp_path / "note.json", pty.openpty()
    environment = {**os.environ, "LINES_EXPECTED": str(lines), "TERM": term, **env}
    environment.pop("TEXTUAL_FPS", None)
    process = subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(note), *argv],
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.PIPE,
        env=environment,
    )
    os.close(theirs)
    _, shown = process.communicate(timeout=60)
    os.close(ours)
    assert note.exists(), shown.decode()
    result: dict[str, object] = json.loads(note.read_text())
    return {**result, "shown": shown.decode()}


@pytest.mark.slow
def test_the_agent_runs_before_the_interface_is_loaded(tmp_path: Path, home: Path, agent: str) -> None:
    mine = f'[agents.mine]\ncommand = ["{agent}", "usual"]\nenv = {{ FROM_SETTINGS = "yes" }}\n'
    settings(home, 'theme = "nord"\nbogus = 1\n' + mine)
    (tmp_path / "more").mkdir()

    result = started(
        tmp_path,
        *("--cwd", str(tmp_path), "--mode", "plan", "--theme", "light"),
        *(
            "--add-dir",
            str(tmp_path / "more"),
            "--add-dir",
            str(tmp_path / "more/"),
            "--add-dir",
            str(tmp_path),
        ),
        *("--agent", "mine"),
        lines=3,
    )

    assert result["said"] == [str(tmp_path), "yes", "usual"]
    assert result["textual"] is False
    assert result["start"] == [str(tmp_path), [str(tmp_path / "more")], "plan", "light", "nord"]
    assert result["problems"] == ["unknown setting 'bogus'"]
    assert result["fps"] == FRAMES
    assert result["code"] == 7


@pytest.mark.slow
def test_the_agent_gets_its_arguments_untouched(tmp_path: Path, agent: str) -> None:
    result = started(tmp_path, "--agent", agent, "--help", "--", "a b", "$HOME", lines=6)

    said = result["said"]
    assert isinstance(said, list)
    assert said[2:] == ["--help", "--", "a b", "$HOME"]


@pytest.mark.slow
def test_the_agent_is_gone_when_the_program_ends(tmp_path: Path, agent: str) -> None:
    result = started(tmp_path, "--agent", agent, lines=2)

    pid = result["pid"]
    assert isinstance(pid, int)
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout
    assert state.strip()[:1] in ("", "Z")  # gone, or dead and waiting to be noticed


@pytest.mark.slow
def test_a_start_that_the_system_refuses_is_left_to_the_interface(tmp_path: Path, home: Path) -> None:
    settings(home, '[agents.mine]\ncommand = ["sh"]\nenv = { A = "\\u0000" }')

    result = started(tmp_path, "--agent", "mine")

    assert result["process"] is False
    assert result["error"]


@pytest.mark.slow
def test_without_an_agent_the_interface_starts_alone(tmp_path: Path) -> None:
    result = started(tmp_path)

    assert (result["launch"], result["process"], result["error"]) == (None, False, None)


@pytest.mark.slow
def test_the_demo_is_an_agent_like_any_other(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "json.py").write_text("raise SystemExit('the workspace was imported')")

    result = started(tmp_path, "--cwd", str(workspace), "--demo")

    assert (result["launch"], result["process"]) == ("demo", True)


@pytest.mark.slow
def test_a_home_that_cannot_be_written_is_no_reason_not_to_start(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    result = started(tmp_path, "--demo", ACP_TUI_HOME=str(tmp_path / "file" / "home"))

    assert (result["process"], result["code"]) == (True, 7)


@pytest.mark.slow
def test_mcp_servers_of_settings_and_files_are_passed_and_a_missing_variable_is_reported(
    tmp_path: Path, home: Path
) -> None:
    settings(home, '[mcp_servers.mine]\nurl = "${URL}"\n[mcp_servers.other]\nurl = "${NOT_SET_AT_ALL}"\n')
    (tmp_path / "mcp.json").write_text('{"mcpServers": {"tool": {"command": "sh"}}}')

    result = started(tmp_path, "--mcp-config", str(tmp_path / "mcp.json"), URL="https://example.com")

    assert [(server["name"], server.get("url")) for server in result["mcp"]] == [  # type: ignore[attr-defined]
        ("mine", "https://example.com"),
        ("tool", None),
    ]
    assert result["problems"] == ["MCP server 'other' is left out: the variable NOT_SET_AT_ALL is not set"]


@pytest.mark.slow
def test_an_unreadable_file_of_mcp_servers_is_reported_and_the_program_starts(tmp_path: Path) -> None:
    (tmp_path / "mcp.json").write_text("{")

    result = started(tmp_path, "--mcp-config", str(tmp_path / "mcp.json"), "--mcp-config", "no-such-file")

    assert (result["code"], result["mcp"]) == (7, [])
    assert [said.partition(":")[0] for said in result["problems"]] == ["not valid JSON", "cannot be read"]  # type: ignore[attr-defined]


@pytest.mark.slow
def test_a_dumb_terminal_is_refused(tmp_path: Path) -> None:
    result = started(tmp_path, term="dumb")

    assert result["code"] == 1
    assert "TERM=dumb" in str(result["shown"])


@pytest.mark.slow
def test_pipes_in_the_place_of_our_own_files_do_not_hold_up_the_start(tmp_path: Path, home: Path) -> None:
    names = ("config/settings.toml", "config/rules.toml", "state/acp-tui.log", "state/theme")
    for name in names:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(home / name)

    result = started(tmp_path)

    assert result["code"] == 7
    assert "cannot be read (it is not a regular file" in str(result["problems"])
    assert all(stat.S_ISFIFO((home / name).stat().st_mode) for name in names)


@pytest.mark.slow
def test_a_log_that_nobody_reads_is_refused_and_one_without_an_end_is_not(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "log")

    assert "cannot be written" in str(started(tmp_path, "--log-file", str(tmp_path / "log"))["shown"])
    assert started(tmp_path, "--log-file", "/dev/null")["code"] == 7


@pytest.mark.slow
def test_the_log_goes_where_it_was_asked_to_go(tmp_path: Path) -> None:
    started(tmp_path, "--log-level", "debug", "--log-file", str(tmp_path / "log"))

    assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o600


def test_the_last_line_names_the_session_to_resume() -> None:
    assert how_to_resume("0b1e-a/2.x") == "To resume this session: acp-tui --resume 0b1e-a/2.x"


@pytest.mark.parametrize(
    "session_id",
    ["a; rm x", "$(x)", "--agent=./x", "x\x1b]0;t\x07", "x\u202ey", "x\nrm", "\ud800", "y" * 300],
)
def test_an_id_that_is_more_than_a_word_does_not_reach_the_terminal(session_id: str) -> None:
    assert how_to_resume(session_id) == "To resume this session, choose it from the list of acp-tui --resume"


@pytest.mark.slow
def test_the_words_of_an_agent_are_one_safe_line_of_the_log(tmp_path: Path) -> None:
    started(tmp_path, "--log-file", str(tmp_path / "log"))

    (line,) = [line for line in (tmp_path / "log").read_text().splitlines() if "it says" in line]
    assert "it says ␛[2J� fakexxx" in line
    assert len(line) < 5000


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "streams"),
    [
        *((words, ">/dev/full") for words in ("--help", "--version", "rules --help", "log decisions")),
        *(("rules check", way) for way in (">/dev/full", ">&-", ">&- 2>&-", "<&- >/dev/null")),
        *((words, ">/dev/null 2>/dev/full") for words in ("--version", "log decisions")),
    ],
)
def test_a_closed_or_full_stream_ends_in_a_word_and_no_traceback(
    words: str, streams: str, tmp_path: Path
) -> None:
    line = f'"$0" -m acp_tui {words} {streams}'
    environment = {**os.environ, "ACP_TUI_HOME": str(tmp_path)}
    done = subprocess.run(
        ["sh", "-c", line, sys.executable], capture_output=True, text=True, env=environment, check=False
    )

    assert "Traceback" not in done.stderr
    if streams == ">/dev/full" and words != "log decisions":
        assert "Cannot write the output" in done.stderr
        assert done.returncode == 1


def test_a_wrong_command_line_is_an_exception_to_who_parses_it() -> None:
    with pytest.raises(Refusal):
        parse(["--bogus"])


def test_all_that_follows_the_agents_name_belongs_to_the_agent() -> None:
    words = ["--help", "--cwd", "/x", "--", "--agent", "other", "-v"]

    options = parse(["--mode", "plan", "--agent", "gemini", *words])

    assert (options.agent, options.agent_args, options.mode) == ("gemini", tuple(words), "plan")


def test_options_of_our_own_behind_the_agent_are_found() -> None:
    assert misplaced(["--acp", "--prompt", "hello", "--cwd=/x", "--prompt", "-c"]) == ("--prompt", "--cwd")


def test_every_long_option_is_known_as_our_own() -> None:
    options = {
        name for action in whole_parser()._actions for name in action.option_strings
    }  # private: argparse

    assert {name for name in options if name.startswith("--")} - {"--help", "--version"} == OWN


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
        (["--contiue"], "unknown option --contiue; did you mean '--continue'?"),
        (["resume"], "unknown command 'resume'. Use: acp-tui --resume"),
        (["-p", "hi"], "unknown option -p. Use: acp-tui --prompt TEXT"),
        (["--vers"], "unknown option --vers"),
        (["gemini"], "To start an agent: acp-tui --agent gemini"),
        (["doctor", "gemini"], "To check an agent: acp-tui doctor --agent gemini"),
        (["log", "decisions", "gemini"], "Try: acp-tui log decisions --help"),
        (["rules", "check", "--bogus"], "Try: acp-tui rules --help"),
        (["--cwd"], "--cwd"),
        (["--cwd", "--agent", "x"], "--cwd"),
        (["--log-level", "loud"], "loud"),
        (["--demo", "--agent", "x"], "cannot be combined"),
    ],
)
def test_a_wrong_command_line_is_reported_in_two_lines_at_most(
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
        "import sys, threading; from acp_tui.cli import end_process\n"
        f"threading.Thread(target=threading.Event().wait, daemon={daemon}).start()\n"
        "end_process(7)"
    )

    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 7
