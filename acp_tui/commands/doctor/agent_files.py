"""Own files of an agent: the places below the home that it writes, observed with strace."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from acp_tui.commands.doctor.findings import Finding
from acp_tui.lazy_regex import regex
from acp_tui.sandbox.refusals import own_place
from acp_tui.trusted_programs import own_program

CHECK: Final = "own files"
_PROGRAM: Final = "strace"
_CALLS: Final = (
    "trace=open,openat,creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,symlink,symlinkat"
)
_WRITES: Final = regex(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC")
_CALL: Final = regex(r"^\d+\s+(?P<name>\w+)\((?P<words>.*)\)\s+=\s+\d")
_PATH: Final = regex(r'(?:(?:\d+|AT_FDCWD)<(?P<folder>[^>]*)>, )?"(?P<path>(?:[^"\\]|\\.)*)"')
_MOST: Final = 8
"""Most places that are listed."""


def traced(argv: Sequence[str], trace: Path) -> list[str] | None:
    """Return a command under strace, which writes its log to a file; None without strace."""
    program = own_program(_PROGRAM)
    if program is None:
        return None
    return [
        program,
        "-f",
        "-qq",
        "-y",
        "-o",
        str(trace),
        "-e",
        "status=successful",
        "-e",
        _CALLS,
        "--",
        *argv,
    ]


def places_written(lines: Iterable[str], home: str, workspace: str) -> list[str]:
    """Return the places below the home, outside the workspace, that a traced program has written.

    A file whose name extends that of another one, such as a temporary copy, is left out.
    """
    found: dict[str, None] = {}
    for path in _written(lines):
        if not path.startswith(f"{home}/") or path == workspace or path.startswith(f"{workspace}/"):
            continue
        place = own_place(path, home) or f"{home}/{path[len(home) + 1 :].partition('/')[0]}"
        if os.path.lexists(place):
            found[place] = None
    files = [place for place in found if os.path.isfile(place)]  # noqa: PTH113 - text
    return sorted(one for one in found if not any(one.startswith(f"{other}.") for other in files))


def _written(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        call = _CALL.match(line)
        if call is None or (call["name"].startswith("open") and not _WRITES.search(call["words"])):
            continue
        paths = list(_PATH.finditer(call["words"]))
        for match in paths[-1:]:  # of two paths, the second is created
            yield os.path.normpath(os.path.join(match["folder"] or "/", match["path"]))  # noqa: PTH118 - text


def finding_in(trace: Path, cwd: str, state: Sequence[str]) -> Finding:
    """Return the finding for the log of a run under strace.

    Raises:
        OSError: the file cannot be read.
    """
    home = os.path.realpath(Path.home())
    with trace.open(errors="replace") as lines:
        return finding(places_written(lines, home, os.path.realpath(cwd)), state, home)


def finding(places: Sequence[str], state: Sequence[str], home: str) -> Finding:
    """Return the finding about the places that an agent writes, for a sandbox.

    Args:
        places: the absolute paths.
        state: the known own places of the agent, below the home.
        home: the user's home.
    """
    own = [f"{home}/{name.removeprefix('~/')}" for name in state]
    others = [place for place in places if not any(_is_in(place, one) for one in own)]
    if not others:
        text = (
            f"writes {_words(places, home)} below your home" if places else "writes nothing below your home"
        )
        return Finding(CHECK, "well", text)
    names = ", ".join(f'"{place[len(home) + 1 :]}"' for place in others[:_MOST])
    known = f", beside {', '.join(f'~/{name}' for name in state)}" if state else ""
    text = f"writes {_words(others, home)}{known}; in a sandbox these are read-only"
    return Finding(
        CHECK, "note", text, f"state = [{names}] in its table of your settings opens what it needs"
    )


def _is_in(place: str, folder: str) -> bool:
    return place == folder or place.startswith(f"{folder}/") or folder.startswith(f"{place}/")


def _words(places: Sequence[str], home: str) -> str:
    named = ", ".join(f"~{place[len(home) :]}" for place in places[:_MOST])
    return f"{named} and {len(places) - _MOST} more" if len(places) > _MOST else named
