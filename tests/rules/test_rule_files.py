"""Rule files are read and changed."""

from __future__ import annotations

import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from acp_tui.rules.model import Rule
from acp_tui.rules.rule_files import CannotWrite, add, change, load, put_back, remove, signature


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "rules.toml"


def test_a_missing_file_has_no_rules(file: Path) -> None:
    found = load(file)

    assert (found.rules, found.problems, found.digest) == ((), (), "")


def test_all_that_a_rule_may_say_is_read(file: Path) -> None:
    file.write_text(
        """# mine

[[rules]]
decision = "allow"
agent = "gemini"
tool_kind = "execute"
path = "src/**"
command = "git status"
mode = "code"
workspace = "/w/app/"
expires = 2030-12-31T18:00:00Z
note = "looking is free"
"""
    )

    (rule,) = load(file).rules

    assert rule == Rule(
        "allow",
        agent="gemini",
        tool_kind="execute",
        path="src/**",
        command="git status",
        mode="code",
        workspace="/w/app",
        expires=datetime(2030, 12, 31, 18, tzinfo=UTC),
        note="looking is free",
        file=file,
        number=0,
        where=f"{file}:3",
    )


def test_a_date_counts_to_the_end_of_its_day(file: Path) -> None:
    file.write_text('[[rules]]\ndecision = "allow"\nexpires = 2030-12-31\n')

    (rule,) = load(file).rules

    assert rule.expires is not None
    assert rule.expires.replace(tzinfo=None) == datetime(2030, 12, 31, 23, 59, 59, 999999)
    assert rule.expires.tzinfo is not None


@pytest.mark.parametrize(
    "mistake",
    [
        "tool_kind = 'eat'",
        "comand = 'ls'",
        "command = ''",
        "command = 3",
        "path = '../x'",
        "path = ' '",
        "path = 'secrets/'",
        "path = '/'",
        "path = 'secrets/** '",
        "path = '*.{env,pem}'",
        "path = '$HOME/.ssh/**'",
        "path = 'file:///w/x'",
        "workspace = 'app'",
        "expires = 'soon'",
        "expires = 12:00:00",
        "scope = 'session'",
    ],
)
def test_a_rule_with_a_mistake_only_asks_and_its_line_is_named(file: Path, mistake: str) -> None:
    file.write_text(f'[[rules]]\ndecision = "deny"\n[[rules]]\ndecision = "allow"\nagent = "a"\n{mistake}\n')

    found = load(file)

    assert [rule.decision for rule in found.rules] == ["deny", "ask"]
    assert found.rules[1].agent == "a"
    assert found.rules[1].mistake
    assert [problem.line for problem in found.problems] == [6]
    assert found.problems[0].message.lower().rstrip(".").endswith("this rule asks")


@pytest.mark.parametrize("path", ["src/[slug]/{id}.ts", "a b/*", "*", "**", "~/.ssh/**", "/w/$x", "a**/b"])
def test_a_path_that_a_file_may_have_is_no_mistake(file: Path, path: str) -> None:
    file.write_text(f'[[rules]]\ndecision = "deny"\npath = "{path}"\n')

    assert [rule.decision for rule in load(file).rules] == ["deny"]


@pytest.mark.parametrize(
    "text", ["[[rules]]\nagent = 'a'\n", "[[rules]]\ndecision = 'maybe'\n", "rules = [3]\n"]
)
def test_a_rule_without_a_decision_asks(file: Path, text: str) -> None:
    file.write_text(text)

    found = load(file)

    assert [rule.decision for rule in found.rules] == ["ask"]
    assert len(found.problems) == 1


@pytest.mark.parametrize(
    ("data", "line"),
    [(b"[[rules]]\ndecision = \n", 2), (b"\xff", None), (b"rules = 3", 1), (b"[rules]\na = 1", 1)],
)
def test_a_file_that_cannot_be_read_asks_for_everything(file: Path, data: bytes, line: int | None) -> None:
    file.write_bytes(data)

    found = load(file)

    assert [(rule.decision, rule.tool_kind, rule.command) for rule in found.rules] == [("ask", None, None)]
    assert [problem.line for problem in found.problems] == [line]


def test_a_folder_in_the_place_of_the_file_asks_for_everything(tmp_path: Path) -> None:
    assert [rule.decision for rule in load(tmp_path).rules] == ["ask"]


