"""The guard of screens that open by themselves, against keys meant for something else."""

from __future__ import annotations

from collections import deque
from enum import Enum, auto
from typing import Any, Final, Literal, NamedTuple

from textual.app import App
from textual.events import Key, Paste

from acp_tui.ui.widgets.textual_internals import has_screens

# A dialog of the agent may open in the middle of a word. Its letters must write on in the draft then, and not
# answer; yet a user who only watches should answer with one key. So the guard follows the rhythm of the keys:
# while the user types, or has a draft, keys write on until Tab or a click turns to the dialog. Else a single
# letter answers, once it has stayed alone for longer than this user needs between two letters.
QUIET: Final = 3.5
"""Seconds after a key in which the user is taken to go on typing: writers pause so long in a sentence."""

SENT: Final = 1.5
"""The same after the Enter that sent a prompt."""

ALONE: Final = 0.5
"""Least seconds that a letter waits: another key makes it the beginning of a word."""

SLOWEST: Final = 1.2
"""Most seconds that it waits, for slow typists."""

REPEAT: Final = 0.7
"""Seconds in which a key that is held down repeats at the latest."""

REACTION: Final = 0.2
"""Least seconds from a dialog on the screen to a key for it: human reaction time."""

SHOWN_FOR: Final = 0.4
"""Seconds that a dialog has to be on the screen before a click, or a letter after a list, counts."""

_BURST: Final = 0.03
"""Seconds between two keys that were queued or pasted, not typed."""
_LEFT: Final = 30.0
"""Seconds without a key after which the user may have left the dialog."""
_WORD: Final = 0.9
"""Most seconds between two keys of a word."""
_TABBING: Final = 8.0
"""Seconds after a Tab elsewhere in which another Tab may go there, too."""
_SLACK: Final = 1.5
"""Factor by which the next key of a word may be slower than those before."""
_LEARNED: Final = 24
"""Gaps between keys that are remembered."""

Kind = Literal["text", "cursor", "tab", "escape", "page", "command", "key"]
"""Kinds of keys; `command` is Ctrl with a letter, `key` any other."""

_TEXT: Final = frozenset(
    ("enter", "shift+enter", "alt+enter", "ctrl+j", "space", "backspace", "delete", "ctrl+h", "ctrl+m")
)
_CURSOR: Final = frozenset(("up", "down", "left", "right", "home", "end"))
_KINDS: Final[dict[str, Kind]] = {
    **dict.fromkeys(_TEXT, "text"),
    **dict.fromkeys(_CURSOR, "cursor"),
    "tab": "tab",
    "shift+tab": "tab",
    "escape": "escape",
    "pageup": "page",
    "pagedown": "page",
}


class Press(NamedTuple):
    """A key that was pressed."""

    name: str
    at: float
    """Seconds."""
    kind: Kind

    @property
    def is_letter(self) -> bool:
        """True for keys that write a character."""
        return self.kind == "text" and self.name not in _TEXT


def press(name: str, at: float, *, printable: bool) -> Press:
    """Classify a key."""
    kind = _KINDS.get(name)
    if kind is None and printable:
        kind = "text"
    elif kind is None and name.startswith(("shift+", "ctrl+")) and name.rpartition("+")[2] in _CURSOR:
        kind = "command"
    elif kind is None:
        kind = "command" if name.startswith("ctrl+") and len(name) == len("ctrl+x") else "key"
    return Press(name, at, kind)


class Ground(NamedTuple):
    """State of the screen below a dialog."""

    draft: bool = False
    """True if a text is begun there."""
    completing: bool = False
    """True if completions are open there."""
    single: str = ""
    """That text, if it is a single character."""


class Fate(Enum):
    """Receiver of a key."""

    DIALOG = auto()
    """The dialog."""
    TURN = auto()
    """Nobody; it turns to the dialog."""
    ALONE = auto()
    """The dialog, if no other key follows."""
    AGAIN = auto()
    """The dialog: the same letter as before, which is not for the draft either."""
    DRAFT = auto()
    """The draft below."""
    HELD = auto()
    """Nobody."""


