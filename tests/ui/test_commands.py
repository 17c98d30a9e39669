from typing import ClassVar

import pytest
from textual.binding import Binding, BindingType
from textual.command import CommandPalette, DiscoveryHit, Hit, Provider
from textual.screen import Screen
from textual.widgets import OptionList

from acp_tui.acp.commands import Command
from acp_tui.ui.commands import Palette, commands
from tests.ui.screens.stage import Stage, screen_text, until

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
        slash = [Command(name="init", description=HOSTILE), Command(name=HOSTILE)]
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
    provider_type = commands(lambda: [Command(name=text, description=text)], print, list, print)
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


async def test_the_palette_shows_it_all() -> None:
    app = Stage(Below())
    async with app.run_test(size=(100, 40)) as pilot:
        app.push_screen(CommandPalette(providers=[Chosen().provider()]))
        await until(pilot, lambda: "Theme: dracula" in screen_text(app))

        assert "Jump high" in screen_text(app)
        assert "[@click=app.quit]now[/]" in screen_text(app)
