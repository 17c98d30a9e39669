"""The tour: a complete piece of work from thought to summary."""

from __future__ import annotations

import os
from typing import Final

from acp_tui.demo.connection import Params, RequestRefused
from acp_tui.demo.scenes.terminals import run_checks
from acp_tui.demo.services import allowed, has_files, in_workspace, read, write
from acp_tui.demo.turn import DemoTurn, diff, text_content

_STEPS: Final = (
    ("Look around the workspace", "high"),
    ("Write down what there is in demo-notes.md", "high"),
    ("Run the checks in a terminal", "medium"),
    ("Sum up", "low"),
)

_GREETING: Final = """\
# A short tour

I am a **demo agent**, so nothing here costs anything. I will do four small things; watch each of them:

1. read a file of this folder,
2. write `demo-notes.md` into it, *after asking you*,
3. run a harmless command in a terminal, after asking again,
4. sum up.
"""

_SUMMARY: Final = """\
## Where to look

| you want to know | look at |
|---|---|
| what I am doing | the status line and the plan |
| what I changed | the changes |
| how it went | the tool calls; open one for its details |

Suppose you had asked me to teach `tally`, a little word counter, to print JSON. The heart of it would be:

```python
def report(counts: dict[str, int], as_json: bool) -> str:
    if as_json:
        return json.dumps(counts, indent=2)
    rows = [f"{number:>8} {word}" for word, number in counts.items()]
    return "\\n".join(rows)
```

Type `/scenes` for single scenes: `/edit`, `/form`, `/parallel` and more.
"""

_FAVOURITES: Final = (
    "README.md",
    "README.rst",
    "pyproject.toml",
    "package.json",
    "Cargo.toml",
    "go.mod",
    "Makefile",
)


def tour(turn: DemoTurn, rest: str) -> None:
    """Play the tour."""
    turn.think("A first visit. Show a bit of everything, and ask before changing anything.")
    turn.plan(_STEPS, 0)
    turn.say(_GREETING + _attached(turn.prompt))
    seen = _look_around(turn)
    turn.plan(_STEPS, 1)
    wrote = _write_notes(turn, seen)
    turn.plan(_STEPS, 2)
    ran = run_checks(turn)
    turn.plan(_STEPS, 3)
    turn.session.used += 9_000
    turn.session.send_usage()
    turn.think("All done. Keep the summary short.")
    turn.say(f"{wrote} {ran}\n\n{_SUMMARY}")
    turn.plan(_STEPS, 4)


def _attached(prompt: list[Params]) -> str:
    others = [block for block in prompt if block["type"] != "text"]
    if not others:
        return ""
    names = ", ".join(f"`{_name(block)}`" for block in others)
    return f"\nThank you for what you attached ({names}); a real agent would look at it now.\n"


def _name(block: Params) -> str:
    resource = block.get("resource") or block
    return str(resource.get("uri") or resource.get("mimeType") or block["type"])


_SHOWN: Final = 4_000
"""Characters of the file that are shown."""


def _look_around(turn: DemoTurn) -> str:
    """Read one file of the workspace and return a sentence about it."""
    name = _some_file(turn.session.cwd)
    if name is None:
        turn.say("There is no file to read in this folder, so I continue.\n")
        return "The folder was empty."
    path = in_workspace(turn, name)
    tool = turn.tool(f"Read {name}", "read", path, {"path": path, "limit": 40})
    tool.start()
    turn.pause(0.4)
    if not has_files(turn):
        tool.finish("The client offers no file access.", failed=True)
        return "The client offered no file access."
    try:
        text = read(turn, path, limit=40) or ""
    except RequestRefused as refused:
        tool.finish(f"It could not be read: {refused.message}", failed=True)
        return f"{name} could not be read."
    shown = text[:_SHOWN].removesuffix("\n")  # else there is a line more than was read
    tool.finish(content=[text_content(f"```\n{shown}\n```")])
    lines = len(text.splitlines())
    return f"{name} begins with {lines} line{'' if lines == 1 else 's'} that I have read."


def _some_file(folder: str) -> str | None:
    """Return a file that says what a folder is about."""
    with os.scandir(folder) as entries:
        names = sorted(entry.name for entry in entries if entry.is_file(follow_symlinks=False))
    likely = [name for name in names if name.endswith((".md", ".txt", ".py", ".toml", ".json"))]
    return next((name for name in (*_FAVOURITES, *likely) if name in names), None)


def _write_notes(turn: DemoTurn, seen: str) -> str:
    """Write `demo-notes.md`, if allowed, and return a sentence about it."""
    if not has_files(turn):
        return "I wrote nothing, since this client offers no file access."
    path = in_workspace(turn, "demo-notes.md")
    old = read(turn, path) or ""
    visit = old.count("## Visit ") + 1
    new = (
        old or "# Notes of the demo agent\n\nYou can delete this file.\n"
    ) + f"\n## Visit {visit}\n\n- {seen}\n"
    tool = turn.tool("Write demo-notes.md", "edit", path, {"path": path})
    tool.update(content=[diff(path, old or None, new)])
    if not allowed(turn, tool):
        return "I wrote nothing: you rejected it."
    tool.start()
    turn.pause(0.3)
    write(turn, path, new)
    tool.finish()
    return "I wrote `demo-notes.md` into this folder; delete it whenever you like."
