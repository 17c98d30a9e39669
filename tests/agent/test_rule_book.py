from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.acp.tools import TOOL_KINDS
from acp_tui.agent.rule_book import RuleBook
from acp_tui.host.rules import KNOWN_KINDS, Ask, Rule, decide
from acp_tui.store import rules as store
from acp_tui.store.rule_trust import Trust

ALLOW_LS = '[[rules]]\ndecision = "allow"\ncommand = "ls"\n'
DENY_RM = '[[rules]]\ndecision = "deny"\ncommand = "rm"\n'


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "w" / ".acp-tui").mkdir(parents=True)
    return tmp_path / "w"


@pytest.fixture
def book(tmp_path: Path, workspace: Path) -> RuleBook:
    made = RuleBook(tmp_path / "rules.toml", Trust(tmp_path / "trusted.json"))
    made.enter(str(workspace))
    return made


def file_of(workspace: Path) -> Path:
    return workspace / ".acp-tui" / "rules.toml"


def run(command: str, workspace: Path | str = "/x", session: str = "s") -> Ask:
    return Ask("a", "execute", command=command, workspace=str(workspace), session=session)


def test_the_persons_own_file_counts_everywhere_and_is_read_again_when_it_changes(book: RuleBook) -> None:
    assert decide(book, run("ls")).decision == "ask"

    book.user_file.write_text(f"# mine\n{ALLOW_LS}")
    verdict = decide(book, run("ls"))
    assert verdict.decision == "allow"
    assert verdict.rule is not None
    assert verdict.rule.where == f"{book.user_file}:2"

    book.user_file.unlink()
    assert decide(book, run("ls")).decision == "ask"


def test_of_a_workspace_that_is_not_trusted_only_what_asks_and_denies_counts(
    book: RuleBook, workspace: Path
) -> None:
    file_of(workspace).write_text(ALLOW_LS + DENY_RM)

    assert decide(book, run("ls", workspace)).decision == "ask"
    assert decide(book, run("rm x", workspace)).decision == "deny"
    assert [file.path for file in book.not_trusted()] == [file_of(workspace)]


def test_what_is_trusted_allows_until_the_file_changes(book: RuleBook, workspace: Path) -> None:
    file_of(workspace).write_text(ALLOW_LS)
    book.trust.give(file_of(workspace), book.file(file_of(workspace)).digest)

    assert decide(book, run("ls", workspace)).decision == "allow"
    assert decide(book, run("ls", workspace / "below")).decision == "allow"
    assert decide(book, run("ls", f"{workspace}-other")).decision == "ask"
    assert book.not_trusted() == []

    file_of(workspace).write_text(ALLOW_LS + '[[rules]]\ndecision = "allow"\n')
    assert decide(book, run("ls", workspace)).decision == "ask"
    assert len(book.not_trusted()) == 1


def test_a_workspace_cannot_speak_for_other_folders(book: RuleBook, workspace: Path) -> None:
    file_of(workspace).write_text(f'{ALLOW_LS}workspace = "/"\n')
    book.trust.give(file_of(workspace), book.file(file_of(workspace)).digest)

    assert decide(book, run("ls", "/x")).decision == "ask"


def test_a_file_that_allows_nothing_needs_no_trust(book: RuleBook, workspace: Path) -> None:
    file_of(workspace).write_text(DENY_RM)

    assert book.not_trusted() == []


def test_a_rule_that_has_expired_does_not_count_and_is_listed(book: RuleBook) -> None:
    book.user_file.write_text(f"{ALLOW_LS}expires = 2020-01-01\n{DENY_RM}expires = 2999-01-01\n")

    assert decide(book, run("ls")).decision == "ask"
    assert decide(book, run("rm x")).decision == "deny"
    assert [listed.state for listed in book.listed()] == ["expired", "counts"]


@pytest.mark.parametrize("command", ["ls && pwd", "ls > f", "ls $X", "ls 'x", "A=1 ls", "for", "ls; ls"])
def test_a_command_that_is_no_prefix_is_a_mistake_and_its_rule_asks(book: RuleBook, command: str) -> None:
    book.user_file.write_text(
        f'[[rules]]\ndecision = "allow"\n[[rules]]\ndecision = "deny"\ncommand = "{command}"\n'
    )

    (problem,) = book.problems()
    assert problem.line == 3
    assert decide(book, run("make")).decision == "ask"


def test_a_broken_file_asks_for_everything_in_its_reach(book: RuleBook, workspace: Path) -> None:
    book.user_file.write_text('[[rules]]\ndecision = "allow"\n')
    file_of(workspace).write_text("[[rules")

    assert decide(book, run("ls", workspace)).decision == "ask"
    assert decide(book, run("ls")).decision == "allow"


def test_a_rule_of_a_session_is_for_that_session(book: RuleBook) -> None:
    book.of_sessions.append(Rule("allow", command="ls", session="s", where="this session"))

    assert decide(book, run("ls")).decision == "allow"
    assert decide(book, run("ls", session="t")).decision == "ask"


def test_rooms_that_do_not_know_each_other_mean_the_same_kinds_of_tool_calls() -> None:
    assert set(TOOL_KINDS) == set(store.TOOL_KINDS) == KNOWN_KINDS
