"""Authorization: what rules, the session's policy, grants and the agent's mode allow without a question.

`authorize` asks the rules and the policy about a tool call; `answer_without_user` gives a permission request
their decision as its answer. `may_go_on` decides about requests that came without one, in the order of
docs/security.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, Literal, NamedTuple

from acp_tui.agent.permissions.access import AgentAccess, NotGranted
from acp_tui.agent.permissions.tool_input import (
    changed_in,
    changes_in,
    env_of,
    fetches,
    folder_of,
    folders_in,
    hinted_in,
    input_paths,
    is_searched,
    leads_out,
    other_files,
    patched_in,
    unknown_fields,
)
from acp_tui.lazy_regex import regex
from acp_tui.rules import effort, path_rules, protected_files, protected_writes
from acp_tui.rules import model as rules
from acp_tui.session.entries import Diff, Text, ToolCall, absolute
from acp_tui.session.questions import Flaws, Permission, is_understood
from acp_tui.session.session import Session
from acp_tui.session.shell_command import named_commands, unusual_commands
from acp_tui.workspace.files import Files, with_targets

Answerer = Literal["person", "rule", "policy", "cancelled", "withdrawn", "agent ended", "nobody"]
"""The sources of an answer, in the words of the decision log.

"person" is the user, "cancelled" the end of the turn, "withdrawn" the agent; "nobody" answers a question that
cannot be shown.
"""


@dataclass(frozen=True, slots=True)
class AnsweredBy:
    """The source of an answer, and its reason."""

    who: Answerer
    detail: str = ""
    """The key that was pressed, the rule, the policy, or the reason of the end."""

    def __str__(self) -> str:
        """Return the words of the transcript and the journal."""
        match self.who:
            case "person":
                return "you"
            case "cancelled":
                return self.detail
            case "withdrawn":
                return "the agent"
            case _:
                return f"{self.who}: {self.detail}" if self.detail else self.who


USER: Final = AnsweredBy("person")

_NEVER_RUNNING: Final = frozenset(rules.TOOL_KINDS) - {"execute", "other"}
_CHANGING: Final = frozenset({"edit", "delete", "move", "other"})
"""Kinds of tools whose input may name a written file in any text."""
_BEFORE_COMMAND: Final = regex(r"^(?:\w+ ?: *|[$>%#] +|\w+ +(?=`))")
"""The word or prompt in front of a command in a title."""
_EDITS: Final = frozenset(("", "add", "modify"))
"""Operations of changes that are edits: to delete or move a file is more."""
_MAX_PATHS: Final = 200
"""Most files of one call that are examined, since it blocks the loop; a call with more is asked about."""
_MAX_FOLLOWED: Final = 1_000
"""Most paths of one call whose links are followed; a call with more is asked about."""
_MAX_SEARCHED: Final = 10_000
"""Most characters of a text that are searched for a command."""


class Authorization(NamedTuple):
    """The decision of a rule or the policy about a tool call."""

    decision: rules.Decision
    answered_by: AnsweredBy


class AutomaticAnswer(NamedTuple):
    """An answer to a permission request that needs no user."""

    option_id: str | None
    """None: cancelled, because no option matches the decision."""
    answered_by: AnsweredBy


class Denied(Exception):
    """A rule or the policy of the user denies a request; the message is for the agent."""

    def __init__(self, by: AnsweredBy) -> None:
        super().__init__(
            f"denied by a {by.who} of the user"
        )  # the agent need not know which file has the rule
        self.source = by.detail
        """The rule or the policy, in the words of the decision log."""


def authorize(access: AgentAccess, call: ToolCall, session: Session, agent: str) -> Authorization:
    """Return the decision of the user's rules about a call, else of the session's policy.

    A write to a protected file is allowed only by a rule that names it. In a read-only session no rule allows
    an edit or a command.
    """
    files = _files(access, session)
    use = tool_use_of(call, session, agent, files.roots if files is not None else ())
    said = rules.decide(access.rules, use)
    if access.policy_of(session.id) == "read-only" and said.decision != "deny" and _is_change(use):
        return Authorization("deny", AnsweredBy("policy", rules.WORDS["read-only"]))
    if said.rule is not None:
        decision, answered_by = said.decision, AnsweredBy("rule", said.rule.source)
    else:
        policy = access.policy_of(session.id)
        paths = [] if use.is_open or policy == "allow-everything" else _policy_paths(call, session.cwd)
        is_known = policy == "allow-everything" or not (use.is_open or len(paths) > _MAX_PATHS)
        decision = rules.by_policy(policy, call.kind, call.command, paths, files if is_known else None)
        is_more = bool(use.also_kinds) or _is_more(call, session.cwd, files)
        if decision == "allow" and policy != "allow-everything" and is_more:
            decision = "ask"
        answered_by = AnsweredBy("policy", rules.WORDS[policy])
    if decision == "allow" and _writes_protected(call, use, session, files, (said.rule, *said.also)):
        decision = "ask"
    return Authorization(decision, answered_by)


def answer_without_user(
    access: AgentAccess, question: Permission, session: Session, agent: str
) -> AutomaticAnswer | None:
    """Return the answer that a rule or the policy gives to a permission request; None: ask the user."""
    decision, answered_by = authorize(access, question.call, session, agent)
    if decision == "ask":
        return None
    flaws = Flaws(question.options)
    # A flawed option does not reject, whatever its kind: its id may be that of one that allows.
    offered = [one for one in question.options if decision == "allow" or not flaws.of(one)]
    option_id = rules.choose([(option.option_id, option.kind) for option in offered], decision)
    if option_id is None and decision != "deny":
        return None
    option = question.option(option_id)
    if option is not None and decision == "allow":
        # A name may say more than a rule: “Yes, without the sandbox”. Who allows everything allows that.
        is_clear = is_understood(option) or access.policy_of(session.id) == "allow-everything"
        if flaws.of(option) or not is_clear:
            return None
    return AutomaticAnswer(option_id, answered_by)


def why_asked(access: AgentAccess, call: ToolCall, session: Session, agent: str) -> rules.RuleVerdict:
    """Return why a question is asked: the rule that asks, or the reason why no rule allows the call."""
    files = _files(access, session)
    use = tool_use_of(call, session, agent, files.roots if files is not None else ())
    said = rules.decide(access.rules, use)
    return said if said.decision == "ask" else rules.RuleVerdict("ask", None)


class Grounds(NamedTuple):
    """The grounds on which an implicit request goes on or becomes a question."""

    kind: str
    decision: rules.Decision
    """By a rule, else by the policy."""
    is_by_rule: bool = False
    is_covered: bool = False
    """A grant covers the request: exactly this was shown to the user and allowed."""
    is_protected: bool = False
    """The request writes a protected file, and no rule that allows it names that file."""
    mode_lets: bool = False
    """The user has chosen a mode of the agent that acts without asking."""


_ASKED_BY_POLICY: Final = frozenset({"execute", "edit"})
"""Kinds of request that a policy asks about; reading is not one, agents do it all the time."""


def may_go_on(grounds: Grounds) -> bool:
    """Return whether an implicit request goes on without a question. Nothing else decides that."""
    if grounds.decision == "deny":
        return False
    if grounds.is_covered:
        return True
    if grounds.is_protected:
        return False
    if grounds.decision == "allow":
        return True
    if grounds.is_by_rule:
        return False
    return grounds.kind not in _ASKED_BY_POLICY or grounds.mode_lets


def tool_use_of(call: ToolCall, session: Session, agent: str, roots: Sequence[str] = ()) -> rules.ToolUse:
    """Return a tool call in the form that rules match.

    Args:
        call: the call.
        session: the session of the call.
        agent: the name of the agent.
        roots: the folders of the workspace; none: the folder of the session alone.
    """
    runs, said = call.command is not None or call.kind == "execute", call.stated_command
    root = session.root
    mode = root.option("mode")
    paths = call.named_paths
    named = (absolute(path, session.cwd) for path in paths[:_MAX_FOLLOWED])
    is_open = not is_searched(call.raw_input)
    searched = replace(call, raw_input=None) if is_open else call
    return rules.ToolUse(
        agent=agent,
        tool_kind=call.kind,
        tool_name=call.name or "",
        paths=with_targets(named, session.cwd),
        inputs=with_targets(input_paths(searched, session.cwd), session.cwd),
        find_others=cache(lambda: _others(searched, session.cwd, (root.cwd, *roots))),
        hints=tuple(_hints(searched)),
        folder=absolute(folder_of(call, session.cwd), session.cwd),
        folders=tuple(absolute(path, session.cwd) for path in folders_in(call.raw_input)) if runs else (),
        env=tuple(env_of(call).items()),
        unknown_fields=tuple(unknown_fields(call.raw_input, said.keys)) if said is not None else (),
        unread=tuple(call.unread),
        command=call.command,
        worded=_worded(call),
        possible_commands=tuple(_possible_commands(searched)),
        mode=str(mode.config.current_value) if mode is not None else None,
        names_command=said is None and bool(named_commands(call.raw_input)),
        also_kinds=tuple(dict.fromkeys(_also_kinds(searched))),
        has_more_paths=len(paths) > _MAX_FOLLOWED,
        is_open=is_open,
        workspace=root.cwd,
        roots=(root.cwd, *roots),
        session=root.id,
    )


def _also_kinds(call: ToolCall) -> Iterator[str]:
    """Yield the further kinds that its content and input tell, whatever the agent calls it."""
    found = [
        item.operation if item.operation in ("delete", "move") else "edit"
        for item in call.content
        if isinstance(item, Diff)
    ]
    if call.command is None:  # else its texts are those of the command
        found += changes_in(call.raw_input, is_read=call.kind in rules.LOOKING)
    if call.command is not None or named_commands(call.raw_input):
        found.append("execute")
    # To delete or move a file may be shown as a change of it.
    own = (call.kind, "edit") if call.kind in ("delete", "move") else (call.kind,)
    yield from (kind for kind in found if kind not in own)


def _hints(call: ToolCall) -> Iterator[str]:
    """Yield other texts of the input that may be paths, without the command and its arguments."""
    said = call.stated_command
    yield from hinted_in(call.raw_input, said.keys if said is not None else frozenset())
    yield from hinted_in(dict(call.unread))
    yield from patched_in(call.raw_input) if said is None else ()


def _others(call: ToolCall, cwd: str, roots: Sequence[str]) -> tuple[str, ...]:
    """Return the files that patches or fields with any other name may mean, without those of the command."""
    raw, said = call.raw_input, call.stated_command
    if said is not None and isinstance(raw, dict):
        raw = {key: value for key, value in raw.items() if key not in said.keys}
    return with_targets(other_files(raw, cwd, lambda path: path_rules.is_below(path, roots)), cwd)


def _worded(call: ToolCall) -> str | None:
    """Return the command found in the texts of a call whose fields name none; several as lines."""
    if call.command is not None or call.kind not in ("execute", "other"):
        return None
    said = [call.worded_command, *unusual_commands(call.raw_input)]
    return "\n".join(dict.fromkeys(text for text in said if text)) or None


def _possible_commands(call: ToolCall) -> Iterator[str]:
    """Yield the texts of a call that may contain a command."""
    yield from unusual_commands(dict(call.unread))
    said = call.stated_command
    if said is not None:
        if call.kind in ("execute", "other"):
            yield from unusual_commands(call.raw_input, said.keys)
        return
    if isinstance(call.raw_input, dict):
        yield from (text for key in ("command", "cmd") if isinstance(text := call.raw_input.get(key), str))
    if call.kind in _NEVER_RUNNING:
        yield from named_commands(call.raw_input)
        return
    yield call.title
    yield _BEFORE_COMMAND.sub("", call.title.strip())
    yield from unusual_commands(call.raw_input)
    for item in call.content:
        if isinstance(item, Text):
            yield item.text[:_MAX_SEARCHED]


_REFUSED: Final = frozenset({"edit", "delete", "move", "execute"})
"""Kinds that a read-only session refuses, besides all calls with a command."""


def _is_change(use: rules.ToolUse) -> bool:
    """Return whether a call is an edit or a command, by its kind or its content."""
    return not _REFUSED.isdisjoint((use.tool_kind, *use.also_kinds)) or use.command is not None


def _policy_paths(call: ToolCall, cwd: str) -> list[str]:
    """Return the paths that a policy checks; none for an edit whose path is only in its input."""
    named = call.named_paths
    if not named and call.kind == "edit":
        return []
    patched = (absolute(path, cwd) for path in patched_in(call.raw_input)) if call.kind == "edit" else ()
    return [*named, *input_paths(call, cwd), *patched]


def _is_more(call: ToolCall, cwd: str, files: Files | None) -> bool:
    """Return whether a call may do more than a policy can see from its kind and paths."""
    return (
        bool(call.unread)
        or any(isinstance(item, Diff) and item.operation not in _EDITS for item in call.content)
        or (call.kind in rules.LOOKING and fetches(call.raw_input))
        or (files is not None and leads_out(call.raw_input, cwd, files.contains))
    )


def _writes_protected(
    call: ToolCall,
    use: rules.ToolUse,
    session: Session,
    files: Files | None,
    by: Sequence[rules.Rule | None],
) -> bool:
    """Return whether a call may write a protected file that no allowing rule names."""
    roots = files.roots if files is not None else (session.cwd,)
    # Only the path below a root counts: a folder above it may have such a name by chance.
    below = [_below_root(rule.path, roots) for rule in by if rule and rule.path]
    parts = {part.casefold() for path in below for part in path.split("/")}
    found = _protections(call, use, session.cwd, [str(root) for root in roots])
    try:
        with effort.limited():
            return any(name.isdisjoint(parts) for one in found for name in one.names)
    except effort.TooMuchEffort:
        return True


def _protections(
    call: ToolCall, use: rules.ToolUse, cwd: str, roots: Sequence[str]
) -> Iterator[protected_files.Protection]:
    """Yield the protections of the files that a call may write."""
    if call.kind in _CHANGING and use.is_open:
        yield protected_files.Protection("its input is too large to be searched", (frozenset(),))
        return
    if call.command is None:
        for text in named_commands(call.raw_input):
            yield from protected_writes.protections_in(text, absolute(folder_of(call, cwd), cwd), roots)
    for path in changed_in(dict(call.unread)):
        yield from protected_files.protections_named(absolute(path, cwd), roots)
    if call.kind in rules.LOOKING and call.command is None and not use.also_kinds:
        return
    command = call.command if call.command is not None else _worded(call)
    if command is None and call.kind == "execute":
        command = _BEFORE_COMMAND.sub("", call.title.strip()).strip("`")
    if command is not None:
        yield from protected_writes.protections_in(command, absolute(folder_of(call, cwd), cwd), roots)
    if call.command is not None:
        return
    named = dict.fromkeys([*(absolute(path, cwd) for path in call.named_paths), *input_paths(call, cwd)])
    if len(named) > _MAX_PATHS:
        yield protected_files.Protection("it is one of too many files", (frozenset(),))
        return
    yield from filter(None, (protected_files.protection(path, roots) for path in named))
    for path in changed_in(call.raw_input) if call.kind in _CHANGING else ():
        yield from protected_files.protections_named(absolute(path, cwd), roots)


def _below_root(path: str, roots: Sequence[str]) -> str:
    """Return a path of a rule relative to the root that contains it."""
    root = max((root for root in roots if f"{path}/".startswith(f"{root.rstrip('/')}/")), key=len, default="")
    return path[len(root) :]


def _files(access: AgentAccess, session: Session) -> Files | None:
    try:
        return access.files(session.id)
    except NotGranted:
        return None
