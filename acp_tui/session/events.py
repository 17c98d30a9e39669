"""Events of a session other than the agent's updates, and the change that an event causes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from acp_tui.protocol.schema import (
    ConfigOption,
    ContentBlock,
    SessionSetup,
    ToolCallFields,
    TurnUsage,
    Update,
)
from acp_tui.session.earlier_runs import KeptSnapshot, Past, UndoStep, UndoStepRemoved
from acp_tui.session.entries import Entry, Severity
from acp_tui.session.file_changes import DiskState, Origin
from acp_tui.session.options import Consent
from acp_tui.session.questions import Elicitation, Permission, StaleWrite


@dataclass(frozen=True, slots=True)
class SetUp:
    """The session was created, loaded or resumed with these modes and options."""

    setup: SessionSetup
    cwd: str = ""
    is_new: bool = False
    """True if nothing was said in it before."""
    is_made: bool = False
    """True if it answers a request for a new or forked session, so that its id must be new."""


@dataclass(frozen=True, slots=True)
class Inherited:
    """The session is a fork of another one."""

    entries: tuple[Entry, ...]
    """Those of the source, which take the place of a replay; () to keep the replay."""
    subject: str
    """Subject of the source session, or ""."""
    past: Past | None = None
    """The state of the source, if its entries are taken."""


@dataclass(frozen=True, slots=True)
class Prompted:
    """The user sent a prompt; a turn begins."""

    prompt: list[ContentBlock]


@dataclass(frozen=True, slots=True)
class Steered:
    """The agent has taken text of the user into the running turn."""

    prompt: list[ContentBlock]


@dataclass(frozen=True, slots=True)
class TurnCancelled:
    """The user cancelled the turn, which runs until the agent ends it."""


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The turn ended; `content` is text that some agents send only here."""

    stop_reason: str
    content: tuple[ContentBlock, ...] = ()
    usage: TurnUsage | None = None
    """Tokens of the turn, if reported."""


@dataclass(frozen=True, slots=True)
class TurnFailed:
    """The turn ended with an error."""

    code: int
    message: str
    data: Any = None


@dataclass(frozen=True, slots=True)
class Asked:
    """The agent requested a permission."""

    question: Permission
    tool_call: ToolCallFields


@dataclass(frozen=True, slots=True)
class Elicited:
    """The agent requested input."""

    question: Elicitation


@dataclass(frozen=True, slots=True)
class Conflicted:
    """The agent wants to overwrite a file that changed since it last read it."""

    question: StaleWrite


@dataclass(frozen=True, slots=True)
class ImplicitlyAsked:
    """The agent acted without a permission request, so the client asks."""

    question: Permission


@dataclass(frozen=True, slots=True)
class Answered:
    """A question was answered; `by` is the source of the answer, for display."""

    key: str
    option_id: str | None = None
    by: str = "you"
    waiting: bool = False
    """True after agreeing to visit a URL, until the agent reports completion."""


@dataclass(frozen=True, slots=True)
class Completed:
    """The agent reported a visited URL. Source: ACP, "elicitation/complete"."""

    elicitation_id: str


@dataclass(frozen=True, slots=True)
class OptionChosen:
    """A value is about to be requested.

    Not in the journal: consent to unasked actions holds for this run only.
    """

    option_id: str
    value: str | bool
    consent: Consent
    """The unasked actions that the user accepted under this value."""


@dataclass(frozen=True, slots=True)
class OptionRequested:
    """The user requested a value; the agent has not confirmed it."""

    option_id: str
    value: str | bool


@dataclass(frozen=True, slots=True)
class OptionSet:
    """The agent confirmed a value, and may have sent all options again."""

    option_id: str
    value: str | bool
    config_options: list[ConfigOption] | None = None


@dataclass(frozen=True, slots=True)
class OptionRefused:
    """The agent refused a value."""

    option_id: str
    reason: str
    unknown: bool = False
    """True if the agent does not know the method."""


