"""Tests of `ui/session_screen/sessions/export.py`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from acp_tui.protocol.schema import TextContent
from acp_tui.protocol.validation import read_update
from acp_tui.session import events
from acp_tui.session.json_export import plain
from acp_tui.session.session import Session
from acp_tui.ui.screens.base.menu import Menu
from acp_tui.ui.screens.base.text_screens import SourceScreen
from acp_tui.ui.session_screen.sessions.export import as_markdown
from acp_tui.ui.widgets.markdown.embedded import fenced
from tests.ui.seats import seat, told


def update(update_kind: str, text: str = "", **more: Any) -> dict[str, Any]:
    content = {"content": {"type": "text", "text": text}} if text else {}
    return {"sessionUpdate": update_kind, **content, **more}


def test_words_that_only_the_agent_puts_into_the_users_mouth_are_no_prompt() -> None:
    session = talk()
    session.apply(read_update(update("user_message_chunk", "Yes, all of it.")))

    text = as_markdown(session, "Flags", "Some agent")
    assert text.count("## Prompt") == 1
    assert text.endswith("*According to the agent, you said:*\n\n> Yes, all of it.\n")


def test_no_line_of_an_answer_can_look_like_a_line_of_acp_tui() -> None:
    session = talk()
    own = [
        line for line in as_markdown(session, "Flags", "Some agent").splitlines() if line[:1] not in ("", ">")
    ]
    forged = "\n\n".join([*own, "> ## Prompt", "# Prompt", "```", "*You allowed it.*"])
    session.apply(events.Prompted([TextContent(text="go on")]))
    session.apply(read_update(update("agent_message_chunk", forged)))
    session.apply(events.Noted("You allowed Some agent to run ls."))

    text = as_markdown(session, "Flags", "Some agent")
    new = text[text.index("> go on") :].splitlines()[1:]
    assert [line for line in new if line[:1] not in ("", ">")] == [
        "## Answer",
        "*You allowed Some agent to run ls.*",
    ]


def talk() -> Session:
    session = Session("s1", "/w")
    happened: list[Any] = [
        events.Prompted([TextContent(text="add a flag\nplease")]),
        read_update(update("agent_thought_chunk", "where is the parser?")),
        read_update(
            update(
                "tool_call",
                toolCallId="t1",
                title="Edit cli.py",
                kind="edit",
                status="completed",
                content=[{"type": "diff", "path": "/w/cli.py", "oldText": "a\nb\n", "newText": "a\nc\n"}],
            )
        ),
        read_update(
            update(
                "tool_call",
                toolCallId="t2",
                title="Run `pytest`",
                kind="execute",
                status="failed",
                rawInput={"command": "pytest -q"},
                rawOutput="```\nno tests",
            )
        ),
        read_update(update("agent_message_chunk", "Done, **nearly**.")),
        events.TurnEnded("cancelled"),
    ]
    for at, event in enumerate(happened):
        session.apply(event, float(at))
    return session


TALK = """\
# Flags

Some agent in `/w`

## Prompt

> add a flag
> please

## Answer

- edit `Edit cli.py`

- run `pytest -q`, failed

> Done, **nearly**.

*Cancelled.*
"""


WHOLE = """\
# Flags

Some agent in `/w`

## Prompt

> add a flag
> please

## Answer

*Thought for 0.0 s*

> where is the parser?

- edit `Edit cli.py`

`/w/cli.py`

```diff
 a
-b
+c
```

- run `pytest -q`, failed

