"""The rule that a question suggests: allow just this, a little wider where that is what one would say."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterable
from typing import Any, Final

from acp_tui.agent.rule_book import prefix_mistake
from acp_tui.agent.rule_changes import OF_SESSION
from acp_tui.host.command_rules import covering, simple_commands
from acp_tui.host.rules import KNOWN_KINDS, Ask, Rule
from acp_tui.readable import inside
from acp_tui.store.rules import Decision, WrittenRule
from acp_tui.ui.screens.reach import AGENT_ONLY, Reach

_SUBCOMMAND: Final = re.compile(r"[a-z][a-z-]*")
"""What looks like the second word of `git status`, `npm test`, and unlike a file or an option."""

_GLOB: Final = re.compile(r"[*?]")
"""In the name of a file these would match other files, too."""
_SHORT: Final = 2_000
"""Characters of a command up to which its beginning is looked for while the user waits."""
_HARMLESS: Final = ("read", "search", "think")
_RUNS_ANYTHING: Final = re.compile(
    r"(?:sudo|doas|su|env|command|builtin|exec|eval|nohup|setsid|time|timeout|nice|xargs|find|ssh|watch"
    r"|(?:ba|da|z|k|fi|c|tc)?sh|(?:python|pypy|perl|ruby|php|lua|node|deno|bun|npx|bunx|uvx)[\d.]*)"
)
"""Programs that run whatever stands behind them: their name alone would allow everything."""


def suggested(ask: Ask, rules: Iterable[Rule] = ()) -> WrittenRule:
    """Return a rule that allows what is asked, for the person to widen or narrow.

    Of a chain, the first command that no rule allows yet. All commands or changes are never suggested, and
    of what runs other programs only all that is written.
    """
    kind = ask.tool_kind if ask.tool_kind in KNOWN_KINDS else None
    command = path = None
    if ask.command is not None:
        allowed = [rule.command for rule in rules if rule.decision == "allow" and rule.command is not None]
        command = _prefix(ask.command, allowed)
    else:
        path = ask.paths[0] if len(ask.paths) == 1 else _folder(ask.paths)
        path = None if path is None or _GLOB.search(path.removesuffix("/**")) else path
    is_narrow = command is not None or path is not None
    decision: Decision = "allow" if is_narrow or kind in _HARMLESS else "ask"
    return WrittenRule(decision, tool_kind=kind, command=command, path=path, agent=ask.agent or None)


def reaches(ask: Ask, rules: Iterable[Rule] = ()) -> list[Reach]:
    """Return what "always" may mean for what is asked, the narrowest first; rules end with their session."""

    def rule(**what: Any) -> Rule:
        return Rule("allow", agent=ask.agent or None, session=ask.session, where=OF_SESSION, **what)

    found = [AGENT_ONLY]
    if ask.command is not None:
        very = ask.command.strip()
        found.append(Reach("also this very command", rule(tool_kind="execute", command=very, exact=True)))
        prefix = suggested(ask, rules).command if len(very) <= _SHORT else None
        if prefix is not None and prefix != very:
            words = f"also commands that begin with “{prefix}”"
            found.append(Reach(words, rule(tool_kind="execute", command=prefix)))
    elif ask.tool_kind in ("edit", "read"):
        does = "any change of" if ask.tool_kind == "edit" else "reading"
        if len(ask.paths) == 1 and not _GLOB.search(ask.paths[0]):
            words = f"also {does} {inside(ask.paths[0], ask.workspace)}"
            found.append(Reach(words, rule(tool_kind=ask.tool_kind, path=ask.paths[0])))
        if ask.tool_kind == "edit" and ask.workspace and not _GLOB.search(ask.workspace):
            here = f"{ask.workspace.rstrip('/')}/**"
            found.append(Reach("also any change in the workspace", rule(tool_kind="edit", path=here)))
    return found


def _prefix(command: str, allowed: list[str]) -> str | None:
    for one in simple_commands(command):
        words = [word.text for word in one.words]
        if not words or words[0] is None:
            continue
        known = [word for word in words if word is not None]
        if covering(allowed, shlex.join(known)) is not None:
            continue
        if _RUNS_ANYTHING.fullmatch(posixpath.basename(words[0])):
            if None in words:
                return None
            count = len(words)
        else:
            count = 2 if len(words) > 1 and _SUBCOMMAND.fullmatch(words[1] or "") else 1
        prefix = shlex.join(known[:count])
        return None if prefix_mistake(prefix) else prefix
    return None


def _folder(paths: tuple[str, ...]) -> str | None:
    """Return a glob for all below the folder that some paths have in common."""
    if not paths:
        return None
    parts = [path.split("/")[:-1] for path in paths]
    common = []
    for names in zip(*parts, strict=False):
        if len(set(names)) > 1:
            break
        common.append(names[0])
    return f"{'/'.join(common)}/**" if len(common) > 1 else None
