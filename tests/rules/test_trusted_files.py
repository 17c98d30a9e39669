"""Files of a workspace are trusted as they were seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.rules.trusted_files import Trust

FILE = Path("/w/.acp-tui/rules.toml")


@pytest.fixture
def trust(tmp_path: Path) -> Trust:
    return Trust(tmp_path / "state" / "trusted.json")


def test_nothing_is_trusted_at_first(trust: Trust) -> None:
    assert not trust.has(FILE, "d1")
    assert not trust.has(FILE, "")


def test_a_file_is_trusted_as_it_was_seen_and_only_so(trust: Trust) -> None:
    trust.give(FILE, "d1")

    assert trust.has(FILE, "d1")
    assert not trust.has(FILE, "d2")
    assert not trust.has(FILE.with_name("other.toml"), "d1")


def test_trust_can_be_taken_back(trust: Trust) -> None:
    trust.give(FILE, "d1")
    trust.take(FILE)

    assert not trust.has(FILE, "d1")


@pytest.mark.parametrize("text", ["", "[]", "{", "3", '{"/w/.acp-tui/rules.toml": 1}'])
def test_a_broken_memory_trusts_nothing(tmp_path: Path, text: str) -> None:
    path = tmp_path / "trusted.json"
    path.write_text(text)

    assert not Trust(path).has(FILE, "d1")
