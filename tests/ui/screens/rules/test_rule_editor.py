"""The form in which a rule is made or changed."""

from __future__ import annotations

import pytest
from textual.widgets import Input

from acp_tui.rules.model import Rule
from acp_tui.rules.rule_book import RuleDraft
from acp_tui.ui.screens.rules.rule_editor import RuleEditor
from tests.ui.screens.dialogs import NOTHING, STYLES, shown
from tests.ui.screens.previews import nothing
from tests.ui.screens.stage import until

pytestmark = pytest.mark.slow


def editor(written: Rule, *, scope: str = "workspace") -> RuleEditor:
    return RuleEditor("A rule", RuleDraft(written, scope), STYLES, nothing)  # type: ignore[arg-type]


async def test_the_editor_shows_what_a_rule_would_match_and_gives_it_back() -> None:
    async with shown(editor(Rule("allow", command="ls"))) as (app, pilot):
        await until(pilot, lambda: "a preview of" in app.text)
        await pilot.press("right", "right", "tab", "tab", "tab")
        await pilot.press(*" -l")
        await until(pilot, lambda: "ls -l" in app.text.split("a preview of")[1])
        await pilot.press("ctrl+s")

        assert app.result == RuleDraft(Rule("deny", command="ls -l"), "workspace")


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("command", "ls && rm", "must be the first words of one command"),
        ("command", "ls $X", "must be the first words of one command"),
        ("tool_kind", "eat", "Unknown kind 'eat'"),
        ("path", "../x", "The path must not contain . or .."),
        ("path", "src/", "The path must not contain / at its end (a/** is all below a)"),
        ("command", "", "An allow rule needs a kind, a tool, a command or a path"),
    ],
)
async def test_a_mistake_is_said_and_not_saved(field: str, value: str, says: str) -> None:
    async with shown(editor(Rule("allow", command="ls"))) as (app, pilot):
        app.screen.query_one(f"#{field}", Input).value = value
        await until(pilot, lambda: says in " ".join(app.text.split()))
        await pilot.press("ctrl+s")
        assert app.result is NOTHING

        await pilot.press("escape")
        assert app.result is None


async def test_scope_and_end_are_chosen_by_keys() -> None:
    async with shown(editor(Rule("allow", command="ls"))) as (app, pilot):
        app.screen.query_one("#scope").focus()
        await pilot.press("right", "tab", "left", "ctrl+s")

        assert app.result.scope == "everywhere"
        assert app.result.rule.expires is not None
        assert (app.result.rule.expires.hour, app.result.rule.expires.minute) == (23, 59)


async def test_a_rule_of_a_session_has_no_other_end() -> None:
    async with shown(editor(Rule("allow", command="ls"), scope="session")) as (app, pilot):
        app.screen.query_one("#expires").focus()
        await pilot.press("left", "ctrl+s")

        assert app.result == RuleDraft(Rule("allow", command="ls"), "session")


async def test_a_narrow_screen_shows_all_fields_and_the_preview() -> None:
    async with shown(editor(Rule("allow", command="ls")), (80, 24)) as (app, pilot):
        await until(pilot, lambda: "a preview of" in app.text)
        for word in ("decision", "kind", "command", "path", "agent", "mode", "note", "for", "ends", "Save"):
            assert word in app.text
