"""Dialogs: their frame, their hints, and a guard against accidental answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from time import monotonic
from typing import Any, ClassVar, Final, Generic, TypeVar

from rich.segment import Segment
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Paste
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, Static
from typing_extensions import override

from acp_tui.ui.application.key_guard import ALONE, REPEAT
from acp_tui.ui.screens.base.unasked_screen import TURN_FIRST, UnaskedScreen
from acp_tui.ui.widgets.controls import LongOptions
from acp_tui.ui.widgets.delay import draws
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.painter import fit
from acp_tui.ui.widgets.rows.row_view import RowView
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import Row, safe_line
from acp_tui.ui.widgets.transcript.blocks import Block, TextBlock

_GAPS: Final = (3, 2)
"""Cells between two hints, the wide gap first."""

Hint = tuple[str, str]
"""A key and its action, in words."""


def hint_row(hints: Sequence[Hint], width: int, cut: str) -> Content:
    """Return hints in a row of `width` cells; if there are too many, `cut` precedes the last."""
    for gap in _GAPS:
        if _cells(hints, gap) <= width:
            return _row(hints, gap)
    *others, last = hints
    while others and _cells([*others, (cut, ""), last], _GAPS[-1]) > width:
        others.pop()
    return _row([*others, (cut, ""), last], _GAPS[-1])


def _cells(hints: Sequence[Hint], gap: int) -> int:
    return _row(hints, gap).cell_length


def _row(hints: Sequence[Hint], gap: int) -> Content:
    between = " " * gap
    shown = [Content.assemble((key, "bold"), f" {action}" if action else "") for key, action in hints]
    return Content(between).join(shown)


Result = TypeVar("Result")

WIDE: Final = 100
"""Columns from which on a dialog does not fill the width of the screen."""


_ROOMY: Final = 20
"""Rows of a screen from which on a question leaves the draft in view."""
_NARROWEST: Final = 24
"""Columns below which commands are unreadable."""
_NOTICE_ROWS: Final = 9
"""Usual rows of two notices."""
_TIGHT_ROWS: Final = 2
"""Rows of a cut notice, as in the style sheet: as many as frame and hints."""


class Dialog(UnaskedScreen[Result | None], Generic[Result]):
    """A question over a session: heading, scrolling body, answers that stay in view, hints.

    Subclasses give `compose_body`, `compose_answers` and `hints`.
    """

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012 - Textual's type
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "put_aside", "Decide later", id="dialog.put-aside"),
        Binding("pageup", "scroll_body(-1)", "Page up", show=False, id="dialog.page-up"),
        Binding("pagedown", "scroll_body(1)", "Page down", show=False, id="dialog.page-down"),
    ]
    PAGE_DOWN: ClassVar[str] = "dialog.page-down"
    """Id of the key that pages down."""
    FRAME_ROWS: ClassVar[int] = 4
    """Rows for border, the count of rows below, and hints."""

    def __init__(self, heading: str, styles: Styles, *, counter: tuple[int, int] = (1, 1)) -> None:
        super().__init__()
        self.theme_styles = styles
        self._heading = self._fitting_heading = heading
        self._counter = counter
        self.note = ""
        """Name of its session, if there are several."""
        self.entered: dict[str, Any] = {}
        """Unsent input by field, for the next dialog of the same question."""
        self._is_composed = False
        """True once all parts are composed: containers get theirs one by one."""
        self._in_view_since = -inf
        """Time from which the answers are in view; infinite while they are not."""
        self._hint_room = 0
        """Cells for the hints at the last draw."""
        self._kept = 0
        """Rows below the dialog that were left to the draft."""
        self._focus_back: Widget | None = None
        self.set_class(styles.ascii, "-ascii")

    # for subclasses

    def compose_body(self) -> ComposeResult:
        """Yield the body."""
        yield from ()

    def compose_answers(self) -> ComposeResult:
        """Yield the answers."""
        yield from ()

    def hints(self) -> Sequence[tuple[str, str]]:
        """Return the hints, the most important first."""
        _, among = self._counter
        return [(key_of(self, "dialog.put-aside"), "all later" if among > 1 else "decide later")]

    def first_focus(self) -> Widget | None:
        """Return the widget that gets the focus once keys count."""
        return None

    def words(self) -> str:
        """Return the user's unsent text, which moves to the prompt if the question is withdrawn."""
        return ""

    def cut_words(self) -> str:
        """Return a remark on how much of the body is cut at its right edge; "" if nothing is."""
        return ""

    # the frame

    @override
    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            with VerticalScroll(id="body", can_focus=False):
                yield from self.compose_body()
            yield Static(id="below")
            with Vertical(id="answers"):
                yield from self.compose_answers()
            yield Static(id="hints")

    def on_mount(self) -> None:
        """Draw the frame and start the guard."""
        if not self.query("#body"):
            return  # removed while its parts were being composed
        self.set_class(self.app.size.width >= WIDE, "-wide")  # Textual does so after the first frame only
        self._is_composed = True
        box, body = self.query_one("#box"), self.body
        for field in self.query(Input):
            field.cursor_blink = self.app.animation_level != "none"
        box.border_title = Content(safe_line(self._heading))
        self.show_note(self.note)
        for watched in ("scroll_y", "virtual_size", "size"):
            self.watch(body, watched, self._body_moved, init=False)
        self.screen_layout_refresh_signal.subscribe(self, self._laid_out)
        if self.below.screen is not None:
            self.below.screen.screen_layout_refresh_signal.subscribe(self, self._draft_laid_out)
        self.watch(self.app, "app_focus", self._window_focused, init=False)
        self.begin_guard()

    def on_resize(self) -> None:
        """Fit body and hints to the new size."""
        self.after_refresh(self.show_hints)
        self.after_refresh(self.fit)

    def after_refresh(self, act: Callable[[], object]) -> None:
        """Call `act` after the next layout, unless the parts are removed by then."""
        self.call_after_refresh(lambda: act() if self.has_parts else None)

    @property
    def has_parts(self) -> bool:
        """True while all parts are mounted."""
        return self._is_composed and draws(self) and bool(self.query("#hints"))

    def fit(self) -> None:
        """Make the dialog as high as its text, and at most as high as the screen."""
        kept = self._kept = self.kept_rows()
        self.query_one("#box").styles.margin = (0, 0, kept, 0)
        room = self.size.height - self.FRAME_ROWS - kept
        text = min(self.body.virtual_size.height, max(3, room // 3))
        answers = self.query_one("#answers").outer_size.height
        for listed in self.query_one("#answers").query(LongOptions):
            most = max(3, room - text)
            listed.grow(most)
            answers += min(most, listed.rows) - listed.outer_size.height
        room -= answers
        self.body.styles.max_height = max(3, room)
        self._fitting_heading = self._heading if room >= 3 else "Too small"
        self.query_one("#box").border_title = Content(safe_line(self._fitting_heading))
        self._show_below()
        self.after_refresh(self._tell_too_small)
        self.after_refresh(self._place_notices)

    def kept_rows(self) -> int:
        """Return the number of rows to leave below a question: the draft, which gets typed text."""
        top, height = self.below.top, self.size.height
        if not self.IS_GUARDED or top is None or height < _ROOMY:
            return 0
        return min(height - top, height // 4)

    @property
    def is_too_small(self) -> bool:
        """True if answers or text are off the screen, so that the user cannot know what a key does."""
        answers = self.query_one("#answers")
        if not answers.display:
            return False
        shown = self.find_widget(answers)
        return self.size.width < _NARROWEST or shown.visible_region.height < answers.outer_size.height

    @property
    def may_allow(self) -> bool:
        """True if the answers are in view, and were so when the current key was pressed."""
        return not self.is_too_small and monotonic() >= self._in_view_since + REPEAT + ALONE

    def _tell_too_small(self) -> None:
        if not self.is_too_small:
            if self._in_view_since == inf:
                self._in_view_since = monotonic()
                self.query_one("#box").border_title = Content(safe_line(self._fitting_heading))
            return
        self._in_view_since = inf
        if self.IS_GUARDED:
            lacks = "Too narrow" if self.size.width < _NARROWEST else "Too small"
            self.query_one("#box").border_title = Content(f"{lacks} to allow")

    def _place_notices(self) -> None:
        """Place notices below the dialog.

        Without room there, they are above the hints of a screen that the user opened. Off a question they
        are kept, cut to the free rows: an agent can cause them, and keys must answer only what is visible.
        """
        box = self.query_one("#box").region
        above, below = box.y, self.size.height - box.bottom
        is_tight = below < _NOTICE_ROWS
        is_above = is_tight and above > max(below, 1)
        if not is_tight:
            margin, rows = 1, below - 1
        elif not self.IS_GUARDED:
            margin, rows = self.size.height - self.query_one("#hints").region.y, self.size.height
        elif is_above:
            margin, rows = self.size.height - box.y, max(_TIGHT_ROWS, above)
        else:
            margin, rows = 0, max(_TIGHT_ROWS, below)
        self.set_class(is_tight and self.IS_GUARDED, "-tight")
        for rack in self.query("ToastRack"):
            rack.styles.max_height = rows
            rack.styles.margin = (0, 0, margin, 0)

    @property
    def body(self) -> Widget:
        """The scrolling body."""
        return self.query_one("#body")

    def show_note(self, note: str) -> None:
        """Show the session and the number of questions in the frame."""
        self.note = note
        number, among = self._counter
        count = f"{number} of {among}, {key_of(self, 'app.inbox')} lists them" if among > 1 else ""
        for box in self.query("#box"):
            box.border_subtitle = Content(safe_line(", ".join(filter(None, (note, count)))))

    def show_waiting(self, waiting: Sequence[str], counter: tuple[int, int]) -> None:
        """Show the number of open questions and the place of this one; `waiting` has a line for each."""
        if counter != self._counter:
            self._counter = counter
            self.show_note(self.note)
            self.show_hints()

    def show_hints(self) -> None:
        """Draw the hints."""
        if not self.has_parts:
            return  # not composed yet: the first draw shows the current state
        letter = self.guard.waiting
        self._hint_room = self._room_for_hints()
        if letter is not None:
            text = Content.styled(f"{letter[0].name}: answers unless you keep typing", "$accent")
        elif self.armed or not self.IS_GUARDED:
            text = hint_row(self.hints(), self._hint_room, self.theme_styles.symbol("cut"))
        else:
            text = Content.assemble(
                (TURN_FIRST, "bold $warning"),
                (f" {self.theme_styles.symbol('bullet')} {self.below.goes_on}", "$muted"),
            )
        self.query_one("#hints", Static).update(text)

    def _laid_out(self, _: Screen[Any]) -> None:
        """Draw hints and heading again if a notice has come or gone, or the answers are in view now."""
        if not self.has_parts:
            return
        if self._room_for_hints() != self._hint_room:
            self.show_hints()
        if self._in_view_since == inf and not self.is_too_small:
            self._tell_too_small()

    def _draft_laid_out(self, _: Screen[Any]) -> None:
        """Make room for a growing draft, and take the room back when it is sent or dropped."""
        if self.has_parts and self.kept_rows() != self._kept:
            self.after_refresh(self.fit)
            self.answers_moved()

    def _room_for_hints(self) -> int:
        """Return the cells for hints, left of a notice that covers them."""
        hints = self.query_one("#hints")
        room = hints.size.width or self.app.size.width
        notices = (toast.region for toast in self.query("Toast"))
        over = (notice.x - hints.region.x - 1 for notice in notices if notice.overlaps(hints.region))
        return max(1, min(room, *over, room))

    def _body_moved(self) -> None:
        self.after_refresh(self._show_below)

    def _show_below(self) -> None:
        """Show the number of rows below the lower edge, so that nobody answers unseen text."""
        hidden = round(self.body.max_scroll_y - self.body.scroll_y) if self.body.display else 0
        key = key_of(self, self.PAGE_DOWN)
        more = f"1 more row, {key} shows it" if hidden == 1 else f"{hidden} more rows, {key} shows them"
        text = f"{self.theme_styles.symbol('down')} {more}" if hidden > 0 else ""
        self.query_one("#below", Static).update(Content("  ".join(filter(None, (self.cut_words(), text)))))

    # guard against accidental answers

    @override
    def guard_changed(self) -> None:
        if not self.has_parts:
            return
        self.query_one("#answers").set_class(not self.armed, "-held")
        self.show_hints()

    @override
    def turned_to(self) -> None:
        back, self._focus_back = self._focus_back, None
        if self.focused is None and self.has_parts:
            self.set_focus(back or self.first_focus())

    @override
    def guard_anew(self) -> None:
        if self.IS_GUARDED and self.focused is not None:
            self._focus_back = self.focused
        super().guard_anew()

    def answers_moved(self) -> None:
        """Ignore clicks for a moment: they may be meant for earlier answers at the same place."""
        self.guard.note_answers_moved(monotonic())

    def on_paste(self, event: Paste) -> None:
        """Drop a paste that no field takes."""
        event.stop()

    def _window_focused(self, focus: bool) -> None:
        """Ignore clicks for a moment: the first may only bring the window to the front."""
        if focus:
            self.answers_moved()

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Dismiss the dialog if it is on top.

        Textual would dismiss the topmost screen instead: a waiting letter, or a form that
        was checked, may answer after the dialog is closed or covered.
        """
        return super().dismiss(result) if self.app.screen is self else AwaitComplete()

    # keys

    def action_put_aside(self) -> None:
        """Close without an answer; the question stays open."""
        self.dismiss(None)

    def action_scroll_body(self, pages: int) -> None:
        """Scroll the body by pages that share one row."""
        self.body.scroll_relative(y=pages * max(1, self.body.size.height - 1), animate=False)


_LONGEST: Final = 20_000


def told(text: str) -> str:
    """Return an agent's text for a dialog, which lays out all of it; a very long one is cut."""
    return (
        text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… and {len(text) - _LONGEST:,} more characters"
    )


def message_block(text: str, role: str = "text", above: int = 0) -> list[TextBlock]:
    """Return an agent's text behind a label, so that no line looks like a row of ours."""
    if not text:
        return []
    first, rest = [("muted", "message   ")], [("muted", " " * 10)]
    return [TextBlock([(role, told(text))], first=first, rest=rest, above=above)]


class Details(RowView, can_focus=False):
    """Blocks of text; only the rows in view are painted."""

    def __init__(self, blocks: Sequence[Block], styles: Styles, *, id: str | None = None) -> None:
        super().__init__(styles, id=id)
        self._blocks = blocks
        self._laid_out: list[Row] = []

    def show(self, blocks: Sequence[Block]) -> None:
        """Show other blocks."""
        self._blocks = blocks
        self.lay_out_rows()
        self.refresh(layout=True)

    @override
    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return sum(len(block.rows(width - 1, self.theme_styles)) for block in self._blocks)

    @override
    def lay_out_rows(self) -> None:
        self._laid_out = [
            row for block in self._blocks for row in block.rows(self.row_width, self.theme_styles)
        ]
        self.show_rows(len(self._laid_out))

    @override
    def paint_row(self, row: int) -> list[Segment]:
        base = self.theme_styles.base
        segments = [Segment(text, base + style if style else base) for text, style, _ in self._laid_out[row]]
        return fit(segments, 0, self.row_width, base, self.theme_styles)
