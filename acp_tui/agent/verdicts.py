"""What the person has decided beforehand about a permission: their rules first, then the session's policy."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from acp_tui.agent.coverage import env_of, folder_of
from acp_tui.agent.host import Host, NotLent
from acp_tui.agent.input_paths import hinted_in, named_in
from acp_tui.rules import model as policy
from acp_tui.rules import model as rules
from acp_tui.rules.paths import written_by
from acp_tui.rules.protected import protection
from acp_tui.session.entries import Text, ToolCall, absolute, unusual_commands
from acp_tui.session.questions import Permission
from acp_tui.session.session import Session
from acp_tui.workspace.files import Files, with_targets

By = Literal["person", "rule", "policy", "cancelled", "withdrawn", "agent ended", "nobody"]
"""The person; a rule or the policy of theirs; the end of the turn; the agent itself, by not wanting it
any more or by its end; and nobody, for what cannot be put to a person."""


@dataclass(frozen=True, slots=True)
class Given:
    """Where an answer came from."""

    by: By
    detail: str = ""
    """The key that the person pressed, the rule, the policy, or what ended the question."""

    def __str__(self) -> str:
        """Return who it was, as the transcript and the journal say it."""
        match self.by:
            case "person":
                return "you"
            case "cancelled":
                return self.detail
            case "withdrawn":
                return "the agent"
            case _:
                return f"{self.by}: {self.detail}" if self.detail else self.by


PERSON: Final = Given("person")


_NEVER_RUNNING: Final = rules.KNOWN_KINDS - {"execute", "other"}
_BEFORE_COMMAND: Final = re.compile(r"^(?:\w+ ?: *|[$>%#] +|\w+ +(?=`))")
"""What stands before a command in a title: a word, or a prompt."""
_LOOKED_AT: Final = 10_000
"""Characters of a text in which a command is looked for."""


class Answer(NamedTuple):
    """An answer that needs no person."""

    option_id: str | None
    """None: cancelled, since what was decided is not among the options."""
    given: Given


class Beforehand(NamedTuple):
    """What was decided about a call before it came."""

    decision: rules.Decision
    given: Given
    """By which rule or policy."""


def beforehand(host: Host, call: ToolCall, session: Session, agent: str) -> Beforehand:
    """Return what the user's rules say of a call, else the session's policy.

    Neither allows a write to a protected file, unless a rule names it.
    """
    said = rules.decide(host.rules, ask_of(call, session, agent))
    files = _files(host, session)
    if said.rule is not None:
        decision, given = said.decision, Given("rule", said.rule.source)
    else:
        chosen = host.policy_of(session.id)
        decision = policy.by_policy(chosen, call.kind, call.command, _for_policy(call, session.cwd), files)
        given = Given("policy", policy.WORDS[chosen])
    if decision == "allow" and _writes_protected(call, session, files, (said.rule, *said.also)):
        decision = "ask"
    return Beforehand(decision, given)


def _writes_protected(
    call: ToolCall, session: Session, files: Files | None, by: Sequence[rules.Rule | None]
) -> bool:
    """Return whether a call may write a protected file that no rule which allows it names."""
    if call.kind in policy.LOOKING and call.command is None:
        return False
    roots = files.roots if files is not None else (session.cwd,)
    if call.command is not None:
        written = written_by(call.command, absolute(folder_of(call, session.cwd), session.cwd))
    else:
        named = [absolute(path, session.cwd) for path in call.named_paths]
        written = [*named, *input_paths(call, session.cwd)]
    parts = {part.casefold() for rule in by if rule and rule.path for part in rule.path.split("/")}
    found = (protection(path, roots) for path in written)
    return any(one is not None and one.names.isdisjoint(parts) for one in found)


def verdict(host: Host, question: Permission, session: Session, agent: str) -> Answer | None:
    """Return the answer that was decided beforehand; None when the person is to be asked."""
    decision, given = beforehand(host, question.call, session, agent)
    if decision == "ask":
        return None
    choices = [(option.option_id, option.kind) for option in question.options]
    option_id = rules.choose(choices, decision)
    return Answer(option_id, given) if option_id is not None or decision == "deny" else None


def asking_rule(host: Host, call: ToolCall, session: Session, agent: str) -> rules.Rule | None:
    """Return the rule because of which the person is asked, if there is one: it wins over every policy."""
    said = rules.decide(host.rules, ask_of(call, session, agent))
    return said.rule if said.decision == "ask" else None


class Denied(Exception):
    """A rule of the user's forbids what the agent would have us do. The message is for the agent."""

    def __init__(self, source: str) -> None:
        super().__init__("denied by a rule of the user")  # where our files lie is not its business
        self.source = source
        """What the log says of the rule."""


def ask_of(call: ToolCall, session: Session, agent: str) -> rules.Ask:
    """Return what a tool call asks for, in the words of the rules."""
    mode = session.option("mode")
    named = (absolute(path, session.cwd) for path in call.named_paths)
    return rules.Ask(
        agent=agent,
        tool_kind=call.kind,
        paths=with_targets(named, session.cwd),
        inputs=with_targets(input_paths(call, session.cwd), session.cwd),
        hints=tuple(_hints(call)),
        folder=absolute(folder_of(call, session.cwd), session.cwd),
        env=tuple(env_of(call).items()),
        command=call.command,
        worded=_worded(call),
        told=tuple(_told(call)),
        mode=str(mode.config.current_value) if mode is not None else None,
        workspace=session.cwd,
        session=session.id,
    )


def _hints(call: ToolCall) -> Iterator[str]:
    """Yield what else the input of a call may name; the command and its words are looked at apart."""
    said = call.said_command
    yield from hinted_in(call.raw_input, said.keys if said is not None else frozenset())


def _worded(call: ToolCall) -> str | None:
    """Return the command that a call speaks of where none is known; several are several lines."""
    if call.command is not None or call.kind not in ("execute", "other"):
        return None
    said = [call.worded_command, *unusual_commands(call.raw_input)]
    return "\n".join(dict.fromkeys(text for text in said if text)) or None


def _told(call: ToolCall) -> Iterator[str]:
    """Yield the words of a call in which a further command, or the only one, may stand."""
    said = call.said_command
    if said is not None:
        if call.kind in ("execute", "other"):
            yield from unusual_commands(call.raw_input, said.keys)
        return
    if isinstance(call.raw_input, dict):
        yield from (text for key in ("command", "cmd") if isinstance(text := call.raw_input.get(key), str))
    if call.kind in _NEVER_RUNNING:
        return
    yield call.title
    yield _BEFORE_COMMAND.sub("", call.title.strip())
    yield from unusual_commands(call.raw_input)
    for item in call.content:
        if isinstance(item, Text):
            yield item.text[:_LOOKED_AT]


def input_paths(call: ToolCall, cwd: str) -> list[str]:
    """Return the paths that only the tool's input names, absolute."""
    found = named_in(call.raw_input, narrow=call.command is not None)
    return [os.path.join(cwd, os.path.expanduser(path)).replace("/./", "/") for path in found]  # noqa: PTH111, PTH118 - text, not yet a path


def _for_policy(call: ToolCall, cwd: str) -> list[str]:
    """Return the paths that a policy looks at; an input alone does not say what is edited."""
    named = call.named_paths
    return [*named, *input_paths(call, cwd)] if named or call.kind != "edit" else []


def _files(host: Host, session: Session) -> Files | None:
    try:
        return host.files(session.id)
    except NotLent:
        return None
