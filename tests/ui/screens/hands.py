"""Simulated hands: they type in their rhythm, whatever dialogs come over what they are at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Final

from acp_tui.ui.application.key_guard import KeyGuard, KeyHistory, Press, Receiver, ScreenBelow, press

WORDS: Final = (
    "yes",
    "any",
    "and",
    "day",
    "may",
    "say",
    "an",
    "a",
    "y",
    "n",
    "no",
    "not",
    "done",
    "add",
    "undo",
    "many",
    "array",
    "delete",
    "deny",
    "already",
    "rename",
    "yay",
    "run",
    "read",
    "data",
    "random",
    "yarn",
    "navy",
    "dandy",
    "enter",
    "a",
    "n",
    "d",
    "r",
    "m",
    "y",
    "zip",
    "in",
)
PAUSES: Final = (0.3, 0.5, 0.8, 1.0, 1.3, 1.6, 2.0, 3.0)
"""Pauses between two words of a writer, in seconds."""
BOUND: Final = frozenset("yandrmzi") | {"enter", "up", "down", "tab", "escape"}
"""The keys of a permission dialog."""
_CHARACTERS: Final = {"space": " ", "enter": "\n"}

Stroke = tuple[str, float]
"""A key, and the seconds until the next one."""


def word(random: Random, speed: tuple[float, float]) -> Iterator[Stroke]:
    for letter in random.choice(WORDS):
        yield letter, 1 / random.uniform(*speed)
    yield "space", 1 / random.uniform(*speed)


def steady(random: Random) -> Iterator[Stroke]:
    """Types without a pause, and empties the prompt now and then."""
    while True:
        for _ in range(20):
            yield from word(random, (5, 15))
        yield "ctrl+u", 0.1


def lines(random: Random) -> Iterator[Stroke]:
    """Sends every few words."""
    while True:
        for _ in range(random.randint(1, 4)):
            yield from word(random, (5, 15))
        yield "enter", 1 / random.uniform(5, 15)


def pauses(random: Random, speed: tuple[float, float] = (5, 15)) -> Iterator[Stroke]:
    """Pauses between words as writers do, and sends now and then."""
    while True:
        *letters, (last, gap) = word(random, speed)
        yield from letters
        yield last, gap + (random.choice(PAUSES) if random.random() < 0.3 else 0.0)
        if random.random() < 0.1:
            yield "enter", random.choice((*PAUSES, 5.0, 9.0))


def hunt(random: Random) -> Iterator[Stroke]:
    """Looks at the keyboard: two to six keys a second, with pauses."""
    return pauses(random, (2, 6))


def short_answers(random: Random) -> Iterator[Stroke]:
    """Says yes and no to the agent, each in a line, after a look."""
    while True:
        for letter in random.choice(("y", "n", "yes", "no", "d", "a", "ok")):
            yield letter, 1 / random.uniform(5, 15)
        yield "enter", random.choice((*PAUSES, 4.0, 6.0, 12.0))


def arrows(random: Random) -> Iterator[Stroke]:
    """Goes through the chat, fast or with a look at each; without Tab, which turns to a dialog."""
    keys = ("up", "down", "shift+up", "shift+down", "enter", "y", "c", "pageup")
    while True:
        if random.random() < 0.7:
            for _ in range(random.randint(3, 30)):
                yield random.choice(keys), 1 / random.uniform(5, 15)
        else:
            for _ in range(random.randint(3, 12)):
                yield random.choice(keys), random.uniform(0.3, 3.0)


def held(random: Random) -> Iterator[Stroke]:
    """Holds keys down, as long as keyboards need to repeat them and longer."""
    while True:
        key = random.choice(("y", "a", "n", "enter", "down", "backspace", "space"))
        yield key, random.uniform(0.25, 0.66)
        for _ in range(random.randint(5, 60)):
            yield key, random.uniform(0.025, 0.04)
        yield from word(random, (5, 15))
        yield "space", random.choice(PAUSES)


def enters(random: Random) -> Iterator[Stroke]:
    """Hits Enter again and again, with words between."""
    while True:
        for _ in range(random.randint(1, 6)):
            yield "enter", random.uniform(0.08, 1.5)
        yield from word(random, (3, 12))


def reads(random: Random) -> Iterator[Stroke]:
    """Arrives in lumps, as over a slow line or a paste without brackets; some begin with Tab."""
    while True:
        if random.random() < 0.3:
            yield "tab", 0.0
        for _ in range(random.randint(1, 4)):
            for letter in f"{random.choice(WORDS)}x":
                yield letter, random.uniform(0.0, 0.0005)
            yield "space", 0.0
        yield "space", random.choice((0.2, *PAUSES, 6.0))


RHYTHMS: Final[dict[str, Callable[[Random], Iterator[Stroke]]]] = {
    one.__name__: one for one in (steady, lines, pauses, hunt, short_answers, arrows, held, enters, reads)
}


@dataclass
class Trial:
    """The outcome of the dialogs that one pair of hands met."""

    openings: int = 0
    keys: int = 0
    answered: list[str] = field(default_factory=list)
    """Answers, each with the keys before it."""
    lost: list[str] = field(default_factory=list)
    """Drafts that are not what was typed."""


class Desktop:
    """A prompt, and dialogs over it; keys go where the guard lets them."""

    def __init__(self, random: Random, *, is_chat: bool = False) -> None:
        self._random = random
        self._history = KeyHistory()
        self._guard: KeyGuard | None = None
        self._is_chat = is_chat
        self._until = 0.0
        self._recent: list[Stroke] = []
        self.draft = ""
        self.typed = ""
        """The draft as it has to be."""
        self.trial = Trial()

    def type(self, strokes: Iterator[Stroke], openings: int, hold: float) -> Trial:
        """Type until so many dialogs have come and gone."""
        now, opens = 0.0, self._random.uniform(0.1, 2.0)
        while self.trial.openings < openings:
            key, gap = next(strokes)
            self.press(key, now)
            now += gap
            while True:
                if self._guard is None and opens <= now:
                    self.open(opens)
                    self._until = opens + self._random.uniform(0.3, hold)
                elif self._guard is not None and self._until <= now:
                    self.settle(self._until)
                    self.close()
                    opens = self._until + self._random.uniform(0.05, 0.9)
                else:
                    break
            self.settle(now)
        return self.trial

    def open(self, at: float) -> None:
        self._guard = KeyGuard()
        self._guard.note_drawn(at + self._random.uniform(0.005, 0.05))
        self.trial.openings += 1

    def close(self) -> None:
        if self._guard is None:
            return  # answered
        self._write(self._guard.release())
        self._guard = None
        if self.draft != self.typed:
            self.trial.lost.append(f"typed {self.typed!r}, has {self.draft!r}")
            self.typed = self.draft

    def settle(self, now: float) -> None:
        """Let a letter that has stayed alone answer."""
        if self._guard is not None and self._guard.take(now, self._history) is not None:
            self._answer("alone")

    def press(self, name: str, at: float) -> None:
        key = press(name, at, printable=len(name) == 1 or name == "space")
        self.trial.keys += 1
        self._recent = [*self._recent[-6:], (name, round(at, 2))]
        if self._guard is None:
            self._history.use(key)
            self._type(key, sends=True)
            return
        self.settle(at - 0.001)
        if self._guard is None:
            return
        below = ScreenBelow(bool(self.draft), single=self.draft if len(self.draft) == 1 else "")
        begun, receiver = self._guard.decide(key, self._history, below, bound=name in BOUND)
        self._write(begun)
        if receiver is Receiver.DRAFT:
            self._type(key, sends=False)
        elif receiver is Receiver.DIALOG_IF_ALONE or (receiver is Receiver.NOBODY and key.is_letter):
            self.typed += name
        elif receiver is Receiver.DIALOG_AGAIN or (receiver is Receiver.DIALOG and key.kind == "text"):
            self._answer(name)

    def _answer(self, how: str) -> None:
        self.trial.answered.append(f"{how} after {self._recent}")
        self._guard, self.typed = None, self.draft

    def _write(self, begun: Press | None) -> None:
        if begun is not None and not self._is_chat:
            self.draft += begun.name
        elif begun is not None:
            self.typed = self.draft

    def _type(self, key: Press, *, sends: bool) -> None:
        if self._is_chat:
            return
        if key.name == "enter" and sends:
            if self.draft:
                self._history.note_sent()
            self.draft = self.typed = ""
        elif key.name == "ctrl+u":
            self.draft = self.typed = ""
        elif key.name == "backspace":
            self.draft, self.typed = self.draft[:-1], self.typed[:-1]
        elif key.name == "enter":
            self.draft, self.typed = (one + "\n" if one else one for one in (self.draft, self.typed))
        elif key.kind == "text":
            self.draft += _CHARACTERS.get(key.name, key.name)
            self.typed += _CHARACTERS.get(key.name, key.name)


def try_hands(rhythm: str, openings: int, seed: int) -> Trial:
    """Have hands of a rhythm type while so many dialogs open."""
    random = Random(f"{rhythm} {seed}")
    hold = 4.0 if rhythm in ("pauses", "hunt", "short_answers") else 1.6
    desk = Desktop(random, is_chat=rhythm == "arrows")
    return desk.type(RHYTHMS[rhythm](random), openings, hold)
