"""One conversation. Everything that happens to it, live or replayed, comes in through `Session.apply`."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, assert_never, get_args

from acp_tui.protocol import dialects
from acp_tui.protocol import schema as news
from acp_tui.protocol.schema import (
    CANCELLED,
    AvailableCommand,
    PlanEntry,
    ToolCallFields,
    UsageUpdate,
    as_text,
    said_in,
)
from acp_tui.session import events
from acp_tui.session import tool_calls as calls
from acp_tui.session.change import Field, SessionChange
from acp_tui.session.entries import (
    AgentMessage,
    Diff,
    Entry,
    Notice,
    Severity,
    ToolCall,
    UserCommand,
    UserMessage,
    absolute,
    line_of,
)
from acp_tui.session.events import Event, Inherited, TurnFailed
from acp_tui.session.files import FileChange, FileChanges, OnDisk, Steps, origin
from acp_tui.session.messages import Messages
from acp_tui.session.options import Option, SessionOptions
from acp_tui.session.past import KeptSnapshot, Past, UndoStep, UndoStepTaken
from acp_tui.session.questions import OpenQuestions, Permission, Question
from acp_tui.session.text_buffer import whole
from acp_tui.session.tool_calls import ToolCalls, settle
from acp_tui.session.turns import Turn, Turns, TurnState

_STOPS: Final = {
    "max_tokens": "The token limit was reached: the answer may be cut.",
    "max_turn_requests": "The limit of model calls in one turn was reached. Say so to go on.",
    "refusal": "The agent refused. This prompt and what followed are not in its context.",
}

_SILENT: Final = "The agent ended the turn without a word."
"""Said after a turn of which nothing came, so that it does not look like one that still runs."""


def ending_notice(reason: str, told: str, *, silent: bool, at: float) -> Notice | None:
    """Return what to say about the end of a turn, if anything.

    Args:
        reason: the stop reason in the protocol's words.
        told: the stop reason in the agent's words.
        silent: whether nothing came of the turn.
        at: when it ended.
    """
    if reason not in ("end_turn", "cancelled"):
        return Notice(_STOPS.get(reason, f"The turn stopped: {told}"), "warning", at=at)
    if reason == "cancelled":
        return Notice("Cancelled.", at=at)
    return Notice(_SILENT, at=at) if silent else None


def failure(event: TurnFailed, at: float) -> Notice:
    """Return what to say about a turn that the agent answered with an error."""
    said = as_text(event.message)
    text = f"{said} (error {event.code})" if event.code else said
    return Notice(text, "error", _shown(event.data), at)


def _shown(data: object) -> str:
    """Return an error's data as text: all of it where it says nothing in words."""
    if data is None:
        return ""
    if isinstance(data, str):
        return as_text(data)
    return said_in(data) or json.dumps(data, ensure_ascii=False)


def take_over(entries: list[Entry], event: Inherited, at: float) -> str:
    """Add what was said before the fork, where the agent has told nothing; return what to say of that."""
    is_told = bool(entries) or not event.entries
    if not is_told:
        entries += _inherited(event.entries, at)
    return _said_of(event.subject, entries, taken_over=not is_told)


def _inherited(entries: Sequence[Entry], at: float) -> list[Entry]:
    """Return entries of another session as they may stand in a fork: nothing in them goes on."""
    copies = copy.deepcopy(list(entries))
    for entry in copies:
        if isinstance(entry, ToolCall):
            settle(entry, "interrupted", at)
    return copies


def _said_of(subject: str, own: Sequence[Entry], *, taken_over: bool) -> str:
    """Return what a person should know about a fork.

    Args:
        subject: what the other session is about; may be empty.
        own: what the fork shows above this notice.
        taken_over: whether that comes from us and not from the agent.
    """
    source = f"“{subject}”" if subject else "another session"
    if taken_over:
        return f"Forked from {source}. What stands above was kept here: the agent sent no history."
    if any(isinstance(entry, UserMessage | AgentMessage) for entry in own):
        return f"Forked from {source}."
    return f"Forked from {source}. The agent knows what was said there; it is not shown here."


THIS_TURN: Final = -1
"""Stands for the newest turn, whichever that is."""


