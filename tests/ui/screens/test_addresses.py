"""What is said about an address."""

import pytest

from acp_tui.ui.screens.addresses import read_address


def test_a_plain_https_address_has_its_host_and_no_warning() -> None:
    address = read_address("https://agent.example.com/connect?e=5")

    assert (address.before, address.host, address.after) == ("https://", "agent.example.com", "/connect?e=5")
    assert address.warnings == ()
    assert address.can_open


@pytest.mark.parametrize(
    ("url", "host", "warning"),
    [
        ("http://example.com/", "example.com", "not encrypted"),
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


@pytest.mark.parametrize(
    "url",
    [
        "",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "//example.com",
        "https:///x",
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
