"""The plan pane."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import ClassVar, Final, assert_never

from textual.binding import Binding, BindingType
from typing_extensions import override

from acp_tui.formatting import inside
from acp_tui.protocol.list_limits import DONE
from acp_tui.protocol.schema import PlanContent, PlanEntry, PlanFile, PlanItems, PlanMarkdown, UnknownPlan
from acp_tui.session.events import SessionChange
from acp_tui.session.plans import Plans
from acp_tui.session.session import Session
from acp_tui.ui.panes.pane import Pane
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.markdown.stream import MarkdownBlock
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import Row, exact_line, row_text, shortened
from acp_tui.ui.widgets.transcript.blocks import Block, OneRowBlock, TextBlock

_MARKS: Final = {
    "completed": ("completed", "tool-completed", "muted"),
    "in_progress": ("current", "tool-running", "text"),
    "failed": ("failed", "tool-failed", "text"),
    "cancelled": ("cancelled", "tool-cancelled", "muted"),
}
"""By status: the symbol, its role, and the role of the text."""


_LONGEST: Final = 1_000
"""Maximum cells of a step: it is a sentence, and a longer one would slow down each layout."""

_KIND: Final = 40
_NAMED: Final = 3
"""Maximum number of files in a line."""
_LONGEST_TEXT: Final = 30_000
"""Maximum characters of a text plan that are shown."""


class PlanLine(TextBlock):
    """One entry of the plan."""

    def __init__(
        self, entry: PlanEntry, styles: Styles, *, is_idle: bool = False, files: int | None = None
    ) -> None:
        """Show a step.

        Args:
            entry: the step.
            styles: the theme's styles.
            is_idle: True while no turn runs.
            files: number of files changed in it; None: do not show it.
        """
        super().__init__(rest=[("text", "  ")], is_action=True)
        self._shown: tuple[PlanEntry, bool, int | None] | None = None
        self.show(entry, styles, is_idle=is_idle, files=files)

    def show(self, entry: PlanEntry, styles: Styles, *, is_idle: bool, files: int | None) -> bool:
        """Show a step, as when made; return True if that changes the line."""
        if self._shown == (entry, is_idle, files):
            return False
        self._shown = (entry, is_idle, files)
        status = "completed" if entry.status == "done" else entry.status
        if is_idle and status == "in_progress":
            status = "left"  # no turn runs, so nothing is in progress
        symbol, mark_role, role = _MARKS.get(status, ("waiting", "muted", "text"))
        priority = [("warning", " !")] if entry.priority == "high" and status != "completed" else []
        mark = f"{styles.symbol(symbol)} "
        spans = [(role, shortened(entry.content, _LONGEST, styles.symbol("cut"))), *priority]
        if files is not None and status in ("completed", "left"):
            spans.append(("muted", f"  {_files(files)}"))
        self.set_spans(spans, first=[(mark_role, mark)])
        self.entry = entry
        self.is_current = status == "in_progress"
        return True

    @override
    def rows(self, width: int, styles: Styles) -> Sequence[Row]:
        rows = super().rows(width, styles)
        return rows[:-1] if row_text(rows[-1]).strip() == _files(0) else rows  # that is worth no row

    @override
    def source(self) -> str:
        return self.entry.content


class UnplannedLine(TextBlock):
    """The files changed outside all steps; Enter opens the first."""

    def __init__(self, paths: Sequence[str], cwd: str) -> None:
        names = ", ".join(exact_line(inside(path, cwd)) for path in paths[:_NAMED])
        more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
        super().__init__(
            [("warning", f"{_files(len(paths))} changed in no step: {names}{more}")], is_action=True
        )
        self.paths = list(paths)


class PlanFileLine(TextBlock):
    """The name of a file that holds a plan; Enter opens it."""

    def __init__(self, uri: str) -> None:
        super().__init__(
            [("muted", "The plan is in this file:\n"), ("link", shortened(uri, _LONGEST))], is_action=True
        )
        self.uri = uri

    @override
    def source(self) -> str:
        return self.uri


class PlanText(MarkdownBlock):
    """The start of a plan in Markdown; Enter shows all of it."""

    is_action = True

    def __init__(self, whole: str) -> None:
        super().__init__(whole[:_LONGEST_TEXT])
        self.whole = whole


class PlanRestLine(TextBlock):
    """The length of the hidden rest of a text plan; Enter shows all of it."""

    def __init__(self, text: str) -> None:
        left = len(text) - _LONGEST_TEXT
        super().__init__([("warning", f"{left:,} more characters, Enter shows all")], is_action=True)
        self.whole = text


class PlanPane(Pane):
    """The agent's plans and their progress, one at a time."""

    NAME = "plan"
    FROM_END = False  # a plan is read from its first step
    EMPTY = "No plan yet"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "turn_plan", "Another plan", show=False, id="plan.next"),
        Binding(
            "greater_than_sign", "screen.run('chat.reply')", "Reply to the plan", show=False, id="plan.reply"
        ),
    ]

    def __init__(self, styles: Styles | None = None, *, id: str | None = None) -> None:
        super().__init__(styles, id=id)
        self._session: Session | None = None
        self._chosen: str | None = None
        """Id of the plan that the user chose; None for the latest."""
        self._drawn: tuple[str, str, int] | None = None
        """Id and type of the plan that is drawn, and the rows above it."""
        self._text: str | None = None
        """The text of the plan, if it is drawn as Markdown."""

    @override
    def begin(self) -> None:
        self._session = self._chosen = self._drawn = None
        super().begin()

    @override
    def show(self, session: Session, change: SessionChange) -> None:
        has_steps = not {"turn", "files"}.isdisjoint(change.fields) and session.plans.has_steps
        if "plan" in change.fields or has_steps:
            self._session = session
            self._show(session)
        if "turn" in change.fields and session.turn_state == "idle":
            self._finish_text()

    def action_turn_plan(self) -> None:
        """Show the next plan."""
        plans = self._session.plans.shown if self._session is not None else []
        if self._session is None or len(plans) < 2:
            self.notify("No other plan.")
            return
        place = plans.index(self._shown(self._session.plans))
        self._chosen = plans[(place + 1) % len(plans)].plan_id
        self._show(self._session)
        self._put_cursor(self._first())

    @override
    def on_focus(self) -> None:
        if self.cursor is None and not self.is_empty:
            self._put_cursor(self._first())
        super().on_focus()

    def _first(self) -> Block:
        """Return the block at which the cursor begins: the current step, or the first one below the head."""
        steps = (block for block in self.blocks if isinstance(block, PlanLine) and block.is_current)
        return next(steps, next((block for block in self.blocks if block.is_action), self.blocks[-1]))

    def _shown(self, plans: Plans) -> PlanContent:
        """Return the plan to show: the chosen one, else the latest."""
        shown = {plan.plan_id: plan for plan in plans.shown}
        wanted = (self._chosen, plans.latest)
        return next((shown[one] for one in wanted if one in shown), plans.shown[-1])

    def _show(self, session: Session) -> None:
        plans = session.plans.shown
        if not plans:
            self._drawn = None
            self.clear()
            self._placeholder = None
            self.set_fact("")
            self.on_mount()
            return
        self.take_placeholder_away()
        plan = self._shown(session.plans)
        above = 1 if len(plans) > 1 else 0
        drawn = (plan.plan_id, plan.type, above)
        if drawn != self._drawn or isinstance(plan, PlanFile | UnknownPlan):
            self.clear()
            self._drawn, self._text = drawn, None
            if above:
                self.append(OneRowBlock())
        if above:
            place = f"plan {plans.index(plan) + 1} of {len(plans)}, {key_of(self, 'plan.next')} next"
            head = self.blocks[0]
            if isinstance(head, OneRowBlock) and head.set_pieces([("muted", place)]):
                self.changed(head)
        fact = ""
        if isinstance(plan, PlanItems):
            self._show_steps(session, plan, above)
            done = plan.left_out_done + sum(entry.status in DONE for entry in plan.entries)
            fact = f"{done}/{plan.left_out + len(plan.entries)}"
        elif isinstance(plan, PlanMarkdown):
            self._show_text(session, plan.content)
        else:
            for block in _blocks(plan):
                self.append(block)
        self.set_fact(fact)
        self._show_current()

    def _show_text(self, session: Session, text: str) -> None:
        """Show a text plan; agents send it again and again as it grows."""
        before, self._text = self._text, text
        block = self._markdown()
        if text == before:
            return
        for line in [each for each in self.blocks if isinstance(each, PlanRestLine)]:
            self.remove_block(line)
        if block is None:
            block = PlanText(text)
            self.append(block)
        elif before is not None and text.startswith(before):
            block.append(text[len(before) : _LONGEST_TEXT])
            self.changed(block)
        else:
            block.replace(text[:_LONGEST_TEXT])
            self.changed(block)
        block.whole = text
        if len(text) > _LONGEST_TEXT:
            self.append(PlanRestLine(text))
        if session.turn_state == "idle":
            self._finish_text()

    def _finish_text(self) -> None:
        """Complete a text plan: its last block may have looked unfinished before."""
        if (block := self._markdown()) is not None:
            block.finish()
            self.changed(block)

    def _markdown(self) -> PlanText | None:
        return next((block for block in self.blocks[:2] if isinstance(block, PlanText)), None)

    def _show_steps(self, session: Session, plan: PlanItems, above: int) -> None:
        is_idle = session.turn_state == "idle" and bool(session.turns)
        entries = plan.entries
        counts = _counts(session) if is_idle else None
        for index, entry in enumerate(entries, above):
            line = self.blocks[index] if index < len(self.blocks) else None
            files = counts[entry.content] if counts is not None else None
            if not isinstance(line, PlanLine):
                self.insert(index, PlanLine(entry, self.theme_styles, is_idle=is_idle, files=files))
            elif line.show(entry, self.theme_styles, is_idle=is_idle, files=files):
                self.changed(line)
        for block in list(self.blocks[above + len(entries) :]):
            self.remove_block(block)
        if plan.left_out:
            self.append(TextBlock([("muted", f"{plan.left_out:,} more steps are not shown")]))
        if is_idle and (unplanned := session.unplanned()):
            self.append(UnplannedLine(unplanned, session.cwd))

    def on_resize(self) -> None:
        """Show the current step again: a plan may come before the pane has a height."""
        self.call_later(self._show_current)  # after the layout for the new size

    def _show_current(self) -> None:
        """Keep the current entry in view, unless the pane has the focus."""
        current = next(
            (block for block in self.blocks if isinstance(block, PlanLine) and block.is_current), None
        )
        if current is not None and not self.has_focus:
            self.show_amid(current)


def _files(count: int) -> str:
    """Return a number of files, which is not wrapped."""
    return "1\N{NO-BREAK SPACE}file" if count == 1 else f"{count:,}\N{NO-BREAK SPACE}files"


def _counts(session: Session) -> Counter[str]:
    """Return the number of files changed in each step, by its text."""
    files = session.all_files.values()
    return Counter(step for file in files for step in {one.plan_entry for one in file.origins})


def _blocks(plan: PlanFile | UnknownPlan) -> Iterator[Block]:
    """Yield a plan that is neither a list of steps nor a text."""
    match plan:
        case PlanFile():
            yield PlanFileLine(plan.uri)
        case UnknownPlan():
            kind = plan.raw.get("type") if isinstance(plan.raw, dict) else None
            yield TextBlock([("muted", f"a plan of kind {shortened(str(kind), _KIND)}")])
            yield TextBlock([("muted", shortened(json.dumps(plan.raw, ensure_ascii=False), _LONGEST))])
        case _:
            assert_never(plan)
