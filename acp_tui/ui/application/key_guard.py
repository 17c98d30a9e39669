"""The key guard: protects screens that open by themselves from keys meant for something else."""

from __future__ import annotations

from collections import deque
from enum import Enum, auto
from typing import Any, Final, Literal, NamedTuple

from textual.app import App
from textual.events import Key, Paste

from acp_tui.ui.widgets.textual_internals import has_screens

# A dialog of the agent may open in the middle of a word. Then letters must continue the draft, and not
# answer; but a user who only watches should be able to answer with one key. So the guard follows the rhythm
# of the keys: while the user types, or has a draft, keys continue it until Tab or a click turns to the
# dialog. Otherwise a single letter answers, once no other key has followed for longer than this user needs
# between two letters.
QUIET: Final = 3.5
"""Seconds after a key during which the user counts as typing: writers pause this long in a sentence."""

SENT: Final = 1.5
"""The same, after the Enter that sent a prompt."""

ALONE: Final = 0.5
"""Minimum seconds that a letter waits: another key makes it the start of a word."""

SLOWEST: Final = 1.2
"""Maximum seconds that it waits, for slow typists."""

REPEAT: Final = 0.7
"""Maximum seconds until a key that is held down repeats."""

REACTION: Final = 0.2
"""Minimum seconds from drawing a dialog to a key for it: human reaction time."""

SHOWN_FOR: Final = 0.4
"""Seconds that a dialog must be on the screen before a click, or a letter after a list, counts."""

_BURST: Final = 0.03
"""Maximum seconds between two keys that were queued or pasted, not typed."""
_LEFT: Final = 30.0
"""Seconds without a key after which the user may have left the dialog."""
_WORD: Final = 0.9
"""Maximum seconds between two keys of a word."""
_TABBING: Final = 8.0
"""Seconds after a Tab elsewhere during which another Tab goes there, too."""
_SLACK: Final = 1.5
"""Factor by which the next key of a word may be slower than the ones before."""
_LEARNED: Final = 24
"""Number of gaps between keys that are remembered."""

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


class ScreenBelow(NamedTuple):
    """State of the screen below a dialog."""

    draft: bool = False
    """True if it has an unsent text."""
    completing: bool = False
    """True if completions are open there."""
    single: str = ""
    """That text, if it is a single character."""


class Receiver(Enum):
    """Receiver of a key."""

    DIALOG = auto()
    """The dialog."""
    NOBODY_TURNED = auto()
    """Nobody: the key turns to the dialog."""
    DIALOG_IF_ALONE = auto()
    """The dialog, if no other key follows."""
    DIALOG_AGAIN = auto()
    """The dialog, by the same letter as before, which then does not stay in the draft."""
    DRAFT = auto()
    """The draft below."""
    NOBODY = auto()
    """Nobody."""


AGAIN: Final = 3.0
"""Seconds within which a second press of a key does more."""


