from acp_tui.acp.initialization import AgentCapabilities
from acp_tui.acp.reading import read
from acp_tui.agent.abilities import abilities


def test_an_agent_that_says_nothing_offers_nothing() -> None:
    assert [name for name, offered in abilities(AgentCapabilities()) if offered] == []


def test_what_an_agent_says_is_told_in_words() -> None:
    can = read(
        AgentCapabilities,
        {
            "loadSession": True,
            "promptCapabilities": {"image": True},
            "mcpCapabilities": {"http": True},
            "sessionCapabilities": {"list": {}, "fork": None},
        },
    )

    told = [name for name, offered in abilities(can) if offered]
    assert told == ["load sessions", "list sessions", "images in prompts", "MCP servers over http"]
