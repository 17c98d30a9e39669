"""A session: the single place where events, live or replayed, become state."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, assert_never, get_args

from acp_tui.protocol import dialects, schema, version2
from acp_tui.protocol.schema import (
    REQUEST_CANCELLED,
    AvailableCommand,
    PlanContent,
    PlanEntry,
    PlanItems,
    ToolCallFields,
    UsageUpdate,
)
from acp_tui.session import events
from acp_tui.session import notices as session_notices
from acp_tui.session.compactions import Compactions
from acp_tui.session.earlier_runs import KeptSnapshot, Past, UndoStep, UndoStepRemoved
from acp_tui.session.entries import (
    AgentMessage,
    AgentNotice,
    Diff,
    Entry,
    Notice,
    OwnTerminal,
    SteeredMessage,
    Subagent,
    ToolCall,
    UnknownNews,
    UserCommand,
    UserMessage,
    absolute,
    line_of,
    text_of,
    words_of,
)
from acp_tui.session.events import Event, Field, SessionChange
from acp_tui.session.file_changes import DiskState, FileChange, FileChanges, Steps, origin
from acp_tui.session.messages import Messages, text_in
from acp_tui.session.options import Consent, Option, SessionOptions, acts_unasked
from acp_tui.session.plan_step_work import StepWork, work_on
from acp_tui.session.plans import UNNAMED, Plans
from acp_tui.session.questions import Permission, Question, Questions
from acp_tui.session.subagents import Subagents
from acp_tui.session.text_buffer import TextBuffer
from acp_tui.session.tool_calls import OUTPUT_LIMIT, ToolCalls
from acp_tui.session.turns import Turn, Turns, TurnState

_PER_CHILD: Final = 1 << 32
"""Offset between the entry indices of two subagents in a common index."""

THIS_TURN: Final = -1
"""The latest turn, as a value of `Session.since`."""


class Session:
    """The state of one session. Views read it; only `apply` changes it."""

    def __init__(
        self,
        session_id: str,
        cwd: str = "",
        *,
        title_is_command: bool = False,
        unsaid: Sequence[str] = (),
    ) -> None:
        self.id = session_id
        self.cwd = cwd
        """The primary root, for relative paths of the agent."""
        self.entries: list[Entry] = []
        self.plans = Plans()
        self._steps = Steps()
        self._mode_notice: Notice | None = None
        self._steps_from = 0, 0
        """Number of entries and of turns whose times are on an earlier clock than the plan's steps."""
        self.commands: list[AvailableCommand] = []
        self.usage: UsageUpdate | None = None
        self.title = ""
        self.meta: dict[str, Any] = {}
        """The session's own `_meta`, merged key by key."""
        self.is_fork = False
        """True if the session continues another one."""
        self.connected = True
        self.snapshots: dict[int, KeptSnapshot] = {}
        """Snapshots of the workspace before turns, by turn; 0 is the start."""
        self.since = 0
        """First turn (from 1) covered by `files`; 0 for the whole session, or `THIS_TURN`."""
        self.undo_steps: list[UndoStep] = []
        """Undo steps, the latest last."""

        # The parts, each of which implements one rule of the protocol.
        self._files = FileChanges()
        self._since_files: tuple[DiskState, ...] | None = None
        """Files on disk compared with the start of `since`, if known."""
        self._looked = 0.0
        self._messages = Messages(self.entries, unsaid)
        self.parent: Session | None = None
        """The parent, if this is the session of a subagent."""
        self.children: dict[str, Session] = {}
        """The sessions of its subagents, by id."""
        self._subagents = Subagents(self.entries)
        self._title_is_command, self._unsaid = title_is_command, unsaid
        self._calls = ToolCalls(self.entries, cwd, title_is_command=title_is_command)
        self._compactions = Compactions(self.entries)
        self._options = SessionOptions()
        self._questions = Questions()
        self._turns = Turns(self.entries)
        self._has_ended = False
        """True once a turn has ended in this process of the agent."""
        self.unprompted_at: float | None = None
        """Time of the agent's latest work outside a turn, until that ends or a prompt comes."""
        self.reported_state = ""
        """The state that the agent reports: running, requires_action, idle, or another word; "" for none."""
        self.background: list[schema.BackgroundWork] = []
        """Background work, as last reported by the agent."""
        self.is_background_current = True
        """False if the latest state did not mention it, so that the list may be out of date."""

    @property
    def root(self) -> Session:
        """The top session that this one belongs to; itself if it is no subagent's."""
        return self.parent.root if self.parent is not None else self

    def descendants(self) -> Iterator[Session]:
        """Yield the sessions of all subagents, at any depth."""
        for child in self.children.values():
            yield child
            yield from child.descendants()

    @property
    def working(self) -> list[Subagent]:
        """The subagents at work, at any depth."""
        sessions = (self, *self.descendants()) if self.children else (self,)
        return [one for each in sessions for one in each._subagents.all() if one.is_working]

    def subagent(self, session_id: str) -> Subagent | None:
        """Return the subagent with this id, if this session started it."""
        found = self._subagents.find(session_id)
        return found[1] if found is not None else None

    def child_changed(self, child: Session) -> int:
        """Update the call count of a subagent; return the index of its entry."""
        found = self._subagents.find(child.id)
        assert found is not None
        index, one = found
        one.calls = child.call_count
        return index

    @property
    def call_count(self) -> int:
        """The number of its tool calls."""
        return len(self._calls.places)

    @property
    def plan(self) -> list[PlanEntry]:
        """The steps of the plan that has no id."""
        return self.plans.of(UNNAMED)

    @property
    def questions(self) -> dict[str, Question]:
        """Open questions by key, oldest first."""
        return self._questions.open

    @property
    def turns(self) -> list[Turn]:
        """All turns, the latest last."""
        return self._turns.all

    @property
    def turn_state(self) -> TurnState:
        """The state of the latest turn."""
        return self._turns.state

    def prompt_of(self, turn: int) -> str:
        """Return the prompt of a turn (from 1) on one line."""
        return self._turns.prompt_of(turn)

    def words_of(self, turn: int) -> str:
        """Return the whole prompt of a turn (from 1), or only one line if its entry is not loaded."""
        first = self.turns[turn - 1].first if 0 < turn <= len(self.turns) else -1
        entry = self.entries[first] if 0 <= first < len(self.entries) else None
        return words_of(entry) if isinstance(entry, UserMessage) else self.prompt_of(turn)

    def begin_of(self, turn: int) -> int:
        """Return the index of the first entry of a turn (from 1), or of the next one if it is not loaded."""
        first = self.turns[turn - 1].first if 0 < turn <= len(self.turns) else -1
        if first < 0:
            return 0
        entry = self.entries[first]
        is_it = isinstance(entry, UserMessage) and line_of(entry) == self.prompt_of(turn)
        if is_it:
            return first
        later = (one.first for one in self.turns[turn:] if one.first > first)
        return next(later, len(self.entries))

    def turn_at(self, place: int) -> int:
        """Return the turn (from 1) that an entry belongs to, by its index; 0 for none."""
        begun = [turn.first for turn in self.turns]
        first = max((each for each in begun if 0 <= each <= place), default=None)
        return begun.index(first) + 1 if first is not None else 0

    @property
    def files(self) -> dict[str, FileChange]:
        """Files changed since `since`, by absolute path, in the order of their first change."""
        changes = self._files.changes
        if not self.since:
            return changes
        if self._since_files is not None:
            return {file.path: self._compared(file) for file in self._since_files}
        first = len(self.turns) if self.since == THIS_TURN else self.since
        return {
            path: file
            for path, file in changes.items()
            if any(origin.turn >= first for origin in file.origins)
        }

    def _compared(self, seen: DiskState) -> FileChange:
        known = self._files.changes.get(seen.path)
        return replace(known, seen=seen) if known is not None else FileChange(seen.path, seen=seen)

    @property
    def all_files(self) -> dict[str, FileChange]:
        """Files changed in the whole session, by absolute path."""
        return self._files.changes

    def tool_call(self, tool_call_id: str) -> ToolCall | None:
        """Return the latest tool call with this id."""
        return self._calls.find(tool_call_id)

    def asks(self, call: ToolCall) -> bool:
        """Return whether a tool call awaits permission."""
        waiting = self._questions.of_call(call.tool_call_id)
        return any(each.place is not None and self._calls.at(each.place) is call for each in waiting)

    @property
    def subject(self) -> str:
        """The title, else the first prompt, else ""."""
        if self.title:
            return self.title
        first = next((entry for entry in self.entries if isinstance(entry, UserMessage)), None)
        return self.title or (line_of(first) if first is not None else "")

    @property
    def options(self) -> list[Option]:
        """Modes, models and config options, in the agent's order."""
        return self._options.offered

    @property
    def pending(self) -> dict[str, str | bool]:
        """Values requested by the user and not yet confirmed, by option id."""
        return self._options.pending

    @property
    def consent(self) -> Consent:
        """The unasked actions that the user accepted by choosing the current mode.

        A later change of the mode by the agent can only revoke this. Other options in the category of
        modes do not count: the status line shows one.
        """
        mode = self.option("mode")
        if mode is None or not mode.config.is_mode:
            return ""
        current = mode.config.current_value
        chosen = self._options.consents.get(mode.config.id)
        if chosen is None or chosen.value != current or not acts_unasked(mode.config, current):
            return ""
        return chosen.extent

    def option(self, category: str) -> Option | None:
        """Return the main option of a category."""
        return self._options.of_category(category)

    def apply(self, event: Event, at: float = 0.0) -> SessionChange | None:
        """Apply an event that happened at `at`; return the change, or None.

        `at` is in seconds of any monotonic clock.

        Raises:
            IllegalStep: a prompt while a turn runs.
        """
        match event:
            case schema.AgentMessageChunk() | schema.AgentThoughtChunk():
                if self.turn_state == "idle" and self._has_ended:
                    return self._late_chunk(event, at)
                return self._messages.add(event, at)
            case schema.UserMessageChunk():
                return self._user_chunk(event, at)
            case schema.NewToolCall():
                return self._tool_call(event, at, announces=True)
            case schema.ToolCallUpdate() | schema.ToolCallPatch():
                return self._tool_call(event, at, announces=False)
            case schema.ToolCallContentChunk():
                return self._content_chunk(event, at)
            case schema.AgentTerminal():
                return SessionChange(self._calls.terminal(event), self._beside_fields(event))
            case schema.MessageUpdate():
                return self._message(event, at)
            case schema.StateUpdate():
                return self._in_state(event, at)
            case schema.Plan():
                return self._planned(
                    PlanItems(
                        plan_id=UNNAMED,
                        entries=event.entries,
                        left_out=event.left_out,
                        left_out_done=event.left_out_done,
                    ),
                    at,
                )
            case schema.PlanUpdate():
                return self._planned(event.plan, at)
            case schema.PlanRemoved():
                if not self.plans.remove(event.plan_id):
                    return None
                self._steps.take_over(self.plans.entries, at, self._used)
                return SessionChange(fields=("plan",))
            case schema.AvailableCommandsUpdate():
                return self._available_commands(event.available_commands)
            case schema.CurrentModeUpdate():
                return self._current_mode(event.current_mode_id, at)
            case schema.ConfigOptionUpdate():
                self._options.take(event.config_options)
                return SessionChange(fields=("options",))
            case schema.SessionInfoUpdate():
                return self._info(event)
            case schema.UsageUpdate():
                return self._usage(event)
            case schema.NoticeUpdate():
                notice = AgentNotice(event.title, event.severity, event.description or "", at)
                return SessionChange((self._append(notice),))
            case schema.CompactionUpdate() | schema.CompactionSummaryChunk():
                return self._compaction(event, at)
            case schema.SubagentUpdate():
                return self._subagent(event, at)
            case schema.SessionMessageUpdate() | schema.SessionMessageChunk():
                closed = () if self._subagents.knows_message(event.message_id) else self._messages.close()
                return SessionChange((*closed, self._subagents.message(event, at)))
            case schema.UnknownUpdate():
                return self._unknown(event, at)
            case events.Prompted() if self.turn_state == "idle" or not self.reported_state:
                return self._prompted(event, at)
            case events.Prompted() | events.Steered():  # version 2 may insert a prompt into a turn
                is_stopped = self.turn_state == "cancelling"
                return SessionChange(self._messages.steered(event.prompt, at, before_stop=is_stopped))
            case events.TurnCancelled():
                return self._cancelled(at)
            case events.TurnEnded():
                return self._ended(event, at)
            case events.TurnFailed():
                return self._failed(event, at)
            case events.Asked():
                return self._asked(event.question, event.tool_call, at)
            case events.Elicited() | events.Conflicted() | events.ImplicitlyAsked():
                self._questions.ask(event.question, at)
                return SessionChange(fields=("questions",))
            case events.Answered():
                return self._answered(event, at)
            case events.Completed():
                is_open = self._questions.completed(event.elicitation_id)
                return SessionChange(fields=("questions",)) if is_open else None
            case events.Noted():
                closed = self._messages.close() if event.is_act else ()
                index = self._append(Notice(event.text, event.severity, event.detail, at))
                return SessionChange((*closed, index))
            case events.CommandStarted():
                return SessionChange((self._append(UserCommand(event.terminal_id, event.command, at)),))
            case events.CommandPrinted():
                return self._command_printed(event)
            case events.CommandEnded():
                return self._command_ended(event, at)
            case events.Printed():
                return SessionChange(self._calls.printed(event.texts))
            case events.Wrote():
                self._files.wrote(event.path, event.old, event.new)
                return SessionChange(fields=("files",))
            case events.WorkspaceCompared():
                return self._workspace_compared(event, at)
            case events.RangeChosen():
                self.since, self._since_files = event.since, event.files
                return SessionChange(fields=("files",))
            case events.Resumed():
                return self._resumed(at)
            case events.PastLoaded():
                return self._load_past(event.past)
            case KeptSnapshot() | UndoStep() | UndoStepRemoved():
                self._log_snapshot(event)
                return None
            case events.Disconnected():
                return self._disconnected(event, at)
            case events.SetUp():
                return self._set_up(event)
            case events.Inherited():
                return self._inherited(event, at)
            case events.OptionChosen():
                self._options.choose(event.option_id, event.value, event.consent)
                return None
            case events.OptionRequested():
                self.pending[event.option_id] = event.value
                return SessionChange(fields=("options",))
            case events.OptionSet():
                self._options.agreed(event.option_id, event.value, event.config_options)
                return SessionChange(fields=("options",))
            case events.OptionRefused():
                return self._option_refused(event, at)
            case _:
                assert_never(event)

    def _workspace_compared(self, event: events.WorkspaceCompared, at: float) -> SessionChange | None:
        news = self._files.compare(event.files)
        said = self._turns.entries()
        owners: dict[int, str] = {}
        for child in self.descendants():
            calls = [each for each in child.entries if isinstance(each, ToolCall)]
            calls = [call for call in calls if call.ended is None or call.ended >= self._looked]
            owners |= {id(call): child.title for call in calls}
            said = [*said, *calls]
        for file in news or ():
            known = event.origins.get(file.path)
            is_undone = file.path in event.undone
            if (is_undone or self.turn_state == "idle") and self._files.recall(file):
                continue
            if is_undone and file.origins:
                self._files.remember(file)
                continue
            is_outside = file.seen is not None and file.seen.outside
            turn = 0 if is_outside else len(self.turns)
            file.add_origin(
                known or origin(said, self._steps, turn, file.path, since=self._looked, owners=owners)
            )
            self._files.remember(file)
        self._looked = at - event.took
        return SessionChange(fields=("files",)) if news is not None else None

    def _command_printed(self, event: events.CommandPrinted) -> SessionChange | None:
        for index in range(len(self.entries) - 1, -1, -1):
            entry = self.entries[index]
            if isinstance(entry, UserCommand) and entry.terminal_id == event.terminal_id:
                if entry.output is None:
                    entry.output = TextBuffer(limit=OUTPUT_LIMIT)
                entry.output.append(event.text)
                return SessionChange((index,))
        return None

    def _command_ended(self, event: events.CommandEnded, at: float) -> SessionChange | None:
        for index, entry in enumerate(self.entries):
            if isinstance(entry, UserCommand) and entry.terminal_id == event.terminal_id:
                entry.ended, entry.exit_code = at, event.exit_code
                if event.output:
                    entry.output = TextBuffer.complete(event.output)
                return SessionChange((index,))
        return None

    def _prompted(self, event: events.Prompted, at: float) -> SessionChange:
        self._turns.step("prompted")
        self.unprompted_at = None
        index = self._messages.prompted(event.prompt, at)
        self._turns.begin(index, at)
        self._calls.begin_turn(index)
        return SessionChange((index,), ("turn",))

    def _user_chunk(self, chunk: schema.UserMessageChunk, at: float) -> SessionChange | None:
        """Add a chunk of a user message; between turns it begins a new turn."""
        before = len(self.entries)
        change = self._messages.add(chunk, at)
        if self.turn_state == "idle" and len(self.entries) > before:
            self._messages.begin_turn(before)
            self._calls.begin_turn(before)
        return change

    def _message(self, event: schema.MessageUpdate, at: float) -> SessionChange | None:
        """Replace a message; a user message without content gives the prompt its id and place."""
        if event.session_update == "user_message" and "content" not in event.model_fields_set:
            if event.version == 1:
                return None
            changed, index = self._messages.place_prompt(event.message_id, keeps_place=event.keeps_place)
            if len(changed) > 1:
                self._turns.move(index)
                self._calls.begin_turn(index)
            return SessionChange(changed, ("turn",)) if changed else None
        before = len(self.entries)
        change = self._messages.update(event, at)
        if len(self.entries) == before:
            return change
        if event.session_update == "user_message" and self.turn_state == "idle":
            self._messages.begin_turn(before)
            self._calls.begin_turn(before)
        return change

    def _in_state(self, event: schema.StateUpdate, at: float) -> SessionChange:
        """Record the state that the agent reports, apart from the end of a prompted turn."""
        self._messages.has_unique_ids = True
        self.reported_state = event.state
        self.is_background_current = event.background is not None
        if event.background is not None:
            self.background = event.background
        named = [work.terminal_id for work in self.background if work.terminal_id is not None]
        change = SessionChange(self._calls.beside(named), ("turn",))
        if event.state == "idle":
            return self._rests(change)
        if event.state in ("running", "requires_action") and self.turn_state == "idle":
            return SessionChange((*change.entries, *self._note_own_work(at, is_reported=True)), ("turn",))
        return change

    def _beside_fields(self, event: schema.AgentTerminal) -> tuple[Field, ...]:
        is_shown = event.has_ended is not None or "capabilities" in event.model_fields_set
        return ("turn",) if is_shown else ()

    def _content_chunk(self, event: schema.ToolCallContentChunk, at: float) -> SessionChange:
        fields = ToolCallFields(tool_call_id=event.tool_call_id)
        first = self._tool_call(fields, at, announces=False)
        entries, call = self._calls.add(event, at)
        asks = bool(self.questions) and self._questions.update_call(entries[-1], call)
        return SessionChange((*first.entries, *entries), (*first.fields, *(("questions",) if asks else ())))

    def _cancelled(self, at: float) -> SessionChange | None:
        if self.turn_state == "idle":
            return None  # the cancel and the end of the turn crossed
        self._turns.step("cancelled")
        settled = self._calls.settle("cancelled", at)
        self._questions.clear()
        return SessionChange(settled, ("turn", "questions"))

    def _ended(self, event: events.TurnEnded, at: float) -> SessionChange:
        reason = dialects.stop_reason(event.stop_reason)
        was_taken_back = reason == schema.TAKEN_BACK and self._turns.is_empty_turn
        is_refused = reason == "refusal" or was_taken_back
        if self.turn_state == "cancelling":
            reason = "cancelled"  # regardless of the agent's stop reason
        elif reason == schema.TAKEN_BACK:
            reason = "cancelled"
        said = self._last_words(event, at)
        silent = self.turn_state != "idle" and self._turns.is_empty_turn
        fields: tuple[Field, ...] = ("turn", "questions") if self.questions else ("turn",)
        changed = (*said, *self._end_turn(reason, at, event.usage, is_end=True))
        self._has_ended = True
        if is_refused and self.turns:
            changed = (*changed, *self._turns.drop())
        if (
            notice := session_notices.end_notice(reason, event.stop_reason, silent=silent, at=at)
        ) is not None:
            changed = (*changed, self._append(notice))
        return SessionChange(changed, fields)

    def _last_words(self, event: events.TurnEnded, at: float) -> tuple[int, ...]:
        """Show content that came only with the end of the turn."""
        if not event.content or self.turn_state == "idle":
            return ()
        text = text_in(event.content)
        messages = [entry for entry in self._turns.entries() if isinstance(entry, AgentMessage)]
        if messages and _squeezed(text) in _squeezed("".join(map(text_of, messages))):
            return ()  # it repeats the text of the turn
        closed = self._messages.close()
        changes = [self._messages.add(schema.AgentMessageChunk(content=block), at) for block in event.content]
        last = next((change.entries for change in reversed(changes) if change is not None), ())
        return (*closed, *last)

    def _failed(self, event: events.TurnFailed, at: float) -> SessionChange:
        if self.turn_state == "cancelling" or event.code == REQUEST_CANCELLED:
            return self._ended(events.TurnEnded("cancelled"), at)
        fields: tuple[Field, ...] = ("turn", "questions") if self.questions else ("turn",)
        changed = self._end_turn("failed", at)
        self._has_ended = True
        return SessionChange((*changed, self._append(session_notices.failure_notice(event, at))), fields)

    def _end_turn(
        self, stop_reason: str, at: float, spent: schema.TurnUsage | None = None, *, is_end: bool = False
    ) -> tuple[int, ...]:
        """End the turn, if one runs, and settle its open calls and questions."""
        self._questions.end_turn()
        left = "cancelled" if self.turn_state == "cancelling" else "interrupted"
        self._turns.end(stop_reason, at, self.usage, spent)
        beside = {work.tool_call_id for work in self.background if work.tool_call_id is not None}
        calls = self._calls.settle(left, at, is_end=is_end and left == "interrupted", beside=beside)
        settled = (*calls, *self._compactions.interrupt(at))
        self.unprompted_at = None
        return (*self._messages.end_turn(), *settled)

    def _resumed(self, at: float) -> SessionChange:
        changed = (*self._end_turn("cancelled", at), *self._calls.end_left())
        self._questions.clear()
        self.pending.clear()
        self._options.end_consents()
        self.reported_state, self.background = "", []
        self._messages.begin_turn(len(self.entries))
        self._calls.begin_process()
        self._has_ended = False
        self._looked, self._steps = 0.0, Steps(self.plans.entries)  # the new process has a new clock
        self._steps_from = len(self.entries), len(self.turns)
        return SessionChange(changed, ("turn", "questions", "options"))

    def everything(self) -> SessionChange:
        """Return a change that names every entry and field."""
        return SessionChange(tuple(range(len(self.entries))), get_args(Field))

    def has_all_of(self, replay: Session) -> bool:
        """Return whether at least as many prompts are known here as in a replay of the session."""
        ours = sum(isinstance(entry, UserMessage | SteeredMessage) for entry in self.entries)
        return ours >= sum(isinstance(entry, UserMessage) for entry in replay.entries) and bool(ours)

    def past(self) -> Past:
        """Return the state that a resumed session needs."""
        turns = [(turn, self.prompt_of(number)) for number, turn in enumerate(self.turns, 1)]
        calls = [each for each in self.entries if isinstance(each, ToolCall) and each.status == "completed"]
        edited = {
            absolute(item.path, self.cwd) for call in calls for item in call.content if isinstance(item, Diff)
        }
        return Past(
            self.cwd,
            tuple(turns),
            tuple(self.plans.by_id.values()),
            tuple(self.all_files.values()),
            self._files.origins,
            frozenset(edited - set(self.all_files)) if self.snapshots else frozenset(),
            tuple(self.snapshots.values()),
            tuple(self.undo_steps),
        )

    def _load_past(self, past: Past) -> SessionChange:
        self._turns.recall(past.turns)
        folders = past.cwd.rstrip("/"), self.cwd.rstrip("/")
        self._files.take_over(past.files, past.origins, past.restored, folders)
        self.snapshots = {each.turn: each for each in past.snapshots}
        self.undo_steps = list(past.undo_steps)
        if not self.plans.by_id:
            self.plans = Plans(past.plans)
            self._steps = Steps(self.plans.entries)
        return SessionChange(fields=("files", "plan"))

    def _log_snapshot(self, event: KeptSnapshot | UndoStep | UndoStepRemoved) -> None:
        match event:
            case KeptSnapshot():
                if not event.turn:
                    self.snapshots.clear()
                    self.undo_steps.clear()
                self.snapshots[event.turn] = event
            case UndoStep():
                self.undo_steps.append(event)
            case UndoStepRemoved() if 0 <= event.place < len(self.undo_steps):
                del self.undo_steps[event.place]

    def _disconnected(self, event: events.Disconnected, at: float) -> SessionChange:
        self.connected = False
        self.reported_state, self.background = "", []
        asked = self._drop_questions(at)
        for child in self.children.values():
            child.apply(events.Disconnected(event.reason, is_wanted=True), at)
        changed = (*asked, *self._end_turn("failed", at), *self._calls.end_left(), *self._subagents.lose())
        self._options.pending.clear()
        if not event.is_wanted:
            changed = (*changed, self._append(Notice(event.reason, "error", event.detail, at)))
        return SessionChange(changed, ("turn", "questions", "options", "connection"))

    # ------------------------------------------------------------------ questions

    def _drop_questions(self, at: float) -> tuple[int, ...]:
        """Cancel all questions, since no answer is expected; return the changed entries."""
        places = []
        for question in self.questions.values():
            if isinstance(question, Permission) and question.place is not None:
                self._calls.decide(question, None, "unanswered", at)
                places.append(question.place)
        self._questions.clear()
        return tuple(places)

    def _asked(self, question: Permission, call: ToolCallFields, at: float) -> SessionChange:
        doubled = self._answered(events.Answered(question.key, by="an id used twice"), at) or SessionChange()
        known = self.tool_call(call.tool_call_id)
        closed: tuple[int, ...] = ()
        is_same = known is not None and self._calls.knows(call.tool_call_id, announces=True)
        if known is not None and is_same and (known.decision or self._questions.of_call(known.tool_call_id)):
            closed = self._messages.close()
            self._calls.continue_apart(known, at)
        change = self._tool_call(call, at, announces=True)
        question.place = change.entries[-1]
        asked = self._calls.at(question.place)
        asked.waits = not asked.is_final
        question.call = copy.copy(asked)
        self._questions.ask(question, at)
        return SessionChange((*doubled.entries, *closed, *change.entries), ("questions",))

    def _answered(self, event: events.Answered, at: float) -> SessionChange | None:
        question = self._questions.answered(event.key, waiting=event.waiting)
        if question is None:
            return None
        if not isinstance(question, Permission) or question.place is None:
            return SessionChange(fields=("questions",))
        call = self._calls.at(question.place)
        self._calls.decide(question, event.option_id, event.by, at)
        if self.reported_state and call.status == "pending" and not call.waits:
            call.status = "in_progress"  # in version 2 the call was pending because of the question
        return SessionChange((question.place,), ("questions",))

    # ------------------------------------------------------------------ tool calls

    def _tool_call(self, fields: ToolCallFields, at: float, *, announces: bool) -> SessionChange:
        is_known = self._calls.knows(fields.tool_call_id, announces=announces)
        alone = () if is_known else self._note_own_work(at)
        closed = alone if is_known else (*alone, *self._messages.close())
        entries, call = self._calls.take(fields, at, announces=announces)
        index = entries[-1]
        changed: tuple[Field, ...] = ()
        if self.questions and self._questions.update_call(index, call):
            changed = ("questions",)
        if call.status == "completed" and self._report(index, call):
            changed = (*changed, "files")
        if alone or call.has_left or (call.in_background and call.is_final):
            changed = (*changed, "turn")
        return SessionChange((*closed, *entries), changed)

    def _report(self, index: int, call: ToolCall) -> bool:
        """Record the changed files of a call, also for the parents of a subagent."""
        if self.parent is None:
            return self._files.report(index, call, self.cwd)
        root = self.root
        number = next(place for place, each in enumerate(root.descendants(), 1) if each is self)
        root._files.report(index + number * _PER_CHILD, call, self.cwd)
        return True

    # ------------------------------------------------------------------ options

    def _set_up(self, event: events.SetUp) -> SessionChange:
        self.cwd = self._calls.cwd = event.cwd or self.cwd
        back, self.connected = not self.connected, True
        self.meta.update(event.setup.meta or {})
        if event.is_new and not self.turns:
            self._messages.ascribe()
        self._options.set_up(event.setup)
        return SessionChange(fields=("options", "connection") if back else ("options",))

    def _inherited(self, event: events.Inherited, at: float) -> SessionChange:
        """Take over the source's entries, turns, plan and files; they replace those of a replay."""
        self.is_fork = True
        copied = bool(event.entries) and not self.entries
        if event.entries:
            self._drop_replay()
            self.entries += copy.deepcopy(list(event.entries))
            self._calls.inherit(at)
        if event.past is not None:
            self._load_past(event.past)
        self._append(session_notices.fork_notice(event.subject, self.entries, copied=copied, at=at))
        return self.everything()

    def _drop_replay(self) -> None:
        self.entries.clear()
        self._messages = Messages(self.entries, self._unsaid)
        self._calls = ToolCalls(self.entries, self.cwd, title_is_command=self._title_is_command)
        self._compactions, self._subagents = Compactions(self.entries), Subagents(self.entries)
        self.plans, self._files = Plans(), FileChanges()
        self._steps = Steps()

    def _option_refused(self, event: events.OptionRefused, at: float) -> SessionChange:
        self._options.refused(event.option_id, unknown=event.unknown)
        return _with_fields(self._note(Notice(event.reason, "error", at=at)), "options")

    def _current_mode(self, mode_id: str, at: float) -> SessionChange:
        option = self.option("mode")
        is_known = option is not None and option.config.current_value == mode_id
        is_chosen = option is not None and self.pending.get(option.config.id) == mode_id
        self._options.mode_is(mode_id)
        if option is None:
            return self._note_mode(mode_id, at)
        if is_known or (is_chosen and not self.entries):
            return SessionChange(fields=("options",))  # at the start, as the user has set it
        return _with_fields(self._note_mode(option.value_name, at), "options")

    def _note_mode(self, name: str, at: float) -> SessionChange:
        """Say the mode; of several modes in a row, only the last is said."""
        before = self._mode_notice
        if before is not None and self.entries and self.entries[-1] is before:
            before.text, before.at = f"Mode: {name}", at
            return SessionChange((len(self.entries) - 1,))
        self._mode_notice = Notice(f"Mode: {name}", at=at)
        return self._note(self._mode_notice)

    # ------------------------------------------------------------------ other updates

    def _available_commands(self, commands: list[AvailableCommand]) -> SessionChange:
        for command in commands:
            command.name = command.name.removeprefix("/")
        self.commands = commands
        return SessionChange(fields=("commands",))

    def _info(self, event: schema.SessionInfoUpdate) -> SessionChange | None:
        self.meta.update(event.meta or {})
        change = SessionChange()
        if dialects.is_idle(event.meta):
            change = self._rests(change)
        if "title" in event.model_fields_set:
            self.title = event.title or ""
            change = _with_fields(change, "title")
        return change if change.fields else None

    def _usage(self, update: UsageUpdate) -> SessionChange:
        """Merge the usage; absent parts keep their values."""
        before, has_cost = self.usage, update.cost is not None
        if update.used is None or update.size is None:
            used, size = (before.used, before.size) if before is not None else (None, None)
            update = update.model_copy(update={"used": used, "size": size})
        if update.cost is None and before is not None and not update.clears_cost:
            update = update.model_copy(update={"cost": before.cost})
        self.usage = update
        change = SessionChange(self._compactions.measured(update), ("usage",))
        if not dialects.ends_own_work(update.meta, has_cost=has_cost):
            return change
        if ended := self._calls.end_oldest_left():
            change = SessionChange((*change.entries, *ended), (*change.fields, "turn"))
        return self._rests(change)

    def _rests(self, change: SessionChange) -> SessionChange:
        """Record the end of the agent's work outside a turn."""
        if self.unprompted_at is None:
            return change
        self.unprompted_at = None
        return _with_fields(change, "turn")

    def _subagent(self, event: schema.SubagentUpdate, at: float) -> SessionChange:
        closed = () if self._subagents.knows(event.session_id) else self._messages.close()
        index, one = self._subagents.update(event, at)
        child = self.children.get(event.session_id)
        if child is None:
            child = Session(event.session_id, title_is_command=self._title_is_command, unsaid=self._unsaid)
            child.parent = self
            self.children[event.session_id], one.entries = child, child.entries
        child.cwd, child.title = one.cwd or self.cwd, one.name
        if one.state == "idle":
            child._rest(at)
        return SessionChange((*closed, index), ("turn",) if event.state is not None else ())

    def _rest(self, at: float) -> None:
        """Close all that is open in an idle subagent; it may continue in the same transcript."""
        self._messages.close()
        self._calls.settle("interrupted", at)
        self._compactions.interrupt(at)

    def _late_chunk(
        self, event: schema.AgentMessageChunk | schema.AgentThoughtChunk, at: float
    ) -> SessionChange | None:
        """Add a chunk outside a turn; if it begins a message, the agent is working by itself."""
        alone = self._note_own_work(at) if self._messages.begins(event) else ()
        if self.unprompted_at is not None:
            self.unprompted_at = at
        change = self._messages.add(event, at)
        return _after(alone, change) if alone else change

    def _note_own_work(self, at: float, *, is_reported: bool = False) -> tuple[int, ...]:
        """Note that the agent works although no turn runs; return the notice for its start, if any.

        Before a turn has ended, only a reported state (`is_reported`) counts.
        """
        if self.turn_state != "idle" or not (self._has_ended or is_reported) or self.parent is not None:
            return ()
        begins, self.unprompted_at = self.unprompted_at is None, at
        if not begins:
            return ()
        closed = self._messages.close()
        return (*closed, self._append(Notice("The agent continues on its own.", at=at)))

    def own_terminal(self, terminal_id: str) -> OwnTerminal | None:
        """Return a terminal that the agent runs itself."""
        return self._calls.terminals.get(terminal_id)

    @property
    def background_calls(self) -> list[ToolCall]:
        """Calls that continued after their turns ended."""
        return self._calls.in_background

    @property
    def background_others(self) -> list[schema.BackgroundWork]:
        """Background work of unknown kinds."""
        known = ("terminal", "tool_call", "subagent")
        return [work for work in self.background if work.type not in known]

    @property
    def works_unprompted(self) -> bool:
        """True if the agent reports that it works although no turn runs."""
        return self.turn_state == "idle" and self.reported_state in ("running", "requires_action")

    @property
    def background_terminals(self) -> list[OwnTerminal]:
        """Terminals of the agent that it reports as background work."""
        shown = [item for call in self.background_calls for item in call.content]
        known = {item.terminal_id for item in shown if isinstance(item, schema.TerminalItem)}
        named = [work.terminal_id for work in self.background if work.type == "terminal" and work.terminal_id]
        found = [self._calls.terminals.get(name) or OwnTerminal(name) for name in named if name not in known]
        return [one for one in found if not one.has_ended]

    def _planned(self, plan: PlanContent, at: float) -> SessionChange:
        self.plans.take(plan)
        self._steps.take_over(self.plans.entries, at, self._used)
        return SessionChange(fields=("plan",))

    @property
    def _used(self) -> int | None:
        """Tokens in the context, if known."""
        return self.usage.used if self.usage is not None else None

    def work_on(self, step: str, now: float) -> StepWork:
        """Return the calls, changes, time and tokens of a step of the plan, by its text."""
        entries, turns = self._steps_from
        calls = [entry for entry in self.entries[entries:] if isinstance(entry, ToolCall)]
        own = self.turns[max(turns, self._turns.recalled) :]
        files = self.all_files.values()
        return work_on(step, self._steps, calls, files, own, now=now, used=self._used)

    def unplanned(self) -> list[str]:
        """Return the paths of files that the latest turn changed outside all steps; none without a plan."""
        turn = self.turns[-1] if self.turns else None
        if turn is None or not self._steps.has_any(turn.started):
            return []
        number = len(self.turns)
        return [
            path
            for path, file in self.all_files.items()
            if any(one.turn == number and not one.plan_entry for one in file.origins)
        ]

    def _unknown(self, event: schema.UnknownUpdate, at: float) -> SessionChange:
        """Show an unknown update; consecutive ones of one name share an entry."""
        last = self.entries[-1] if self.entries else None
        raw, name = event.raw, dialects.update_name(event.raw)
        if (sent := version2.name_of(name)) != name:
            raw, name = {**raw, "sessionUpdate": sent}, sent
        if isinstance(last, UnknownNews) and last.name == name:
            last.count, last.raw = last.count + 1, raw
            return SessionChange((len(self.entries) - 1,))
        return SessionChange((self._append(UnknownNews(name, raw, at=at)),))

    def _compaction(
        self, event: schema.CompactionUpdate | schema.CompactionSummaryChunk, at: float
    ) -> SessionChange:
        closed = () if self._compactions.knows(event.compaction_id) else self._messages.close()
        if isinstance(event, schema.CompactionUpdate):
            index = self._compactions.update(event, self.usage, at)
        else:
            index = self._compactions.add(event, self.usage, at)
        return SessionChange((*closed, index))

    def _note(self, notice: Notice) -> SessionChange:
        return SessionChange((self._append(notice),))

    def _append(self, entry: Entry) -> int:
        self.entries.append(entry)
        return len(self.entries) - 1


def _after(before: tuple[int, ...], change: SessionChange | None) -> SessionChange:
    """Return a change preceded by other changed entries, and by the start of work outside a turn."""
    return SessionChange((*before, *(change.entries if change is not None else ())), ("turn",))


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _with_fields(change: SessionChange, *fields: Field) -> SessionChange:
    return SessionChange(change.entries, (*change.fields, *fields))
