"""A session as one Markdown text, to be read outside of acp-tui."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from typing import Final, assert_never

from acp_tui.acp.tools import TerminalItem
from acp_tui.readable import seconds
from acp_tui.session.entries import (
    AgentMessage,
    Entry,
    Message,
    Notice,
    OwnCommand,
    Thought,
    ToolCall,
    UserMessage,
)
from acp_tui.session.growing import GrowingText
from acp_tui.session.items import Diff
from acp_tui.session.session import Session
from acp_tui.ui.entries.cards import described
from acp_tui.ui.entries.results import result_text
from acp_tui.ui.entries.words import STATUS_WORDS, call_title, kind_word
from acp_tui.ui.widgets.diff import Line, compute
from acp_tui.ui.widgets.text import safe, safe_line

_TICKS: Final = re.compile("`{3,}")
_SIGNS: Final = {"equal": " ", "removed": "-", "added": "+"}
_PATIENCE: Final = 0.1
"""Seconds for the comparison of one edit."""


Printed = Callable[[str], str]
"""Returns what a terminal of ours printed, by its id; nothing where it is gone."""


def as_markdown(session: Session, title: str, agent: str, printed: Printed | None = None) -> str:
    """Return the prompts and answers, and a line for each tool call.

    Args:
        session: what is told.
        title: its name.
        agent: the name of its agent.
        printed: where it is given, thoughts, diffs and output are told, too.
    """
    head = f"# {safe_line(title)}\n\n{safe_line(agent)} in `{safe_line(session.cwd)}`\n\n"
    return head + talk(session, printed)


def talk(session: Session, printed: Printed | None = None) -> str:
    """Return the same without a head."""
    texts = (text for entry in session.entries for text in _entry(entry, session.cwd, printed))
    return safe("\n\n".join(text for text in texts if text.strip())) + "\n"


def _entry(entry: Entry, cwd: str, printed: Printed | None) -> Iterator[str]:
    match entry:
        case UserMessage():
            yield "## Prompt"
            yield _quoted(_message(entry))
        case AgentMessage():
            yield _message(entry)
        case Thought():
            if printed is not None:
                yield f"*Thought for {seconds(max(0.0, entry.last - entry.at))}*"
                yield _quoted(_message(entry))
        case ToolCall():
            if not entry.is_empty:
                yield _call(entry, cwd)
                yield from _brought(entry, cwd, printed) if printed is not None else ()
        case Notice():
            yield f"*{safe_line(entry.text)}*"
            if printed is not None and entry.detail:
                yield fenced(entry.detail)
        case OwnCommand():
            yield f"- you ran {_inline(entry.command)}"
            if printed is not None and (text := printed(entry.terminal_id) or _lines_of(entry.output)):
                yield fenced(text)
        case _:
            assert_never(entry)


def fenced(text: str, language: str = "") -> str:
    """Return a text as a block of code, whatever fences are in it."""
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _message(message: Message) -> str:
    return "\n\n".join(
        str(part).strip("\n") if isinstance(part, GrowingText) else f"[{described(part)}]"
        for part in message.parts
    )


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n")) if text else ""


def _call(call: ToolCall, cwd: str) -> str:
    status = STATUS_WORDS.get(call.status, "")
    told = "".join(f", {word}" for word in (status, call.decision) if word)
    return f"- {kind_word(call.kind)} {_inline(call_title(call, cwd))}{told}"


def _inline(text: str) -> str:
    text = safe_line(text)
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _brought(call: ToolCall, cwd: str, printed: Printed) -> Iterator[str]:
    if call.command and call.command != call_title(call, cwd):
        yield fenced(call.command, "sh")
    for item in call.content:
        if isinstance(item, Diff):
            yield f"`{safe_line(item.path)}`"
            yield fenced(_diff(item), "diff")
        elif isinstance(item, TerminalItem) and (output := printed(item.terminal_id)):
            yield fenced(output)
    text = _lines_of(call.output) if call.output is not None else result_text(call)
    if text.strip():
        yield fenced(text)


def _lines_of(output: GrowingText | None) -> str:
    """Return what a command printed as it stood on its terminal in the end."""
    from acp_tui.ui.widgets.terminal_log import text_of

    return text_of(str(output).encode("utf-8", "replace")) if output is not None else ""


def _diff(diff: Diff) -> str:
    difference = compute(diff.before, diff.new_text, time.monotonic() + _PATIENCE)
    return "\n".join("\n".join(map(_line, hunk)) for hunk in difference.hunks())


def _line(line: Line) -> str:
    return f"{_SIGNS[line.kind]}{line.text}"
