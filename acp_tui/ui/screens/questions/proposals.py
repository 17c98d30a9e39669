"""Proposed texts of files, which the user may edit before they are accepted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from textual.app import App

from acp_tui.agent.permissions.amendments import Amendment
from acp_tui.changes.merge import OPENING
from acp_tui.session.entries import Diff
from acp_tui.session.questions import OldText
from acp_tui.session.snippets import whole_text
from acp_tui.store.edited_texts import FOLDER, EditedText
from acp_tui.store.folders import data_folder
from acp_tui.ui.screens.base.editor import as_typed, open_in_editor

FindTexts = Callable[[Sequence[str]], dict[str, OldText]]
"""Reads the current texts of files, by path as the agent names it."""

_TIMEOUT: Final = 15


class Proposal(NamedTuple):
    """The whole text that a file would get."""

    path: str
    """As the agent names it."""
    now: str | None
    """The current text; None for no file."""
    text: str
    problem: str = ""
    """The reason why the text is unknown, or ""."""


class EditedProposal(NamedTuple):
    """A proposal that the user has edited."""

    now: str | None
    amendment: Amendment


def proposals(diffs: Iterable[Diff], find: FindTexts | None) -> list[Proposal]:
    """Return the text of each file after the changes. Blocking.

    Args:
        diffs: the changes, in order.
        find: reads the files; None if each change has the whole text of its file.
    """
    by_path: dict[str, list[Diff]] = {}
    for diff in diffs:
        by_path.setdefault(diff.path, []).append(diff)
    if find is None:
        return [Proposal(path, told[0].before, told[-1].new_text) for path, told in by_path.items()]
    there = find(list(by_path))
    return [_proposal(path, told, there[path]) for path, told in by_path.items()]


_TEXTS: Final = ("", "add", "modify")
"""Operations that only change the text of a file."""


def _proposal(path: str, diffs: Sequence[Diff], there: OldText) -> Proposal:
    if any(diff.has_no_text or diff.operation not in _TEXTS for diff in diffs):
        return Proposal(path, there.text, "", "the agent sent no new text for it")
    if there.why_not:
        return Proposal(path, None, "", there.why_not)
    text, problem = whole_text(((diff.before, diff.new_text) for diff in diffs), there.text)
    return Proposal(path, there.text, text, problem)


async def edit_proposal(app: App[Any], proposal: Proposal) -> Amendment | None:
    """Open a proposed text in the user's editor; return what was saved.

    None, with a notice, if it was not changed, or nothing usable was saved; such a text is kept in its file.
    """

    def tell(text: str) -> None:
        app.notify(text, title="Editor", severity="warning", timeout=_TIMEOUT, markup=False)

    name, before = proposal.path.rpartition("/")[2], proposal.text
    try:
        kept = await asyncio.to_thread(EditedText, data_folder() / FOLDER, name, before)
    except (OSError, UnicodeError) as error:
        tell(f"The text cannot be edited: {error}")
        return None
    line = await asyncio.to_thread(_first_change, proposal.now, before)
    problem = await open_in_editor(app, kept.path, line)
    try:
        text = as_typed(kept.read(), before)
    except (OSError, UnicodeDecodeError) as error:
        tell(f"{problem} The edited text cannot be read: {error}. It is in {kept.leave()}".strip())
        return None
    if text == before:
        kept.drop()
        tell(problem or "Nothing was changed: the question stays open.")
    elif problem:
        tell(f"{problem} The edited text is in {kept.leave()}")
    elif not text.strip():
        kept.drop()
        tell("The text was empty: the question stays open.")
    else:
        return Amendment(proposal.path, before, text, kept, proposal.now)
    return None


def _first_change(now: str | None, text: str) -> int | None:
    """Return the line (from 1) of the first conflict in a text, else of its first change."""
    if now is None:
        return None
    lines = text.split("\n")
    conflict = next((place for place, line in enumerate(lines) if line.startswith(OPENING)), None)
    pairs = zip(lines, now.split("\n"), strict=False)
    changed = next((place for place, (one, other) in enumerate(pairs) if one != other), 0)
    return (changed if conflict is None else conflict) + 1


def tell_left(app: App[Any], edits: dict[str, EditedProposal]) -> None:
    """Leave the edited texts of a closed question to the user, with a notice of their paths."""
    for one in edits.values():
        if one.amendment.kept is not None:
            text = f"The question is closed. Your edited text is in {one.amendment.kept.leave()}"
            app.notify(text, title="Editor", severity="warning", timeout=_TIMEOUT, markup=False)
    edits.clear()