class KeyHistory:
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
        """Note a key for a text, a list or a pane, or a Tab that `was_early`."""
        self._take(key, answered=False)
        if key.kind == "tab" and not was_early:
            self._tabbed = key.at
        if key.kind in ("text", "cursor", "tab", "page", "command"):
            self._used, self._quiet = key.at, key.at + QUIET

    def answer(self, key: Press) -> None:
        """Note a key for a dialog."""
        self._take(key, answered=True)

    def note_sent(self) -> None:
        """Note that the last key has sent the draft."""
        self._quiet = self._used + SENT

    def holds_answer(self, key: Press) -> bool:
        """Return whether a key is the answer to a dialog, still held down, so that it must not write."""
        last = self.last
        if not self.answered or last is None or key.kind != "text":
            return False
        is_held = key.name == last.name and key.at < last.at + REPEAT
        if is_held:
            self.last = key
        return is_held

    def announce(self) -> None:
        """Note that the last key only announced what a second press does."""
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

    def note_dialog_changed(self, at: float) -> None:
        """Note that a dialog closed or changed: keys on the way may be for the earlier question."""
        self._changed = at

    @property
    def aware_at(self) -> float:
        """Time from which on the user has seen that a dialog changed."""
        return self._changed + REPEAT

    @property
    def quiet_at(self) -> float:
        """Time at which the user counts as having stopped typing, if no other key comes."""
        return self._quiet

    @property
    def used_at(self) -> float:
        """Time of the last key for a text, a list or a pane."""
        return self._used

    def owns_tab(self, at: float) -> bool:
        """Return whether Tab belongs to the user's work, and does not turn to a dialog."""
        return at < min(self._quiet, self._tabbed + _TABBING)

    @property
    def alone(self) -> float:
        """Seconds without another key after which a letter does not start a word."""
        return min(SLOWEST, max(ALONE, _SLACK * max(self._gaps, default=0.0)))

    def _take(self, key: Press, *, answered: bool) -> None:
        last = self.last
        in_word = (
            last is not None and last.is_letter and key.kind == "text" and not (self.answered or answered)
        )
        # A repeated letter is no word.
        if in_word and last is not None and key.name != last.name and 0 < key.at - last.at < _WORD:
            self._gaps.append(key.at - last.at)
        self._before, self.last, self.answered = self.last, key, answered


def key_history_of(app: App[Any]) -> KeyHistory:
    """Return the record of the user's keys in an application."""
    history: KeyHistory = vars(app).setdefault("key_history", KeyHistory())
    return history


def is_kept_back(app: App[Any], event: Key | Paste) -> bool:
    """Guard a key or a paste before the application handles it; return whether the guard has handled it."""
    if event.is_forwarded or not has_screens(app):
        return False
    screen: Any = app.screen  # a guarded one is an `UnaskedScreen`, which is loaded after the first frame
    if getattr(screen, "IS_GUARDED", False):
        return bool(screen.keeps_back(event))
    name = getattr(event, "key", None)
    if name is None:
        return False
    history = key_history_of(app)
    key = press(name, event.time, printable=bool(getattr(event, "is_printable", False)))
    if history.holds_answer(key):
        return True
    history.use(key)
    return False


