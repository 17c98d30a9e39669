"""What the next prompt tells the agent of its changes: which of them the person has taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from acp_tui.safe_text import exact_line
from acp_tui.session.entries import NOTE

_NAMED: Final = 5
"""Facts that the note names."""
_HEAD: Final = NOTE.strip()


class _Fact:
    def __init__(self, text: str, undo: str) -> None:
        self.text = text
        self.undo = undo
        """What is told when it is undone after the agent was told."""
        self.is_told = False


class Rejections:
    """The facts that the agent of one conversation has not been told; what is undone in time is not told."""

    def __init__(self, changed: Callable[[], None], *, wanted: bool = True) -> None:
        """Begin without facts.

        Args:
            changed: called when the note has changed.
            wanted: the person's setting: whether anything is told.
        """
        self._changed = changed
        self._wanted = wanted
        self._facts: list[_Fact] = []
        self._steps: list[_Fact] = []
        self._taken: list[_Fact] = []

    def add(self, text: str, undo: str) -> None:
        """Remember a step, such as `rejected your change in a.py`; `undo` tells of its undoing."""
        fact = _Fact(exact_line(text), exact_line(undo))
        self._steps.append(fact)
        self._tell(fact)

    def undone(self, newer: int = 0) -> None:
        """A step was undone: forget it, or tell that, too, if the agent knows of it.

        Args:
            newer: how many steps after it stand.
        """
        if len(self._steps) <= newer:
            return
        step = self._steps.pop(-1 - newer)
        if step.is_told:
            self._tell(_Fact(step.undo, ""))
        elif step in self._facts:
            self._facts.remove(step)
            self._changed()

    def note(self) -> str:
        """Return the text that goes with the next prompt; empty without anything to tell."""
        if not self._facts:
            return ""
        lines = [fact.text for fact in self._facts[-_NAMED:]]
        more = len(self._facts) - len(lines)
        earlier = [f"- {more} earlier ones"] if more > 0 else []
        return "\n".join([_HEAD, *earlier, *(f"- {line}" for line in lines)])

    def take(self) -> str:
        """Return the note, which is told from now on."""
        note, self._taken = self.note(), list(self._facts)
        for fact in self._taken:
            fact.is_told = True
        self.drop()
        return note

    def give_back(self) -> None:
        """What was taken last did not reach the agent."""
        for fact in self._taken:
            fact.is_told = False
        if self._taken:
            self._facts[:0] = self._taken
            self._taken = []
            self._changed()

    def drop(self) -> None:
        """Tell nothing of what was done so far."""
        if self._facts:
            self._facts.clear()
            self._changed()

    def _tell(self, fact: _Fact) -> None:
        if self._wanted:
            self._facts.append(fact)
            self._changed()


def lines_of(start: int, stop: int) -> str:
    """Return lines in words, from 0 and the last not included; none are named by the line before them."""
    if start == stop:
        return f"after line {start}"
    return f"line {start + 1}" if stop - start == 1 else f"lines {start + 1}-{stop}"
