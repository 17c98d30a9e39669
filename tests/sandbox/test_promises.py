"""The promises of docs/sandbox.md that name many places or variables: each is tried in a real sandbox."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import pytest

from acp_tui.sandbox.fence import Fence, Wanted
from acp_tui.sandbox.machine import Means
from acp_tui.sandbox.places import PROTECTED, SECRETS, WAYS_OUT
from acp_tui.sandbox.sandbox import Network, Sandbox
from acp_tui.store.agents import known_agents
from acp_tui.store.settings import SandboxSettings
from acp_tui.workspace.guard import Guard
from acp_tui.workspace.terminals import Terminals
from tests.sandbox.fences import lay_out, needs_bubblewrap, sandbox
from tests.waiting import until

DOCUMENT = Path(__file__).parents[2] / "docs" / "sandbox.md"
_FOLDERS = frozenset(
    {".git/hooks", ".git/modules", ".git/worktrees", ".vscode", ".idea", ".husky", ".acp-tui"}
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    lay_out(tmp_path / "home")
    return tmp_path / "home"


async def said(made: Sandbox, home: Path, line: str, **env: str) -> str:
    guard = Guard()
    terminals = Terminals(guard=guard, enclosure=made.commands)
    try:
        terminal = await terminals.create(
            "s", "sh", ["-c", line], cwd=str(home / "work"), env={"HOME": str(home), **env}
        )
        await terminal.wait()
        return terminal.output()[0]
    finally:
        await terminals.close()
        guard.close()


def written(folder: Path, names: Sequence[str], text: str) -> None:
    """Make each name a folder with a file in it."""
    for name in names:
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "inside").write_text(text)


@needs_bubblewrap
@pytest.mark.parametrize("strict", [False, True])
async def test_no_place_of_keys_and_no_state_of_other_agents_can_be_read(home: Path, strict: bool) -> None:
    others = [name for agent in known_agents({}).values() for name in agent.state]
    names = [name for name in (*SECRETS, *others) if not (home / name).is_file()]
    written(home, names, "a-secret")
    assert len(names) > 80

    with sandbox(home, others=others, strict=strict) as made:
        printed = await said(made, home, "grep -r secret ~ 2> /dev/null; echo looked")

    assert printed == "looked\n"


@needs_bubblewrap
async def test_nothing_that_runs_later_can_be_changed_moved_or_replaced(home: Path) -> None:
    for name in PROTECTED:
        path = home / "work" / name
        if name in _FOLDERS:
            written(home / "work", [name], "mine")
        else:
            path.write_text("mine")
    before = {path: path.read_text() for path in (home / "work").rglob("*") if path.is_file()}

    with sandbox(home) as made:
        tries = "; ".join(
            f"echo x > {name}; echo x > {name}/inside; echo x > {name}/new; mv {name} m{number}; "
            f"rm -rf {name}; ln -sf /etc {name}"
            for number, name in enumerate(PROTECTED)
        )
        await said(made, home, f"{tries}; mv .git moved; rm -rf .git/hooks; echo x > .git/HEAD")

    after = {path: path.read_text() for path in before if path.is_file()}  # what mv has copied is no harm
    assert after == {**before, home / "work" / ".git" / "HEAD": "x\n"}


REPLACED = {
    # what was there before, what a command does, and what is said to be new
    "a repository where there was none": ("rm -rf .git", "git init -q", ".git"),
    "a repository without a .git": (
        ":",
        "mkdir objects refs; cp .git/HEAD .git/config .; rm .git/HEAD",
        "HEAD",
    ),
    "hooks elsewhere": (":", "echo ../o > .git/commondir", ".git/commondir"),
    "a link of hooks": (
        "rm -r .git/hooks; mkdir h; ln -s ../h .git/hooks",
        "rm .git/hooks; mkdir .git/hooks",
        ".git/hooks",
    ),
    "a link of settings of an editor": ("mkdir c; ln -s c .vscode", "ln -sfn d .vscode", ".vscode"),
    "a link as .git": ("mv .git g; ln -s g .git", "rm .git; git init -q", ".git"),
}


@needs_bubblewrap
@pytest.mark.parametrize("case", REPLACED)
async def test_what_cannot_be_kept_is_said_when_it_is_made_or_replaced(home: Path, case: str) -> None:
    before, does, name = REPLACED[case]
    subprocess.run(["sh", "-c", before], cwd=home / "work", check=True)
    with sandbox(home) as made:
        assert made.new_unprotected_files() == []
        await said(made, home, does)

        assert made.new_unprotected_files() == [str(home / "work" / name)]
        assert made.new_unprotected_files() == []


KEPT = {
    # what was there before, what a command tries, and where
    "what a link of hooks leads to": ("rm -r .git/hooks; mkdir h; ln -s ../h .git/hooks", "echo x > h/new"),
    "the settings behind a link as .git": ("mv .git g; ln -s $PWD/g .git", "echo x > g/config; mv g h"),
    "the settings of a repository beside its .git": (
        "git init -q --bare b; mv .git g; echo gitdir: ./b > .git",
        "echo x > b/config; echo x > b/hooks/pre-commit; echo x > .git; mv b c",
    ),
    "the settings of a workspace without files": (
        "rm -rf .git; git init -q --bare .",
        "echo x > config; echo x > hooks/pre-commit; mv hooks h",
    ),
    "hooks in a folder of the workspace": (
        "mkdir .githooks; echo '[core] hooksPath = \".githooks\"' >> .git/config",
        "echo id > .githooks/pre-commit; mv .githooks h",
    ),
    "hooks that are a file": ("rm -r .git/hooks; touch .git/hooks", "rm .git/hooks; mkdir .git/hooks"),
}


@needs_bubblewrap
@pytest.mark.parametrize("case", KEPT)
async def test_what_git_runs_is_kept_wherever_it_is(home: Path, case: str) -> None:
    before, tries = KEPT[case]
    subprocess.run(["sh", "-c", before], cwd=home / "work", check=True)
    with sandbox(home) as made:
        was = (
            sorted((home / "work").rglob("*")),
            [path.read_text() for path in sorted((home / "work").rglob("*config"))],
        )
        assert (await said(made, home, f"{tries}; echo tried")).endswith("tried\n")

    assert was == (
        sorted((home / "work").rglob("*")),
        [path.read_text() for path in sorted((home / "work").rglob("*config"))],
    )


@needs_bubblewrap
async def test_in_the_repository_of_a_linked_worktree_hooks_cannot_be_made_unsaid(home: Path) -> None:
    make = (
        'g() { git -c user.name=U -c user.email=u@example.org "$@"; }; g init -q --template= repository; '
        "cd repository; g commit -qm One --allow-empty; g worktree add -q ../tree"
    )
    subprocess.run(["sh", "-c", make], check=True, cwd=home, capture_output=True)
    git = home / "repository" / ".git"
    with sandbox(home, roots=[home / "tree"]) as made:
        await said(made, home, f"cd {git}; echo id > hooks/pre-commit; echo /x > commondir; mkdir modules")

        assert [*(git / "hooks").iterdir()] == []
        assert made.new_unprotected_files() == [str(git / "modules"), str(git / "commondir")]


@needs_bubblewrap
async def test_no_variable_that_leads_to_a_program_outside_is_passed_on(home: Path) -> None:
    with sandbox(home) as made:
        names = (await said(made, home, "env | cut -d= -f1", **dict.fromkeys(WAYS_OUT, "x"))).split()

    assert not set(names) & set(WAYS_OUT)
    assert "HOME" in names


@needs_bubblewrap
@pytest.mark.parametrize("is_let_in", [False, True])
async def test_a_socket_outside_answers_only_if_it_is_let_in(home: Path, is_let_in: bool) -> None:
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(home / "service"))
    server.listen()
    server.setblocking(False)
    code = "import socket; socket.socket(socket.AF_UNIX).connect('service')"
    try:
        with sandbox(home, wanted=Wanted(sockets=("~/service",) if is_let_in else ())) as made:
            await said(made, home, f'cd ~; python3 -c "{code}"')
        try:
            server.accept()[0].close()
            has_come = True
        except BlockingIOError:
            has_come = False
    finally:
        server.close()

    assert has_come == is_let_in


@needs_bubblewrap
async def test_what_is_made_later_in_the_home_is_read_only(home: Path) -> None:
    with sandbox(home) as made:
        (home / "later").write_text("mine\n")
        printed = await said(made, home, "cat ~/later; echo x > ~/later")

    assert printed.startswith("mine\n")
    assert (home / "later").read_text() == "mine\n"


@needs_bubblewrap
async def test_the_users_places_count_in_a_real_sandbox(home: Path) -> None:
    (home / "notes").mkdir()
    (home / "notes" / "one").write_text("a-secret")
    wanted = Wanted(
        write=("~/other", "~/work/.envrc"), read=("~/.netrc",), hide=("~/notes",), protect=("file",)
    )
    line = "echo x > ~/other/new; echo x > .envrc; cat ~/.netrc; cat ~/notes/one; echo x > file"
    with sandbox(home, wanted=wanted) as made:
        printed = await said(made, home, line)

    assert (home / "other" / "new").exists()
    assert (home / "work" / ".envrc").read_text() == "x\n"
    assert "a password" in printed
    assert "a-secret" not in printed
    assert (home / "work" / "file").read_text() == "hello\n"


def words(kind: Any, network: Network) -> str:
    fence = Fence({"/": "read", "/h": "read"}, "/h", "/t", "/e")
    return Sandbox(fence, Means(kind), network, None).words  # type: ignore[arg-type]  # nothing to clear away


@pytest.mark.parametrize("network", get_args(Network))
@pytest.mark.parametrize("kind", ["bubblewrap", "landlock"])
def test_the_words_of_the_status_line_are_those_of_the_document(kind: str, network: Network) -> None:
    said, text = words(kind, network), " ".join(DOCUMENT.read_text().split())

    assert said.startswith("partly sandboxed" if kind == "landlock" else "sandboxed")
    assert all(f"`{part}`" in text for part in said.split(", "))


def test_all_settings_of_the_document_are_those_of_the_program() -> None:
    block = DOCUMENT.read_text().partition("    [sandbox]\n")[2].partition("\n\n")[0]
    assert tuple(line.split()[0] for line in block.splitlines()) == SandboxSettings._fields


@needs_bubblewrap
async def test_commands_without_a_network_have_one_each(home: Path) -> None:
    code = (
        "import socket; s = socket.socket(); s.bind(('127.0.0.1', 8765)); s.listen(); print('up', flush=True)"
    )
    with sandbox(home, network="commands-off") as made:
        guard = Guard()
        terminals = Terminals(guard=guard, enclosure=made.commands)
        try:
            waits = ["-c", f"{code}; s.listen(); s.accept()"]
            first = await terminals.create("s", "python3", waits, cwd=str(home / "work"))
            await until(lambda: "up" in first.output()[0])
            printed = await said(made, home, f'python3 -c "{code}"')
        finally:
            await terminals.close()
            guard.close()

    assert printed == "up\n"  # the same port is free
