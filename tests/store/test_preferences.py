"""Tests of `store/preferences.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.store import preferences as names
from acp_tui.store.preferences import (
    Layout,
    RememberedChoices,
    SandboxedWorkspaces,
    SavedDiffPreferences,
    SessionNames,
    keep_theme,
    last_theme,
    load_layout,
    save_layout,
)


def test_choices_are_kept_by_agent_and_by_option_also_of_another_run(tmp_path: Path) -> None:
    one, other = (
        RememberedChoices(tmp_path / "new" / "choices.json"),
        RememberedChoices(tmp_path / "new" / "choices.json"),
    )
    one.keep("a", "mode", "plan")
    other.keep("a", "web", True)
    other.keep("b", "mode", "ask")

    assert one.of("a") == {"mode": "plan", "web": True}
    one.drop("a", "mode")
    one.drop("a", "mode")
    assert other.of("a") == {"web": True}
    assert other.of("c") == {}
    assert one.problem is None


def test_a_file_that_is_none_of_ours_is_told_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "choices.json"
    path.write_text("{ broken")
    choices = RememberedChoices(path)

    assert choices.of("a") == {}
    choices.keep("a", "mode", "plan")
    assert str(path) in str(choices.problem)
    assert path.read_text() == "{ broken"


def test_odd_values_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "choices.json"
    path.write_text('{"a": {"mode": "plan", "x": 5, "y": null}, "b": []}')

    assert RememberedChoices(path).of("a") == {"mode": "plan"}
    assert RememberedChoices(path).of("b") == {}


def test_a_choice_counts_until_the_settings_name_another_theme(tmp_path: Path) -> None:
    path = tmp_path / "state" / "theme"
    assert last_theme(path, "acp-dark") is None

    assert keep_theme(path, "acp-dark", "my nörd") is None

    assert last_theme(path, "acp-dark") == "my nörd"
    assert last_theme(path, "acp-light") is None


@pytest.mark.parametrize("content", [b"", b"one", b"a\nb\nc\n", b"\xff\xfe\n\n"])
def test_what_is_no_such_file_counts_for_nothing(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "theme"
    path.write_bytes(content)

    assert last_theme(path, "a") is None


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    problem = keep_theme(tmp_path / "file" / "theme", "a", "b")

    assert problem is not None
    assert "the theme cannot be saved" in str(problem)


DEFAULT = ("plan", "changes")


def test_a_layout_is_there_in_the_next_run(tmp_path: Path) -> None:
    path = tmp_path / "state" / "layout.json"
    assert load_layout(path, DEFAULT) == (Layout(DEFAULT), None)

    assert save_layout(path, Layout(("changes",), side=False)) is None

    assert load_layout(path, DEFAULT) == (Layout(("changes",), side=False), None)
    assert [file.name for file in path.parent.iterdir()] == ["layout.json"]


@pytest.mark.parametrize(
    "text", [b"", b"\xff", b"null", b"[]", b"{}", b'{"panes": 5, "side": true}', b'{"panes": [1], "side": 1}']
)
def test_a_broken_layout_is_told_and_the_settings_count(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "layout.json"
    path.write_bytes(text)

    layout, problem = load_layout(path, DEFAULT)

    assert layout == Layout(DEFAULT)
    assert problem is not None
    assert problem.path == path


def test_a_layout_that_cannot_be_read_or_kept_is_told(tmp_path: Path) -> None:
    (tmp_path / "layout.json").mkdir()
    assert load_layout(tmp_path / "layout.json", DEFAULT)[1] is not None
    assert save_layout(tmp_path / "layout.json", Layout(())) is not None
    (tmp_path / "file").write_text("")
    assert save_layout(tmp_path / "file" / "layout.json", Layout(())) is not None


def test_a_name_is_there_in_the_next_run_until_it_is_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "state" / "names.json"
    assert SessionNames(path).put("a", "s1", "the parser") is None

    assert SessionNames(path).get("a", "s1") == "the parser"
    assert SessionNames(path).get("a", "s2") == ""
    SessionNames(path).put("a", "s1", "")
    assert SessionNames(path).get("a", "s1") == ""


def test_sessions_of_two_agents_with_the_same_id_have_names_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "names.json"
    SessionNames(path).put("one", "1", "the parser")
    SessionNames(path).put("two", "1", "the screen")

    assert [SessionNames(path).get(agent, "1") for agent in ("one", "two", "three")] == [
        "the parser",
        "the screen",
        "",
    ]


def test_what_another_program_has_named_meanwhile_is_not_lost(tmp_path: Path) -> None:
    here, there = SessionNames(tmp_path / "names.json"), SessionNames(tmp_path / "names.json")
    assert here.get("a", "s1") == ""
    there.put("a", "s1", "theirs")

    here.put("a", "s2", "ours")

    assert SessionNames(tmp_path / "names.json").get("a", "s1") == "theirs"


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"s1": 3}', '[["a", "s1"]]', '[["a", "s1", 3]]', "\x00"])
def test_a_file_that_is_none_of_ours_holds_no_names(tmp_path: Path, text: str) -> None:
    (tmp_path / "names.json").write_text(text)

    assert SessionNames(tmp_path / "names.json").get("a", "s1") == ""


def test_a_broken_file_is_told_and_left_alone_and_the_name_holds_for_this_run(tmp_path: Path) -> None:
    path = tmp_path / "names.json"
    path.write_text("{ broken")
    kept = SessionNames(path)
    assert kept.get("a", "s1") == ""

    problem = kept.put("a", "s1", "the parser")

    assert "not valid JSON" in str(problem)
    assert kept.get("a", "s1") == "the parser"
    assert path.read_text() == "{ broken"


def test_a_folder_that_cannot_be_written_keeps_the_name_for_this_run_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("no folder")
    kept = SessionNames(tmp_path / "state" / "names.json")

    problem = kept.put("a", "s1", "the parser")

    assert problem is not None
    assert "cannot be saved" in str(problem)
    assert kept.get("a", "s1") == "the parser"


def test_the_oldest_names_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "KEPT", 2)
    kept = SessionNames(None)
    for number in (1, 2, 3):
        kept.put("a", f"s{number}", f"name {number}")

    assert [kept.get("a", f"s{number}") for number in (1, 2, 3)] == ["", "name 2", "name 3"]


@pytest.mark.parametrize("sign", ["\u2028", "\x85", "\r", "\x0b", "\x1d"])
def test_the_sandbox_of_a_workspace_is_kept_by_its_whole_path(tmp_path: Path, sign: str) -> None:
    kept = SandboxedWorkspaces(tmp_path / "sandboxed")
    odd = f"/tmp/clone{sign}offered /home/me/project"

    assert kept.keep("/home/me/project", "on") is None
    assert kept.keep(odd, "offered") is None

    assert (kept.state("/home/me/project"), kept.state(odd)) == ("on", "offered")


def test_the_chosen_layout_of_differences_is_there_again(tmp_path: Path) -> None:
    path = tmp_path / "state" / "differences.json"
    first = SavedDiffPreferences(path)
    assert (first.wraps, first.sides) == (None, None)
    first.wraps, first.sides = True, False
    first.keep()

    again = SavedDiffPreferences(path)

    assert (again.wraps, again.sides) == (True, False)


def test_a_broken_layout_of_differences_is_as_none_and_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "differences.json"
    path.write_text("{")
    layout = SavedDiffPreferences(path)
    assert (layout.wraps, layout.sides) == (None, None)
    layout.keep()  # what the user may want to put right is not written over
    assert path.read_text() == "{"

    path.write_text('{"wraps": "yes", "sides": 3}')
    assert (SavedDiffPreferences(path).wraps, SavedDiffPreferences(path).sides) == (None, None)
