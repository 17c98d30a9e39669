"""Tests of `ui/screens/session_details.py`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from acp_tui.protocol.schema import SessionInfoUpdate, TurnUsage, UsageUpdate
from acp_tui.protocol.validation import read
from acp_tui.session.events import Prompted, TurnEnded
from acp_tui.store.mcp import McpServer
from acp_tui.store.toml_check import Problem
from acp_tui.ui.screens.base.text_screens import SessionDetailsScreen
from acp_tui.ui.screens.session_details import sections
from tests.conversation.talks import start, talk
from tests.ui.screens.stage import Stage, screen_text, styles, until


@pytest.mark.slow
async def test_c147_known_facts_are_shown_without_secrets(tmp_path: Path) -> None:
    servers = (
        McpServer("web", "http", url="https://me:secret@example.com/mcp?k=secret", headers={"A": "secret"}),
        McpServer("tool", "stdio", command="/bin/tool", env={"B": "secret"}),
    )
    plain = start(tmp_path, login="x")
    assert plain.launch is not None
    argv = (*plain.launch.argv, "https://me:secret@example.com/?k=secret")
    launch = plain.launch._replace(argv=argv)
    unset = Problem(tmp_path, None, "MCP server 'notes' is left out: the variable X is not set", "notes")
    given = replace(plain, launch=launch, mcp_servers=servers, extra_roots=("/more",), problems=(unset,))
    async with talk(given) as (conversation, _):
        await conversation.begin()
        assert conversation.session is not None
        usage = {"used": 1234, "size": 200000, "_meta": {"vendor/quota": {"x": "secret"}}}
        conversation.session.apply(read(UsageUpdate, usage))
        for tokens in (1_000, 2_000):
            spent = TurnUsage(input_tokens=tokens, output_tokens=7, cached_read_tokens=tokens // 2)
            conversation.session.apply(Prompted([]))
            conversation.session.apply(TurnEnded("end_turn", usage=spent))
        conversation.session.apply(read(SessionInfoUpdate, {"_meta": {"vendor/state": "secret"}}))

        found = {heading: dict(facts) for heading, facts in sections(conversation, given)}

    assert found["Agent"]["name"] == "Plain agent"
    assert found["Agent"]["command"].endswith("'https://•••@example.com/?•••'")
    assert found["Agent"]["logins"] == "By key"
    assert "load sessions" in found["Capabilities"]["cannot"]
    assert found["Session"]["id"] == "s1"
    assert found["Session"]["folder"] == str(tmp_path)
    assert found["Session"]["policy"] == "asks before everything"
    assert found["Session"]["additional folders"] == "/more\nnot given: the agent does not support them"
    assert found["Usage"]["context"] == "1,234 of 200,000 tokens"
    assert found["Usage"]["last turn"] == "tokens: 2,000 in, 7 out, 1,000 read from the cache"
    assert found["Usage"]["2 turns"] == "tokens: 3,000 in, 14 out, 1,500 read from the cache"
    assert found["MCP servers"] == {
        "web": "left out: the agent does not support http, https://example.com/mcp",
        "tool": "sent, stdio, /bin/tool",
        "notes": "left out: the variable X is not set",
    }
    assert found["Extensions (_meta)"] == {"session": "vendor/state", "usage": "vendor/quota"}
    assert found["Recording"] == {"journal": "none"}
    assert "secret" not in str(found)


async def test_known_facts_are_shown_even_before_there_is_an_agent(tmp_path: Path) -> None:
    given = start(tmp_path)
    async with talk(given) as (conversation, _):
        found = dict(sections(conversation, given))

    assert list(found) == ["Agent", "MCP servers", "Recording"]
    assert found["MCP servers"] == [("none", "add [mcp_servers] to settings.toml, or use --mcp-config FILE")]


async def test_stray_lines_of_an_agent_are_shown(tmp_path: Path) -> None:
    given = start(tmp_path, noise=3)
    async with talk(given) as (conversation, _):
        await conversation.begin()
        found = dict(sections(conversation, given))

    facts = dict(found["Printed on stdout, and no messages"])
    assert facts["lines"] == "3"
    assert len(facts["the last ones"].splitlines()) == 3


async def test_the_facts_are_shown_as_they_are_written_and_can_be_copied() -> None:
    app = Stage(SessionDetailsScreen([("Agent", [("name", "[/x]\x1b[31m"), ("command", "a b")])], styles()))
    async with app.run_test(size=(80, 20)) as pilot:
        await until(pilot, lambda: "[/x]" in screen_text(app))
        assert "\x1b" not in screen_text(app)

        await pilot.press("c")
        assert app.clipboard.startswith("Agent\n  name")
        assert "\x1b" not in app.clipboard

        await pilot.press("escape")
        await until(pilot, lambda: app.results == [None])
