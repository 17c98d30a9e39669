"""What an agent has said that it takes, asked before anything is sent to it."""

from __future__ import annotations

from collections.abc import Sequence

from acp_tui.acp.content import AudioContent, ContentBlock, EmbeddedResource, ImageContent
from acp_tui.acp.initialization import AgentCapabilities, InitializeResponse, Marker, has
from acp_tui.agent.errors import NotOffered


class Offered:
    """The offers of one agent; before it has introduced itself there are none."""

    def __init__(self) -> None:
        self.info: InitializeResponse | None = None

    @property
    def can(self) -> AgentCapabilities:
        """What the agent can do."""
        return self.info.agent_capabilities if self.info is not None else AgentCapabilities()

    def need(self, offered: Marker | None, what: str) -> None:
        """Stop before something is sent that the agent has not offered to take.

        Raises:
            NotOffered.
        """
        if not has(offered):
            raise NotOffered(f"This agent cannot {what}.")

    def need_blocks(self, prompt: Sequence[ContentBlock]) -> None:
        """Stop before a prompt with what the agent does not take.

        Raises:
            NotOffered.
        """
        can = self.can.prompt_capabilities
        for block in prompt:
            match block:
                case ImageContent():
                    self.need(can.image, "take images in a prompt")
                case AudioContent():
                    self.need(can.audio, "take sounds in a prompt")
                case EmbeddedResource():
                    self.need(can.embedded_context, "take embedded files in a prompt")

    def further_roots(self, cwd: str, roots: Sequence[str]) -> list[str] | None:
        """Return the further folders of a session as the agent takes them: without doubles, or not at all."""
        if not has(self.can.session_capabilities.additional_directories):
            return None
        return [root for root in dict.fromkeys(roots) if root and root != cwd]
