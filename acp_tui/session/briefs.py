"""Briefs for another agent: a summary of a session, to review it or to continue its work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from acp_tui.formatting import inside
from acp_tui.lazy_regex import regex
from acp_tui.session.entries import AgentMessage, ToolCall, text_of
from acp_tui.session.file_changes import FileChange
from acp_tui.session.session import Session

_LONGEST: Final = 4_000
"""Maximum characters of a quoted text; a longer one is cut."""
_PROMPTS: Final = 20
"""Number of later prompts that are quoted, the newest ones."""
_MOST: Final = 100
"""Maximum number of files, steps or rejections that are listed."""
_MENTION: Final = regex(r"(?<![^\s(\[{])@(?=\S)")
"""The sign that attaches a file; it is escaped in quoted text, since only the user attaches files."""
_DONE: Final = frozenset({"completed", "done", "cancelled"})
_STATUS: Final = {"A": "new", "M": "changed", "D": "deleted", "R": "renamed", "T": "changed"}


def review_brief(session: Session, agent: str, changes: str) -> str:
    """Return the prompt for a review; `changes` stands for the differences of the session.

    Quoted text in a brief attaches no file.
    """
    agent = _named(agent)
    parts = (
        f"Review these changes. {agent} made them for the prompts below, in a conversation that you do not"
        " know.",
        "Only look: read what you need, edits and commands are refused. Write each remark on a line of its"
        " own, in this form, with line numbers of the files as they are now:",
        "path/of/file.py:12: what is wrong, and what you would do instead",
        "Begin with what must be fixed: bugs, lost data, missing cases; then what is hard to read. Do not"
        " praise. If nothing is wrong, say so in one sentence.",
        _asked(session),
        changes,
    )
    return "\n\n".join(filter(None, parts))


def handoff_brief(session: Session, agent: str, rejected: Sequence[str]) -> str:
    """Return the brief for an agent that continues the work; the user can edit it.

    Args:
        session: the session so far.
        agent: the name of its agent.
        rejected: the changes that the user has rejected or restored, as text.
    """
    agent = _named(agent)
    parts = [
        f"Continue this work, which {agent} has begun in this folder. You have not seen that conversation.",
        _asked(session),
        _section("What was decided", _decided(session)),
        _section("Open steps of the plan", _open_steps(session)),
        _section("Changed files", [_file(file, session.cwd) for file in session.files.values()]),
        _section("I rejected", [*rejected, *_refused(session)]),
        _last_answer(session, agent),
        "Read the changed files before you go on." if session.files else "",
        "Begin with the first open step." if _open_steps(session) else "",
    ]
    return "\n\n".join(filter(None, parts))


def _asked(session: Session) -> str:
    """Return the first prompt of a session and the newest later ones."""
    prompts = [session.words_of(number) for number in range(1, len(session.turns) + 1)]
    prompts = [text for text in prompts if text.strip()]
    if not prompts:
        return ""
    first, others = prompts[0], prompts[1:][-_PROMPTS:]
    parts = [f"The task:\n\n{_quoted(first)}"]
    if others:
        parts.append("Later prompts:\n\n" + "\n\n".join(map(_quoted, others)))
    return "\n\n".join(parts)


def _decided(session: Session) -> list[str]:
    """Return the finished steps, and the permissions that the user gave for good."""
    done = [f"done: {entry.content}" for entry in session.plans.entries if entry.status in _DONE]
    calls = (entry for entry in session.entries if isinstance(entry, ToolCall) and entry.status != "rejected")
    return [*done, *(f"{call.decision}: {call.title}" for call in calls if "(you" in call.decision)]


def _open_steps(session: Session) -> list[str]:
    steps = [entry for entry in session.plans.entries if entry.status not in _DONE]
    return [entry.content + (" (in progress)" if entry.status == "in_progress" else "") for entry in steps]


def _refused(session: Session) -> list[str]:
    calls = (entry for entry in session.entries if isinstance(entry, ToolCall))
    return [f"{call.kind}: {call.title}" for call in calls if call.status == "rejected"]


def _file(file: FileChange, cwd: str) -> str:
    about = _STATUS[file.seen.status] if file.seen is not None else "changed"
    return f"{inside(file.path, cwd)} ({about})"


def _last_answer(session: Session, agent: str) -> str:
    answers = (text_of(entry) for entry in reversed(session.entries) if isinstance(entry, AgentMessage))
    last = next((text for text in answers if text.strip()), "")
    return f"The last words of {agent}:\n\n{_quoted(last)}" if last else ""


def _section(title: str, lines: Iterable[str]) -> str:
    lines = list(dict.fromkeys(_unmentioned(" ".join(line.split())) for line in lines))
    shown = lines[:_MOST]
    more = [f"- and {len(lines) - _MOST} more"] if len(lines) > _MOST else []
    return "\n".join([f"{title}:", "", *(f"- {line}" for line in shown), *more]) if lines else ""


def _quoted(text: str) -> str:
    text = text.strip()
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]} […]"
    return "\n".join(f"> {line}" for line in _unmentioned(text).split("\n"))


def _named(agent: str) -> str:
    """Return the name that an agent gives itself, on one line."""
    return _unmentioned(" ".join(agent.split()))


def _unmentioned(text: str) -> str:
    return _MENTION.sub(r"\\@", text)
