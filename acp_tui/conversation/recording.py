"""A recorded session in a conversation: read without an agent, and gone on with where one can take it up."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_tui.conversation.conversation import Conversation
    from acp_tui.conversation.listener import Listener
    from acp_tui.conversation.opening import Opening
    from acp_tui.store.launch import Launch
    from acp_tui.store.prompt import Prompt
    from acp_tui.store.recorded import Recorded


class Recording:
    """Shows what a journal remembers in the place of a session."""

    def __init__(self, conversation: Conversation, opening: Opening, listener: Listener) -> None:
        self._conversation = conversation
        self._opening = opening
        self._listener = listener

    async def show(self, recorded: Recorded) -> bool:
        """Show a session of a journal, until `go_on`. Return whether there is one in it.

        Raises:
            OSError: the file cannot be opened.
        """
        from acp_tui.agent.replay import replay_in_slices
        from acp_tui.session.changes import everything
        from acp_tui.store.recorded_sessions import rows_of

        conversation = self._conversation
        this, rows = conversation.round, rows_of(recorded)
        conversation.enter("reading")
        sessions = (await replay_in_slices(rows)).sessions
        if this != conversation.round:
            return True  # the person has left meanwhile
        if not sessions:
            conversation.enter("starting")
            return False
        session = sessions.get(recorded.session_id) or next(reversed(sessions.values()))
        conversation.session, conversation.recorded = session, recorded
        conversation.enter("recorded")
        self._listener.session_changed(everything(len(session.entries)))
        return True

    async def go_on(self, launch: Launch, prompt: Prompt | None = None, cwd: str = "") -> None:
        """Go on with the session where the agent can take it up, else begin a new one below it.

        Args:
            launch: how the agent is started that has it.
            prompt: said as soon as it can be.
            cwd: the folder to go on in; the session's own where none is named.
        """
        conversation = self._conversation
        self._opening.restarts(conversation.session, same_agent=True, cwd=cwd)
        conversation.session = conversation.recorded = None
        conversation.enter("starting")
        if prompt is not None:
            conversation.say(prompt)
        await conversation.begin(launch)
