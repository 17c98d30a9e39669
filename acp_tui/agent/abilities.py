"""What an agent has said that it can do, in words for people."""

from __future__ import annotations

from acp_tui.acp.initialization import AgentCapabilities, has


def abilities(can: AgentCapabilities) -> list[tuple[str, bool]]:
    """Return (what an agent may offer, whether it does), in the order of the protocol's pages."""
    prompt, mcp, session = can.prompt_capabilities, can.mcp_capabilities, can.session_capabilities
    return [
        ("load sessions", can.load_session),
        ("resume sessions", has(session.resume)),
        ("list sessions", has(session.list)),
        ("close sessions", has(session.close)),
        ("delete sessions", has(session.delete)),
        ("fork sessions", has(session.fork)),
        ("further folders", has(session.additional_directories)),
        ("images in prompts", prompt.image),
        ("audio in prompts", prompt.audio),
        ("embedded files in prompts", prompt.embedded_context),
        ("MCP servers over http", mcp.http),
        ("MCP servers over sse", mcp.sse),
        ("log out", has(can.auth.logout)),
    ]
