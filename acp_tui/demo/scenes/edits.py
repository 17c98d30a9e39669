"""Scenes that write files: `demo-tally.py`, a word counter, with test and changelog."""

from __future__ import annotations

from typing import Final

from acp_tui.demo.connection import RequestRefused
from acp_tui.demo.services import allowed, has_files, in_workspace, read, write
from acp_tui.demo.turn import DemoTurn, diff

_PLAIN: Final = '''\
"""tally: counts the words of its input."""

import sys
from collections import Counter


def count(text: str) -> Counter[str]:
    return Counter(text.lower().split())


def report(counts: Counter[str]) -> str:
    lines = [f"{number:>8} {word}" for word, number in counts.most_common()]
    return "\\n".join(lines)


def main() -> None:
    counts = count(sys.stdin.read())
    print(report(counts))


if __name__ == "__main__":
    main()
'''

_WITH_JSON: Final = '''\
"""tally: counts the words of its input."""

import argparse
import json
import sys
from collections import Counter


def count(text: str) -> Counter[str]:
    return Counter(text.lower().split())


def report(counts: Counter[str], as_json: bool = False) -> str:
    if as_json:
        return json.dumps(dict(counts.most_common()), indent=2, ensure_ascii=False)
    lines = [f"{number:>8} {word}" for word, number in counts.most_common()]
    return "\\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="tally")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    counts = count(sys.stdin.read())
    print(report(counts, options.json))


if __name__ == "__main__":
    main()
'''

_TEST: Final = """\
from collections import Counter

from demo_tally import report


def test_json_keeps_the_order_of_the_counts() -> None:
    assert report(Counter(b=1, a=2), as_json=True).splitlines()[1] == '  "a": 2,'
"""

_CHANGES: Final = "# Changes\n\n- `--json` prints the counts as JSON, most frequent word first.\n"

NAME: Final = "demo-tally.py"


def new(turn: DemoTurn, rest: str) -> None:
    """Write the program as a new file."""
    turn.think("A new file: show all of it before asking.")
    if _wrote(turn, "Create the word counter", {NAME: _PLAIN}):
        turn.say(f"`{NAME}` is there now. `/edit` teaches it to print JSON.")


def edit(turn: DemoTurn, rest: str) -> None:
    """Add the option, or remove it if it is there already."""
    turn.think("Look at the file as it is now, then change as little as possible.")
    old = read(turn, in_workspace(turn, NAME)) if has_files(turn) else None
    if old is None:
        turn.say(f"There is no `{NAME}` yet, so I write it first.\n")
        if not _wrote(turn, "Create the word counter", {NAME: _PLAIN}):
            return
        old = _PLAIN
    title, wanted = ("Take --json out", _PLAIN) if old == _WITH_JSON else ("Add --json", _WITH_JSON)
    if _wrote(turn, title, {NAME: wanted}):
        turn.say("Done. Run `/edit` again to undo it.")


def three(turn: DemoTurn, rest: str) -> None:
    """Ask once about three files."""
    files = {NAME: _WITH_JSON, "demo_tally_test.py": _TEST, "demo-changes.md": _CHANGES}
    if _wrote(turn, "Add --json, with a test and a note", files):
        turn.say("All three files are written: " + ", ".join(f"`{name}`" for name in files) + ".")


def clash(turn: DemoTurn, rest: str) -> None:
    """Overwrite a file that was changed since it was read."""
    path = in_workspace(turn, NAME)
    if not _wrote(turn, "Write the word counter", {NAME: _PLAIN}):
        return
    read(turn, path)
    with open(path, "a", encoding="utf-8") as file:
        file.write("\n# A line of yours.\n")
    edit = turn.tool("Add --json", "edit", path, {"path": path})
    edit.update(content=[diff(path, _PLAIN, _WITH_JSON)], locations=[{"path": path}])
    edit.start()
    try:
        write(turn, path, _WITH_JSON)
    except RequestRefused as refused:
        edit.finish(f"Not written: {refused}", failed=True)
        turn.say("I will read it again before I write.")
        return
    edit.finish()
    turn.say("The file was overwritten.")


def _wrote(turn: DemoTurn, title: str, files: dict[str, str]) -> bool:
    """Write files after one question about all of them; return whether it was allowed."""
    if not has_files(turn):
        turn.say("This client offers no file access, so I cannot write anything.")
        return False
    paths = {in_workspace(turn, name): text for name, text in files.items()}
    first = next(iter(paths))
    tool = turn.tool(title, "edit", first, {"paths": list(paths)})
    tool.update(
        content=[diff(path, read(turn, path), text) for path, text in paths.items()],
        locations=[{"path": path} for path in paths],
    )
    if not allowed(turn, tool):
        turn.say("Nothing was changed.")
        return False
    tool.start()
    for path, text in paths.items():
        turn.pause(0.3)
        write(turn, path, text)
    tool.finish()
    return True
