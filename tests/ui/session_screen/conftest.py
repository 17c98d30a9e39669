"""Fixtures of the session screen."""

from __future__ import annotations

import pytest

from acp_tui.ui.session_screen.review import links


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Addresses that a browser was asked to open."""
    addresses: list[str] = []

    def open_in_browser(url: str) -> bool:
        addresses.append(url)
        return True

    monkeypatch.setattr(links, "open_in_browser", open_in_browser)
    return addresses
