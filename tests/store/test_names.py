from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.store import names
from acp_tui.store.names import Names


def test_a_name_is_there_in_the_next_run_until_it_is_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "state" / "names.json"
    assert Names(path).put("a", "s1", "the parser") is None

    assert Names(path).get("a", "s1") == "the parser"
    assert Names(path).get("a", "s2") == ""
    Names(path).put("a", "s1", "")
    assert Names(path).get("a", "s1") == ""


def test_sessions_of_two_agents_with_the_same_id_have_names_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "names.json"
    Names(path).put("one", "1", "the parser")
    Names(path).put("two", "1", "the screen")

    assert [Names(path).get(agent, "1") for agent in ("one", "two", "three")] == [
        "the parser",
        "the screen",
        "",
    ]


def test_what_another_program_has_named_meanwhile_is_not_lost(tmp_path: Path) -> None:
    here, there = Names(tmp_path / "names.json"), Names(tmp_path / "names.json")
    assert here.get("a", "s1") == ""
    there.put("a", "s1", "theirs")

    here.put("a", "s2", "ours")

    assert Names(tmp_path / "names.json").get("a", "s1") == "theirs"


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"s1": 3}', '[["a", "s1"]]', '[["a", "s1", 3]]', "\x00"])
def test_a_file_that_is_none_of_ours_holds_no_names(tmp_path: Path, text: str) -> None:
    (tmp_path / "names.json").write_text(text)

    assert Names(tmp_path / "names.json").get("a", "s1") == ""


def test_a_broken_file_is_told_and_left_alone_and_the_name_holds_for_this_run(tmp_path: Path) -> None:
    path = tmp_path / "names.json"
    path.write_text("{ broken")
    kept = Names(path)
    assert kept.get("a", "s1") == ""

    problem = kept.put("a", "s1", "the parser")

    assert "not JSON" in str(problem)
    assert kept.get("a", "s1") == "the parser"
    assert path.read_text() == "{ broken"


def test_a_folder_that_cannot_be_written_keeps_the_name_for_this_run_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("no folder")
    kept = Names(tmp_path / "state" / "names.json")

    problem = kept.put("a", "s1", "the parser")

    assert problem is not None
    assert "not kept" in str(problem)
    assert kept.get("a", "s1") == "the parser"


def test_the_oldest_names_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "KEPT", 2)
    kept = Names(None)
    for number in (1, 2, 3):
        kept.put("a", f"s{number}", f"name {number}")

    assert [kept.get("a", f"s{number}") for number in (1, 2, 3)] == ["", "name 2", "name 3"]
