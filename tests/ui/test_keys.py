"""Tests of `ui/keys.py`."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest
from textual.binding import Binding, BindingType
from textual.command import CommandPalette, DiscoveryHit, Hit, Provider
from textual.screen import Screen
from textual.widgets import OptionList

from acp_tui.protocol.schema import AvailableCommand
from acp_tui.store.folders import config_folder
from acp_tui.store.settings import load
from acp_tui.ui import keys as key_check
from acp_tui.ui.app import AcpApp
from acp_tui.ui.keys import Palette, check, commands, is_key
from acp_tui.ui.screens.help import HelpScreen
from tests.ui.screens.stage import Stage, screen_text, until
from tests.ui.seats import Seat, seat

HOSTILE = "[@click=app.quit]now[/] \\[x] [/] [bold \x1b]0;t\x07 \\"


class Below(Screen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+k", "jump(2)", "Jump high", id="below.jump")]
    jumped = 0

    def action_jump(self, height: int) -> None:
        self.jumped += height


class Chosen:
    def __init__(self) -> None:
        self.commands: list[str] = []
        self.themes: list[str] = []

    def provider(self) -> type[Provider]:
        slash = [AvailableCommand(name="init", description=HOSTILE), AvailableCommand(name=HOSTILE)]
        return commands(lambda: slash, self.commands.append, lambda: ["nord", "dracula"], self.themes.append)


async def hits(provider: Provider, query: str) -> list[Hit]:
    return [hit async for hit in provider.search(query) if isinstance(hit, Hit)]


async def test_actions_run_where_they_belong() -> None:
    app = Stage(below := Below())
    async with app.run_test():
        found = await hits(Chosen().provider()(below), "jump")
        assert "^k" in str(found[0].prompt)

        result = found[0].command()
        assert result is not None
        await result

        assert below.jumped == 2


async def test_commands_of_the_agent_and_themes_are_offered() -> None:
    chosen = Chosen()
    app = Stage(below := Below())
    async with app.run_test():
        provider = chosen.provider()(below)
        (await hits(provider, "/init"))[0].command()
        (await hits(provider, "theme nord"))[0].command()

        assert chosen.commands == ["init"]
        assert chosen.themes == ["nord"]


@pytest.mark.parametrize(
    "text", [HOSTILE, "a\\", "[", "[a", "[[a]]", "[/x]", "\\[a]", "\\\\[a] \\", "[link='x'"]
)
async def test_r41_text_of_the_agent_is_read_by_nothing(text: str) -> None:
    provider_type = commands(lambda: [AvailableCommand(name=text, description=text)], print, list, print)
    app = Stage(below := Below())
    async with app.run_test():
        provider = provider_type(below)
        found = [hit async for hit in provider.discover() if isinstance(hit, DiscoveryHit)][-1]
        visible = text.replace("\x1b", "␛").replace("\x07", "␇")

        for prompt in (str(found.prompt), str((await hits(provider, "/"))[-1].prompt)):
            assert prompt.startswith(f"/{visible}")
            assert prompt.endswith(f" {visible}")


@pytest.mark.parametrize("key", ["page_up", "page_down"])
async def test_a_page_is_turned_only_in_a_list_that_is_laid_out(key: str) -> None:
    app = Stage(Below())
    async with app.run_test(size=(100, 40)) as pilot:
        app.push_screen(palette := Palette(providers=[Chosen().provider()]))
        await until(pilot, lambda: "Theme: dracula" in screen_text(app))
        listed = palette.query_one(OptionList)
        listed.clear_options()
        listed.add_option("new")  # laid out with the next frame

        palette._action_command_list(key)

        assert app.screen is palette


@pytest.mark.slow
async def test_the_palette_shows_it_all() -> None:
    app = Stage(Below())
    async with app.run_test(size=(100, 40)) as pilot:
        app.push_screen(CommandPalette(providers=[Chosen().provider()]))
        await until(pilot, lambda: "Theme: dracula" in screen_text(app))

        assert "Jump high" in screen_text(app)
        assert "[@click=app.quit]now[/]" in screen_text(app)


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
def test_what_is_no_key_is_none(key: str) -> None:
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

    async with seat(tmp_path, settings, size=(150, 60)) as here:
        await here.until(lambda: len(warned(here)) == 3)
        assert warned(here) == {
            f"{path}:3: there is no action named 'session.stp'; did you mean 'session.stop'?; F1 lists them",
            f"{path}:4: 'Ctrl+K' is no key, so session.find keeps its own;"
            " write ctrl+k, alt+up, f7 or shift+tab",
            f"{path}:5: ctrl+r has two meanings: History (prompt.history) and Export the session"
            " (session.export); give one of them another key",
        }
        await here.press("f1")
        await here.is_before(HelpScreen)
        await here.sees("Keys in your settings")
        # Wherever the rows end: the file's path may be long.
        await here.until(
            lambda: "Export the session (session.export)" in " ".join(here.text.replace("│", "").split())
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

    async with seat(tmp_path, settings) as here:
        found = await check(here.app, settings.keys)

        assert [wrong.message for wrong in found if "meanings" in wrong.message] == []


@pytest.mark.slow
async def test_our_own_keys_have_one_meaning_each(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await check(here.app, {})  # loads all that has keys
        groups = list(key_check.key_groups(here.app))
        own: dict[str, set[str]] = {}
        for group in groups:
            for key, named in key_check.bound_keys(group, {}):
                own.setdefault(named.name, set()).add(key)
        del own["help.close"]  # the key that opens it closes it

        found = key_check.conflicts({name: ",".join(keys) for name, keys in own.items()}, groups)

        assert [wrong.message for wrong in found if "help.close" not in wrong.message] == []
        assert len(own) > 100


FIELD_KEYS = ("ctrl+x", "ctrl+k", "ctrl+a", "ctrl+w", "ctrl+u", "ctrl+e", "home", "ctrl+left", "f6")
"""Keys that Textual's fields have for themselves."""


@pytest.mark.slow
@pytest.mark.parametrize("key", FIELD_KEYS)
@pytest.mark.parametrize(
    "action", ["session.export", "session.plan", "session.restart", "app.theme", "prompt.stash"]
)
async def test_an_action_on_a_key_of_the_field_acts_where_the_field_has_the_keys(
    tmp_path: Path, action: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, wrong = load(settings_of(f'"{action}" = "{key}"\n"session.mode" = "alt+z"\n'))
    assert wrong == []
    did: list[str] = []

    async def run(app: AcpApp, did_action: str, *_: object) -> bool:
        did.append(str(did_action))
        return True

    async with seat(tmp_path, settings) as here:
        here.session.prompt.insert("a draft")
        monkeypatch.setattr(AcpApp, "run_action", run)
        await here.press(key)

        meant = next(
            binding.action
            for node in (here.session.prompt, here.session, here.app)
            for _, binding in node._bindings
            if binding.id == action
        )
        assert did == [meant]
        assert here.draft == "a draft"


@pytest.mark.parametrize("key", ["x", "X", "space", "question_mark", "a,ctrl+b"])
@pytest.mark.parametrize("action", ["session.export", "app.theme", "prompt.stash"])
async def test_an_action_beside_the_prompt_cannot_have_a_letter(
    tmp_path: Path, action: str, key: str
) -> None:
    assert key_check.usable({action: key}) == {}
    (wrong,) = key_check.unreadable({action: key})
    assert action in wrong.message
    assert key in wrong.message


async def test_an_action_of_a_pane_may_have_a_letter() -> None:
    keys = {"chat.up": "k", "session.hide-pane": "x", "changes.keep": "y"}
    assert key_check.usable(keys) == keys
