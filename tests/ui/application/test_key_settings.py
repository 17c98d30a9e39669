"""Tests of `ui/application/key_settings.py`."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from acp_tui.store.folders import config_folder
from acp_tui.store.settings import load
from acp_tui.ui.application import key_settings
from acp_tui.ui.application.app import AcpApp
from acp_tui.ui.application.key_settings import actions_of, check, is_key
from acp_tui.ui.screens.help import HelpScreen
from tests.tables import each
from tests.ui.seats import Seat, seat


async def test_actions_stand_by_task_in_the_words_of_the_table(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        lines = actions_of(here.session)

        plan = [line for line in lines if line.description == "Go to the plan"]
        assert [sorted(line.keys) for line in plan] == [["Ctrl+T", "F3"]]
        groups = list(dict.fromkeys(line.group for line in lines))
        assert groups[-7:] == ["Session", "Permissions", "Panes", "Chat", "Changes", "Agent", "Program"]
        assert sum(one.group != after.group for one, after in pairwise(lines)) == len(groups) - 1


@pytest.mark.parametrize(
    "key",
    [
        "ctrl+k",
        "alt+up",
        "f7",
        "shift+tab",
        "?",
        "+",
        "ctrl+backslash",
        "left_square_bracket",
        "a,ctrl+b",
        "é",
    ],
)
def test_keys_have_the_names_that_textual_gives_them(key: str) -> None:
    assert is_key(key)


@pytest.mark.parametrize(
    "key", ["", "Ctrl+K", "ctrl-k", "ctrl+", "control+k", "ctrl+ctrl+k", "f99", "a,", "^k"]
)
def test_an_unknown_key_is_rejected(key: str) -> None:
    assert not is_key(key)


def settings_of(text: str) -> Path:
    """Write the keys of a settings file."""
    path = config_folder() / "settings.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"journal = false\n[keys]\n{text}")
    return path


def warned(here: Seat) -> set[str]:
    return {notice.message for notice in here.notices if notice.title == "Keys"}


@pytest.mark.slow
async def test_the_start_and_f1_say_which_keys_cannot_be_used(tmp_path: Path) -> None:
    path = settings_of('"session.stp" = "f2"\n"session.find" = "Ctrl+K"\n"session.export" = "ctrl+r"\n')
    settings, wrong = load(path)
    assert wrong == []

    async with seat(tmp_path, settings._replace(snapshots=False), size=(150, 60)) as here:
        await here.until(lambda: len(warned(here)) == 3)
        assert warned(here) == {
            f"{path}:3: unknown action 'session.stp'; did you mean 'session.stop'?; F1 lists them",
            f"{path}:4: 'Ctrl+K' is not a key, so session.find keeps its default;"
            " write ctrl+k, alt+up, f7 or shift+tab",
            f"{path}:5: ctrl+r is used twice: History (prompt.history) and Export this session"
            " (session.export); give one of them another key",
        }
        await here.press("f1")
        await here.is_before(HelpScreen)
        await here.sees("Keys in your settings")
        # Wherever the rows end: the file's path may be long.
        await here.until(
            lambda: "Export this session (session.export)" in " ".join(here.text.replace("│", "").split())
        )

        await here.press("escape", "ctrl+f")  # what could not be read is as it was
        await here.until(lambda: here.app.screen.query("#find Input"))


@pytest.mark.slow
async def test_a_key_that_two_actions_exchange_or_that_are_never_there_together_is_none(
    tmp_path: Path,
) -> None:
    path = settings_of(
        '"chat.copy" = "y"\n"chat.copy-code" = "c"\n"session.find" = "?"\n"changes.reject" = "c"\n'
    )
    settings, _ = load(path)

    async with seat(tmp_path, settings._replace(snapshots=False)) as here:
        found = await check(here.app, settings.keys)

        assert [wrong.message for wrong in found if "used twice" in wrong.message] == []


@pytest.mark.slow
async def test_our_own_keys_have_one_meaning_each(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await check(here.app, {})  # loads all that has keys
        groups = list(key_settings.key_groups(here.app))
        own: dict[str, set[str]] = {}
        for group in groups:
            for key, named in key_settings.bound_keys(group, {}):
                own.setdefault(named.name, set()).add(key)
        del own["help.close"]  # the key that opens it closes it

        found = key_settings.conflicts({name: ",".join(keys) for name, keys in own.items()}, groups)

        assert [wrong.message for wrong in found if "help.close" not in wrong.message] == []
        assert len(own) > 100


FIELD_KEYS = ("ctrl+x", "ctrl+k", "ctrl+a", "ctrl+w", "ctrl+u", "ctrl+e", "home", "ctrl+left", "f6")
"""Keys that Textual's fields have for themselves."""


@pytest.mark.slow
@pytest.mark.parametrize("first", range(len(FIELD_KEYS)))
async def test_an_action_on_a_key_of_the_field_acts_where_the_field_has_the_keys(
    tmp_path: Path, first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions = ("session.export", "session.plan", "session.restart", "app.theme", "prompt.stash")
    keys = {action: FIELD_KEYS[first - number] for number, action in enumerate(actions)}
    lines = "".join(f'"{action}" = "{key}"\n' for action, key in keys.items())
    settings, wrong = load(settings_of(f'{lines}"session.mode" = "alt+z"\n'))
    assert wrong == []
    did: list[str] = []

    async def run(app: AcpApp, did_action: str, *_: object) -> bool:
        did.append(str(did_action))
        return True

    async with seat(tmp_path, settings._replace(snapshots=False)) as here:
        here.session.prompt.insert("a draft")
        monkeypatch.setattr(AcpApp, "run_action", run)
        await here.press(*keys.values())

        meant = {
            binding.id: binding.action
            for node in (here.app, here.session, here.session.prompt)
            for _, binding in node._bindings
        }
        assert did == [meant[action] for action in keys]
        assert here.draft == "a draft"


@each("key", ["x", "X", "space", "question_mark", "a,ctrl+b"])
@each("action", ["session.export", "app.theme", "prompt.stash"])
def test_an_action_beside_the_prompt_cannot_have_a_letter(action: str, key: str) -> None:
    assert key_settings.usable({action: key}) == {}
    (wrong,) = key_settings.unreadable({action: key})
    assert action in wrong.message
    assert key in wrong.message


async def test_an_action_of_a_pane_may_have_a_letter() -> None:
    keys = {"chat.up": "k", "session.hide-pane": "x", "changes.keep": "y"}
    assert key_settings.usable(keys) == keys