````
```
no tests
````

> Done, **nearly**.

*Cancelled.*
"""


def test_a_session_is_written_as_prompts_answers_and_a_line_for_each_tool_call() -> None:
    assert as_markdown(talk(), "Flags", "Some agent") == TALK


def test_the_whole_session_has_thoughts_diffs_and_output_too() -> None:
    assert as_markdown(talk(), "Flags", "Some agent", lambda name: "") == WHOLE


def test_what_terminals_printed_is_part_of_the_whole_session_and_so_are_the_lines_of_a_command() -> None:
    session = Session("s1", "/w")
    terminal = {"type": "terminal", "terminalId": "term-1"}
    more: dict[str, Any] = {"content": [terminal], "rawInput": {"command": "make\\\n all"}}
    call = update("tool_call", toolCallId="t", title="Make", kind="execute", **more)
    session.apply(read_update(call), 0.0)
    for name, command in (("own-1", "ls"), ("own-2", "x")):
        session.apply(events.CommandStarted(name, command), 0.0)
    printed = {"term-1": "made", "own-1": "a.py"}

    told = as_markdown(session, "t", "a", lambda name: printed.get(name, ""))

    assert "```sh\nmake\\\n all\n```\n\n```\nmade\n```\n\n- you ran `ls`\n\n```\na.py\n```\n" in told
    assert told.endswith("- you ran `x`\n")


def test_what_would_end_a_fence_or_obey_the_terminal_stays_text() -> None:
    tokens = MarkdownIt().parse(fenced("a\n`````\nb"))
    assert [token.content for token in tokens] == ["a\n`````\nb\n"]
    session = Session("s1", "/w")
    session.apply(read_update(update("agent_message_chunk", "\x1b]0;x\x07 hi")), 0.0)
    assert "\x1b" not in as_markdown(session, "t", "a", lambda name: "")


ANSWER = "Two **codes**:\n\n```sh\nls\n```\n\n```py\na = 1\nb = 2\n```\n"


UPDATES = json.dumps([{"kind": "agent_message_chunk", "content": {"type": "text", "text": ANSWER}}])


