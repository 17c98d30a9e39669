"""Export of a session as Markdown or JSON, and copies of its parts."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final, assert_never

from acp_tui.conversation.conversation import Conversation
from acp_tui.formatting import lines, seconds
from acp_tui.protocol.list_limits import DONE
from acp_tui.protocol.schema import (
    PlanContent,
    PlanEntry,
    PlanFile,
    PlanItems,
    PlanMarkdown,
    TerminalItem,
    UnknownPlan,
)
from acp_tui.session.entries import (
    AgentMessage,
    AgentNotice,
    AscribedMessage,
    Compaction,
    Diff,
    Entry,
    Message,
    Notice,
    Part,
    SessionMessage,
    SteeredMessage,
    Subagent,
    Thought,
    ToolCall,
    UnknownNews,
    UserCommand,
    UserMessage,
    text_of,
    words_of,
)
from acp_tui.session.json_export import plain
from acp_tui.session.session import Session
from acp_tui.session.text_buffer import TextBuffer
from acp_tui.store.folders import data_folder
from acp_tui.store.redaction import save_export
from acp_tui.ui.entries import compaction as compaction_entry
from acp_tui.ui.entries import output as call_output
from acp_tui.ui.entries import subagent as subagent_entry
from acp_tui.ui.entries import unknown as unknown_entry
from acp_tui.ui.entries.messages import described
from acp_tui.ui.entries.tool_call_words import STATUS_WORDS, call_title, kind_word
from acp_tui.ui.panes.chat import ChatPane
from acp_tui.ui.screens.base import menu, text_screens
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.ui.session_screen.sessions.session_name import title_of
from acp_tui.ui.widgets.diff.line_diff import DiffLine, compute
from acp_tui.ui.widgets.markdown import embedded as markdown
from acp_tui.ui.widgets.markdown import links as markdown_links
from acp_tui.ui.widgets.styles import SYMBOLS
from acp_tui.ui.widgets.terminal import log as terminal_log
from acp_tui.ui.widgets.text import safe, safe_line
from acp_tui.ui.widgets.transcript.blocks import Block
from acp_tui.workspace.terminals import Terminal

_FORMS: Final = (
    ("talk", "Markdown", "prompts, answers, and a line for each tool call"),
    ("whole", "Markdown, everything", "with thoughts, diffs and the output of tools"),
    ("json", "JSON", "the full record, for programs"),
)
"""Formats as (key, name, description)."""


Printed = Callable[[str], str]
"""Returns the output of a terminal of the client by its id; "" if it no longer exists."""


async def export_session(screen: ConversationScreen, find: Callable[[str], Terminal | None]) -> None:
    """Let the user choose a format, and write the file; `find` returns a terminal by its id."""

    def printed(terminal_id: str) -> str:
        terminal = find(terminal_id)
        return terminal_log.text_of(terminal.kept()) if terminal is not None else ""

    conversation, session = screen.conversation, screen.conversation.session
    if session is None or not session.entries:
        screen.notify("Nothing to export yet.")
        return
    items = [menu.MenuItem(key, name, about) for key, name, about in _FORMS]
    form = await menu.choose(screen, "Export the session as", items)
    if form is None:
        return
    title, suffix = title_of(screen), "json" if form == "json" else "md"
    try:
        if form == "json":
            text = _as_json(conversation, session, printed)
        else:
            name = conversation.agent_name
            text = as_markdown(session, title, name, printed if form == "whole" else None)
        if (journal := conversation.journal) is not None:  # a recording contains no secrets
            title, text = journal.masked(title), journal.masked(text)
        path = save_export(data_folder() / "exports", title, suffix, text, datetime.now())
    except OSError as error:
        screen.notify(f"The session was not exported: {error}", severity="error", timeout=15)
    else:
        screen.notify(str(path), title="Exported", timeout=15)


def _as_json(conversation: Conversation, session: Session, printed: Printed) -> str:
    head: dict[str, Any] = {
        "agent": conversation.agent_name,
        "exported": datetime.now().astimezone().isoformat(timespec="seconds"),
    }
    if (agent := conversation.agent) is not None:
        head["exported_at"] = round(agent.now, 3)  # on the clock of the entries
    return json.dumps({**head, **plain(session, printed)}, indent=1) + "\n"


class ChatCopy:
    """Copies parts of the chat in their source form."""

    def __init__(self, screen: ConversationScreen) -> None:
        self._screen = screen

    def selection(self) -> bool:
        """Copy the selected text and end the selection; return False if there is none."""
        selected = self._screen.get_selected_text()
        if not selected:
            return False
        self._screen.clear_selection()  # the key for copying also stops and quits
        self._copy(selected, "the selection")
        return True

    def block(self) -> None:
        """Copy the block under the cursor."""
        block = self._block()
        if block is not None:
            self._copy(block.source(), "this block")

    def last_answer(self) -> None:
        """Copy the last answer of the agent."""
        session = self._screen.conversation.session
        entries = session.entries if session is not None else []
        answers = (text_of(entry) for entry in reversed(entries) if isinstance(entry, AgentMessage))
        answer = next((text for text in answers if text.strip()), "")
        if answer:
            self._copy(answer, "the last answer")
        else:
            self._screen.notify("No answer yet.")

    def code(self) -> None:
        """Copy the code in the block under the cursor; the user chooses among several pieces."""
        block = self._block()
        found = markdown_links.codes(block.source()) if block is not None else []
        if not found:
            self._screen.notify("No code in this block.")
        elif len(found) == 1:
            self._copy(found[0], "the code")
        else:
            self._screen.run_worker(self._choose_code(found), group="menu", exclusive=True)

    async def _choose_code(self, found: Sequence[str]) -> None:
        items = [
            menu.MenuItem(str(place), next(iter(code.strip().splitlines()), ""), lines(_count(code)))
            for place, code in enumerate(found)
        ]
        key = await menu.choose(self._screen, "Copy which code?", items, items[-1].key)
        if key is not None:
            self._copy(found[int(key)], "the code")

    def show_source(self) -> None:
        """Show the source of the block under the cursor."""
        block = self._block()
        if block is not None:
            self._screen.app.push_screen(
                text_screens.SourceScreen(block.searched(), self._screen.theme_styles)
            )

    def _block(self) -> Block | None:
        return self._screen.query_one(ChatPane).block_at_cursor()

    def _copy(self, text: str, what: str) -> None:
        self._screen.app.copy_to_clipboard(text)
        self._screen.notify(f"Copied {what}: {lines(_count(text))}.")


def _count(text: str) -> int:
    return text.rstrip("\n").count("\n") + 1


_SIGNS: Final = {"equal": " ", "removed": "-", "added": "+"}
_PATIENCE: Final = 0.1
"""Most seconds for comparing one edit."""


def as_markdown(session: Session, title: str, agent: str, printed: Printed | None = None) -> str:
    """Return the prompts and answers, and a line for each tool call.

    Args:
        session: the session.
        title: its name.
        agent: the name of its agent.
        printed: if given, thoughts, diffs and output are added.
    """
    head = f"# {safe_line(title)}\n\n{safe_line(agent)} in `{safe_line(session.cwd)}`\n\n"
    return head + talk(session, printed)


def talk(session: Session, printed: Printed | None = None, *, until: int | None = None) -> str:
    """Return the same without a title; `until` is the index of the first entry to leave out."""
    texts = list(_entries(session.entries[:until], session.cwd, printed))
    if printed is not None:
        texts += [text for plan in session.plans.shown for text in _plan(plan)]
    return safe("\n\n".join(text for text in texts if text.strip())) + "\n"


def _entries(entries: Iterable[Entry], cwd: str, printed: Printed | None) -> Iterator[str]:
    """Yield the texts of entries. What was said is quoted, so what is not quoted is by acp-tui."""
    is_prompt = False
    for entry in entries:
        texts = list(_entry(entry, cwd, printed))
        if is_prompt and texts and isinstance(entry, AgentMessage | Thought | ToolCall | Subagent):
            yield "## Answer"
            is_prompt = False
        is_prompt = is_prompt or isinstance(entry, UserMessage | SteeredMessage)
        yield from texts


def _plan(plan: PlanContent) -> Iterator[str]:
    yield "## Plan"
    match plan:
        case PlanItems():
            yield "\n".join(
                f"- [{'x' if entry.status in DONE else ' '}] {safe_line(entry.content)}{_how(entry)}"
                for entry in plan.entries
            )
            if plan.left_out:
                yield f"{plan.left_out:,} more steps"
        case PlanMarkdown():
            yield _quoted(plan.content)
        case PlanFile():
            yield _inline(plan.uri)
        case UnknownPlan():
            yield markdown.fenced(json.dumps(plan.raw, indent=1, ensure_ascii=False), "json")
        case _:
            assert_never(plan)


def _how(step: PlanEntry) -> str:
    """Return the end of a step that is neither done nor still to do."""
    return f" ({step.status.replace('_', ' ')})" if step.status in ("failed", "cancelled") else ""


def _entry(entry: Entry, cwd: str, printed: Printed | None) -> Iterator[str]:
    match entry:
        case UserMessage():
            yield "## Prompt"
            if entry.is_reworded:
                yield _quoted(words_of(entry))
                yield "*In the agent's words:*"
            yield _quoted(_message(entry))
        case AscribedMessage():
            yield "*According to the agent, you said:*"
            yield _quoted(_message(entry))
        case SteeredMessage():
            yield "## During the turn"
            yield _quoted(_message(entry))
        case AgentMessage():
            yield _quoted(markdown.embedded(_message(entry)))
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
                yield markdown.fenced(entry.detail)
        case AgentNotice():
            word = "Agent: " if entry.severity == "info" else f"Agent, {entry.severity}: "
            yield f"*{safe_line(f'{word}{entry.title}')}*"
            if printed is not None and entry.description:
                yield markdown.fenced(entry.description)
        case UnknownNews():
            if printed is not None:
                yield f"*{safe_line(unknown_entry.unknown_words(entry))}*"
                yield markdown.fenced(json.dumps(entry.raw, indent=1, ensure_ascii=False), "json")
        case Compaction():
            yield f"*{compaction_entry.compaction_words(entry, lambda name: SYMBOLS[name][0])}*"
            if entry.error:
                yield markdown.fenced(entry.error)
            if printed is not None and entry.parts:
                yield _quoted(_parts(entry.parts))
        case Subagent():
            said = ", ".join(
                filter(
                    None, (subagent_entry.state_of(entry)[1], f"{entry.calls:,} calls" if entry.calls else "")
                )
            )
            yield f"- agent {_inline(entry.name)}, {said}"
            if printed is not None:
                texts = (text for each in entry.entries for text in _entry(each, cwd, printed))
                yield _quoted("\n\n".join(text for text in texts if text.strip()))
        case SessionMessage():
            if printed is not None:
                yield f"*{'From' if entry.sender else 'To'} another agent:*"
                yield _quoted(_parts(entry.parts))
        case UserCommand():
            yield f"- you ran {_inline(entry.command)}"
            if printed is not None and (text := printed(entry.terminal_id) or _lines_of(entry.output)):
                yield markdown.fenced(text)
        case _:
            assert_never(entry)


def _message(message: Message) -> str:
    return _parts(message.parts)


def _parts(parts: Sequence[Part]) -> str:
    return "\n\n".join(
        str(part).strip("\n") if isinstance(part, TextBuffer) else f"[{described(part)}]" for part in parts
    )


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n")) if text else ""


def _call(call: ToolCall, cwd: str) -> str:
    status = STATUS_WORDS.get(call.status, "")
    told = "".join(f", {word}" for word in (status, safe_line(call.decision)) if word)
    return f"- {kind_word(call.kind)} {_inline(call_title(call, cwd))}{told}"


def _inline(text: str) -> str:
    text = safe_line(text)
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _brought(call: ToolCall, cwd: str, printed: Printed) -> Iterator[str]:
    if call.command and call.command != call_title(call, cwd):
        yield markdown.fenced(call.command, "sh")
    for item in call.content:
        if isinstance(item, Diff):
            yield f"`{safe_line(item.path)}`"
            yield markdown.fenced(_diff(item), "diff")
        elif isinstance(item, TerminalItem) and (output := printed(item.terminal_id)):
            yield markdown.fenced(output)
    has_printed = call.output is not None and call.output.length
    text = _lines_of(call.output) if has_printed else call_output.result_text(call)
    if text.strip():
        yield markdown.fenced(text)


def _lines_of(output: TextBuffer | None) -> str:
    """Return the output of a command as its terminal finally showed it."""
    return terminal_log.text_of(str(output).encode("utf-8", "replace")) if output is not None else ""


def _diff(diff: Diff) -> str:
    difference = compute(diff.before, diff.new_text, time.monotonic() + _PATIENCE)
    return "\n".join("\n".join(map(_line, hunk)) for hunk in difference.hunks())


def _line(line: DiffLine) -> str:
    return f"{_SIGNS[line.kind]}{line.text}"
