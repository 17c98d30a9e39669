"""Logging in. Source: ACP, page "authentication"."""

from __future__ import annotations

from typing import Any

from acp_tui.acp.word import Word


class AuthMethod(Word):
    """A way to log in. A type that is absent or unknown is handled as `agent`."""

    id: str
    name: str
    description: str | None = None
    type: str = "agent"
    args: list[str] = []
    """For type `terminal`: arguments after the agent's own."""
    env: dict[str, str] = {}
    """For type `terminal`: variables over the agent's own."""
    vars: list[dict[str, Any]] = []
    """For the removed type `env_var`: variables that the agent reads."""
