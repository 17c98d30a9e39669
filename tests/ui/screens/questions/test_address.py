"""The address dialog."""

from __future__ import annotations

import pytest

from acp_tui.session.questions import Elicitation
from acp_tui.ui.screens.questions.address import AddressDialog, open_in_browser, read_address
from acp_tui.ui.screens.questions.form import ElicitationAnswer
from tests.tables import each
from tests.ui.screens.dialogs import NOTHING, STYLES, shown
from tests.ui.screens.stage import until

URL = "https://agent.example.com/connect?e=e-5"


class Browser:
    def __init__(self, works: bool = True) -> None:
        self.works = works
        self.opened: list[str] = []

    def __call__(self, url: str) -> bool:
        self.opened.append(url)
        return self.works


def address(url: str = URL, opener: Browser | None = None, *, visiting: bool = False) -> AddressDialog:
    question = Elicitation("q", "Allow access [/x]", url=url, elicitation_id="e-5", visiting=visiting)
    return AddressDialog(question, agent="demo", styles=STYLES, opener=opener or Browser())


@pytest.mark.slow
async def test_the_whole_address_is_shown_and_nothing_is_opened_by_itself() -> None:
    browser = Browser()
    async with shown(address(opener=browser), turned=False) as (app, pilot):
        assert URL in app.text
        assert "host      agent.example.com" in app.text
        assert "Allow access [/x]" in app.text
        await pilot.press("o")
        assert app.result is NOTHING
        assert browser.opened == []


@pytest.mark.slow
async def test_opening_is_consent() -> None:
    browser = Browser()
    async with shown(address(opener=browser)) as (app, pilot):
        await pilot.press("o")
        await until(pilot, lambda: app.result is not NOTHING)

        assert app.result == ElicitationAnswer("accept")
        assert browser.opened == [URL]


@pytest.mark.slow
async def test_without_a_browser_nothing_is_agreed_until_the_user_visits_it_elsewhere() -> None:
    async with shown(address(opener=Browser(works=False))) as (app, pilot):
        await pilot.press("o")
        await until(pilot, lambda: "No browser" in app.text)
        assert app.result is NOTHING

        await pilot.press("c")
        assert app.clipboard == URL
        await pilot.press("v")
        assert app.result == ElicitationAnswer("accept")


@pytest.mark.slow
async def test_c108_after_the_consent_the_dialog_waits_and_can_be_ended_by_hand() -> None:
    browser = Browser()
    async with shown(address(opener=browser, visiting=True)) as (app, pilot):
        assert "demo waits until you are done on a page" in app.text
        await pilot.press("o")
        await until(pilot, lambda: "Opened in your browser again" in app.text)
        assert browser.opened == [URL]
        assert app.result is NOTHING, "it goes on waiting"
        await pilot.press("v")
        assert app.result is NOTHING, "what was agreed is not agreed again"

        await pilot.press("f")
        assert app.result == ElicitationAnswer("cancel")


@pytest.mark.slow
async def test_c108_the_end_of_a_visit_is_asked_for_only_once_it_was_agreed() -> None:
    async with shown(address()) as (app, pilot):
        await pilot.press("f")

        assert app.result is NOTHING
        assert "finish" not in app.text


@pytest.mark.slow
async def test_an_address_that_is_never_opened_can_only_be_copied_or_declined() -> None:
    browser = Browser()
    async with shown(address("file:///etc/passwd", browser)) as (app, pilot):
        await pilot.press("o", "v")
        assert app.result is NOTHING

        await pilot.press("d")
        assert app.result == ElicitationAnswer("decline")
        assert browser.opened == []


@pytest.mark.slow
async def test_escape_puts_it_aside() -> None:
    async with shown(address()) as (app, pilot):
        await pilot.press("escape")

        assert app.result is None


def test_a_plain_https_address_has_its_host_and_no_warning() -> None:
    address = read_address("https://agent.example.com/connect?e=5")

    assert (address.before, address.host, address.after) == ("https://", "agent.example.com", "/connect?e=5")
    assert address.warnings == ()
    assert address.can_open


@pytest.mark.parametrize(
    ("url", "host", "warning"),
    [
        ("http://example.com/", "example.com", "Not encrypted"),
        ("https://bank.example@evil.example/x", "evil.example", "before an @"),
        ("https://xn--80ak6aa92e.com/", "xn--80ak6aa92e.com", "punycode; it reads “аррӏе.com”"),
        ("https://аррӏе.com/", "аррӏе.com", "beyond ASCII"),
        ("https://pаypal.com/", "pаypal.com", "mixes letters of several scripts: Cyrillic, Latin"),
        ("https://192.168.0.1:80/", "192.168.0.1", "a number"),
        ("https://[::1]:8080/x", "::1", "a number"),
    ],
)
def test_what_may_mislead_is_warned_about(url: str, host: str, warning: str) -> None:
    address = read_address(url)

    assert address.host == host
    assert address.before + address.host + address.after == url
    assert any(warning in text for text in address.warnings)
    assert address.can_open


@each(
    "url",
    [
        "",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "//example.com",
        "https:///x",
        "https://xn-%action-80ak6aa92e.com/",
        "https://google.com%2fevil.example/",
        "https://[x/",
        "https://a.example:port/",
        "https://evil.example\\@good.example/",
        "https://good.example/\n--flag",
        "https://good.example/\x1b[2J",
        "https://good.example/\u202egpj",
        "-https://x",
    ],
)
def test_what_is_no_plain_web_address_is_never_opened(url: str) -> None:
    address = read_address(url)

    assert not address.can_open
    assert address.warnings
    assert address.before + address.host + address.after == url


def test_japanese_hosts_are_not_called_mixed() -> None:
    assert not any("mixes" in text for text in read_address("https://日本ひらカタ.jp/").warnings)


def test_a_browser_gets_the_address_that_was_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":0")
    opened: list[str] = []

    def opens(url: str) -> bool:
        opened.append(url)
        return True

    monkeypatch.setattr("webbrowser.open", opens)

    assert open_in_browser("https://a.example/%action?x=%s")

    assert opened == ["https://a.example/%ACtion?x=%s"]
