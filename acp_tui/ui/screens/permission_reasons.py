"""What a permission dialog says beside the call: a command's parts, the rule that asks, what was before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Final

from acp_tui.host.explaining import Explanation, Part, explain
from acp_tui.store.precedents import MOST, Precedents
from acp_tui.ui.screens.permission_details import READ, Reading, labelled
from acp_tui.ui.screens.rule_words import matches
from acp_tui.ui.widgets.blocks import TextBlock
from acp_tui.ui.widgets.look import Look

if TYPE_CHECKING:
    from acp_tui.host.rules import Rule
    from acp_tui.ui.screens.background import Background

PARTS: Final = 6
"""Parts of a command that are listed at first."""
_PART: Final = 160
"""Characters of a part that are shown: the whole command stands above."""


def reasons(
    command: str | None,
    cwd: str,
    inside: Callable[[str], bool],
    background: Background,
    look: Look,
    how: Reading = READ,
) -> list[TextBlock]:
    """Return what explains a question; nothing where there is nothing to say.

    Args:
        command: the command, if the call runs one.
        cwd: the folder that it runs in.
        inside: whether a path lies in the workspace.
        background: the rule that asks, and what was decided before.
        look: the marks.
        how: whether all parts of a long command are listed, and the key for it.
    """
    blocks: list[TextBlock] = []
    if command is not None:
        blocks += _parts(explain(command, cwd, inside), look, how)
    if background.why:
        blocks.append(labelled("asked", [("muted", background.why)]))
    if background.rule is not None:
        blocks.append(labelled("rule", [("text", rule_words(background.rule))]))
    if background.before is not None:
        blocks.append(labelled("before", [("muted", before_words(background.before))]))
    return blocks


def has_more_parts(command: str | None, cwd: str, inside: Callable[[str], bool]) -> bool:
    """Return whether some parts are not listed at first."""
    return command is not None and len(explain(command, cwd, inside).parts) > PARTS


def rule_words(rule: Rule) -> str:
    """Return a rule in a line: what it does, what it speaks of, where it stands."""
    does = {"ask": "asks:", "deny": "denies what this may turn out to be:", "allow": "allows:"}[rule.decision]
    note = f", “{rule.note}”" if rule.note else ""
    return f"{does} {matches(rule)}{note}{f' ({rule.where})' if rule.where else ''}"


def before_words(before: Precedents) -> str:
    """Return what was decided before, in a line."""
    what = f"“{before.beginning} …” " if before.beginning else ""
    if before.allowed + before.rejected >= MOST:
        what += "at least "  # no more are looked at
    counts = ", ".join(f"{verb} {_times(count)}" for verb, count in _counts(before) if count)
    last = before.last.astimezone()
    day = "today" if last.date() == datetime.now().astimezone().date() else f"{last:%Y-%m-%d}"
    return f"{what}{counts} in this workspace, last {day} {last:%H:%M}"


def _counts(before: Precedents) -> Iterator[tuple[str, int]]:
    yield "allowed", before.allowed
    yield "rejected", before.rejected


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _parts(explanation: Explanation, look: Look, how: Reading) -> Iterator[TextBlock]:
    parts = explanation.parts
    if not explanation.understood:
        text = (
            "too long to be read"
            if explanation.too_long
            else "not all of it could be read as a shell command"
        )
        yield labelled("caution", [("warning", text)])
    if len(parts) == 1 and parts[0].notes:
        yield labelled("notes", _notes(parts[0])[1:])
    elif len(parts) > 1:
        shown = parts if how.whole else parts[:PARTS]
        for number, part in enumerate(shown):
            yield labelled("" if number else "parts", [("text", _text(part, look)), *_notes(part)])
        if len(shown) < len(parts):
            yield labelled("", [("warning", f"{len(parts) - len(shown)} more parts ({how.key} shows them)")])


def _text(part: Part, look: Look) -> str:
    inside = "  " * part.depth + (f"{look.glyph('folded')} " if part.depth else "")
    text = part.text if len(part.text) <= _PART else f"{part.text[:_PART]}…"
    return f"{inside}{text}"


def _notes(part: Part) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for note in part.notes:
        found += [
            ("muted", ", " if len(found) > 1 else "  "),
            ("warning" if note.grave else "muted", note.text),
        ]
    return found