def test_what_is_no_rule_is_named(file: Path) -> None:
    file.write_text('theme = "x"\n')

    (problem,) = load(file).problems

    assert (problem.line, problem.message) == (1, "unknown setting 'theme'; a rule begins with [[rules]]")


def test_the_signature_changes_with_the_file(file: Path) -> None:
    before = signature(file)
    file.write_text("x")

    assert before == ()
    assert signature(file) != before


def test_a_file_that_is_a_pipe_or_has_no_end_asks_for_everything_and_holds_nobody_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "endless").symlink_to("/dev/zero")
    (tmp_path / "large").write_bytes(b"#" * (2 << 20))

    for name in ("pipe", "endless", "large"):
        file = load(tmp_path / name)
        assert [rule.decision for rule in file.rules] == ["ask"]
        assert "cannot be read" in file.problems[0].message


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
def commented(tmp_path: Path) -> Path:
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


def test_adding_leaves_all_else_as_it_is(commented: Path) -> None:
    before = add(commented, Rule("ask", tool_kind="fetch"))

    assert before == TEXT.encode()
    assert commented.read_text().startswith(TEXT)
    assert [rule.decision for rule in load(commented).rules] == ["allow", "deny", "ask"]


def test_changing_touches_only_what_is_different(commented: Path) -> None:
    found = load(commented)
    old = found.rules[0]

    change(found, old, Rule("ask", command="git status", expires=old.expires, agent="a"))

    text = commented.read_text()
    assert "# What I decided, and why" in text
    assert "[[rules]]  # looking" in text
    assert "expires = 2030-01-01\n" in text
    assert "note" not in text.split("# never")[0]
    assert [(rule.decision, rule.agent) for rule in load(commented).rules] == [("ask", "a"), ("deny", None)]


def test_removing_takes_only_that_rule(commented: Path) -> None:
    found = load(commented)

    remove(found, found.rules[0])

    assert [rule.path for rule in load(commented).rules] == ["*.key"]
    assert commented.read_text().startswith("# What I decided, and why")


def test_a_change_is_put_back_unless_something_came_between(commented: Path) -> None:
    found = load(commented)
    before = remove(found, found.rules[1])

    put_back(commented, before, load(commented).digest)
    assert commented.read_text() == TEXT

    digest = load(commented).digest
    commented.write_text(TEXT + "# more\n")
    with pytest.raises(CannotWrite, match="changed by another program"):
        put_back(commented, before, digest)


def test_a_file_that_changed_meanwhile_is_left_alone(commented: Path) -> None:
    found = load(commented)
    commented.write_text(TEXT + "# more\n")

    with pytest.raises(CannotWrite, match="changed by another program"):
        remove(found, found.rules[0])
    assert commented.read_text() == TEXT + "# more\n"


@pytest.mark.parametrize("text", ["[[rules]\n", "rules = [{ decision = 'ask' }]\n", "rules = 3\n"])
def test_a_file_that_cannot_be_changed_well_is_left_alone(commented: Path, text: str) -> None:
    commented.write_text(text)

    with pytest.raises(CannotWrite):
        add(commented, Rule("ask"))
    assert commented.read_text() == text


def test_a_link_stays_a_link(commented: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.toml"
    link.symlink_to(commented)

    add(link, Rule("ask"))

    assert link.is_symlink()
    assert len(load(commented).rules) == 3


def test_a_folder_that_is_read_only_is_reported(commented: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:  # a mode would not keep root out
        raise PermissionError(13, os.strerror(13))

    monkeypatch.setattr(tempfile, "mkstemp", refuse)
    before = commented.read_bytes()

    with pytest.raises(CannotWrite, match="cannot be written"):
        add(commented, Rule("ask"))

    assert commented.read_bytes() == before


ENDLESS = (f"n = {'1' * 5_000}", f"n = {'[' * 2_000}{']' * 2_000}", f"{'a.' * 20_000}a = 1")


@pytest.mark.parametrize("text", ENDLESS)
def test_a_file_with_values_that_no_program_can_hold_asks_and_ends_nothing(tmp_path: Path, text: str) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(text)

    assert load(path).problems


@pytest.mark.parametrize("moment", ["0001-01-01", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"])
def test_a_time_that_no_clock_knows_is_a_mistake_and_the_rule_asks(tmp_path: Path, moment: str) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(f'[[rules]]\ndecision = "allow"\nexpires = {moment}\n')

    (rule,) = load(path).rules

    assert rule.mistake
