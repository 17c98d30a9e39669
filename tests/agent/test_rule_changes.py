from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.agent.rule_book import RuleBook
from acp_tui.agent.rule_changes import Draft, RuleChanges
from acp_tui.store.rule_trust import Trust
from acp_tui.store.rules import WrittenRule
from acp_tui.store.rules_writing import CannotWrite

LS = WrittenRule("allow", command="ls")


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
    changes.add(Draft(LS, "everywhere"), "/w", "s")
    changes.add(Draft(LS, "workspace"), "/w", "s")
    changes.add(Draft(LS, "session"), "/w", "s")

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
    changes.add(Draft(LS, "workspace"), "/other", "s")
    changes.add(Draft(WrittenRule("deny", command="rm"), "everywhere"), "/w", "s")
    listed = changes.book.listed()[0]

    changes.change(listed, Draft(WrittenRule("ask", command="ls -l"), "workspace"), "/w", "s")

    assert rules(changes) == [("ask", "ls -l", "/other", None), ("deny", "rm", None, None)]
    changes.undo()
    assert rules(changes)[0] == ("allow", "ls", "/other", None)


def test_a_rule_that_moves_from_a_session_to_a_file_is_one_change(changes: RuleChanges) -> None:
    changes.add(Draft(LS, "session"), "/w", "s")

    changes.change(changes.book.listed()[0], Draft(LS, "everywhere"), "/w", "s")
    assert rules(changes) == [("allow", "ls", None, None)]

    changes.undo()
    assert rules(changes) == [("allow", "ls", None, "s")]


def test_a_removed_rule_comes_back_in_its_place(changes: RuleChanges) -> None:
    for command in ("a", "b", "c"):
        changes.add(Draft(WrittenRule("allow", command=command), "everywhere"), "/w", "s")
    text = changes.book.user_file.read_text()

    changes.remove(changes.book.listed()[1])
    assert [command for _, command, _, _ in rules(changes)] == ["a", "c"]

    changes.undo()
    assert changes.book.user_file.read_text() == text


def test_trust_survives_what_the_person_changes_and_nothing_else(
    changes: RuleChanges, tmp_path: Path
) -> None:
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
        changes.add(Draft(LS, "everywhere"), "/w", "s")
    assert not changes.can_undo
