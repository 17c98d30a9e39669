from __future__ import annotations

from pathlib import Path

from acp_tui.store.choices import Choices


def test_choices_are_kept_by_agent_and_by_option_also_of_another_run(tmp_path: Path) -> None:
    one, other = Choices(tmp_path / "new" / "choices.json"), Choices(tmp_path / "new" / "choices.json")
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
    choices = Choices(path)

    assert choices.of("a") == {}
    choices.keep("a", "mode", "plan")
    assert str(path) in str(choices.problem)
    assert path.read_text() == "{ broken"


def test_odd_values_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "choices.json"
    path.write_text('{"a": {"mode": "plan", "x": 5, "y": null}, "b": []}')

    assert Choices(path).of("a") == {"mode": "plan"}
    assert Choices(path).of("b") == {}
