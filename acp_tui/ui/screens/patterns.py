"""Checking texts against patterns from an agent, which may be made to take for ever."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Final

LONGEST: Final = 1.0
"""Seconds for all patterns of a form together, the start of the process included."""

_CHECK: Final = """
import json, re, sys
for pattern, text in json.load(sys.stdin):
    try:
        found = re.search(pattern, text, re.ASCII) is not None
    except (re.error, OverflowError, RecursionError):
        found = None
    print(json.dumps(found), flush=True)
"""


def matches(pairs: Sequence[tuple[str, str]], seconds: float = LONGEST) -> list[bool | None]:
    """Return for each (pattern, text) whether the pattern is found; None where that could not be told.

    The patterns run in a process of their own, which is ended when it takes longer: call this in a thread.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _CHECK],
            input=json.dumps(pairs).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
        told = done.stdout
    except subprocess.TimeoutExpired as error:
        told = error.stdout or b""
    except OSError:
        told = b""
    found: list[bool | None] = [json.loads(line) for line in told.splitlines()[: len(pairs)]]
    return found + [None] * (len(pairs) - len(found))
