"""The rule book: files that change, trust, and changes of rules."""

from __future__ import annotations

from pathlib import Path
from time import monotonic, sleep

import pytest

from acp_tui.protocol import schema
from acp_tui.rules.model import TOOL_KINDS, Rule, ToolUse, decide
from acp_tui.rules.rule_book import RuleBook, RuleChanges, RuleDraft
from acp_tui.rules.rule_files import CannotWrite
from acp_tui.rules.trusted_files import Trust
from tests.waiting import PATIENCE

ALLOW_LS = '[[rules]]\ndecision = "allow"\ncommand = "ls"\n'
ASK_CP = '[[rules]]\ndecision = "ask"\ncommand = "cp"\n'
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


def run(command: str, workspace: Path | str = "/x", session: str = "s") -> ToolUse:
    return ToolUse("a", "execute", command=command, workspace=str(workspace), session=session)


def test_the_users_own_file_counts_everywhere_and_is_read_again_when_it_changes(book: RuleBook) -> None:
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


def test_rules_count_as_they_were_read_where_the_file_changes_in_between(
    tmp_path: Path, workspace: Path
) -> None:
    file = file_of(workspace)

    class Slow(Trust):
        def has(self, path: Path, digest: str) -> bool:
            found = super().has(path, digest)
            file.write_text(f"{ALLOW_LS}# another\n[[rules]]\ndecision = 'allow'\n")
            return found

    book = RuleBook(tmp_path / "rules.toml", Slow(tmp_path / "trusted.json"))
    book.enter(str(workspace))
    file.write_text(ALLOW_LS)
    book.trust.give(file, book.file(file).digest)

    assert [one.rule.command for one in book.listed()] == ["ls"]
    assert [one.state for one in book.listed()] == ["not trusted", "not trusted"]


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


