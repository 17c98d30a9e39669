"""The parts of a command line in words."""

from __future__ import annotations

import pytest

from acp_tui.rules.command_explanation import CommandExplanation, explain


def told(command: str) -> CommandExplanation:
    return explain(command, "/w", lambda path: path == "/w" or path.startswith("/w/"))


def notes(command: str) -> list[list[str]]:
    return [[note.text for note in part.notes] for part in told(command).parts]


def test_a_chain_a_pipe_and_a_substitution_are_taken_apart() -> None:
    parts = told("cd build && make -j4 | tee log; echo $(git rev-parse HEAD)").parts

    assert [(part.text, part.depth) for part in parts] == [
        ("cd build", 0),
        ("make -j4", 0),
        ("tee log", 0),
        ("echo $(git rev-parse HEAD)", 0),
        ("git rev-parse HEAD", 1),
    ]


def test_a_plain_command_needs_no_explanation() -> None:
    (part,) = told("pytest -q tests").parts
    assert not part.notes
    assert len(told("pytest -q && true").parts) == 2


@pytest.mark.parametrize(
    "command",
    [
        "curl https://x.example",
        "git push origin main",
        "git fetch",
        "pip install x",
        "npm ci",
        "sudo apt-get update",
        "env A=1 wget x",
        "timeout 5 ssh host",
        "/usr/bin/curl x",
        "xargs curl",
    ],
)
def test_the_network_is_named(command: str) -> None:
    assert "network" in notes(command)[0]


@pytest.mark.parametrize(
    "command", ["git status", "echo curl", "pip list", "npm test", "grep -r ssh .", "git log -- push"]
)
def test_words_that_only_look_like_the_network_are_not(command: str) -> None:
    assert "network" not in notes(command)[0]


def test_who_runs_as_another_deletes_or_throws_away_is_marked() -> None:
    assert notes("sudo make install") == [["as another user"]]
    assert notes("rm -rf build") == [["deletes"]]
    assert notes("git clean -fd") == [["deletes"]]
    assert notes("find . -name x -delete") == [["deletes"]]
    assert notes("git reset --hard HEAD~1") == [["discards changes"]]


def test_what_is_written_by_a_redirect_is_named_and_whether_it_lies_outside() -> None:
    assert notes("make > out.log 2>&1") == [["writes out.log"]]
    assert notes("echo x >> /etc/hosts") == [["writes /etc/hosts, outside the workspace"]]
    assert notes("make > $OUT") == [["writes where the shell decides"]]
    assert notes("make 2> /dev/null") == [[]]
    assert [note.grave for note in told("a > x; a > /x").parts[0].notes] == [False]


def test_a_redirect_is_told_with_one_command_also_where_the_parser_gives_it_to_a_group() -> None:
    assert notes("make && echo $(curl x) > log") == [[], ["writes log"], ["network"]]
    assert [part.text for part in told("a > x; b > x").parts] == ["a > x", "b > x"]


def test_paths_outside_are_named_also_in_options_and_after_a_change_of_folder() -> None:
    assert notes("cat /etc/passwd src/a ../x ~/y") == [["outside the workspace: /etc/passwd, ../x, ~/y"]]
    assert notes("cp a $HOME/b /etc/*.conf") == [["outside the workspace: ~/b, /etc/*.conf"]]
    assert notes("./configure --prefix=/usr") == [["outside the workspace: /usr"]]
    assert notes("cat /w/a ./a https://x/../y /dev/null") == [[]]
    assert notes("cd sub && cat ../a ../../b") == [[], ["outside the workspace: ../../b"]]
    assert notes("(cd sub); cat ../a")[1] == ["outside the workspace: ../a"]


def test_what_only_the_shell_knows_is_said() -> None:
    assert notes("$CMD now") == [["the shell decides what runs"]]
    assert notes("sleep 9 &") == [["in the background"]]


def test_a_text_for_another_shell_is_taken_apart_too_but_not_for_ever() -> None:
    parts = told("bash -lc 'cd x && curl y'").parts
    assert [(part.text, part.depth) for part in parts[1:]] == [("cd x", 1), ("curl y", 1)]

    nested = "true"
    for _ in range(8):
        nested = f"sh -c {nested!r}"
    assert max(part.depth for part in told(nested).parts) <= 3


def test_a_line_that_cannot_be_read_says_so() -> None:
    assert not told("echo 'open").understood


@pytest.mark.parametrize(
    "command",
    [
        *("zsh -lc 'make && git push'", "bash -lc 'make && git push'", "sh -c 'make && git push'"),
        *("env X=1 bash -c 'make && git push'", "bash -l -e -o pipefail -c 'make && git push'"),
        *("bash --norc -c 'make && git push'", "sudo -u me ksh -c 'make && git push'"),
    ],
)
def test_a_text_for_a_shell_is_taken_apart_whoever_runs_the_shell(command: str) -> None:
    found = [(part.text, part.depth, [note.text for note in part.notes]) for part in told(command).parts[1:]]
    assert found == [("make", 1, []), ("git push", 1, ["network"])]


def test_what_is_no_text_for_a_shell_is_not_taken_for_one() -> None:
    for command in ("bash --norc script.sh", "bash -x 'a && b'", "bash -o pipefail 'a && b'"):
        assert len(told(command).parts) == 1
