"""Screens that open by themselves: a guard decides which keys, pastes and clicks they get."""

from __future__ import annotations

import asyncio
from functools import partial
from time import monotonic
from typing import Any, ClassVar, Final, Generic, TypeVar

from textual.app import App
from textual.await_complete import AwaitComplete
from textual.events import Click, Event, Key, MouseDown, MouseUp, Paste
from textual.reactive import reactive
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Input, TextArea
from typing_extensions import override

from acp_tui.ui.application.key_guard import KeyGuard, Receiver, ScreenBelow, key_history_of, press
from acp_tui.ui.widgets.delay import draws
from acp_tui.ui.widgets.prompt_box import PromptBox
from acp_tui.ui.widgets.textual_internals import (
    ExactLayout,
    binding_chain,
    bindings_of,
    forward_event,
    run_bindings,
    screen_stacks,
)

_EDITS: Final = ("cursor_", "delete_", "select_", "undo", "redo", "home", "end")
"""Prefixes of actions that edit a text or move in it."""


def is_for_prompt(screen: Screen[Any], event: Key | Paste) -> bool:
    """Return whether text is for the prompt: no field has the focus, and no pane uses the key."""
    if isinstance(screen.focused, Input | TextArea):
        return False
    if isinstance(event, Paste):
        return True
    return event.is_printable and event.key not in screen.active_bindings


class DraftBelow:
    """The draft below a screen: its focused text field, else its prompt."""

    def __init__(self, screen: Screen[Any] | None) -> None:
        """Take the screen below."""
        self.screen = screen
        """The screen below; None without one."""

    @property
    def state(self) -> ScreenBelow:
        """State of the draft: text in the prompt or the focused field, and open completions."""
        if self.screen is None:
            return ScreenBelow()
        field = self._field
        boxes = [*self.screen.query(PromptBox), *([field] if field is not None else [])]
        texts = [getattr(box, "text", getattr(box, "value", "")) for box in boxes]
        single = next((text for text in texts if text), "")
        return ScreenBelow(
            any(texts), bool(getattr(field, "completing", False)), single if len(single) == 1 else ""
        )

    @property
    def goes_on(self) -> str:
        """The destination of typed text, for display: the draft, a field of a menu, or nowhere."""
        field = self._field
        if isinstance(field, PromptBox):
            return "typing goes to your draft"
        return "typing answers nothing" if field is None else "typing goes to the field below"

    @property
    def top(self) -> int | None:
        """First row of the part of the screen that has the draft; None without a prompt below."""
        rows = list(self.screen.query("#prompt-row")) if self.screen is not None else []
        return rows[0].region.y if rows and rows[0].region else None

    def take_back(self, letter: str) -> None:
        """Empty a draft that consists of only this letter."""
        field = self._field
        if field is not None and self.state.single == letter:
            field.clear()

    def write(self, event: Key | Paste) -> None:
        """Pass a key or a paste on to the field, after everything pending there."""
        field = self._field
        if field is None:
            return
        if not field.has_focus:
            if not is_for_prompt(field.screen, event):
                return  # a key of the pane that has the focus
            field.screen.set_focus(field)
        field.call_later(partial(_take, field, event))

    @property
    def _field(self) -> Input | TextArea | None:
        if self.screen is None:
            return None
        if isinstance(focused := self.screen.focused, Input | TextArea):
            return focused
        return next(iter(self.screen.query(PromptBox)), None)


async def _take(field: Input | TextArea, event: Key | Paste) -> None:
    """Let an event write in a field or move its cursor, but never submit the field."""
    event.stop()  # what the field does not use must not bubble further
    if not isinstance(event, Key) or event.is_printable:
        await field.on_event(event)
    elif isinstance(field, PromptBox) and field.completing and event.key in ("tab", "enter"):
        field.post_message(field.CompletionTaken())
    elif isinstance(field, PromptBox) and event.key in ("enter", "shift+enter", "alt+enter", "ctrl+j"):
        if field.text.strip():
            field.insert("\n")
    elif (action := _edit(field, event.key)) and not _recalls(field, event.key):
        await field.app.run_action(action, field)


