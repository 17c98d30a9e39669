"""Tests of `sandbox/sandbox.py`: commands in a real sandbox."""

from __future__ import annotations

import asyncio
import os
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_tui.agent.process import Process
from acp_tui.sandbox import bubblewrap
from acp_tui.sandbox.fence import Wanted
from acp_tui.sandbox.machine import Means
from acp_tui.sandbox.sandbox import CannotOpen, Sandbox
from acp_tui.workspace.guard import Guard
from acp_tui.workspace.processes import ExitStatus
from acp_tui.workspace.terminals import CommandNotStarted, Terminal, Terminals
from tests.offspring import descriptors, sleepers
from tests.sandbox.fences import lay_out, needs_bubblewrap, needs_landlock, sandbox
from tests.waiting import until

pytestmark = needs_bubblewrap


@pytest.fixture
def home(tmp_path: Path) -> Path:
    lay_out(tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture
def inside(home: Path) -> Iterator[Sandbox]:
    with sandbox(home) as made:
        yield made


@asynccontextmanager
async def lent(made: Sandbox) -> AsyncIterator[Terminals]:
    guard = Guard()
    terminals = Terminals(guard=guard, enclosure=made.commands)
    try:
        yield terminals
    finally:
        await terminals.close()
        guard.close()


async def begun(terminals: Terminals, home: Path, line: str) -> Terminal:
    return await terminals.create("s", "sh", ["-c", line], cwd=str(home / "work"), env={"HOME": str(home)})


async def ran(made: Sandbox, home: Path, line: str) -> tuple[str, ExitStatus]:
    async with lent(made) as terminals:
        terminal = await begun(terminals, home, line)
        status = await terminal.wait()
        return terminal.output()[0], status


async def test_the_workspace_can_be_written_and_nothing_else(inside: Sandbox, home: Path) -> None:
    said, _ = await ran(
        inside, home, "echo new > made; echo x >> ~/.bashrc; echo x > ~/new; echo x > /etc/new"
    )

    assert (home / "work" / "made").read_text() == "new\n"
    assert said.count("ead-only file system") == 3
    assert (home / ".bashrc").read_text() == "# mine\n"
    assert not (home / "new").exists()


async def test_keys_are_not_there(inside: Sandbox, home: Path) -> None:
    said, _ = await ran(inside, home, "cat ~/.ssh/id ~/.netrc ~/ours/journal; ls -A ~/.ssh ~/ours")

    assert not {"the key", "a password", "another session"} & set(said.splitlines())
    assert (home / ".ssh" / "id").read_text() == "the key"


async def test_temporary_files_are_the_sessions_own(inside: Sandbox, home: Path) -> None:
    first, _ = await ran(inside, home, "echo mine > /tmp/one; ls /tmp; echo $TMPDIR")
    second, _ = await ran(inside, home, "cat /var/tmp/one")

    assert first.split()[-1] == "/tmp"
    assert second == "mine\n"
    assert not Path("/tmp/one").exists()
    assert Path(inside.outside("/tmp/one")).read_text() == "mine\n"


def test_temporary_files_are_gone_with_the_sandbox(home: Path) -> None:
    with sandbox(home) as made:
        folder = Path(made.fence.temp)
        (folder / "one").write_text("")

    assert not folder.parent.exists()


def test_temporary_folders_that_nobody_may_write_are_gone_too(home: Path) -> None:
    with sandbox(home) as made:
        folder = Path(made.fence.temp)
        (folder / "cache" / "module").mkdir(parents=True)
        (folder / "cache" / "module" / "file").write_text("")
        (folder / "cache" / "link").symlink_to(home / "other")
        (home / "other").chmod(0o555)
        for each, mode in ((folder / "cache" / "module", 0), (folder / "cache", 0o555), (folder, 0o555)):
            each.chmod(mode)

    assert not folder.parent.exists()
    assert (home / "other").stat().st_mode & 0o777 == 0o555


def test_services_that_look_up_names_are_there_only_with_a_network(inside: Sandbox) -> None:
    def shown(*, network: bool) -> list[str]:
        words = bubblewrap.arguments(inside.fence, "/", network=network, has_proc=True, info=6)
        return [word for word in words if word.startswith(("/run/systemd", "/run/nscd"))]

    assert shown(network=True) == ["/run/systemd/resolve"] * 2 + ["/run/nscd"] * 2
    assert shown(network=False) == []


async def test_a_file_in_the_home_that_goes_meanwhile_stops_no_command(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".agent.json").write_text("{}")
    (home / "gone").write_text("")
    arguments = bubblewrap.arguments

    def late(*given: Any, **named: Any) -> list[str]:
        found = arguments(*given, **named)
        (home / "gone").unlink()
        return found

    monkeypatch.setattr(bubblewrap, "arguments", late)
    with sandbox(home, state=[".agent.json"]) as made:
        said, status = await ran(made, home, "ls ~/other")

    assert (said, status) == ("file\n", ExitStatus(0, None))


async def test_a_file_of_the_users_tmp_that_is_attached_is_there(inside: Sandbox, home: Path) -> None:
    with tempfile.NamedTemporaryFile("w", dir="/tmp") as mine:
        mine.write("attached")
        mine.flush()
        assert inside.make_visible(mine.name) == ""
        assert inside.make_visible(mine.name) == ""

        assert (await ran(inside, home, f"cat {mine.name}"))[0] == "attached"
        assert "hidden by the sandbox" in inside.make_visible(str(home / ".ssh" / "id"))


def test_a_link_that_the_agent_put_in_the_place_of_an_attached_file_is_not_followed(
    inside: Sandbox, home: Path
) -> None:
    with tempfile.NamedTemporaryFile("w", dir="/tmp") as mine:
        Path(inside.outside(mine.name)).symlink_to(home / "other" / "made")
        mine.write("attached")
        mine.flush()
        inside.make_visible(mine.name)

    assert not (home / "other" / "made").exists()


@pytest.mark.parametrize(("line", "status"), [("exit 7", (7, None)), ("kill -SEGV $$", (139, None))])
async def test_an_exit_code_comes_through(
    inside: Sandbox, home: Path, line: str, status: tuple[int, None]
) -> None:
    assert (await ran(inside, home, line))[1] == ExitStatus(*status)


async def test_a_command_has_time_to_end_when_it_is_killed(inside: Sandbox, home: Path) -> None:
    async with lent(inside) as terminals:
        line = "trap 'echo cleaned; exit 9' TERM; echo ready; while :; do sleep 0.01; done"
        terminal = await begun(terminals, home, line)
        await until(lambda: "ready" in terminal.output()[0])
        await terminal.kill()

        assert await terminal.wait() == ExitStatus(9, None)
        assert "cleaned" in terminal.output()[0]


async def test_a_death_by_a_signal_of_the_client_is_reported_as_one(inside: Sandbox, home: Path) -> None:
    async with lent(inside) as terminals:
        terminal = await begun(terminals, home, "echo ready; exec sleep 300")
        await until(lambda: "ready" in terminal.output()[0])
        await terminal.kill()

        assert await terminal.wait() == ExitStatus(None, "SIGTERM")


async def test_a_terminal_is_the_commands_own(inside: Sandbox, home: Path) -> None:
    async with lent(inside) as terminals:
        line = (
            "trap 'echo stopped; exit 3' INT; echo line > /dev/tty; echo ready; while :; do sleep 0.01; done"
        )
        terminal = await begun(terminals, home, line)
        await until(lambda: "ready" in terminal.output()[0])
        terminal.write(b"\x03")

        assert await terminal.wait() == ExitStatus(3, None)
        assert "line\n" in terminal.output()[0]


async def test_job_control_works(inside: Sandbox, home: Path) -> None:
    async with lent(inside) as terminals:
        terminal = await begun(terminals, home, "set -m; sleep 0.01 & fg; echo done")

        assert await terminal.wait() == ExitStatus(0, None)
        assert "done\n" in terminal.output()[0]


async def test_what_a_command_leaves_behind_goes_on_until_the_session_closes(
    inside: Sandbox, home: Path
) -> None:
    stamp = f"300.{os.getpid()}1"
    async with lent(inside) as terminals:
        terminal = await begun(
            terminals, home, f"trap '' HUP; setsid sleep {stamp} > /dev/null 2>&1 & echo left"
        )
        assert (await terminal.wait()).exit_code == 0
        await until(lambda: terminal.outlived)
        assert len(sleepers(stamp)) == 1
        assert terminal.outlived == tuple(sleepers(stamp))

    assert sleepers(stamp) == []


async def test_what_hides_from_us_ends_with_the_session(inside: Sandbox, home: Path) -> None:
    stamp = f"300.{os.getpid()}2"
    script = (
        "import os, resource; h = resource.getrlimit(resource.RLIMIT_RTTIME)[1];"
        "resource.setrlimit(resource.RLIMIT_RTTIME, (10**9, h)); os.fork() and os._exit(0); os.setsid();"
        f"[os.close(n) for n in range(3)]; os.execve('/bin/sleep', ['sleep', '{stamp}'], {{}})"
    )
    async with lent(inside) as terminals:
        terminal = await begun(terminals, home, f"trap '' HUP; python3 -c \"{script}\"")
        await terminal.wait()
        await until(lambda: sleepers(stamp))

    assert sleepers(stamp) == []


async def test_no_descriptor_is_left_open(inside: Sandbox, home: Path) -> None:
    await ran(inside, home, "true")
    before = descriptors()

    await ran(inside, home, "true")

    assert descriptors() == before


async def test_a_folder_that_we_were_started_with_leads_nowhere(inside: Sandbox, home: Path) -> None:
    folder = os.open(home / ".ssh", os.O_RDONLY | os.O_DIRECTORY)
    os.set_inheritable(folder, True)
    try:
        said, _ = await ran(inside, home, f"cat /proc/self/fd/{folder}/id; ls -l /proc/self/fd")
    finally:
        os.close(folder)

    assert "the key" not in said
    assert f" {folder} -> " not in said


async def test_the_ways_to_programs_outside_are_dropped(home: Path) -> None:
    with sandbox(home) as made:
        said = made.environment({"SSH_AUTH_SOCK": "/x", "TMUX": "/y", "PATH": "/bin", "TMPDIR": "/z"})

    assert said == {"PATH": "/bin", "TMPDIR": "/tmp"}


async def test_a_socket_is_let_in_by_choice(home: Path) -> None:
    wanted = Wanted(sockets=("ssh-agent",))
    with sandbox(home, wanted=wanted, environment={"SSH_AUTH_SOCK": str(home / "agent")}) as made:
        assert made.environment({"SSH_AUTH_SOCK": "/x", "TMUX": "/y"})["SSH_AUTH_SOCK"] == "/x"
        assert made.fence.sockets == (str(home / "agent"),)


async def test_commands_alone_can_be_without_a_network(home: Path) -> None:
    with sandbox(home, network="commands-off") as made:
        said, _ = await ran(made, home, "cat /proc/net/dev | tail -n +3 | cut -d: -f1")

        assert said.split() == ["lo"]
        assert made.agent.network
        assert not made.commands.network


async def test_an_agent_runs_inside_and_talks_by_its_pipes(inside: Sandbox, home: Path) -> None:
    line = "read word; echo got $word; cat ~/.ssh/id; echo x > ~/new; exit 4"
    guard = Guard()
    process = Process.spawn(
        ["sh", "-c", line], cwd=str(home / "work"), env={"HOME": str(home)}, guard=guard, sandbox=inside
    )
    process.write(b"hello\n")

    assert await process.read() == b"got hello\n"
    assert (await process.wait()).exit_code == 4
    assert "Read-only file system" in process.stderr_tail or "ead-only" in process.stderr_tail
    assert "the key" not in process.stderr_tail
    await process.stop()
    guard.close()


async def test_an_agent_that_ignores_signals_is_ended(inside: Sandbox, home: Path) -> None:
    stamp = f"300.{os.getpid()}3"
    guard = Guard()
    line = f"trap '' TERM INT HUP; echo up; sleep {stamp} & wait; sleep {stamp}"
    process = Process.spawn(["sh", "-c", line], cwd=str(home / "work"), guard=guard, sandbox=inside)
    assert await process.read() == b"up\n"

    status = await process.stop(0.05)

    assert status == ExitStatus(None, "SIGKILL")
    assert sleepers(stamp) == []
    guard.close()


async def test_a_place_is_opened_while_a_command_runs(inside: Sandbox, home: Path) -> None:
    async with lent(inside) as terminals:
        line = (
            "until echo x > ~/other/new; do sleep 0.02; done; until grep pass ~/.netrc; do sleep 0.02; done"
        )
        terminal = await begun(terminals, home, f"({line}) 2> /dev/null")
        await until(lambda: terminal._child.first_process)  # private: the process to kill
        await asyncio.to_thread(inside.open, str(home / "other"), "write")
        await until(lambda: (home / "other" / "new").exists())
        await asyncio.to_thread(inside.open, str(home / ".netrc"), "read")

        assert await terminal.wait() == ExitStatus(0, None)
    said, _ = await ran(inside, home, "echo y > ~/other/later; cat ~/.netrc")
    assert (home / "other" / "later").exists()
    assert said == "a password"


async def test_what_is_hidden_below_a_place_stays_so_when_that_is_opened(home: Path) -> None:
    (home / "other" / "token").write_text("the token")
    with sandbox(home, wanted=Wanted(hide=("~/other/token",))) as made:
        async with lent(made) as terminals:
            line = "until echo x > ~/other/new; do sleep 0.02; done; cat ~/other/token; echo done"
            terminal = await begun(terminals, home, line)
            await until(lambda: terminal._child.first_process)  # private: the process to kill
            await asyncio.to_thread(made.open, str(home / "other"), "write")
            await terminal.wait()

            assert "done" in terminal.output()[0]
            assert "the token" not in terminal.output()[0]


@pytest.mark.parametrize("name", ["ours", "ours/journal", "."])
def test_our_own_folders_and_the_home_stay_closed(inside: Sandbox, home: Path, name: str) -> None:
    with pytest.raises(CannotOpen):
        inside.open(str((home / name).resolve()), "write")


async def test_a_file_of_the_agent_in_the_home_can_be_saved(home: Path) -> None:
    (home / ".one.json").write_text("old")
    with sandbox(home, state=(".one.json", ".one")) as made:
        said, _ = await ran(
            made, home, "echo new > ~/.one.json; echo x > ~/.one.json.tmp; echo x > ~/.one/y; ls -A ~"
        )

    assert (home / ".one.json").read_text() == "new\n"
    assert "ermission denied" in said
    assert (home / ".one" / "y").exists()
    assert "other" in said.split()


@needs_landlock
async def test_landlock_alone_keeps_keys_and_other_projects(home: Path) -> None:
    with sandbox(home, means=Means("landlock")) as made:
        said, _ = await ran(made, home, "cat ~/.ssh/id; echo x > ~/other/file; echo new > made; cat made")

    assert "the key" not in said
    assert (home / "other" / "file").read_text() == "mine\n"
    assert said.endswith("new\n")


async def test_git_works_in_a_linked_worktree(home: Path) -> None:
    make = (
        'g() { git -c user.name=U -c user.email=u@example.org "$@"; }; g init -q ~/repository; '
        "cd ~/repository; g commit -qm One --allow-empty; g worktree add -q ~/tree; rm -rf ~/tree/hooks"
    )
    subprocess.run(["sh", "-c", make], check=True, env={**os.environ, "HOME": str(home)}, capture_output=True)
    with sandbox(home, roots=[home / "tree"]) as made:
        line = (
            "cd ~/tree; git config user.name; echo new > made; git add made; "
            "git -c user.name=U -c user.email=u@example.org commit -qm Two; git switch -qc other; "
            "git stash list; git log --format=%s; git status --short"
        )
        said, status = await ran(made, home, line)

    assert status == ExitStatus(0, None)
    assert said == "Two\nOne\n"


async def test_a_strict_sandbox_shows_of_the_home_what_is_named_alone(home: Path) -> None:
    (home / ".one").mkdir()
    (home / "bin").mkdir()
    wanted = Wanted(read=("~/.bashrc",), write=("~/other",))
    with sandbox(
        home, strict=True, state=(".one",), others=(".two",), wanted=wanted, programs=[str(home / "bin")]
    ) as made:
        assert made.words == "sandboxed, home hidden"
        said, _ = await ran(
            made,
            home,
            "ls -A ~ | tr '\\n' ' '; echo; echo x > ~/.one/y; echo x > ~/other/y; echo x > made; "
            "echo x >> .envrc; echo x >> ~/.bashrc; echo x > ~/new; cat ~/.bashrc; cat ~/.ssh/id",
        )

    assert said.splitlines()[0].split() == [".bashrc", ".one", "bin", "other", "work"]
    assert "# mine" in said
    assert "the key" not in said
    assert (home / ".one" / "y").exists()
    assert (home / "other" / "y").exists()
    assert (home / "work" / "made").exists()
    assert not (home / "new").exists()
    assert (home / ".bashrc").read_text() == (home / "work" / ".envrc").read_text() == "# mine\n"


async def test_a_strict_sandbox_lets_an_agent_save_a_file_in_the_home(home: Path) -> None:
    (home / ".one.json").write_text("old")
    with sandbox(home, strict=True, state=(".one.json",)) as made:
        said, _ = await ran(made, home, "echo new > ~/.one.json; echo x > ~/.one.json.tmp")

    assert (home / ".one.json").read_text() == "new\n"
    assert "ermission denied" in said


async def test_a_place_in_a_hidden_home_is_open_for_what_is_started_afterwards(home: Path) -> None:
    with sandbox(home, strict=True) as made:
        async with lent(made) as terminals:
            terminal = await begun(terminals, home, "echo up; exec sleep 300")
            await until(lambda: "up" in terminal.output()[0])

            assert not await asyncio.to_thread(made.open, str(home / ".netrc"), "read")
            assert not await asyncio.to_thread(made.open, str(home / "other"), "read")
        said, _ = await ran(made, home, "cat ~/.netrc ~/other/file; ls -A ~ | tr '\\n' ' '")

    assert said == "a passwordmine\n.netrc other work "


@needs_landlock
async def test_landlock_alone_keeps_a_hidden_home_closed(home: Path) -> None:
    with sandbox(home, means=Means("landlock"), strict=True) as made:
        said, _ = await ran(made, home, "cat ~/other/file ~/.bashrc; cat file; echo new > made; cat made")

    assert "mine" not in said
    assert said.endswith("hello\nnew\n")


async def test_variables_of_a_command_act_behind_the_fence_only(inside: Sandbox, home: Path) -> None:
    # A library that does not exist is told of by each program that would have loaded it.
    env = {"HOME": str(home), "LD_PRELOAD": str(home / "work" / "evil.so"), "PLAIN": "a b\n'c"}
    async with lent(inside) as terminals:
        terminal = await terminals.create(
            "s", "/bin/sh", ["-c", 'echo "$PLAIN"; exec true'], cwd=str(home / "work"), env=env
        )
        await terminal.wait()
        said = terminal.output()[0]

    assert "a b" in said
    assert said.count("cannot be preloaded") == 3, "setsid, the shell of the command, and what that runs"


@pytest.mark.parametrize(
    "env", [{"A": "x\0--bind\0/\0/"}, {"A\0--bind": "x"}, {"": "x"}, {"A=B": "x"}, {"A": "\ud800"}]
)
async def test_a_variable_that_is_none_starts_nothing(
    inside: Sandbox, home: Path, env: dict[str, str]
) -> None:
    async with lent(inside) as terminals:
        with pytest.raises(CommandNotStarted):
            await terminals.create("s", "true", cwd=str(home / "work"), env=env)