class Range:
    """The choice of one person for one session."""

    def __init__(self) -> None:
        self.since = 0
        """A turn, from 1; 0: all of the session; or `THIS_TURN`."""
        self._seen: tuple[OnDisk, ...] | None = None

    def choose(self, since: int, seen: tuple[OnDisk, ...] | None) -> None:
        """Show what changed since a turn: what was seen of that on disk, or what was noted at the time."""
        self.since, self._seen = since, seen

    def of(self, files: dict[str, FileChange], newest: int) -> dict[str, FileChange]:
        """Return the chosen ones of all files; `newest` is the number of the newest turn."""
        if not self.since:
            return files
        if self._seen is not None:
            return {file.path: _as_seen(file, files) for file in self._seen}
        since = newest if self.since == THIS_TURN else self.since
        return {path: file for path, file in files.items() if _has_changed_since(file, since)}


def _as_seen(seen: OnDisk, files: Mapping[str, FileChange]) -> FileChange:
    known = files.get(seen.path)
    return replace(known, seen=seen) if known is not None else FileChange(seen.path, seen=seen)


def _has_changed_since(file: FileChange, turn: int) -> bool:
    return any(origin.turn >= turn for origin in file.origins)


def filled(news: UsageUpdate, before: UsageUpdate | None) -> UsageUpdate:
    """Return news of the usage with what they leave out as it was before."""
    if news.used is None or news.size is None:
        used, size = (before.used, before.size) if before is not None else (None, None)
        news = news.model_copy(update={"used": used, "size": size})
    if news.cost is None and before is not None:
        news = news.model_copy(update={"cost": before.cost})
    return news


_SEVERITIES: Final[dict[str, Severity]] = {word: word for word in get_args(Severity)}


