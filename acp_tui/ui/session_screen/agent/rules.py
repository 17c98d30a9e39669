"""The rules of a session: their list, a rule made from a question, trust."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from acp_tui.agent.permissions.authorization import tool_use_of
from acp_tui.agent.permissions.decision_records import past_tool_uses
from acp_tui.conversation.running_agent import rule_book
from acp_tui.conversation.start_options import Start
from acp_tui.formatting import inside
from acp_tui.lazy_regex import regex
from acp_tui.rules import command_rules, harmless_options, shell
from acp_tui.rules.model import TOOL_KINDS, Decision, Rule, ToolUse, decide
from acp_tui.rules.rule_book import OF_SESSION, SCOPES, RuleBook, RuleChanges, RuleDraft
from acp_tui.rules.rule_files import CannotWrite, RuleFile
from acp_tui.session.entries import ToolCall
from acp_tui.store.decisions import NAME, Decisions
from acp_tui.store.folders import data_folder
from acp_tui.ui.screens.questions import permission_details
from acp_tui.ui.screens.rules import rule_editor, rule_list
from acp_tui.ui.screens.rules import rules as rules_screen
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.ui.widgets.text import shortened

_PAST: Final = 300
"""Most earlier requests on which a new rule is tried."""
_EXAMPLES: Final = 3


class SessionRules:
    """Opens the screens about rules over a session."""

    def __init__(self, screen: ConversationScreen, start: Start) -> None:
        self._screen = screen
        self._start = start
        self._changes: RuleChanges | None = None
        self._told: set[str] = set()
        """Digests of files about which the user was asked."""
        self._wrong: set[str] = set()
        """Mistakes that were shown to the user and still exist."""
        self._shown: rules_screen.RulesScreen | None = None
        """The last opened list of rules."""

    @property
    def book(self) -> RuleBook:
        """The rules of the session's agent; without an agent, those of the files."""
        access = self._screen.conversation.access
        if access is not None and isinstance(access.rules, RuleBook):
            return access.rules
        if self._changes is not None:
            return self._changes.book
        book = rule_book()
        book.enter(self._start.cwd)
        return book

    @property
    def changes(self) -> RuleChanges:
        """The changes of the rules."""
        book = self.book
        if self._changes is None or self._changes.book is not book:
            self._changes = RuleChanges(book)
        return self._changes

    def show(self) -> None:
        """List the rules."""
        ask, past = self._ask(), self._past()
        self._shown = rules_screen.RulesScreen(
            self.changes, ask, self._screen.theme_styles, lambda draft: preview(draft, None, ask, past)
        )
        self._screen.app.push_screen(self._shown)

    def make(self, call: ToolCall) -> None:
        """Create a rule from a tool call, in a dialog over its question."""
        session = self._screen.conversation.session
        if session is None:
            return
        ask, past = tool_use_of(call, session, self._agent), self._past()
        others = list(self.book)
        draft = RuleDraft(suggested(ask, others), "workspace")
        editor = rule_editor.RuleEditor(
            "New rule",
            draft,
            self._screen.theme_styles,
            lambda draft: preview(draft, ask, ask, past, others),
            scopes=SCOPES,
        )
        self._screen.app.push_screen(editor, self._made)

    def always_scopes(self, call: ToolCall) -> list[permission_details.AlwaysScope]:
        """Return the scopes of "always" for a call."""
        session = self._screen.conversation.session
        if session is None:
            return [permission_details.AGENT_ONLY]
        access = self._screen.conversation.access
        is_granted = access is not None and access.grants(session.id, session.cwd)
        roots = access.files(session.id).roots if access is not None and is_granted else ()
        return always_scopes(tool_use_of(call, session, self._agent, roots), list(self.book))

    def keep(self, rule: Rule) -> None:
        """Keep a rule of an answer for the rest of its session."""
        self.changes.keep(rule)

    def look(self) -> None:
        """Notify of mistakes in files and ask for trust in the file of the workspace, once for each."""
        if not self._screen.is_seen or self._screen.conversation.session is None:
            return
        book = self.book
        wrong = list(map(str, book.problems()))
        for problem in wrong:
            if problem not in self._wrong:
                self._screen.notify(problem, title="Rules", severity="warning", timeout=15)
        self._wrong = set(wrong)
        new = [file for file in book.not_trusted() if file.digest not in self._told]
        if new and self._screen.app.screen is self._screen:
            self._told.add(new[0].digest)
            self._screen.run_worker(self._ask_for_trust(book, new[0]), group="rules")

    def saved(self) -> None:
        """Read the files again after a save."""
        self.book.read_again()
        self.look()
        if self._shown is not None and self._shown in self._screen.app.screen_stack:
            self._shown.show_rules()

    async def _ask_for_trust(self, book: RuleBook, file: RuleFile) -> None:
        """Ask for trust in exactly the shown rules; if the file has changed in the meantime, ask again."""
        if not await self._screen.ask(rules_screen.RuleTrust(file, self._screen.theme_styles)):
            return
        try:
            book.trust.give(file.path, file.digest)
        except OSError as error:
            self._screen.notify(str(error.strerror), title="Not written down", severity="error")
            return
        if not book.is_trusted(file.path):
            text = f"{file.path} has changed since you saw it: its allow rules are not trusted."
            self._screen.notify(text, title="Rules", severity="warning")
            self.look()

    def _made(self, draft: RuleDraft | None) -> None:
        if draft is None:
            return
        ask = self._ask()
        try:
            self.changes.add(draft, ask.workspace, ask.session)
        except CannotWrite as error:
            self._screen.notify(str(error), title="No rule created", severity="error")
        else:
            self._screen.notify(
                "It applies from the next question on; answer this one yourself.", title="Rule created"
            )

    def _ask(self) -> ToolUse:
        """Return the fields that all requests of this session share."""
        session = self._screen.conversation.session
        mode = session.option("mode") if session is not None else None
        return ToolUse(
            self._agent,
            "execute",
            mode=str(mode.config.current_value) if mode is not None else None,
            workspace=self._screen.conversation.cwd,
            session=session.id if session is not None else "",
        )

    @property
    def _agent(self) -> str:
        agent = self._screen.conversation.agent
        return agent.name if agent is not None else ""

    def _past(self) -> Sequence[ToolUse]:
        try:
            return list(past_tool_uses(islice(Decisions(data_folder() / NAME), _PAST)))
        except OSError:
            return []


