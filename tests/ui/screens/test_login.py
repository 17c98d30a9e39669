"""The login dialog."""

from acp_tui.acp.authentication import AuthMethod
from acp_tui.ui.screens.login import LoginDialog
from tests.ui.screens.dialogs import LOOK, NOTHING, shown

METHODS = [
    AuthMethod(id="a:1", name="[b]Browser", description="Opens a page"),
    AuthMethod(id="t", name="Terminal", type="terminal"),
    AuthMethod(id="k", name="Key", type="env_var", vars=[{"name": "DEMO_KEY"}, {"label": "odd"}]),
]


def login() -> LoginDialog:
    return LoginDialog(METHODS, agent="demo", hint="Log in first.", look=LOOK, error="timed out")


async def test_every_method_says_what_it_does() -> None:
    async with shown(login(), turned=False) as (app, pilot):
        for text in (
            "Log in to demo",
            "timed out",
            "[b]Browser",
            "Opens a page",
            "in a terminal",
            "DEMO_KEY",
        ):
            assert text in app.text
        await pilot.press("enter")
        assert app.result is NOTHING, "it appeared under typing hands"


async def test_the_method_moved_to_is_chosen() -> None:
    async with shown(login()) as (app, pilot):
        await pilot.press("down", "enter")

        assert app.result == "t"


async def test_escape_leaves_without_a_login() -> None:
    async with shown(login()) as (app, pilot):
        await pilot.press("escape")

        assert app.result is None