def _edit(field: Widget, key: str) -> str:
    """Return the editing action of a key in a field, or ""."""
    actions = [binding.action for binding in bindings_of(field).key_to_bindings.get(key, ())]
    return next((action for action in actions if action.startswith(_EDITS)), "")


def _recalls(field: Widget, key: str) -> bool:
    """Return whether a key recalls an earlier prompt in place of the text."""
    if not isinstance(field, PromptBox) or field.completing:
        return False
    return (key == "up" and field.cursor_at_first_line) or (key == "down" and field.cursor_at_last_line)


Result = TypeVar("Result")

TURN_FIRST: Final = "Tab to answer"


class UnaskedScreen(ExactLayout, ModalScreen[Result], Generic[Result]):
    """A guarded screen: while the user types elsewhere, Tab or a click must turn to it first."""

    AUTO_FOCUS = ""
    IS_GUARDED: ClassVar[bool] = True
    """False for screens that the user opens: their keys count at once."""

    armed = reactive(False, init=False)
    """True while letters are for this screen."""

    def __init__(self) -> None:
        super().__init__()
        self.guard = KeyGuard()
        self._letter: Key | None = None
        """Letter that waits whether another key follows."""
        self._looks_at: asyncio.TimerHandle | None = None
        self._click_counts = False

    # for subclasses to give

    def turned_to(self) -> None:
        """Focus the first part; called when the user has turned to the screen."""

    def guard_changed(self) -> None:
        """Show whether letters count; called when `armed` may have changed."""

    # incoming events

    def keeps_back(self, event: Key | Paste) -> bool:
        """Guard a key or a paste; return whether it is kept from this screen."""
        below, history = self.below, key_history_of(self.app)
        if isinstance(event, Paste):
            return self._keeps_paste_back(event, below)
        key = press(event.key, event.time, printable=event.is_printable)
        was_turned = self.guard.turned
        begun, receiver = self.guard.decide(
            key, history, below.state, bound=self._binds(event.key), writes=self._writes
        )
        if begun is not None:
            self._release(below)
        if receiver is Receiver.DRAFT:
            below.write(event)
        elif receiver is Receiver.DIALOG_IF_ALONE:
            self._wait_alone(event)
        elif receiver is Receiver.DIALOG_AGAIN:
            self._letter = None
            below.take_back(event.key)
        if self.guard.turned and not was_turned:
            self.turned_to()
        self.look_at_guard()
        return receiver not in (Receiver.DIALOG, Receiver.DIALOG_AGAIN)

    def on_key(self, event: Key) -> None:
        """Run the binding of a key that no part has handled, while this screen is on top.

        Without the check, a key that closes this screen would also reach the screen below.
        """
        if self.IS_GUARDED:
            event.stop()
            self.app.call_later(self._act_on, event.key)

    async def _act_on(self, key: str) -> None:
        if self.app.screen is self:
            await run_bindings(self.app, key)

    def _keeps_paste_back(self, paste: Paste, below: DraftBelow) -> bool:
        if self.guard.release() is not None:
            self._release(below)
        if self.guard.turned:
            return not self._writes
        below.write(paste)
        key_history_of(self.app).use(press("paste", paste.time, printable=True))
        self.look_at_guard()
        return True

    @property
    def below(self) -> DraftBelow:
        """The draft on the screen below."""
        stack = self.app.screen_stack
        place = stack.index(self) if self in stack else len(stack)
        others = (
            one for one in reversed(stack[:place]) if not isinstance(one, UnaskedScreen) or not one.IS_GUARDED
        )
        return DraftBelow(next(others, None))

    def _binds(self, key: str) -> bool:
        """Return whether a key is bound here; disabled bindings count once the user has turned to it."""
        if not self.guard.turned:
            return key in self.active_bindings
        return any(key in bindings.key_to_bindings for _, bindings in binding_chain(self))

    @property
    def _writes(self) -> bool:
        """True while a field of this screen has the focus."""
        return isinstance(self.focused, Input | TextArea)

    def _wait_alone(self, event: Key) -> None:
        """Check again after the wait of a letter, once all keys until then are handled."""
        self._letter = event
        assert self.guard.waiting is not None
        wait = max(0.0, self.guard.waiting[1] - monotonic())
        asyncio.get_running_loop().call_later(wait + 0.001, self.app.call_later, self._stayed_alone)

    def _stayed_alone(self) -> None:
        letter = self._letter
        if letter is None or not draws(self) or self.app.screen is not self:
            return
        if self.guard.take(monotonic(), key_history_of(self.app)) is not None:
            self._letter = None
            forward_event(self.focused or self, letter)
            self.look_at_guard()

    def _release(self, below: DraftBelow) -> None:
        letter, self._letter = self._letter, None
        if letter is not None:
            below.write(letter)

    def release_letter(self) -> None:
        """Pass a waiting letter on to the draft: the question has closed or changed."""
        if self.guard.release() is not None:
            self._release(self.below)

    def _forward_event(self, event: Event) -> None:
        """Drop clicks that come before the answers can be seen."""
        if self.IS_GUARDED and isinstance(event, MouseDown | MouseUp | Click) and not event.is_forwarded:
            if isinstance(event, MouseDown):
                was_turned = self.guard.turned
                self._click_counts = self.guard.click(event.time)
                if self.guard.turned and not was_turned:
                    self.turned_to()
                self.look_at_guard()
            if not self._click_counts:
                return
        super()._forward_event(event)

    # the guard

    def begin_guard(self) -> None:
        """Start the guard when the screen is drawn."""
        if self.IS_GUARDED:
            self.look_at_guard()
            self.call_after_refresh(self._drawn)
        else:
            self.armed = True
            self.guard_changed()
            self.turned_to()

    def _drawn(self) -> None:
        self.guard.note_drawn(monotonic())
        if self.guard.turned:
            self.turned_to()
        self.look_at_guard()

    def guard_anew(self) -> None:
        """Restart the guard: another question is shown, or the screen was covered."""
        if self.IS_GUARDED and self.is_mounted:
            self.release_letter()
            self.guard.restart(monotonic())
            key_history_of(self.app).note_dialog_changed(monotonic())
            self.set_focus(None)
            self.look_at_guard()

    def on_screen_resume(self) -> None:
        """Restart the guard after another screen."""
        if self.is_mounted and self.armed:
            self.guard_anew()

    def look_at_guard(self) -> None:
        """Update `armed` from the guard, now and when it changes with time."""
        if not self.IS_GUARDED or not draws(self):
            return
        if self._looks_at is not None:
            self._looks_at.cancel()
            self._looks_at = None
        now, counts_at = monotonic(), self.guard.counts_at(key_history_of(self.app), self.below.state)
        self.armed = counts_at <= now
        if now < counts_at < float("inf"):
            loop = asyncio.get_running_loop()
            self._looks_at = loop.call_later(counts_at - now + 0.001, self.call_next, self.look_at_guard)
        self.guard_changed()

    @override
    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        self.release_letter()
        return super().dismiss(result)


async def answer_of(app: App[Any], screen: Screen[Result]) -> Result | None:
    """Show a screen and return its result; when cancelled, remove the screen."""
    answer: asyncio.Future[Result | None] = asyncio.get_running_loop().create_future()

    def answered(result: Result | None) -> None:
        if not answer.done():
            answer.set_result(result)

    shown = app.push_screen(screen, answered)
    try:
        await shown
        return await answer
    except asyncio.CancelledError:
        withdraw(screen)
        raise


def withdraw(screen: Screen[Any]) -> None:
    """Remove a screen without an answer, even from under others; do nothing if it is gone."""
    app = screen.app
    if isinstance(screen, UnaskedScreen):
        screen.release_letter()
        key_history_of(app).note_dialog_changed(monotonic())
    for stack in screen_stacks(app):
        if screen not in stack:
            continue
        if app.screen_stack[-1:] == [screen]:  # none is left at the end of the program
            screen.dismiss(None)
        else:
            # Textual dismisses only the topmost screen; this repeats what it does when it removes a screen.
            stack.remove(screen)
            screen.remove()
        return