def preview(
    draft: RuleDraft, now: ToolUse | None, here: ToolUse, past: Iterable[ToolUse], others: Sequence[Rule] = ()
) -> list[str]:
    """Describe the matches of a rule in a few lines.

    Args:
        draft: the rule.
        now: the open question, if there is one.
        here: has the workspace and session in which the rule is created.
        past: earlier requests, the latest first.
        others: the other rules.
    """
    folder = (draft.rule.workspace or here.workspace) if draft.scope == "workspace" else None
    session = here.session if draft.scope == "session" else None
    rule = replace(draft.rule, workspace=folder, session=session)
    lines = [_now(rule, now, others)] if now is not None else []
    lines += _power(rule)
    tried = [replace(ask, mode=rule.mode) for ask in past]
    found = [ask for ask in tried if decide([rule], ask).rule is not None]
    if tried:
        last = f"the last {len(tried)} questions" if len(tried) > 1 else "the last question"
        lines.append(f"Matches {len(found)} of {last}{':' if found else '.'}")
    texts = dict.fromkeys(_short(ask) for ask in found)
    lines += [f"  {text}" for text in islice(texts, _EXAMPLES)]
    if len(texts) > _EXAMPLES:
        lines[-1] += f"   and {len(texts) - _EXAMPLES} more"
    return lines


def _power(rule: Rule) -> list[str]:
    """Return a warning about a program that can do more than the rule says."""
    words = command_rules.split(rule.command or "") if rule.decision == "allow" else []
    power = command_rules.power_of(words)
    if power is None:
        return []
    return [f"Caution: {words[0]} can {power}; you are asked unless its arguments are known as harmless."]


def _now(rule: Rule, now: ToolUse, others: Sequence[Rule]) -> str:
    """Describe the effect of a rule, alone and with the other rules, on the open question."""
    alone, with_others = decide([rule], now), decide([*others, rule], now)
    if (
        alone.rule is None
        and with_others.decision == "allow"
        and rule in (with_others.rule, *with_others.also)
    ):
        return "With your other rules it allows every part of the current request."
    if alone.rule is None and rule.command is not None and now.command is not None:
        prefixes = [one.command for one in (*others, rule) if one.decision == "allow" and one.command]
        left = command_rules.uncovered(prefixes, now.command, now.is_inside)
        if left and len(left) < len(command_rules.uncovered([], now.command)):
            return f"It does not cover the whole request. Not covered: {', '.join(left)}"
    if alone.rule is None:
        because = f": {alone.why}" if alone.why else ""
        return f"It does not match the current request{because}."
    against = (
        f"; with your other rules it is {rule_list.SAYS[with_others.decision]}"
        if with_others.decision != alone.decision
        else ""
    )
    return f"It matches the current request{against}."


def _short(ask: ToolUse) -> str:
    text = ask.command or ", ".join(ask.paths) or ask.tool_kind
    return shortened(" ".join(text.split()), 60)


_SUBCOMMAND: Final = regex(r"[a-z][a-z-]*")
"""A subcommand, as in `git status` or `npm test`; no file and no option."""