# Receivers of keys that write, in short:
#
#     turned?  draft?  typing?    a letter that answers    another one
#     yes      any     any        the dialog               the draft, or a field of the dialog
#     no       yes     any        the draft                the draft
#     no       no      yes        the draft                the draft
#     no       no      no         the dialog, if alone     the draft
#
# The user has turned to the dialog by Tab, a click or an answer, or has asked for it. A draft is a text below
# the dialog, which does not count if the dialog follows an answer; typing is a key for something else in the
# last seconds. A letter that is the only key so far is for the dialog if it is pressed again after a pause.
# Tab turns, unless it comes too soon or is for completions. Page keys are for the dialog, and Escape once the
# user can have seen it.
class KeyGuard:
    """Decides the receiver of each key; all times are in seconds and given by the caller.

    Over a draft, or soon after a key for something else, keys that write continue the draft until Tab or a
    click turns to the dialog. Else a letter is for the dialog if it stays alone. A letter that is pressed
    again after a pause, with no other key since the dialog opened, is for the dialog, too.
    """

    def __init__(self) -> None:
        self.turned = False
        """True once the user has turned to the dialog."""
        self.follows = False
        """True for the next question after an answer, whose keys a draft does not hold back."""
        self._drawn: float | None = None
        """Time at which the dialog was on the screen."""
        self._placed = float("inf")
        """Time at which its answers came to their places."""
        self._may_answer_at = float("-inf")
        self._turned_at = float("-inf")
        """Time of the Tab that turned to it."""
        self._held_answer: Press | None = None
        """Key of the last answer while it is held down."""
        self._waiting: tuple[Press, float] | None = None
        """Letter that waits whether another key follows, and the end of its wait."""
        self._first_letter: Press | None = None
        """First key since the dialog opened, while it is the only one and a letter in the draft."""
        self._is_untouched = True
        """True until a key comes."""

    def note_drawn(self, at: float) -> None:
        """Note that the dialog is on the screen."""
        if self._drawn is None:
            self._drawn = self._placed = at
            if self.turned:
                self._may_answer_at = at + SHOWN_FOR

    def note_asked_for(self) -> None:
        """Note that the user asked for the dialog: its keys count once it is drawn."""
        self.turned = True

    def note_answers_moved(self, at: float) -> None:
        """Note that the answers have moved: a click may be meant for another one."""
        self._placed = max(at, self._placed) if self._drawn is not None else self._placed

    def note_answers_replaced(self, history: KeyHistory) -> None:
        """Note that the last key replaced the answers: held down, it chooses none of the new ones."""
        self._held_answer = history.last

    def restart(self, at: float) -> None:
        """Restart: another question is shown, or the dialog was covered.

        Release a waiting letter first.
        """
        self.turned = self.follows = False
        self._drawn = self._placed = at
        self._first_letter, self._is_untouched = None, True

    @property
    def waiting(self) -> tuple[Press, float] | None:
        """Letter that waits whether another key follows, and the end of its wait."""
        return self._waiting

    def counts_at(self, history: KeyHistory, below: ScreenBelow) -> float:
        """Return the time from which letters count; infinity if the user has to turn first."""
        if self._drawn is None:
            return float("inf")
        if self.turned:
            return self._may_answer_at
        if below.draft and not self.follows:
            return float("inf")
        return max(self._drawn + (REACTION if self.follows else 0.0), history.quiet_at, history.aware_at)

    def click(self, at: float) -> bool:
        """Return whether a click is for the dialog; if so, turn to it."""
        if at < self._placed + SHOWN_FOR:
            return False
        if not self.turned:
            self.turned, self._may_answer_at = True, at
        return True

    def decide(
        self, key: Press, history: KeyHistory, below: ScreenBelow, *, bound: bool, writes: bool = False
    ) -> tuple[Press | None, Receiver]:
        """Decide on a key.

        Args:
            key: the key.
            history: the keys before.
            below: the screen below.
            bound: True if the key does something in the dialog.
            writes: True if a field of the dialog has the focus.

        Returns:
            (a letter before it that did not stay alone and goes into the draft, the receiver of the key)
        """
        if key.at >= history.aware_at and self._is_repeated(key, below):
            self._waiting = self._first_letter = None
            self.turned, self._may_answer_at = True, key.at
            history.answer(key)
            return None, Receiver.DIALOG_AGAIN
        begun = self.release()
        if begun is not None:
            history.use(begun)
            below = below._replace(draft=True)
            self.turned = self.follows = False
        receiver = self._receiver(key, history, below, bound=bound, writes=writes)
        was_for_this = receiver is Receiver.NOBODY and key.kind == "text" and self._held_answer is not key
        if (
            receiver is Receiver.NOBODY_TURNED
            or (receiver is Receiver.DIALOG and self.turned)
            or was_for_this
        ):
            history.answer(key)
        elif receiver is not Receiver.DIALOG_IF_ALONE and self._held_answer is not key:
            self.follows = self.follows and key.kind in ("escape", "page", "key")
            history.use(key, was_early=receiver is Receiver.NOBODY and not history.owns_tab(key.at))
        is_first = (
            self._is_untouched and receiver is Receiver.DRAFT and key.is_letter and bound and not below.draft
        )
        self._first_letter = key if is_first and self._drawn is not None and key.at >= self._drawn else None
        self._is_untouched = False
        return begun, receiver

    def take(self, now: float, history: KeyHistory) -> Press | None:
        """Return a letter that no key has followed in time: it is for the dialog."""
        if self._waiting is None or now < self._waiting[1]:
            return None
        letter, self._waiting = self._waiting[0], None
        history.answer(letter)
        self.turned, self._may_answer_at = True, now  # what it opens gets the next keys
        return letter

    def release(self) -> Press | None:
        """Return a waiting letter for the draft: it was not alone."""
        begun, self._waiting = self._waiting, None
        return None if begun is None else begun[0]

    def _receiver(
        self, key: Press, history: KeyHistory, below: ScreenBelow, *, bound: bool, writes: bool
    ) -> Receiver:
        if self._is_held_down(key, history):
            return Receiver.NOBODY
        if self.turned:
            return self._when_turned(key, history, bound=bound, writes=writes)
        drawn = self._drawn if self._drawn is not None else float("inf")
        in_use = key.at < history.quiet_at
        off = not in_use and (self.follows or not below.draft)
        last = max(drawn, history.last.at if history.last is not None else drawn)
        match key.kind:
            case "page":
                return Receiver.DIALOG
            case "escape":
                can_be_seen = key.at >= last + REACTION or self._is_insisting(key)
                is_seen = can_be_seen and not (below.completing and in_use)
                return Receiver.DIALOG if is_seen else Receiver.NOBODY
            case "tab":
                if below.completing and in_use:
                    return Receiver.DRAFT
                if key.at < max(drawn, history.used_at) + REACTION or history.owns_tab(key.at):
                    return Receiver.NOBODY
                self.turned, self._may_answer_at = True, key.at
                self._turned_at = key.at
                return Receiver.NOBODY_TURNED
            case "cursor":
                if not off or key.at < drawn + SHOWN_FOR:
                    return Receiver.DRAFT
                self.turned, self._may_answer_at = True, key.at
                return Receiver.DIALOG
            case "text":
                if not off or key.at < drawn or not key.is_letter or not bound:
                    return Receiver.DRAFT
                if key.at < self.counts_at(history, below):
                    return Receiver.NOBODY  # meant for the previous content
                self._waiting = key, key.at + history.alone
                return Receiver.DIALOG_IF_ALONE
            case "command":
                return Receiver.DRAFT
            case _:
                return Receiver.NOBODY if bound else Receiver.DIALOG

    def _is_insisting(self, key: Press) -> bool:
        """Return whether a key is an Escape so long after the drawing that keys before it do not count.

        Otherwise someone who presses it again and again, or holds it down, would never get out.
        """
        return key.kind == "escape" and self._drawn is not None and key.at >= self._drawn + REPEAT

    def _is_repeated(self, key: Press, below: ScreenBelow) -> bool:
        """Return whether a key repeats the letter before it, after a pause longer than that of a held key."""
        first = self._waiting[0] if self._waiting is not None else self._first_letter
        if first is None or first.name != key.name or key.at < first.at + REPEAT:
            return False
        return self._waiting is not None or below.single == key.name

    def _when_turned(self, key: Press, history: KeyHistory, *, bound: bool, writes: bool) -> Receiver:
        if key.kind in ("escape", "page"):
            return Receiver.DIALOG
        if key.at < self._may_answer_at:
            return Receiver.NOBODY
        if key.kind != "text" or writes:
            return Receiver.DIALOG
        if not bound:
            self.turned = False  # a field has the focus
            return Receiver.DRAFT
        is_sudden = key.at < self._turned_at + _BURST
        is_late = history.last is not None and key.at > history.last.at + _LEFT
        if is_sudden or is_late:
            if not key.is_letter:
                return Receiver.NOBODY
            self._waiting = key, key.at + (_BURST * 3 if is_sudden else history.alone)
            return Receiver.DIALOG_IF_ALONE
        return Receiver.DIALOG

    def _is_held_down(self, key: Press, history: KeyHistory) -> bool:
        """Return whether a key is the last answer, still held down."""
        before = self._held_answer
        if before is None and history.answered and history.last is not None:
            is_older = self._drawn is None or history.last.at < self._drawn
            before = history.last if is_older and key.kind not in ("tab", "cursor", "page") else None
        is_other = before is None or before.name != key.name or key.at >= before.at + REPEAT
        if is_other or self._is_insisting(key):
            self._held_answer = None
            return False
        self._held_answer = key
        return True
