"""Asking the person. Source: ACP, page "tool calls", requesting permission."""

from __future__ import annotations

from typing import ClassVar

from acp_tui.acp.tools import ToolCallFields
from acp_tui.acp.word import Word


class PermissionOption(Word):
    """An answer; `kind` is allow_once, allow_always, reject_once, reject_always, or new and then neutral."""

    option_id: str
    name: str
    kind: str


class PermissionRequest(Word):
    """May this tool call go on?"""

    whole: ClassVar[frozenset[str]] = frozenset({"options"})

    session_id: str
    tool_call: ToolCallFields
    options: list[PermissionOption]