@dataclass(frozen=True, slots=True)
class Wrote:
    """The client wrote a file for the agent; `old` is None for a new file."""

    path: str
    old: str | None
    new: str


Hunk = tuple[int, int, int, int]
"""Lines `old start:old stop` that became `new start:new stop`, counted from 0."""


class LineStep(NamedTuple):
    """A change of a file from one content to the next."""

    was: str
    """Hash of the content before; "" for no file."""
    id: str
    """Hash of the content after it."""
    hunks: tuple[Hunk, ...] | None = None
    """The lines that differ; None if unknown."""
    moved_from: str = ""
    """Earlier path, if the file was moved."""


@dataclass(frozen=True, slots=True)
class WorkspaceCompared:
    """The workspace was compared with its state at the start of the session."""

    files: tuple[DiskState, ...]
    origins: Mapping[str, Origin] = field(default_factory=dict)
    """Recorded origins by path; others are inferred."""
    took: float = 0.0
    """Seconds since the comparison began; later changes may be missing."""
    undone: Collection[str] = ()
    """Paths touched by an undo or redo; the rest of their changes keep their origin."""
    steps: Mapping[str, LineStep] = field(default_factory=dict)
    """The latest changes by path, for the journal."""


@dataclass(frozen=True, slots=True)
class RangeChosen:
    """The user chose the first turn of the changes to show."""

    since: int
    """Turn (from 1), 0 for the whole session, or `THIS_TURN`."""
    files: tuple[DiskState, ...] | None = None
    """Differences on disk since that turn, or None if unknown."""


@dataclass(frozen=True, slots=True)
class Noted:
    """A notice for the user."""

    text: str
    severity: Severity = "info"
    detail: str = ""
    is_act: bool = False
    """True if it reports an action, so that later agent text starts a new message."""


@dataclass(frozen=True, slots=True)
class CommandStarted:
    """The user ran a shell command, unseen by the agent."""

    terminal_id: str
    command: str


@dataclass(frozen=True, slots=True)
class CommandPrinted:
    """A shell command of the user printed output."""

    terminal_id: str
    text: str


@dataclass(frozen=True, slots=True)
class CommandEnded:
    """A shell command of the user ended; `exit_code` is None after a signal."""

    terminal_id: str
    exit_code: int | None
    output: str = ""
    """Latest output."""


@dataclass(frozen=True, slots=True)
class Printed:
    """Recorded output of terminals that no longer exist."""

    texts: Mapping[str, str]
    """Latest output by terminal id."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """A new process of the agent continues the session; open calls are lost."""


@dataclass(frozen=True, slots=True)
class PastLoaded:
    """The past of a session was loaded from earlier journals."""

    past: Past


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The agent's process is gone."""

    reason: str
    detail: str = field(default="")
    is_wanted: bool = False
    """True if the client ended it."""


Event = (
    Update
    | Prompted
    | Steered
    | TurnCancelled
    | TurnEnded
    | TurnFailed
    | Asked
    | Elicited
    | Conflicted
    | ImplicitlyAsked
    | Answered
    | Completed
    | Noted
    | Printed
    | SetUp
    | Inherited
    | OptionChosen
    | OptionRequested
    | OptionSet
    | OptionRefused
    | Wrote
    | WorkspaceCompared
    | RangeChosen
    | CommandStarted
    | CommandPrinted
    | CommandEnded
    | Resumed
    | PastLoaded
    | KeptSnapshot
    | UndoStep
    | UndoStepRemoved
    | Disconnected
)

Field = Literal["turn", "plan", "options", "commands", "usage", "title", "questions", "files", "connection"]


class SessionChange(NamedTuple):
    """Changed entries by index, and changed fields by name.

    It has no values: a view reads them from the session.
    """

    entries: tuple[int, ...] = ()
    fields: tuple[Field, ...] = ()
