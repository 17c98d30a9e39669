"""The decision log on a screen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from textual.widgets import Input

from acp_tui.store.decisions import Decision, DecisionLog, OfferedOption
from acp_tui.ui.screens.base.text_screens import SessionDetailsScreen
from acp_tui.ui.screens.rules.decisions import DecisionFilter, DecisionList, DecisionsScreen
from tests.decisions import ONE
from tests.ui.screens.stage import Stage, screen_text, styles, until

pytestmark = pytest.mark.slow

NO = OfferedOption("n", "No", "reject_once")
MANY = [
    ONE,
    replace(ONE, kind="edit", command=None, title="Write [/x]", chosen=NO, by="rule", detail="no writes"),
    replace(
        ONE, session="s2", agent="other", command="ls \x1b[31m", chosen=None, by="cancelled", detail="stop"
    ),
    replace(ONE, command="make all", by="policy", detail="allows everything"),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    log = DecisionLog(tmp_path / "decisions.ndjson")
    for one in MANY:
        log.add(one)
    assert log.path is not None
    return log.path


async def test_decisions_are_listed_newest_first_with_who_answered(path: Path) -> None:
    app = Stage(DecisionsScreen(path, None, styles()))
    async with app.run_test(size=(110, 20)) as pilot:
        await until(pilot, lambda: "4 decisions" in screen_text(app))
        rows = [line for line in screen_text(app).splitlines() if "03-01" in line]

        assert ["make all" in rows[0], "[31m" in rows[1], "Write [/x]" in rows[2]] == [True] * 3
        assert "policy: allows everything" in rows[0]
        assert "cancelled: stop" in rows[1]
        assert "rule: no writes" in rows[2]
        assert "you: key y" in rows[3]


async def test_keys_narrow_the_list_by_answer_by_who_gave_it_by_agent_and_by_session(path: Path) -> None:
    app = Stage(DecisionsScreen(path, "s2", styles()))
    async with app.run_test(size=(110, 20)) as pilot:
        await until(pilot, lambda: "4 decisions" in screen_text(app))
        for keys, title in (
            ("a", "2 of 4 decisions  allowed"),
            ("a", "1 of 4 decisions  rejected"),
            ("a", "1 of 4 decisions  cancelled"),
            ("a", "4 decisions"),
            ("b", "1 of 4 decisions  by you"),
            ("b", "1 of 4 decisions  by rule"),
            ("b", "1 of 4 decisions  by policy"),
            ("b", "4 decisions"),
            ("s", "1 of 4 decisions  of this session"),
            ("s", "4 decisions"),
            ("g", "3 of 4 decisions  of demo"),
            ("g", "1 of 4 decisions  of other"),
        ):
            await pilot.press(keys)
            await until(pilot, lambda title=title: f" {title}" in screen_text(app))  # type: ignore[misc]


async def test_words_are_searched_in_all_that_is_known_and_escape_takes_them_away(path: Path) -> None:
    app = Stage(DecisionsScreen(path, None, styles()))
    async with app.run_test(size=(110, 20)) as pilot:
        await until(pilot, lambda: "4 decisions" in screen_text(app))
        await pilot.press("slash")
        app.screen.query_one(Input).value = "DEMO writes"
        await until(pilot, lambda: "1 of 4 decisions" in screen_text(app))
        await pilot.press("escape")
        await until(pilot, lambda: " 4 decisions" in screen_text(app))

        await pilot.press("escape")
        assert app.results == [None]


async def test_a_decision_opens_with_all_that_was_asked_offered_and_answered(path: Path) -> None:
    app = Stage(DecisionsScreen(path, None, styles()))
    async with app.run_test(size=(110, 30)) as pilot:
        await until(pilot, lambda: "4 decisions" in screen_text(app))
        app.screen.query_one(DecisionList).action_move_to(-1)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, SessionDetailsScreen))
        facts = ("tool call", "make test", "/w/a", "allowed: Yes (allow_once)", "you: key y", "s1")
        await until(pilot, lambda: all(fact in screen_text(app) for fact in facts))
        assert "No (reject_once, id n)" in screen_text(app)


async def test_a_log_that_is_empty_or_cannot_be_read_says_so(tmp_path: Path) -> None:
    app = Stage(DecisionsScreen(tmp_path / "none.ndjson", None, styles()))
    async with app.run_test(size=(100, 20)) as pilot:
        await until(pilot, lambda: "No decisions yet" in screen_text(app))
        await pilot.press("enter", "a", "g")
    (tmp_path / "folder.ndjson").mkdir()
    app = Stage(DecisionsScreen(tmp_path / "folder.ndjson", None, styles()))
    async with app.run_test(size=(100, 20)) as pilot:
        await until(pilot, lambda: "The decision log cannot be read" in screen_text(app))


async def test_many_decisions_come_in_slices_and_broken_lines_are_counted(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    each_alone = 0.0  # each decision is a slice of its own
    monkeypatch.setattr("acp_tui.ui.screens.rules.decisions.SLICE", each_alone)
    line = path.read_bytes().splitlines(keepends=True)[0]
    path.write_bytes(line * 50 + b"{\n" + line)
    app = Stage(DecisionsScreen(path, None, styles()))
    async with app.run_test(size=(100, 20)) as pilot:
        await until(pilot, lambda: "51 decisions" in screen_text(app))
        assert "1 line cannot be read" in screen_text(app)


def test_a_sieve_keeps_what_has_every_word_in_either_case() -> None:
    def kept(words: str) -> list[Decision]:
        return [one for one in MANY if DecisionFilter(words).keeps(one)]

    assert kept("") == MANY
    assert kept("RULE reject_once") == [MANY[1]]
    assert kept("make nothing") == []


async def test_a_question_that_was_asked_again_is_named_so(tmp_path: Path) -> None:
    log = DecisionLog(tmp_path / "decisions.ndjson")
    log.add(ONE)
    log.add(replace(ONE, again=True, chosen=NO))
    app = Stage(DecisionsScreen(tmp_path / "decisions.ndjson", None, styles()))
    async with app.run_test(size=(110, 30)) as pilot:
        await until(pilot, lambda: "2 decisions" in screen_text(app))
        rows = [line for line in screen_text(app).splitlines() if "03-01" in line]
        assert ["asked again: " in row for row in rows] == [True, False]

        await pilot.press("enter")
        await until(pilot, lambda: "the earlier answer had no effect" in screen_text(app))