@pytest.mark.parametrize("half_saved", ["", ALLOW_LS, None])
def test_a_file_that_is_being_saved_goes_on_to_deny(
    book: RuleBook, workspace: Path, half_saved: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_tui.rules.rule_book.SETTLING", 0.2)
    path = book.user_file
    path.write_text(ALLOW_LS + DENY_RM + ASK_CP)
    assert decide(book, run("rm x", workspace)).decision == "deny"

    if half_saved is None:
        path.unlink()
    else:
        path.write_text(half_saved)
    assert decide(book, run("rm x", workspace)).decision == "deny"
    book.read_again()
    assert decide(book, run("rm x", workspace)).decision == "deny"
    assert decide(book, run("cp a b", workspace)).rule is not None
    deadline = monotonic() + PATIENCE
    while decide(book, run("rm x", workspace)).decision == "deny" and monotonic() < deadline:
        sleep(0.02)
    assert decide(book, run("rm x", workspace)).decision == "ask"


def test_a_file_that_breaks_denies_what_it_denied_and_allows_nothing(
    book: RuleBook, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_tui.rules.rule_book.SETTLING", 0.0)
    for path in (book.user_file, file_of(workspace)):
        path.write_text(ALLOW_LS + DENY_RM)
        assert decide(book, run("rm x", workspace)).decision == "deny"

        path.write_text(f"{ALLOW_LS}{DENY_RM}[[rules\n")
        book.read_again()
        assert decide(book, run("rm x", workspace)).decision == "deny"
        assert decide(book, run("ls", workspace)).decision == "ask"
        assert [problem.line for problem in book.problems()] == [7]

        path.write_text("")
        assert decide(book, run("rm x", workspace)).decision == "ask"


def test_a_broken_file_asks_for_everything_in_its_reach(book: RuleBook, workspace: Path) -> None:
    book.user_file.write_text('[[rules]]\ndecision = "allow"\n')
    file_of(workspace).write_text("[[rules")

    assert decide(book, run("ls", workspace)).decision == "ask"
    assert decide(book, run("ls")).decision == "allow"


def test_a_rule_of_a_session_is_for_that_session(book: RuleBook) -> None:
    book.of_sessions.append(Rule("allow", command="ls", session="s", where="this session"))

    assert decide(book, run("ls")).decision == "allow"
    assert decide(book, run("ls", session="t")).decision == "ask"


def test_rules_know_the_kinds_of_tool_call_of_the_protocol() -> None:
    assert schema.TOOL_KINDS == TOOL_KINDS


LS = Rule("allow", command="ls")


@pytest.fixture
def changes(tmp_path: Path) -> RuleChanges:
    (tmp_path / "w" / ".acp-tui").mkdir(parents=True)
    book = RuleBook(tmp_path / "rules.toml", Trust(tmp_path / "trusted.json"))
    book.enter(str(tmp_path / "w"))
    return RuleChanges(book)


def rules(changes: RuleChanges) -> list[tuple[str, str | None, str | None, str | None]]:
    """Return (decision, command, workspace, session) of all rules."""
    found = [listed.rule for listed in changes.book.listed()]
    return [(rule.decision, rule.command, rule.workspace, rule.session) for rule in found]


def test_a_rule_is_made_for_as_much_as_was_said_and_each_can_be_undone(changes: RuleChanges) -> None:
    changes.add(RuleDraft(LS, "everywhere"), "/w", "s")
    changes.add(RuleDraft(LS, "workspace"), "/w", "s")
    changes.add(RuleDraft(LS, "session"), "/w", "s")

    of_session, everywhere, workspace = (
        ("allow", "ls", None, "s"),
        ("allow", "ls", None, None),
        ("allow", "ls", "/w", None),
    )
    assert rules(changes) == [of_session, everywhere, workspace]
    for left in ([everywhere, workspace], [everywhere], []):
        changes.undo()
        assert rules(changes) == left
    assert not changes.can_undo


def test_a_rule_is_changed_where_it_stands(changes: RuleChanges) -> None:
    changes.add(RuleDraft(LS, "workspace"), "/other", "s")
    changes.add(RuleDraft(Rule("deny", command="rm"), "everywhere"), "/w", "s")
    listed = changes.book.listed()[0]

    changes.change(listed, RuleDraft(Rule("ask", command="ls -l"), "workspace"), "/w", "s")

    assert rules(changes) == [("ask", "ls -l", "/other", None), ("deny", "rm", None, None)]
    changes.undo()
    assert rules(changes)[0] == ("allow", "ls", "/other", None)


def test_a_rule_that_moves_from_a_session_to_a_file_is_one_change(changes: RuleChanges) -> None:
    changes.add(RuleDraft(LS, "session"), "/w", "s")

    changes.change(changes.book.listed()[0], RuleDraft(LS, "everywhere"), "/w", "s")
    assert rules(changes) == [("allow", "ls", None, None)]

    changes.undo()
    assert rules(changes) == [("allow", "ls", None, "s")]


def test_a_removed_rule_comes_back_in_its_place(changes: RuleChanges) -> None:
    for command in ("a", "b", "c"):
        changes.add(RuleDraft(Rule("allow", command=command), "everywhere"), "/w", "s")
    text = changes.book.user_file.read_text()

    changes.remove(changes.book.listed()[1])
    assert [command for _, command, _, _ in rules(changes)] == ["a", "c"]

    changes.undo()
    assert changes.book.user_file.read_text() == text


def test_trust_survives_what_the_user_changes_and_nothing_else(changes: RuleChanges, tmp_path: Path) -> None:
    file = tmp_path / "w" / ".acp-tui" / "rules.toml"
    file.write_text(
        '[[rules]]\ndecision = "allow"\ncommand = "a"\n[[rules]]\ndecision = "allow"\ncommand = "b"\n'
    )
    changes.book.trust.give(file, changes.book.file(file).digest)

    changes.remove(changes.book.listed()[0])
    assert changes.book.is_trusted(file)
    changes.undo()
    assert changes.book.is_trusted(file)

    file.write_text(file.read_text() + "# more\n")
    changes.remove(changes.book.listed()[0])
    assert not changes.book.is_trusted(file)


def test_a_change_that_cannot_be_written_leaves_nothing_to_undo(changes: RuleChanges) -> None:
    changes.book.user_file.write_text("[[rules")

    with pytest.raises(CannotWrite):
        changes.add(RuleDraft(LS, "everywhere"), "/w", "s")
    assert not changes.can_undo


def test_a_rule_of_a_session_ends_with_it(book: RuleBook) -> None:
    changes = RuleChanges(book)
    changes.add(RuleDraft(Rule("allow", command="ls"), "session"), "/x", "s")
    changes.add(RuleDraft(Rule("allow", command="ls"), "session"), "/x", "other")
    assert decide(book, run("ls")).decision == "allow"

    book.close("s")

    assert decide(book, run("ls")).decision == "ask"
    assert decide(book, run("ls", session="other")).decision == "allow"
    changes.undo()
    changes.undo()
    assert book.of_sessions == []