@pytest.mark.slow
async def test_an_answer_its_code_and_a_block_are_copied_as_they_came(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.press("alt+c")
        assert told(here) == "No answer yet."
        await here.say(f"updates {UPDATES}")
        await here.sees("Two codes:")
        await here.until(lambda: not here.conversation.is_busy)

        await here.press("alt+c")
        assert here.app.clipboard == ANSWER
        assert told(here) == "Copied the last answer: 10 lines."

        await here.press("f2", "y")
        await here.is_before(Menu)
        await here.press("up", "enter")
        assert here.app.clipboard == "ls\n"

        await here.press("v")
        await here.is_before(SourceScreen)
        await here.sees("Two **codes**:", "```py")
        await here.press("escape", "left_square_bracket", "c")
        assert here.app.clipboard == f"updates {UPDATES}"

        await here.press("y")
        assert told(here) == "No code in this block."


@pytest.mark.slow
async def test_what_the_mouse_selects_is_copied_from_over_the_prompt_too(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.say("hello")
        await here.sees("heard hello")
        await here.write("a draft")
        rows = here.text.split("\n")
        row = next(place for place, text in enumerate(rows) if "heard hello" in text)
        column = rows[row].index("heard")

        await here.pilot.mouse_down(offset=(column, row))
        await here.pilot.hover(offset=(column + 5, row))
        await here.pilot.mouse_up(offset=(column + 5, row))
        await here.press("ctrl+c")

        assert here.app.clipboard.startswith("heard")
        assert told(here) == "Copied the selection: 1 line."


@pytest.mark.slow
async def test_a_session_is_exported_in_the_form_that_is_chosen(tmp_path: Path, home: Path) -> None:
    async with seat(tmp_path) as here:
        await here.press("alt+e")
        assert not isinstance(here.app.screen, Menu)
        await here.say("hello there")
        await here.until(lambda: "heard hello there" in here.said)
        await here.say("!printf '\\033[32mprin\\033[0mted'")
        await here.until(lambda: "[output of" in here.draft)

        for keys in (("down", "enter"), ("down", "down", "enter")):
            await here.press("alt+e")
            await here.is_before(Menu)
            await here.press(*keys)

    text, data = (next((home / "data" / "exports").glob(f"*-hello-there.{kind}")) for kind in ("md", "json"))
    assert "> hello there\n\n## Answer\n\n> heard hello there\n" in text.read_text()
    assert [entry["type"] for entry in json.loads(data.read_text())["entries"]][:1] == ["user_message"]
    assert "heard hello there" in data.read_text()
    assert "\n```\nprinted\n```\n" in text.read_text()
    assert [one["output"] for one in json.loads(data.read_text())["terminals"].values()] == ["printed"]
    assert json.loads(data.read_text())["agent"] == "Plain agent"
    page = (Path(__file__).parents[4] / "docs" / "files.md").read_text()
    assert [name for name in json.loads(data.read_text()) if f"`{name}`" not in page] == []


@pytest.mark.slow
async def test_what_the_journal_hides_is_hidden_in_an_export_too(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BUILD_TOKEN", 'planted/"é"-1234567')
    async with seat(tmp_path) as here:
        await here.say('about it planted/"é"-1234567')
        await here.until(lambda: len(here.said) == 2)
        for keys in (("enter",), ("down", "down", "enter")):
            await here.press("alt+e")
            await here.is_before(Menu)
            await here.press(*keys)

    for kind in ("md", "json"):
        path = next((home / "data" / "exports").glob(f"*-about-it.{kind}"))
        assert "about it" in path.read_text()
        assert "planted" not in path.read_text()


def test_c122_c126_notices_and_compactions_of_the_agent_are_written_with_their_texts() -> None:
    session = Session("s1", "/w")
    summary = [{"type": "text", "text": "It was about notes."}]
    for news in (
        update("notice", severity="warning", title="careful", description="why"),
        update("usage_update", used=820, size=1000),
        update("compaction_update", compactionId="c", status="completed", summary=summary),
        update("usage_update", used=110, size=1000),
        update("compaction_update", compactionId="d", status="failed", error="no room"),
    ):
        session.apply(read_update(news))

    short, whole = as_markdown(session, "t", "a"), as_markdown(session, "t", "a", lambda name: "")

    assert "*Agent, warning: careful*" in short
    assert "*compacted, 82 % → 11 %*" in short
    assert "no room" in short
    assert "why" not in short
    assert "why" in whole
    assert "> It was about notes." in whole


def test_c130_plans_are_written_with_everything_and_as_json() -> None:
    session = Session("s1", "/w")
    step = {"content": "mend it", "priority": "low", "status": "completed"}
    for news in (
        update("plan", entries=[step, {**step, "content": "try it", "status": "failed"}]),
        update("plan_update", plan={"type": "markdown", "planId": "a", "content": "# Big plan"}),
        update("plan_update", plan={"type": "file", "planId": "b", "uri": "file:///w/plan.md"}),
        update("plan_update", plan={"type": "board", "planId": "c"}),
    ):
        session.apply(read_update(news))

    whole = as_markdown(session, "t", "a", lambda name: "")

    for words in (
        "- [x] mend it\n",
        "- [ ] try it (failed)",
        "> # Big plan",
        "`file:///w/plan.md`",
        '"type": "board"',
    ):
        assert words in whole
    assert "Big plan" not in as_markdown(session, "t", "a")
    assert [plan["type"] for plan in plain(session, str)["plans"]] == ["markdown", "file", "?"]


def test_c134_c141_subagents_are_written_below_their_line_and_nested_in_json() -> None:
    session = Session("s1", "/w")
    session.apply(read_update(update("subagent_update", sessionId="k", title="Explorer")))
    session.children["k"].apply(read_update(update("agent_message_chunk", "deep inside")))
    sent = update(
        "session_message", messageId="m", senderSessionId="k", content=[{"type": "text", "text": "hi"}]
    )
    session.apply(read_update(sent))

    short, whole = as_markdown(session, "t", "a"), as_markdown(session, "t", "a", lambda name: "")

    assert "- agent `Explorer`" in short
    assert "deep inside" not in short
    assert "> deep inside" in whole
    assert "*From another agent:*\n\n> hi" in whole
    (told, _) = plain(session, str)["entries"]
    assert (told["type"], told["entries"][0]["type"]) == ("subagent", "agent_message")
