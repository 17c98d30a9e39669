"""What there is to know behind a question: the rule that made it one, and what was decided before."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from acp_tui.conversation.conversation import Conversation
    from acp_tui.host.policy import Policy
    from acp_tui.host.rules import Rule
    from acp_tui.session.entries import ToolCall
    from acp_tui.store.precedents import Precedents

log = logging.getLogger(__name__)


class Background(NamedTuple):
    """What a dialog tells beside the call itself."""

    rule: Rule | None = None
    """The person's rule because of which they are asked."""
    before: Precedents | None = None
    why: str = ""
    """Why the person is asked although the agent did not ask; empty if it did."""


NOTHING_KNOWN: Final = Background()


def background_of(conversation: Conversation, call: ToolCall, *, unasked: bool = False) -> Background:
    """Return what is known of a call of the conversation's session; `unasked`: the agent asks for none."""
    from acp_tui.agent.verdicts import asking_rule

    running, session = conversation.running, conversation.session
    if running is None or session is None:
        return Background()
    rule = asking_rule(running.host, call, session, running.agent.name)
    why = _why(rule, running.host.policy_of(session.id)) if unasked else ""
    return Background(rule, _before(conversation, call), why)


def _why(rule: Rule | None, policy: Policy) -> str:
    from acp_tui.host.policy import WORDS

    because = "a rule of yours asks" if rule is not None else f"this session {WORDS[policy]}"
    return f"The agent did not ask for permission; {because}."


def _before(conversation: Conversation, call: ToolCall) -> Precedents | None:
    from acp_tui.store.precedents import precedents

    assert conversation.running is not None
    assert conversation.session is not None
    decisions, command = conversation.running.decisions, call.command
    if decisions.path is None:
        return None
    hidden = decisions.hidden(command) if command is not None else None
    beginning = _beginning(command) if command is not None else ""
    try:
        return precedents(
            decisions.path, conversation.session.cwd, call.kind, hidden, call.named_paths, beginning
        )
    except OSError as error:
        log.warning("the decision log: %s", error)
        return None


def _beginning(command: str) -> str:
    """Return the first two words of a single command; nothing of a chain, whose parts say more."""
    from acp_tui.host.shell import take_apart

    commands = take_apart(command).commands
    words = [word.source for word in commands[0].words[:2]] if len(commands) == 1 else []
    beginning = " ".join(words)
    return beginning if len(words) == 2 and command.startswith(beginning) else ""