class Hands:
    """Times and rhythm of the user's keys, for all screens."""

    def __init__(self) -> None:
        self.last: Press | None = None
        """Latest key."""
        self.answered = False
        """True if that key was for a dialog."""
        self._before: Press | None = None
        self._announced: Press | None = None
        self._used = self._quiet = self._tabbed = self._changed = float("-inf")
        self._gaps: deque[float] = deque(maxlen=_LEARNED)

    def use(self, key: Press, *, was_early: bool = False) -> None:
        """Note a key for a text, a list or a pane; or a Tab that `was_early`."""
        self._take(key, answered=False)
        if key.kind == "tab" and not was_early:
            self._tabbed = key.at
        if key.kind in ("text", "cursor", "tab", "page", "command"):
            self._used, self._quiet = key.at, key.at + QUIET

    def answer(self, key: Press) -> None:
        """Note a key for a dialog."""
        self._take(key, answered=True)

    def sent(self) -> None:
        """Note that the last key has sent the draft."""
        self._quiet = self._used + SENT

    def holds_answer(self, key: Press) -> bool:
        """Return whether a key is the answer to a dialog, still held down: it writes nothing."""
        last = self.last
        if not self.answered or last is None or key.kind != "text":
            return False
        is_held = key.name == last.name and key.at < last.at + REPEAT
        if is_held:
            self.last = key
        return is_held

    def announce(self) -> None:
        """Note that the last key has only told what it does when it comes again."""
        self._announced = self.last

    def is_again(self, within: float) -> bool:
        """Return whether the last key is the announced one, pressed again within some seconds."""
        first = self._announced
        return first is not None and first is self._before and self._repeats(within)

    @property
    def is_held(self) -> bool:
        """True if the last key may be the one before, held down."""
        return self._repeats(REPEAT)

    def _repeats(self, within: float) -> bool:
        before, last = self._before, self.last
        if before is None or last is None or before.name != last.name:
            return False
        return last.at - before.at < within

    def surprise(self, at: float) -> None:
        """Note that a dialog vanished or changed: keys in flight may be for its earlier question."""
        self._changed = at

    @property
    def aware_at(self) -> float:
        """Time from which the user knows of the last surprise."""
        return self._changed + REPEAT

    @property
    def quiet_at(self) -> float:
        """Time at which the user is taken to have stopped typing, if no other key comes."""
        return self._quiet

    @property
    def used_at(self) -> float:
        """Time of the last key for a text, a list or a pane."""
        return self._used

    def tabs(self, at: float) -> bool:
        """Return whether Tab belongs to the user's work, and does not turn to a dialog."""
        return at < min(self._quiet, self._tabbed + _TABBING)

    @property
    def alone(self) -> float:
        """Seconds without another key after which a letter is no beginning of a word."""
        return min(SLOWEST, max(ALONE, _SLACK * max(self._gaps, default=0.0)))

    def _take(self, key: Press, *, answered: bool) -> None:
        last = self.last
        in_word = (
            last is not None and last.is_letter and key.kind == "text" and not (self.answered or answered)
        )
        # A letter that is pressed again and again is no word.
        if in_word and last is not None and key.name != last.name and 0 < key.at - last.at < _WORD:
            self._gaps.append(key.at - last.at)
        self._before, self.last, self.answered = self.last, key, answered


def hands_of(app: App[Any]) -> Hands:
    """Return the record of the user's keys in an application."""
    hands: Hands = vars(app).setdefault("hands", Hands())
    return hands


def is_kept_back(app: App[Any], event: Key | Paste) -> bool:
    """Guard a key or a paste before the application handles it; return whether it is handled by that."""
    if event.is_forwarded or not has_screens(app):
        return False
    screen: Any = app.screen  # a guarded one is an `UnaskedScreen`, which is loaded after the first frame
    if getattr(screen, "IS_GUARDED", False):
        return bool(screen.keeps_back(event))
    name = getattr(event, "key", None)
    if name is None:
        return False
    hands, key = hands_of(app), press(name, event.time, printable=bool(getattr(event, "is_printable", False)))
    if hands.holds_answer(key):
        return True
    hands.use(key)
    return False


