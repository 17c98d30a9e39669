from __future__ import annotations

from typing import Any

from markdown_it import MarkdownIt

from acp_tui.acp.content import TextContent
from acp_tui.acp.reading import read_update
from acp_tui.session import events
from acp_tui.session.session import Session
from acp_tui.ui.session_screen.as_markdown import as_markdown, fenced


def update(update_kind: str, text: str = "", **more: Any) -> dict[str, Any]:
    content = {"content": {"type": "text", "text": text}} if text else {}
    return {"sessionUpdate": update_kind, **content, **more}


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
        events.Ended("cancelled"),
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

- edit `Edit cli.py`

- run `pytest -q`, failed

Done, **nearly**.

*Cancelled.*
"""

WHOLE = """\
# Flags

Some agent in `/w`

## Prompt

> add a flag
> please

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

Done, **nearly**.

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
