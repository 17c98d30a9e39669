"""The extent of one permission: a table of the request, the act, and each difference between them."""

from __future__ import annotations

import itertools
import shlex
import tracemalloc
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from acp_tui.agent.permissions.authorization import Grounds, may_go_on
from acp_tui.agent.permissions.grants import ImplicitRequest, grant_of, real, runs
from acp_tui.session.entries import Diff, Item, Location, Text, ToolCall
from acp_tui.session.questions import Destination, OldText
from acp_tui.workspace.files import Target
from tests.tables import each

CWD = "/w"
KINDS = (
    "execute",
    "edit",
    "read",
    "other",
    "think",
    "search",
    "delete",
    "move",
    "fetch",
    "switch_mode",
    "new",
)


def is_covered(asked: ToolCall, wanted: ImplicitRequest, before: str | None = None, cwd: str = CWD) -> bool:
    return grant_of(asked, cwd).covers(wanted, real(wanted.path) if wanted.path else "", cwd, before)


def run(command: str | list[str], kind: str = "execute", title: str = "", **more: Any) -> ToolCall:
    return ToolCall("t", title, kind, raw_input={"command": command, **more})


def edit(*items: Item, kind: str = "edit", at: str = "") -> ToolCall:
    return ToolCall("t", "Edit", kind, content=items, locations=(Location(at),) if at else ())


class Way(NamedTuple):
    """One way in which something is, and whether a permission for the plain way covers it."""

    value: Any
    same: bool