class Session:
    """What has been said and done so far. Views read it; only `apply` changes it."""

    def __init__(self, session_id: str, cwd: str = "", *, title_is_command: bool = False) -> None:
        self.id = session_id
        self.cwd = cwd
        """The primary root; relative paths of the agent are read against it."""
        self.entries: list[Entry] = []
        self.plan: list[PlanEntry] = []
        self._steps = Steps()
        self.commands: list[AvailableCommand] = []
        self.usage: news.UsageUpdate | None = None
        self.title: str = ""
        self.meta: dict[str, Any] = {}
        """The `_meta` of the session's own words, merged key by key."""
        self.is_fork = False
        """Whether it goes on from another session."""
        self.connected = True
        self.kept: dict[int, KeptSnapshot] = {}
        """Snapshots of the workspace: from before turns, by their numbers, and from the beginning, by 0."""
        self.undid: list[UndoStep] = []
        """What the user has rejected or restored and can take back, the newest last."""
        self._files = FileChanges()
        self._range = Range()
        self._looked = 0.0
        self._messages = Messages(self.entries)
        self._calls = ToolCalls(self.entries, title_is_command=title_is_command)
        self._options = SessionOptions()
        self._questions = OpenQuestions()
        self._turns = Turns(self.entries)

    @property
    def questions(self) -> dict[str, Question]:
        """Open questions by key, oldest first."""
        return self._questions.open

    @property
    def turns(self) -> list[Turn]:
        """The turns so far, the newest last."""
        return self._turns.all

    @property
    def turn_state(self) -> TurnState:
        """Whether a turn runs."""
        return self._turns.state

    def prompt_of(self, turn: int) -> str:
        """Return in one line what the person said to begin a turn, which are counted from 1."""
        return self._turns.prompt_of(turn)

    @property
    def files(self) -> dict[str, FileChange]:
        """Changed files by absolute path, in the order of their first change."""
        return self._range.of(self._files.changes, len(self.turns))

    @property
    def since(self) -> int:
        """The turn since which `files` are told; 0 for all of the session. See `Ranged`."""
        return self._range.since

    @property
    def all_files(self) -> dict[str, FileChange]:
        """Files that the whole session changed, whatever the person wants to see."""
        return self._files.changes

    def tool_call(self, tool_call_id: str) -> ToolCall | None:
        """Return a tool call by its id."""
        return self._calls.find(tool_call_id)

    def asks(self, call: ToolCall) -> bool:
        """Return whether a tool call waits for a permission."""
        waiting = self._questions.about(call.tool_call_id)
        return any(each.place is not None and self._calls.at(each.place) is call for each in waiting)

    @property
    def subject(self) -> str:
        """What the session is about: its title, else its first prompt; may be empty."""
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
        """Options that the person set and the agent has not agreed to yet, by id."""
        return self._options.pending

    @property
    def let(self) -> dict[str, str | bool]:
        """The modes that the user chose knowing that the agent acts unasked in them, by the option's id."""
        return self._options.let

    def option(self, category: str) -> Option | None:
        """Return the first option of a category, for prominent places."""
        return self._options.of_category(category)

    def apply(self, event: Event, at: float = 0.0) -> SessionChange | None:
        """Take in what happened at `at` (seconds, any clock that only goes forward); say what changed.

        Raises:
            IllegalStep: a prompt while a turn runs.
        """
        match event:
            case news.AgentMessageChunk() | news.AgentThoughtChunk():
                return self._messages.add(event, at)
            case news.UserMessageChunk():
                return self._heard(event, at)
            case news.NewToolCall():
                return self._tool_call(event, at, announces=True)
            case news.ToolCallUpdate():
                return self._tool_call(event, at, announces=False)
            case news.Plan():
                self.plan = event.entries
                self._steps.take_over(self.plan, at)
                return SessionChange(fields=("plan",))
            case news.AvailableCommandsUpdate():
                return self._available_commands(event.available_commands)
            case news.CurrentModeUpdate():
                return self._current_mode(event.current_mode_id, at)
            case news.ConfigOptionUpdate():
                self._options.take(event.config_options)
                return SessionChange(fields=("options",))
            case news.SessionInfoUpdate():
                return self._info(event)
            case news.UsageUpdate():
                self.usage = filled(event, self.usage)
                return SessionChange(fields=("usage",))
            case news.NoticeUpdate():
                severity = _SEVERITIES.get(event.severity, "info")
                return self._note(Notice(event.title, severity, event.description or "", at))
            case news.UnknownUpdate():
                return None
            case _:
                return self._own(event, at)

    # ------------------------------------------------------------------ what we do, and what answers bring

    def _own(self, event: events.Own, at: float) -> SessionChange | None:
        match event:
            case events.Prompted():
                return self._prompted(event, at)
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
            case _:
                return self._beside(event, at)

    def _beside(self, event: events.Beside, at: float) -> SessionChange | None:
        match event:
            case events.CommandStarted():
                return SessionChange((self._append(UserCommand(event.terminal_id, event.command, at)),))
            case events.CommandEnded():
                return self._command_ended(event, at)
            case events.Printed():
                return SessionChange(self._calls.printed(event.texts))
            case events.Wrote():
                self._files.wrote(event.path, event.old, event.new)
                return SessionChange(fields=("files",))
            case events.WorkspaceCompared():
                return self._snapped(event, at)
            case events.RangeChosen():
                self._range.choose(event.since, event.files)
                return SessionChange(fields=("files",))
            case events.Resumed():
                return self._taken_up(at)
            case events.PastLoaded():
                return self._recalled(event.past)
            case KeptSnapshot() | UndoStep() | UndoStepTaken():
                self._keep(event)
                return None
            case events.Disconnected():
                return self._disconnected(event, at)
            case events.SetUp():
                return self._set_up(event)
            case events.Inherited():
                return self._inherited(event, at)
            case events.OptionChosen():
                self._options.choose(event.option_id, event.value, lets=event.lets)
                return None
            case events.OptionRequested():
                self.pending[event.option_id] = event.value
                return SessionChange(fields=("options",))
            case events.OptionSet():
                self._options.agreed(event.option_id, event.value, event.config_options)
                return SessionChange(fields=("options",))
            case events.OptionRefused():
                return self._setting_failed(event, at)
            case _:
                assert_never(event)

    def _snapped(self, event: events.WorkspaceCompared, at: float) -> SessionChange | None:
        news = self._files.snapped(event.files)
        said = self._turns.entries()
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
            file.came_from(known or origin(said, self._steps, turn, file.path, since=self._looked))
            self._files.remember(file)
        self._looked = at - event.took
        return SessionChange(fields=("files",)) if news is not None else None

    def _command_ended(self, event: events.CommandEnded, at: float) -> SessionChange | None:
        for index, entry in enumerate(self.entries):
            if isinstance(entry, UserCommand) and entry.terminal_id == event.terminal_id:
                entry.ended, entry.exit_code = at, event.exit_code
                if event.output:
                    entry.output = whole(event.output)
                return SessionChange((index,))
        return None

    def _prompted(self, event: events.Prompted, at: float) -> SessionChange:
        self._turns.step("prompted")
        index = self._messages.prompted(event.prompt, at)
        self._turns.begin(index, at)
        self._calls.begin_turn(index)
        return SessionChange((index,), ("turn",))

    def _heard(self, chunk: news.UserMessageChunk, at: float) -> SessionChange | None:
        """Take in what the user said, as the agent tells it; between our turns it begins one."""
        before = len(self.entries)
        change = self._messages.add(chunk, at)
        if self.turn_state == "idle" and len(self.entries) > before:
            self._messages.begin_turn(before)
            self._calls.begin_turn(before)
        return change

    def _cancelled(self, at: float) -> SessionChange | None:
        if self.turn_state == "idle":
            return None  # it crossed the end of the turn
        self._turns.step("cancelled")
        settled = self._calls.settle("cancelled", at)
        self._questions.clear()
        return SessionChange(settled, ("turn", "questions"))

    def _ended(self, event: events.TurnEnded, at: float) -> SessionChange:
        reason = dialects.stop_reason(event.stop_reason)
        is_refused = reason == "refusal"
        if self.turn_state == "cancelling":
            reason = "cancelled"  # whatever the agent calls it
        said = self._last_words(event, at)
        silent = self.turn_state != "idle" and self._turns.heard_nothing
        fields: tuple[Field, ...] = ("turn", "questions") if self.questions else ("turn",)
        changed = (*said, *self._end_turn(reason, at))
        if is_refused and self.turns:
            changed = (*changed, *self._turns.drop())
        if (notice := ending_notice(reason, event.stop_reason, silent=silent, at=at)) is not None:
            changed = (*changed, self._append(notice))
        return SessionChange(changed, fields)

    def _last_words(self, event: events.TurnEnded, at: float) -> tuple[int, ...]:
        """Show what stands only in the answer to the prompt, when nothing else was said in the turn."""
        if not event.content or self.turn_state == "idle":
            return ()
        if any(isinstance(entry, AgentMessage) for entry in self._turns.entries()):
            return ()
        changes = [self._messages.add(news.AgentMessageChunk(content=block), at) for block in event.content]
        return next((change.entries for change in changes if change is not None), ())

    def _failed(self, event: events.TurnFailed, at: float) -> SessionChange:
        if self.turn_state == "cancelling" or event.code == CANCELLED:
            return self._ended(events.TurnEnded("cancelled"), at)
        fields: tuple[Field, ...] = ("turn", "questions") if self.questions else ("turn",)
        changed = self._end_turn("failed", at)
        return SessionChange((*changed, self._append(failure(event, at))), fields)

    def _end_turn(self, stop_reason: str, at: float) -> tuple[int, ...]:
        """End the turn, if one runs, and settle what was left open: nobody waits for its answers any more."""
        self._questions.end_turn()
        left = "cancelled" if self.turn_state == "cancelling" else "interrupted"
        self._turns.end(stop_reason, at, self.usage)
        return (*self._messages.end_turn(), *self._calls.settle(left, at))

    def _taken_up(self, at: float) -> SessionChange:
        changed = self._end_turn("cancelled", at)
        self._questions.clear()
        self.pending.clear()
        self._messages.begin_turn(len(self.entries))
        self._calls.begin_anew()
        self._looked, self._steps = 0.0, Steps(self.plan)  # and so does its clock
        return SessionChange(changed, ("turn", "questions", "options"))

    def past(self) -> Past:
        """Return what is known of it, for who takes it up again."""
        turns = [(turn, self.prompt_of(number)) for number, turn in enumerate(self.turns, 1)]
        calls = [each for each in self.entries if isinstance(each, ToolCall) and each.status == "completed"]
        told = {
            absolute(item.path, self.cwd) for call in calls for item in call.content if isinstance(item, Diff)
        }
        return Past(
            self.cwd,
            tuple(turns),
            tuple(self.plan),
            tuple(self.all_files.values()),
            self._files.origins,
            frozenset(told - set(self.all_files)) if self.kept else frozenset(),
            tuple(self.kept.values()),
            tuple(self.undid),
        )

    def _recalled(self, past: Past) -> SessionChange:
        self._turns.recall(past.turns)
        folders = past.cwd.rstrip("/"), self.cwd.rstrip("/")
        self._files.take_over(past.files, past.origins, past.over, folders)
        self.kept = {each.turn: each for each in past.kept}
        self.undid = list(past.undid)
        if not self.plan:
            self.plan = list(past.plan)
            self._steps = Steps(self.plan)
        return SessionChange(fields=("files", "plan"))

    def _keep(self, event: KeptSnapshot | UndoStep | UndoStepTaken) -> None:
        match event:
            case KeptSnapshot():
                if not event.turn:
                    self.kept.clear()
                    self.undid.clear()
                self.kept[event.turn] = event
            case UndoStep():
                self.undid.append(event)
            case UndoStepTaken() if 0 <= event.place < len(self.undid):
                del self.undid[event.place]

    def _disconnected(self, event: events.Disconnected, at: float) -> SessionChange:
        self.connected = False
        changed = self._end_turn("failed", at)
        self._questions.clear()
        self._options.pending.clear()
        if not event.is_wanted:
            changed = (*changed, self._append(Notice(event.reason, "error", event.detail, at)))
        return SessionChange(changed, ("turn", "questions", "options", "connection"))

    # ------------------------------------------------------------------ questions

    def _asked(self, question: Permission, call: ToolCallFields, at: float) -> SessionChange:
        doubled = self._answered(events.Answered(question.key, by="an id used twice"), at) or SessionChange()
        known = self.tool_call(call.tool_call_id)
        closed: tuple[int, ...] = ()
        is_same = known is not None and self._calls.knows(call.tool_call_id, announces=True)
        if known is not None and is_same and (known.decision or self._questions.about(known.tool_call_id)):
            closed = self._messages.close()
            self._calls.begin_again(known, at)
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
        calls.decide(self._calls.at(question.place), question, event.option_id, event.by, at)
        return SessionChange((question.place,), ("questions",))

    # ------------------------------------------------------------------ tool calls

    def _tool_call(self, fields: ToolCallFields, at: float, *, announces: bool) -> SessionChange:
        is_known = self._calls.knows(fields.tool_call_id, announces=announces)
        closed = () if is_known else self._messages.close()
        entries, call = self._calls.take(fields, at, announces=announces)
        index = entries[-1]
        changed: tuple[Field, ...] = ()
        if self.questions and self._questions.told(index, call):
            changed = ("questions",)
        if call.status == "completed" and self._files.report(index, call, self.cwd):
            changed = (*changed, "files")
        return SessionChange((*closed, *entries), changed)

    # ------------------------------------------------------------------ options

    def _set_up(self, event: events.SetUp) -> SessionChange:
        self.cwd = event.cwd or self.cwd
        back, self.connected = not self.connected, True
        self.meta.update(event.setup.meta or {})
        self._options.set_up(event.setup)
        return SessionChange(fields=("options", "connection") if back else ("options",))

    def _inherited(self, event: events.Inherited, at: float) -> SessionChange:
        """Show what was said before the fork: as the agent has told it, else as we have it."""
        self.is_fork = True
        note = self._note(Notice(take_over(self.entries, event, at), at=at))
        return SessionChange((*range(len(self.entries) - 1), *note.entries), ("title",))

    def _setting_failed(self, event: events.OptionRefused, at: float) -> SessionChange:
        self._options.refused(event.option_id, unknown=event.unknown)
        return _with_fields(self._note(Notice(event.reason, "error", at=at)), "options")

    def _current_mode(self, mode_id: str, at: float) -> SessionChange:
        option = self.option("mode")
        is_known = option is not None and option.config.current_value == mode_id
        self._options.mode_is(mode_id)
        if option is None:
            return self._note(Notice(f"Mode: {mode_id}", at=at))
        if is_known:
            return SessionChange(fields=("options",))
        return _with_fields(self._note(Notice(f"Mode: {option.value_name}", at=at)), "options")

    # ------------------------------------------------------------------ small facts

    def _available_commands(self, commands: list[AvailableCommand]) -> SessionChange:
        for command in commands:
            command.name = command.name.removeprefix("/")
        self.commands = commands
        return SessionChange(fields=("commands",))

    def _info(self, event: news.SessionInfoUpdate) -> SessionChange | None:
        self.meta.update(event.meta or {})
        if "title" not in event.model_fields_set:
            return None
        self.title = event.title or ""
        return SessionChange(fields=("title",))

    def _note(self, notice: Notice) -> SessionChange:
        return SessionChange((self._append(notice),))

    def _append(self, entry: Entry) -> int:
        self.entries.append(entry)
        return len(self.entries) - 1


def _with_fields(change: SessionChange, *fields: Field) -> SessionChange:
    return SessionChange(change.entries, (*change.fields, *fields))
