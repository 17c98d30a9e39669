"""The question whether the prompt of a workspace may be added to the agent's system prompt."""

from __future__ import annotations

import asyncio

from acp_tui.conversation.system_prompt import WorkspacePrompt
from acp_tui.protocol.schema import has
from acp_tui.ui.screens.rules import trust as trust_dialog
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen


class PromptOfWorkspace:
    """Asks about the prompt of a workspace, once for each version of the file."""

    def __init__(self, screen: ConversationScreen) -> None:
        self._screen = screen
        self._asked: set[str] = set()
        """Digests of the files about which the user was asked."""

    def look(self) -> None:
        """Ask about the file if it is not trusted yet and the agent supports such a text."""
        agent, session = self._screen.conversation.agent, self._screen.conversation.session
        takes_some = agent is not None and has(agent.can.session_capabilities.system_prompt)
        if takes_some and session is not None and self._screen.is_seen:
            self._screen.run_worker(self._ask(session.cwd), group="workspace-prompt")

    async def _ask(self, cwd: str) -> None:
        conversation, screen = self._screen.conversation, self._screen
        file = await asyncio.to_thread(conversation.system_prompt.not_trusted, cwd)
        if file is None or file.digest in self._asked or screen.app.screen is not screen:
            return
        self._asked.add(file.digest)
        if not await screen.ask(trust_dialog.prompt_trust(file.path, file.text, screen.theme_styles)):
            return
        try:
            conversation.system_prompt.trust.give(file.path, file.digest)
        except OSError as error:
            screen.notify(str(error.strerror), title="Not written down", severity="error")
            return
        await self._apply(file)

    async def _apply(self, file: WorkspacePrompt) -> None:
        """Restart the session with the prompt, if it is still empty."""
        session = self._screen.conversation.session
        if session is not None and not session.turns and self._screen.conversation.phase == "ready":
            await self._screen.conversation.begin_new()
        else:
            self._screen.notify(f"{file.path.name} goes with the next session: /new starts one.")