# Request: to run `make` in the folder of the session, and to write "new\n" into /w/a, by kind.
ACTS = ("execute", "edit", "read")
COMMANDS = (Way("make", True), Way(" make\n", True), Way("make all", False), Way("", False))
PATHS = (Way("/w/a", True), Way("/w/./a", True), Way("/w/b", False), Way("/w/.git/hooks/x", False))
CONTENTS = (Way("new\n", True), Way("new", False), Way("other\n", False), Way("", False))
ENVS = (
    Way((), True),
    Way((("TERM", "xterm-256color"), ("NO_COLOR", "1"), ("COLUMNS", "80"), ("LANG", "en_US.UTF-8")), True),
    Way((("TZ", "Europe/Berlin"), ("DEBIAN_FRONTEND", "noninteractive"), ("TERM", "")), True),
    Way((("PATH", "/w/bin"),), False),
    Way((("LD_PRELOAD", "/w/x.so"),), False),
    Way((("MAKEFLAGS", ""),), False),
)
FOLDERS = (Way(None, True), Way("/w", True), Way("/w/sub", False), Way("/", False))
COVERED = {
    ("execute", "execute"),
    ("other", "execute"),
    ("edit", "edit"),
    ("other", "edit"),
    ("read", "read"),
}
"""Kinds that were asked for, and acts that they may cover."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("act", ACTS)
def test_a_permission_covers_an_act_that_is_the_same_in_all_that_was_shown(kind: str, act: str) -> None:
    for path, content, command, env, folder in itertools.product(PATHS, CONTENTS, COMMANDS, ENVS, FOLDERS):
        asked = run("make", kind)
        asked.content = (Diff("/w/a", "new\n"),)
        asked.locations = (Location("/w/a"),)
        wanted, same = {
            "execute": (
                ImplicitRequest("execute", command=command.value, cwd=folder.value, env=env.value),
                command.same and folder.same and env.same,
            ),
            "edit": (ImplicitRequest("edit", path.value, content.value), path.same and content.same),
            "read": (ImplicitRequest("read", path.value), path.same),
        }[act]
        grant, expected = grant_of(asked, CWD), same and (kind, act) in COVERED
        at = real(wanted.path) if wanted.path else ""

        assert grant.covers(wanted, at, CWD, None) == expected, (wanted, asked)
        if expected:
            grant.use_up(wanted, at)
            assert not grant.covers(wanted, at, CWD, None), f"a second time: {wanted}"


@each("space", ["\n", "\r", "\r\n", "\t", "\v", "\f", "\x85", "\u2028", "\u2029", "\xa0", "\u3000"])
@each("form", ["{}", "`{}`", "Shell: {}"])
def test_a_title_covers_nothing_where_one_white_space_may_be_taken_for_another(space: str, form: str) -> None:
    command = f"echo I would like to{space}touch evil"
    asked = ToolCall("t", form.format(command), "execute")

    for wanted in (
        ImplicitRequest("execute", command=command),
        ImplicitRequest("execute", command="sh", args=["-c", command]),
        ImplicitRequest("execute", command="echo", args=["I", "would", "like", "to", "touch", "evil"]),
    ):
        assert not is_covered(asked, wanted)


@each(
    ("asked", "command", "args"),
    [
        (run("touch 'made'"), "touch", ["made"]),
        (run("touch made; ls"), " touch made; ls ", []),
        (run(["touch", "made"]), "touch", ["made"]),
        (run("touch", args=["made"]), "touch", ["made"]),
        (run("a && b"), "/bin/sh", ["-lc", "a && b"]),
        (run("a && b"), "bash", ["-c", "a && b"]),
        (run("bash -c 'a && b'"), "bash", ["-c", "a && b"]),
        (ToolCall("t", "touch made", "execute"), "touch", ["made"]),
        (ToolCall("t", "`touch made`", "execute"), "touch made", []),
        (ToolCall("t", "Shell: touch made", "execute"), "touch made", []),
        (
            ToolCall("t", "Shell: ls", content=(Text("Requesting approval to perform: Run command `ls`"),)),
            "ls",
            [],
        ),
        (run("git commit -m 'one\n\ntwo'"), "git", ["commit", "-m", "one\n\ntwo"]),
        (run('echo "it\'s" a#b {} +'), "echo", ["it's", "a#b", "{}", "+"]),
        (run("echo a\\ b ''"), "echo", ["a b", ""]),
        (run("make", cwd="/w/sub"), "make", []),
        (run("make", env={"A": "1", "TERM": "x"}), "make", []),
    ],
)
def test_a_command_is_the_same_however_it_is_said(asked: ToolCall, command: str, args: list[str]) -> None:
    raw = asked.raw_input or {}
    env = tuple((raw.get("env") or {}).items())
    wanted = ImplicitRequest("execute", command=command, args=args, cwd=raw.get("cwd"), env=env)
    assert is_covered(asked, wanted)


@each(
    ("asked", "wanted"),
    [
        (ToolCall("t", "Run the tests", "execute"), ImplicitRequest("execute", command="rm")),
        (ToolCall("t", "Never run `rm x`", "execute"), ImplicitRequest("execute", command="rm x")),
        (ToolCall("t", "Say hello: touch evil", "other"), ImplicitRequest("execute", command="touch evil")),
        (ToolCall("t", "Shell: touch evil", "other"), ImplicitRequest("execute", command="touch evil")),
        (ToolCall("t", "Say hello: touch evil", "execute"), ImplicitRequest("execute", command="touch evil")),
        (ToolCall("t", "Plan: `touch evil`", "think"), ImplicitRequest("execute", command="touch evil")),
        (run("rm -rf ~", title="`ls -la`"), ImplicitRequest("execute", command="ls -la")),
        (run("rm -rf ~", title="ls -la"), ImplicitRequest("execute", command="ls -la")),
        (run("ls"), ImplicitRequest("execute", command="/w/evil/sh", args=["-c", "ls"])),
        (run("ls"), ImplicitRequest("execute", command="./bash", args=["-c", "ls"])),
        (run("ls"), ImplicitRequest("execute", command="bash", args=["-c", "ls", "x"])),
        (run("ls"), ImplicitRequest("execute", command="bash", args=["--rcfile", "x", "-c", "ls"])),
        (run("docker run x sh -c 'rm -rf /w'"), ImplicitRequest("execute", command="rm -rf /w")),
        (run("ls; rm x"), ImplicitRequest("execute", command="ls;", args=["rm", "x"])),
        (run("ls > out"), ImplicitRequest("execute", command="ls", args=[">", "out"])),
        (run("rm build\nls src"), ImplicitRequest("execute", command="rm", args=["build", "ls", "src"])),
        (run("rm build\rls"), ImplicitRequest("execute", command="rm", args=["build", "ls"])),
        (run("rm build\\\nls"), ImplicitRequest("execute", command="rm", args=["build\nls"])),
        (run("rm build # src"), ImplicitRequest("execute", command="rm", args=["build", "#", "src"])),
        (run("rm $X"), ImplicitRequest("execute", command="rm", args=["$X"])),
        (run("rm `x`"), ImplicitRequest("execute", command="rm", args=["`x`"])),
        (run('rm "$X"'), ImplicitRequest("execute", command="rm", args=["$X"])),
        (run("rm *"), ImplicitRequest("execute", command="rm", args=["*"])),
        (run("rm a?"), ImplicitRequest("execute", command="rm", args=["a?"])),
        (run("rm [ab]"), ImplicitRequest("execute", command="rm", args=["[ab]"])),
        (run("rm ~/a"), ImplicitRequest("execute", command="rm", args=["~/a"])),
        (run("A=1 rm a"), ImplicitRequest("execute", command="A=1", args=["rm", "a"])),
        (run("! rm a"), ImplicitRequest("execute", command="!", args=["rm", "a"])),
        (run("rm a\\ "), ImplicitRequest("execute", command="rm a\\")),
        (run("ls"), ImplicitRequest("execute", command="ls\xa0")),
        (ToolCall("t", "`cat x`", "execute"), ImplicitRequest("execute", command="`cat x`")),
        (ToolCall("t", "touch${IFS}x;: ls", "execute"), ImplicitRequest("execute", command="ls")),
        (ToolCall("t", "Shell: ls", "execute"), ImplicitRequest("execute", command="Shell: ls")),
        (ToolCall("t", "`a` or `b`", "execute"), ImplicitRequest("execute", command="a` or `b")),
        (run("make"), ImplicitRequest("execute", command="make", env=(("COLUMNS", "a[$(x)]"),))),
        (run("make"), ImplicitRequest("execute", command="make", env=(("LINES", "x"),))),
        (run("make"), ImplicitRequest("execute", command="make", env=(("DEBIAN_FRONTEND", "Evil"),))),
        (run("make"), ImplicitRequest("execute", command="make", env=(("TERM", "../../x"),))),
        (run("make"), ImplicitRequest("execute", command="make", env=(("LANG", "a;b"),))),
        (run("make"), ImplicitRequest("execute", command="make", env=(("TZ", "/w/x"),))),
        (run("make"), ImplicitRequest("execute", command="make", env=(("CI", "$(x)"),))),
        (run("make"), ImplicitRequest("execute", command="make", env=(("CI", "-x"),))),
        (run("make"), ImplicitRequest("execute", command="make", args=["install"])),
        (run("make", cwd="/w/sub"), ImplicitRequest("execute", command="make")),
        (run("make", env={"A": "1"}), ImplicitRequest("execute", command="make")),
        (run("make", env={"A": "1"}), ImplicitRequest("execute", command="make", env=(("A", "2"),))),
        (
            run("make", env=[{"name": "A", "value": "1"}]),
            ImplicitRequest("execute", command="make", env=(("B", "1"),)),
        ),
        (run(""), ImplicitRequest("execute", command="")),
        (run("make", "edit"), ImplicitRequest("execute", command="make")),
        (edit(at="/w/a"), ImplicitRequest("edit", "/w/a", "x")),
        (edit(), ImplicitRequest("edit", "/w/a", "x")),
        (edit(Diff("/w/a", "x")), ImplicitRequest("edit", "/w/a", None)),
        (edit(Diff("/w/a", "\0\1\2")), ImplicitRequest("edit", "/w/a", "\0\1\2")),
        (edit(Diff("/w/a", "x"), kind="read"), ImplicitRequest("edit", "/w/a", "x")),
        (ToolCall("t", "Read", "read"), ImplicitRequest("read", "/w/a")),
        (ToolCall("t", "Read", "read", raw_input={"path": "/w/a"}), ImplicitRequest("read", "/w/a")),
        (
            ToolCall("t", "Read", "read", raw_input={"also": ["/w/a"]}, locations=(Location("/w/b"),)),
            ImplicitRequest("read", "/w/a"),
        ),
        (edit(Diff("/w/a", "x"), at="/w/a"), ImplicitRequest("read", "/w/a")),
    ],
)  # fmt: skip
def test_what_was_not_shown_is_not_covered(asked: ToolCall, wanted: ImplicitRequest) -> None:
    assert not is_covered(asked, wanted)


@each(
    ("changes", "before", "after", "expected"),
    [
        ([("", "one\n")], None, "one\n", True),
        ([("", "one")], None, "one\n", True),
        ([("", "one")], None, "one\n\n", False),
        ([("", "one")], "old\n", "one", False),
        ([("", "one")], "", "one", True),
        ([("", "one")], "old\n", "one\n", False),
        ([("b\n", "B\n")], "a\nb\nc\n", "a\nB\nc\n", True),
        ([("b", "B")], "a\nb\nc\n", "a\nB\nc\n", True),
        ([("b", "B")], "a\nb\nc\n", "B", False),
        ([("b", "B")], "a\nb\nc\n", "a\nB\nc\nmore\n", False),
        ([("b", "B")], "b\nb\n", "B\nB\n", False),
        ([("b", "B")], "b\nb\n", "B\nb\n", False),
        ([("b", "B")], "b\nb\n", "b\nB\n", False),
        ([("b", "B")], "b\r\nb\r\n", "B\r\nB\r\n", False),
        ([("1001", "0")], "uid=1001\n# 1001\n", "uid=0\n# 0\n", False),
        ([("1001", "0")], "uid=1001\n", "uid=0\n", True),
        ([("aa", "b")], "aaa\n", "ba\n", False),
        ([("a", "A"), ("A", "B")], "Aa\n", "BB\n", False),
        ([("x", "B")], "a\n", "B", False),
        ([("x", "B")], None, "B", False),
        ([("a", "A"), ("b", "B")], "a\nb\n", "A\nB\n", True),
        ([("a", "A"), ("b", "B")], "a\nb\n", "A\nb\n", False),
        ([("a\nb\nc", "a\nB\nc")], "a\nb\nc\n", "a\nB\nc\n", True),
        ([("b\n", "B\n")], "a\r\nb\r\n", "a\r\nB\r\n", True),
        ([("b\n", "B\n")], "a\r\nb\r\n", "a\nB\n", False),
        ([("b\n", "B\n")], "a\r\nb\n", "a\r\nB\n", True),
        ([("", "")], None, "", True),
        ([("", "run\0\n")], None, "run\0\n", True),
        ([("\0\1\2", "x")], "\0\1\2", "x", False),
        ([("a\n", "")], "a\n", "", True),
    ],
)
def test_a_write_is_covered_when_the_changes_that_were_shown_make_it(
    changes: list[tuple[str, str]], before: str | None, after: str, expected: bool
) -> None:
    asked = edit(*(Diff("/w/a", new, old) for old, new in changes))
    assert is_covered(asked, ImplicitRequest("edit", "/w/a", after), before) == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    "changes", [[("a", "n" * 20_000)], [("", "n")] * 20_000, [("a" * 9, "a" * 9)] * 20_000]
)
def test_a_change_that_cannot_fit_takes_no_room(changes: list[tuple[str, str]]) -> None:
    grant = grant_of(edit(*(Diff("/w/a", new, old) for old, new in changes)), CWD)
    wanted = ImplicitRequest("edit", "/w/a", "a" * 20_001)
    tracemalloc.start()
    try:
        assert not grant.covers(wanted, "/w/a", CWD, "a" * 20_000)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


@each("told", [None, ""])
@each(
    ("shown_there", "before", "is_read", "expected"),
    [
        (None, None, True, True),
        (None, "old\n", True, False),
        (None, None, False, False),
        (OldText(), None, True, True),
        (OldText(), "old\n", True, False),
        (OldText(), None, False, False),
        (OldText("old\n"), "old\n", True, True),
        (OldText("old\n"), "newer\n", True, False),
        (OldText("old\n"), None, True, False),
        (OldText("old\n"), None, False, False),
        (OldText(""), "", True, True),
        (OldText(why_not="too long"), "old\n", True, False),
        (OldText(why_not="no text"), None, False, False),
    ],
)
def test_a_write_over_a_whole_file_is_covered_where_what_it_loses_was_shown(
    told: str | None, shown_there: OldText | None, before: str | None, is_read: bool, expected: bool
) -> None:
    old_texts = {} if shown_there is None else {"a": shown_there}
    grant = grant_of(edit(Diff("a", "new\n", told)), CWD, old_texts)
    wanted = ImplicitRequest("edit", "/w/a", "new\n")
    assert grant.covers(wanted, "/w/a", CWD, before, is_read=is_read) == expected


def test_links_are_followed_as_they_led_when_it_was_allowed(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text("")
    link = tmp_path / "link"
    link.symlink_to("a")
    grant = grant_of(edit(Diff("link", "x")), str(tmp_path))
    wanted = ImplicitRequest("edit", str(link), "x")
    assert grant.covers(wanted, real(wanted.path), str(tmp_path), "")

    link.unlink()
    link.symlink_to("b")

    assert not grant.covers(wanted, real(wanted.path), str(tmp_path), "")


def test_a_question_about_several_files_covers_each_of_them_once() -> None:
    grant = grant_of(edit(Diff("/w/a", "1"), Diff("/w/b", "2")), CWD)
    for path, content in (("/w/b", "2"), ("/w/a", "1")):
        wanted = ImplicitRequest("edit", path, content)
        assert grant.covers(wanted, path, CWD, None)
        grant.use_up(wanted, path)
        assert not grant.covers(wanted, path, CWD, None)


@pytest.mark.parametrize("kind", ACTS)
@pytest.mark.parametrize("said", ["allow", "ask", "deny"])
def test_an_act_goes_on_unasked_only_where_something_lets_it(kind: str, said: Any) -> None:
    for by_rule, covered, protected, mode in itertools.product((False, True), repeat=4):
        grounds = Grounds(kind, said, by_rule, covered, protected, mode)
        reasons = {
            "it was shown and allowed": covered,
            "a rule or the policy allows it": said == "allow" and not protected,
            "a mode lets it": mode and not protected and not (said == "ask" and by_rule),
            "folders are granted for reading": kind == "read" and said == "ask" and not by_rule | protected,
        }
        assert may_go_on(grounds) == (said != "deny" and any(reasons.values())), (grounds, reasons)


@each(
    ("shown", "linked", "is_protected", "expected"),
    [
        (Destination(real="/w/a"), None, False, True),
        (Destination(real="/w/a", names=2, linked=(1, 2)), (1, 2), False, True),
        (Destination(real="/w/a"), (1, 2), False, False),
        (Destination(real="/w/a", names=2, linked=(1, 2)), None, False, False),
        (Destination(real="/w/a", names=2, linked=(1, 2)), (1, 3), False, False),
        (Destination(real="/w/a"), None, True, False),
        (Destination(real="/w/a", why="git reads it"), None, True, True),
        (Destination(real="/w/a", why="git reads it"), None, False, False),
        (Destination(real="/w/b"), None, False, False),
        # answered before it was known: covered where the question would have shown nothing more
        (Destination(real="/w/a", why=None), None, False, True),
        (Destination(real="/w/a", why=None), None, True, False),
        (Destination(real="/w/a", why=None), (1, 2), False, False),
        (None, None, False, True),
        (None, None, True, False),
    ],
)
def test_a_write_is_covered_where_the_file_is_still_what_was_shown(
    shown: Destination | None, linked: tuple[int, int] | None, is_protected: bool, expected: bool
) -> None:
    grant = grant_of(edit(Diff("a", "x")), CWD, places={"a": shown} if shown is not None else {})
    target = Target("/w/a", "/w/a", None, linked)
    wanted = ImplicitRequest("edit", "/w/a", "x", target=target)
    assert grant.covers(wanted, "/w/a", CWD, None, is_protected=is_protected) == expected


def test_a_write_through_a_link_is_not_covered_where_the_question_did_not_say_where_it_leads(
    tmp_path: Path,
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    cwd, real = str(tmp_path), f"{tmp_path}/real/a"
    wanted = ImplicitRequest("edit", f"{cwd}/link/a", "x", target=Target(f"{cwd}/link/a", real, None))
    seen = {"link/a": Destination("real/a", real=real)}

    assert grant_of(edit(Diff("link/a", "x")), cwd, places=seen).covers(wanted, real, cwd, None)
    assert not grant_of(edit(Diff("link/a", "x")), cwd).covers(wanted, real, cwd, None)
    assert not grant_of(
        edit(Diff("real/a", "x"), Diff("link/a", "x")), cwd, places={"real/a": Destination(real=real)}
    ).covers(wanted, real, cwd, None)


@pytest.mark.parametrize(
    ("command", "is_plain"),
    [
        ("rm x{,y}", False),
        ("rm {1..3}", False),
        ("x a=~/b", False),
        ("ls ~", False),
        ("git diff HEAD~1", True),
        ("git stash show stash@{0}", True),
        ("find . -exec ls {} +", True),
        ("x 'a{,b}'", True),
    ],
)
def test_words_that_a_shell_would_replace_are_no_plain_ones(command: str, is_plain: bool) -> None:
    program, *args = shlex.split(command)
    assert runs(command, ImplicitRequest("execute", command=program, args=args)) is is_plain


@pytest.mark.parametrize("title", ["`make`", "make", "Run command: `make`"])
def test_a_command_in_words_covers_nothing_beside_a_field_that_nobody_knows(title: str) -> None:
    wanted = ImplicitRequest("execute", command="make")
    for raw_input, covers in (({}, True), ({"timeout": 5}, True), ({"chroot": "/x"}, False)):
        assert is_covered(ToolCall("t", title, "execute", raw_input=raw_input), wanted) is covers


def test_a_command_with_a_field_that_nobody_knows_covers_nothing() -> None:
    wanted = ImplicitRequest("execute", command="make")
    for more, expected in (({"description": "Build"}, True), ({"wd": "/x"}, False), ({"sudo": True}, False)):
        asked = ToolCall("t", "Build", "execute", raw_input={"command": "make", **more})
        assert grant_of(asked, CWD).covers(wanted, "", CWD, None) == expected, more


def test_a_permission_for_very_many_files_covers_only_the_first_of_them() -> None:
    read = ToolCall("t", "Read", "read", locations=tuple(Location(f"/w/{number}") for number in range(2_000)))
    changed = edit(*(Diff(f"/w/{number}", "", "new\n") for number in range(2_000)))

    for asked, kind in ((read, "read"), (changed, "edit")):
        wanted = [
            ImplicitRequest(kind, f"/w/{number}", content="new\n" if kind == "edit" else None)
            for number in (0, 999, 1_000)
        ]
        assert [grant_of(asked, CWD).concerns(one, one.path) for one in wanted] == [True, True, False]
