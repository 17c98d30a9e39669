"""Command lines are parsed as shells read them."""

from __future__ import annotations

import pytest

from acp_tui.rules.shell import MAX_LINE, SimpleCommand, parse_line
from tests.tables import each


def commands(text: str) -> list[list[str | None]]:
    return [[word.text for word in command.words] for command in parse_line(text).commands]


def only(text: str) -> SimpleCommand:
    (command,) = parse_line(text).commands
    return command


def test_a_simple_command_is_its_words_without_quotes() -> None:
    assert commands(r"""git "st"atus 'a b' c\ d "say \"x\"" '' """) == [
        ["git", "status", "a b", "c d", 'say "x"', ""]
    ]


@pytest.mark.parametrize(
    "word", ["$X", '"a $X"', "${X:-y}", "$(y)", "`y`", "$'\\x72m'", "$((1))", "a$X", "<(y)"]
)
def test_a_word_that_the_shell_makes_is_unknown(word: str) -> None:
    known, unknown = parse_line(f"x {word}").commands[0].words

    assert known.text == "x"
    assert unknown.text is None
    assert not unknown.pattern


@pytest.mark.parametrize("word", ["*.py", "a?", "[ab]", "~/x", "{a,b}"])
def test_a_word_that_becomes_names_is_a_pattern(word: str) -> None:
    found = only(f"ls {word}").words[1]

    assert (found.text, found.pattern, found.source) == (None, True, word)


@pytest.mark.parametrize("word", ["'*.py'", '"~/x"', r"\*"])
def test_a_quoted_pattern_is_literal(word: str) -> None:
    assert only(f"ls {word}").words[1].text == word.strip("'\"\\")


@each(
    ("text", "within"),
    [
        ("a && b", "list"),
        ("a | b", "pipeline"),
        ("x; (b)", "subshell"),
        ("x $(b)", "command_substitution"),
        ("x `b`", "command_substitution"),
        ('x "`b`"', "command_substitution"),
        ("x <(b)", "process_substitution"),
        ("x <<< $(b)", "herestring_redirect"),
        ("x <<E\n$(b)\nE", "heredoc_body"),
        ("A=$(b) x", "variable_assignment"),
        ("for f in *; do b; done", "for_statement"),
        ("if a; then b; fi", "if_statement"),
        ("case x in y) b;; esac", "case_item"),
        ("f() { b; }", "function_definition"),
        ("! b", "negated_command"),
        ("x ${A:-$(b)}", "expansion"),
        ("x $((1 + $(b)))", "arithmetic_expansion"),
        ("export A=$(b)", "declaration_command"),
        ("[[ -n $(b) ]]", "test_command"),
        ("cat <<E | b\nhi\nE", "pipeline"),
    ],
)
def test_a_command_is_found_wherever_it_stands(text: str, within: str) -> None:
    found = [command for command in parse_line(text).commands if [w.text for w in command.words] == ["b"]]

    assert len(found) == 1
    assert within in found[0].within


def test_the_commands_of_a_line_are_in_its_order() -> None:
    assert commands("a && b | c; d & (e)\nf") == [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]


def test_a_job_in_the_background_is_marked() -> None:
    assert [command.background for command in parse_line("a && b & c").commands] == [True, True, False]


def test_assignments_are_no_words() -> None:
    assert only("A=1 B='x y' make all").assignments == ("A=1", "B='x y'")
    assert only("A=1").words == ()


@each(
    ("redirect", "writes", "harmless"),
    [
        ("> f", True, False),
        (">> f", True, False),
        ("&> f", True, False),
        (">| f", True, False),
        ("2>f", True, False),
        ("< f", False, False),
        ("<<< f", False, False),
        ("> $X", True, False),
        (">& f", True, False),
        ("> 1", True, False),
        ("2>&1", False, True),
        (">/dev/null", False, True),
        ("2> /dev/null", False, True),
        ("</dev/null", False, True),
        ("> /dev/null/../x", True, False),
    ],
)
def test_a_redirect_says_whether_it_reaches_a_file(redirect: str, writes: bool, harmless: bool) -> None:
    (found,) = only(f"a {redirect}").redirects

    assert (found.writes, found.harmless) == (writes, harmless)


def test_the_redirects_of_a_group_hold_for_all_in_it() -> None:
    first, second = parse_line("(a && b) > f").commands

    assert first.redirects == second.redirects
    assert first.redirects[0].writes


def test_a_here_document_is_a_redirect_without_a_target() -> None:
    (found,) = only("cat <<E\nhi\nE").redirects

    assert (found.operator, found.target, found.harmless) == ("<<", None, False)


@pytest.mark.parametrize("text", ["git 'x", "a &&", "a | | b", "(a", "$(a", "`a", "a)"])
def test_a_line_that_is_no_shell_is_not_understood(text: str) -> None:
    line = parse_line(text)

    assert not line.understood
    assert not line.plain


@pytest.mark.parametrize(
    "text",
    [
        "git status",
        "a && b || c",
        "a | b 2>&1",
        "(a; b)",
        "{ a; }",
        "! a",
        "a\nb",
        "a --x=y:z 'b && c'",
        "a \\\n  b",
    ],
)
def test_a_chain_of_simple_commands_is_plain(text: str) -> None:
    assert parse_line(text).plain


@each(
    "text",
    [
        *(
            "a\rb",
            "a\vb",
            "a\x00b",
            "a\u00a0b",
            "a\u2028b",
            "a\ud800",
            "a\\\nb",
            "a \\\\\nb",
            "a # b",
            "a #\nb",
        ),
        *("f() { a; }", "for x in a; do b; done", "[[ a ]]", "export A=1", "a() (b)"),
    ],
)
def test_what_shells_may_read_otherwise_is_not_plain(text: str) -> None:
    assert not parse_line(text).plain


def test_an_endless_line_is_not_read() -> None:
    assert not parse_line("a " * MAX_LINE).understood