_GLOB: Final = regex(r"[*?]")
"""Wildcards: in a file name they would match other files, too."""
_SHORT: Final = 2_000
"""Most characters of a command whose prefix is computed while the user waits."""
_HARMLESS: Final = ("read", "search", "think")
_RUNS_ANYTHING: Final = regex(
    r"(?:sudo|doas|su|env|command|builtin|exec|eval|nohup|setsid|time|timeout|nice|xargs|find|ssh|watch"
    r"|(?:ba|da|z|k|fi|c|tc)?sh|(?:python|pypy|perl|ruby|php|lua|node|deno|bun|npx|bunx|uvx)[\d.]*)"
)
"""Programs that run the words after them: their name alone would allow everything."""


def suggested(ask: ToolUse, rules: Iterable[Rule] = ()) -> Rule:
    """Return a rule that allows a question, for the user to edit.

    In a chain it covers the first command that no rule allows yet. It never covers all commands or all
    changes, and for a program that runs other programs only the whole command.
    """
    kind = ask.tool_kind if ask.tool_kind in TOOL_KINDS else None
    command = path = None
    if ask.command is not None:
        allowed = [rule.command for rule in rules if rule.decision == "allow" and rule.command is not None]
        command = _prefix(ask.command, allowed, ask.is_inside)
    else:
        path = ask.paths[0] if len(ask.paths) == 1 else _folder(ask.paths)
        path = None if path is None or _GLOB.search(path.removesuffix("/**")) else path
    is_narrow = command is not None or path is not None
    decision: Decision = "allow" if is_narrow or kind in _HARMLESS else "ask"
    return Rule(decision, tool_kind=kind, command=command, path=path, agent=ask.agent or None)


def always_scopes(ask: ToolUse, rules: Iterable[Rule] = ()) -> list[permission_details.AlwaysScope]:
    """Return the scopes of "always" for a question, the narrowest first; their rules end with the session."""

    def rule(**what: Any) -> Rule:
        return Rule("allow", agent=ask.agent or None, session=ask.session, where=OF_SESSION, **what)

    wider: list[permission_details.AlwaysScope] = []
    if ask.command is not None:
        very, folder = shell.trimmed(ask.command), ask.folder or ask.workspace
        this = rule(tool_kind="execute", command=very, exact=True, folder=folder)
        if decide([this], replace(ask, tool_kind="execute")).decision != "allow":
            # a rule cannot express variables and the like, so it would cover other commands
            return [permission_details.AGENT_ONLY]
        wider.append(permission_details.AlwaysScope("also exactly this command in this folder", this))
        prefix = suggested(ask, rules).command if len(very) <= _SHORT else None
        if prefix is not None and prefix != very:
            words = f"also commands that begin with “{prefix}”"
            wider.append(permission_details.AlwaysScope(words, rule(tool_kind="execute", command=prefix)))
    elif ask.tool_kind in ("edit", "read"):
        does = "any change of" if ask.tool_kind == "edit" else "reading"
        if len(ask.paths) == 1 and not _GLOB.search(ask.paths[0]):
            words = f"also {does} {inside(ask.paths[0], ask.workspace)}"
            wider.append(
                permission_details.AlwaysScope(words, rule(tool_kind=ask.tool_kind, path=ask.paths[0]))
            )
        if ask.tool_kind == "edit" and ask.workspace and not _GLOB.search(ask.workspace):
            here = f"{ask.workspace.rstrip('/')}/**"
            wider.append(
                permission_details.AlwaysScope(
                    "also any change in the workspace", rule(tool_kind="edit", path=here)
                )
            )
    return [permission_details.AGENT_ONLY, *wider]


def _prefix(command: str, allowed: list[str], is_inside: Callable[[str], bool]) -> str | None:
    """Return the first words of the first command that no rule allows yet, enough to cover all of it."""
    for one in command_rules.simple_commands(command):
        words = [word.text for word in one.words]
        if not words or words[0] is None:
            continue
        known = [word for word in words if word is not None]
        if command_rules.covering(allowed, shlex.join(known), is_inside) is not None:
            continue
        if _RUNS_ANYTHING.fullmatch(posixpath.basename(words[0])):
            if None in words:
                return None
            count = len(words)
        else:
            count = 2 if len(words) > 1 and _SUBCOMMAND.fullmatch(words[1] or "") else 1
            enough = (
                n
                for n in range(count, len(words))
                if harmless_options.unknown_word(one.words, n, is_inside) is None
            )
            count = next(enough, len(words)) if None not in words else count
        prefix = shlex.join(known[:count])
        return None if command_rules.prefix_mistake(prefix) else prefix
    return None


def _folder(paths: tuple[str, ...]) -> str | None:
    """Return a glob for all files below the common folder of the paths."""
    if not paths:
        return None
    parts = [path.split("/")[:-1] for path in paths]
    common = []
    for names in zip(*parts, strict=False):
        if len(set(names)) > 1:
            break
        common.append(names[0])
    return f"{'/'.join(common)}/**" if len(common) > 1 else None
