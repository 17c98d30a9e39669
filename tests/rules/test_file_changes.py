"""Rules are added, changed and removed in a file whose comments stay."""

from __future__ import annotations

import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from acp_tui.rules.model import Rule
from acp_tui.rules.rule_files import CannotWrite, add, change, load, put_back, remove

TEXT = """\
# What I decided, and why

[[rules]]  # looking
note = "first"
decision = "allow"
command = "git status"
expires = 2030-01-01

# never the keys
[[rules]]
decision = "deny"
path = "*.key"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "rules.toml"
    path.write_text(TEXT)
    return path


def test_a_first_rule_makes_the_file_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "new" / "rules.toml"
    rule = Rule("allow", command="ls", expires=datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC), note='"x"')

    before = add(path, rule)

    assert before is None
    (found,) = load(path).rules
    assert (found.decision, found.command, found.expires, found.note) == ("allow", "ls", rule.expires, '"x"')
    assert path.stat().st_mode & 0o777 == 0o600


def test_adding_leaves_all_else_as_it_is(file: Path) -> None:
    before = add(file, Rule("ask", tool_kind="fetch"))

    assert before == TEXT.encode()
    assert file.read_text().startswith(TEXT)
    assert [rule.decision for rule in load(file).rules] == ["allow", "deny", "ask"]


def test_changing_touches_only_what_is_different(file: Path) -> None:
    found = load(file)
    old = found.rules[0]

    change(found, old, Rule("ask", command="git status", expires=old.expires, agent="a"))

    text = file.read_text()
    assert "# What I decided, and why" in text
    assert "[[rules]]  # looking" in text
    assert "expires = 2030-01-01\n" in text
    assert "note" not in text.split("# never")[0]
    assert [(rule.decision, rule.agent) for rule in load(file).rules] == [("ask", "a"), ("deny", None)]


def test_removing_takes_only_that_rule(file: Path) -> None:
    found = load(file)

    remove(found, found.rules[0])

    assert [rule.path for rule in load(file).rules] == ["*.key"]
    assert file.read_text().startswith("# What I decided, and why")


def test_a_change_is_put_back_unless_something_came_between(file: Path) -> None:
    found = load(file)
    before = remove(found, found.rules[1])

    put_back(file, before, load(file).digest)
    assert file.read_text() == TEXT

    digest = load(file).digest
    file.write_text(TEXT + "# more\n")
    with pytest.raises(CannotWrite, match="changed by another program"):
        put_back(file, before, digest)


def test_a_file_that_changed_meanwhile_is_left_alone(file: Path) -> None:
    found = load(file)
    file.write_text(TEXT + "# more\n")

    with pytest.raises(CannotWrite, match="changed by another program"):
        remove(found, found.rules[0])
    assert file.read_text() == TEXT + "# more\n"


@pytest.mark.parametrize("text", ["[[rules]\n", "rules = [{ decision = 'ask' }]\n", "rules = 3\n"])
def test_a_file_that_cannot_be_changed_well_is_left_alone(file: Path, text: str) -> None:
    file.write_text(text)

    with pytest.raises(CannotWrite):
        add(file, Rule("ask"))
    assert file.read_text() == text


def test_a_link_stays_a_link(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.toml"
    link.symlink_to(file)

    add(link, Rule("ask"))

    assert link.is_symlink()
    assert len(load(file).rules) == 3


def test_a_folder_that_is_read_only_is_reported(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:  # a mode would not keep root out
        raise PermissionError(13, os.strerror(13))

    monkeypatch.setattr(tempfile, "mkstemp", refuse)
    before = file.read_bytes()

    with pytest.raises(CannotWrite, match="cannot be written"):
        add(file, Rule("ask"))

    assert file.read_bytes() == before
