"""Rejected changes, reported to the agent with the next prompt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from acp_tui.safe_text import exact_line
from acp_tui.session.entries import NOTE

_NAMED: Final = 5
"""Most facts that a note names."""
_HEAD: Final = NOTE.strip()


class _Fact:
    def __init__(self, text: str, undo: str) -> None:
        self.text = text
        self.undo = undo
        """The fact to report if the step is undone after it was reported."""
        self.is_reported = False


class Rejections:
    """The unreported facts of one conversation; a step that is undone before its report is dropped."""

    def __init__(self, changed: Callable[[], None], *, wanted: bool = True) -> None:
        """Begin without facts.

        Args:
            changed: called when the note has changed.
            wanted: False if the settings disable reports.
        """
        self._changed = changed
        self._wanted = wanted
        self._facts: list[_Fact] = []
        self._steps: list[_Fact] = []
        self._taken: list[_Fact] = []

    def add(self, text: str, undo: str) -> None:
        """Add a step, such as `rejected your change in a.py`; `undo` reports its undoing."""
        fact = _Fact(exact_line(text), exact_line(undo))
        self._steps.append(fact)
        self._tell(fact)

    @property
    def steps(self) -> list[str]:
        """All steps that were not undone, reported or not."""
        return [step.text for step in self._steps]

    def add_fact(self, text: str) -> None:
        """Add a fact that cannot be undone, such as `edited your change of a.py`."""
        self._tell(_Fact(exact_line(text), ""))

    def undone(self, newer: int = 0) -> None:
        """Drop a step that was undone, or report its undoing if the agent knows of it.

        Args:
            newer: the number of later steps, which are kept.
        """
        if len(self._steps) <= newer:
            return
        step = self._steps.pop(-1 - newer)
        if step.is_reported:
            self._tell(_Fact(step.undo, ""))
        elif step in self._facts:
            self._facts.remove(step)
            self._changed()

    def note(self) -> str:
        """Return the note for the next prompt; empty without facts."""
        if not self._facts:
            return ""
        lines = [fact.text for fact in self._facts[-_NAMED:]]
        more = len(self._facts) - len(lines)
        earlier = [f"- {more} earlier ones"] if more > 0 else []
        return "\n".join([_HEAD, *earlier, *(f"- {line}" for line in lines)])

    def take(self) -> str:
        """Return the note; its facts then count as reported."""
        note, self._taken = self.note(), list(self._facts)
        for fact in self._taken:
            fact.is_reported = True
        self.drop()
        return note

    def arrived(self) -> None:
        """Forget the last note: it has arrived and cannot be given back."""
        self._taken = []

    def give_back(self) -> None:
        """Restore the last note: it did not reach the agent."""
        for fact in self._taken:
            fact.is_reported = False
        if self._taken:
            self._facts[:0] = self._taken
            self._taken = []
            self._changed()

    def drop(self) -> None:
        """Drop all facts."""
        if self._facts:
            self._facts.clear()
            self._changed()

    def _tell(self, fact: _Fact) -> None:
        if self._wanted:
            self._facts.append(fact)
            self._changed()


def lines_of(start: int, stop: int) -> str:
    """Return a range of lines (from 0, exclusive) for display; an empty one by its place."""
    if start == stop:
        return f"after line {start}"
    return f"line {start + 1}" if stop - start == 1 else f"lines {start + 1}-{stop}"