class KeyGuard:
    """Decides the receiver of each key; all times are seconds and come from outside.

    Over a draft, or soon after a key for something else, keys that write go on into the draft until Tab or a
    click turns to the dialog. Else a letter is for the dialog if it stays alone. A letter that is pressed
    again after a pause, with no other key since the dialog opened, is for the dialog, too.
    """

    def __init__(self) -> None:
        self.turned = False
        """True once the user has turned to the dialog."""
        self.follows = False
        """True for the next question after an answer: then a draft does not hold its keys back."""
        self._drawn: float | None = None
        self._placed = float("inf")
        self._may_answer_at = float("-inf")
        self._turned_at = float("-inf")
        """Time of the Tab that turned to it."""
        self._held: Press | None = None
        """Key of the last answer while it is held down."""
        self._alone: tuple[Press, float] | None = None
        """Letter that waits for being alone, and the end of its wait."""
        self._first: Press | None = None
        """First key since the dialog opened, while it is the only one and a letter in the draft."""
        self._is_untouched = True
        """True until a key comes."""

    def drawn(self, at: float) -> None:
        """Note that the dialog is on the screen."""
        if self._drawn is None:
            self._drawn = self._placed = at
            if self.turned:
                self._may_answer_at = at + SHOWN_FOR

    def asked_for(self) -> None:
        """Note that the user asked for the dialog: its keys count once it is drawn."""
        self.turned = True

    def placed(self, at: float) -> None:
        """Note that the answers have moved: a click may be meant for another one."""
        self._placed = max(at, self._placed) if self._drawn is not None else self._placed

    def step(self, hands: Hands) -> None:
        """Note that the last key has put other answers there: held down, it chooses none of them."""
        self._held = hands.last

    def anew(self, at: float) -> None:
        """Restart: another question is shown, or the dialog was covered.

        Release a waiting letter first.
        """
        self.turned = self.follows = False
        self._drawn = self._placed = at
        self._first, self._is_untouched = None, True

    @property
    def waiting(self) -> tuple[Press, float] | None:
        """Letter that waits for being alone, and the end of its wait."""
        return self._alone

    def counts_at(self, hands: Hands, ground: Ground) -> float:
        """Return the time from which letters count; infinity if the user has to turn first."""
        if self._drawn is None:
            return float("inf")
        if self.turned:
            return self._may_answer_at
        if ground.draft and not self.follows:
            return float("inf")
        return max(self._drawn + (REACTION if self.follows else 0.0), hands.quiet_at, hands.aware_at)

    def click(self, at: float) -> bool:
        """Return whether a click is for the dialog; if so, turn to it."""
        if at < self._placed + SHOWN_FOR:
            return False
        if not self.turned:
            self.turned, self._may_answer_at = True, at
        return True

    def key(
        self, key: Press, hands: Hands, ground: Ground, *, bound: bool, writes: bool = False
    ) -> tuple[Press | None, Fate]:
        """Decide on a key.

        Args:
            key: the key.
            hands: the keys before.
            ground: the screen below.
            bound: whether the key does something in the dialog.
            writes: whether a field of the dialog has the keys.

        Returns:
            (a letter before it that did not stay alone and goes into the draft, the receiver of the key)
        """
        if key.at >= hands.aware_at and self._is_repeated(key, ground):
            self._alone = self._first = None
            self.turned, self._may_answer_at = True, key.at
            hands.answer(key)
            return None, Fate.AGAIN
        begun = self.release()
        if begun is not None:
            hands.use(begun)
            ground = ground._replace(draft=True)
            self.turned = self.follows = False
        fate = self._fate(key, hands, ground, bound=bound, writes=writes)
        was_for_this = fate is Fate.HELD and key.kind == "text" and self._held is not key
        if fate is Fate.TURN or (fate is Fate.DIALOG and self.turned) or was_for_this:
            hands.answer(key)
        elif fate is not Fate.ALONE and self._held is not key:
            self.follows = self.follows and key.kind in ("escape", "page", "key")
            hands.use(key, was_early=fate is Fate.HELD and not hands.tabs(key.at))
        is_first = self._is_untouched and fate is Fate.DRAFT and key.is_letter and bound and not ground.draft
        self._first = key if is_first and self._drawn is not None and key.at >= self._drawn else None
        self._is_untouched = False
        return begun, fate

    def take(self, now: float, hands: Hands) -> Press | None:
        """Return a letter that has stayed alone by now: it is for the dialog."""
        if self._alone is None or now < self._alone[1]:
            return None
        letter, self._alone = self._alone[0], None
        hands.answer(letter)
        self.turned, self._may_answer_at = True, now  # what it opens, such as a reason, takes what follows
        return letter

    def release(self) -> Press | None:
        """Return a waiting letter for the draft: it was not alone."""
        begun, self._alone = self._alone, None
        return None if begun is None else begun[0]

    def _fate(self, key: Press, hands: Hands, ground: Ground, *, bound: bool, writes: bool) -> Fate:
        if self._is_held_down(key, hands):
            return Fate.HELD
        if self.turned:
            return self._when_turned(key, hands, bound=bound, writes=writes)
        drawn = self._drawn if self._drawn is not None else float("inf")
        in_use = key.at < hands.quiet_at
        off = not in_use and (self.follows or not ground.draft)
        last = max(drawn, hands.last.at if hands.last is not None else drawn)
        match key.kind:
            case "page":
                return Fate.DIALOG
            case "escape":
                is_seen = key.at >= last + REACTION and not (ground.completing and in_use)
                return Fate.DIALOG if is_seen else Fate.HELD
            case "tab":
                if ground.completing and in_use:
                    return Fate.DRAFT
                if key.at < max(drawn, hands.used_at) + REACTION or hands.tabs(key.at):
                    return Fate.HELD
                self.turned, self._may_answer_at = True, key.at
                self._turned_at = key.at
                return Fate.TURN
            case "cursor":
                if not off or key.at < drawn + SHOWN_FOR:
                    return Fate.DRAFT
                self.turned, self._may_answer_at = True, key.at
                return Fate.DIALOG
            case "text":
                if not off or key.at < drawn or not key.is_letter or not bound:
                    return Fate.DRAFT
                if key.at < self.counts_at(hands, ground):
                    return Fate.HELD  # for what was here before
                self._alone = key, key.at + hands.alone
                return Fate.ALONE
            case "command":
                return Fate.DRAFT
            case _:
                return Fate.HELD if bound else Fate.DIALOG

    def _is_repeated(self, key: Press, ground: Ground) -> bool:
        """Return whether a key is the letter before, after a pause longer than one that a held key makes."""
        first = self._alone[0] if self._alone is not None else self._first
        if first is None or first.name != key.name or key.at < first.at + REPEAT:
            return False
        return self._alone is not None or ground.single == key.name

    def _when_turned(self, key: Press, hands: Hands, *, bound: bool, writes: bool) -> Fate:
        if key.kind in ("escape", "page"):
            return Fate.DIALOG
        if key.at < self._may_answer_at:
            return Fate.HELD
        if key.kind != "text" or writes:
            return Fate.DIALOG
        if not bound:
            self.turned = False  # somebody writes
            return Fate.DRAFT
        is_sudden = key.at < self._turned_at + _BURST
        is_late = hands.last is not None and key.at > hands.last.at + _LEFT
        if is_sudden or is_late:
            if not key.is_letter:
                return Fate.HELD
            self._alone = key, key.at + (_BURST * 3 if is_sudden else hands.alone)
            return Fate.ALONE
        return Fate.DIALOG

    def _is_held_down(self, key: Press, hands: Hands) -> bool:
        """Return whether a key is the last answer, still held down."""
        before = self._held
        if before is None and hands.answered and hands.last is not None:
            is_older = self._drawn is None or hands.last.at < self._drawn
            before = hands.last if is_older and key.kind not in ("tab", "cursor", "page") else None
        if before is None or before.name != key.name or key.at >= before.at + REPEAT:
            self._held = None
            return False
        self._held = key
        return True
