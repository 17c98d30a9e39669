"""What happens in a session beside the agent's updates: what we do, and what answers bring."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from acp_tui.protocol.schema import ConfigOption, ContentBlock, SessionSetup, ToolCallFields, Update
from acp_tui.session.entries import Entry, Severity
from acp_tui.session.files import DiskState, Origin
from acp_tui.session.past import KeptSnapshot, Past, UndoStep, UndoStepTaken
from acp_tui.session.questions import Elicitation, Permission, StaleWrite


@dataclass(frozen=True, slots=True)
class SetUp:
    """The session was made, loaded or resumed; the answer names its modes and options."""

    setup: SessionSetup
    cwd: str = ""


@dataclass(frozen=True, slots=True)
class Inherited:
    """The session is a fork of another one, in which these entries stand."""

    entries: tuple[Entry, ...]
    subject: str
    """What the other one is about; may be empty."""


@dataclass(frozen=True, slots=True)
class Prompted:
    """The person said something; a turn begins."""

    prompt: list[ContentBlock]


@dataclass(frozen=True, slots=True)
class TurnCancelled:
    """The person stopped the turn; it ends when the agent says so."""


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The turn ended; `content` is what some agents say only in the answer to the prompt."""

    stop_reason: str
    content: tuple[ContentBlock, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnFailed:
    """The turn ended with an error."""

    code: int
    message: str
    data: Any = None


@dataclass(frozen=True, slots=True)
class Asked:
    """The agent wants a permission."""

    question: Permission
    tool_call: ToolCallFields


@dataclass(frozen=True, slots=True)
class Elicited:
    """The agent wants input."""

    question: Elicitation


@dataclass(frozen=True, slots=True)
class Conflicted:
    """The agent wants to write over a file that it has not seen as it is now."""

    question: StaleWrite


@dataclass(frozen=True, slots=True)
class ImplicitlyAsked:
    """The agent has us do what it did not ask for; the person is asked by us."""

    question: Permission


@dataclass(frozen=True, slots=True)
class Answered:
    """A question has its answer: `by` is who gave it (you, a rule, stop, the agent), for people."""

    key: str
    option_id: str | None = None
    by: str = "you"
    waiting: bool = False
    """The answer was to visit an address, and the agent has not said yet that it is complete."""


@dataclass(frozen=True, slots=True)
class Completed:
    """The agent says that an address was visited. Source: ACP, "elicitation/complete"."""

    elicitation_id: str


@dataclass(frozen=True, slots=True)
class OptionChosen:
    """A value is about to be set. No journal tells it: what was let is let in this run only."""

    option_id: str
    value: str | bool
    lets: bool
    """The user has chosen it, and knows that the agent acts without asking under it."""


@dataclass(frozen=True, slots=True)
class OptionRequested:
    """The person chose a value; the agent has not agreed yet."""

    option_id: str
    value: str | bool


@dataclass(frozen=True, slots=True)
class OptionSet:
    """The agent agreed, and may have told all options anew."""

    option_id: str
    value: str | bool
    config_options: list[ConfigOption] | None = None


@dataclass(frozen=True, slots=True)
class OptionRefused:
    """The agent did not agree."""

    option_id: str
    reason: str
    unknown: bool = False
    """It does not know the method at all: there is no use in asking again."""


@dataclass(frozen=True, slots=True)
class Wrote:
    """We wrote a file for the agent; `old` is None for a new file."""

    path: str
    old: str | None
    new: str


@dataclass(frozen=True, slots=True)
class WorkspaceCompared:
    """The workspace was looked at: all files that differ from the beginning of the session."""

    files: tuple[DiskState, ...]
    origins: Mapping[str, Origin] = field(default_factory=dict)
    """Where changes come from by path, if that was written down; else it is found out."""
    took: float = 0.0
    """Seconds since the look began: what came since may not be in it."""
    undone: Collection[str] = ()
    """Paths of which an undoing took something back or gave it again: what is left keeps its origin."""


@dataclass(frozen=True, slots=True)
class RangeChosen:
    """The person wants to see what changed since a turn."""

    since: int
    """The turn, from 1; 0: all of the session; `THIS_TURN`: whichever is the newest."""
    files: tuple[DiskState, ...] | None = None
    """How files differ from before that turn; None where only the session's own record can tell."""


@dataclass(frozen=True, slots=True)
class Noted:
    """A fact about the session, for people."""

    text: str
    severity: Severity = "info"
    detail: str = ""
    is_act: bool = False
    """Something was done, or was not let be done, here: what the agent says after it stands below."""


@dataclass(frozen=True, slots=True)
class CommandStarted:
    """The person runs a command of their own, in a terminal that the agent does not see."""

    terminal_id: str
    command: str


@dataclass(frozen=True, slots=True)
class CommandEnded:
    """A command of the person is over; `exit_code` is None for one that a signal has ended."""

    terminal_id: str
    exit_code: int | None
    output: str = ""
    """The newest of what it printed."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A journal tells what commands printed on terminals of ours that are gone."""

    texts: Mapping[str, str]
    """The newest of each output, by the id of its terminal."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """Another process of the agent goes on with the session, and knows nothing of calls that were open."""


@dataclass(frozen=True, slots=True)
class PastLoaded:
    """The agent has taken up a session of which more is known here than it tells."""

    past: Past


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The agent is gone."""

    reason: str
    detail: str = field(default="")
    is_wanted: bool = False
    """Nobody needs to be told: we have ended it."""


Event = (
    Update
    | Prompted
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
    | CommandEnded
    | Resumed
    | PastLoaded
    | KeptSnapshot
    | UndoStep
    | UndoStepTaken
    | Disconnected
)
