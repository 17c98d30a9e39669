"""Code in the options of a program (`R -e 'system("x")'`), in any language."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from typing import Final

from acp_tui.patterns import regex

_OPTION: Final = regex(
    r"-[a-zA-Z]?[ecrxE]|--?(?:e|eval|evaluate|exec|execute|expr|expression|run|code|cmd|command|script|batch-string|load)"
)
"""Options after which some program takes code."""
_JOINED: Final = regex(rf"(?:{_OPTION.pattern})=(.*)|-[eE](.*)", re.DOTALL)
_CODE: Final = regex(r"""[\w.!?]\s*\(|\w\s+["']|[;`{|]|=>|->|(?:^|\s)!\w|\bdo\b""")
"""A call, a string after a word, a separator or a block."""
_KNOWN: Final = frozenset(
    {
        *("echo", "printf", "grep", "egrep", "fgrep", "zgrep", "rg", "ripgrep", "ag"),
        *("ack", "ls", "test", "["),
        *("cp", "mv", "rm", "ln", "chmod", "chown", "cat", "tac", "cut", "sort"),
        *("comm", "join", "diff", "cmp"),
        *("mkdir", "touch", "stat", "wc", "head", "tail", "du", "df", "date", "tr"),
        *("nl", "od", "xxd", "less"),
        *("jq", "yq", "gron", "git", "gh", "glab", "hg", "svn", "sed", "gsed", "awk", "gawk", "find", "fd"),
        *("sh", "bash", "dash", "zsh", "docker", "podman", "kubectl", "zip", "unzip", "tar", "ruff", "mypy"),
        *("pytest", "pip", "pip3", "npm", "pnpm", "yarn", "curl", "wget", "read", "set", "export", "true"),
    }
)
"""Programs whose such options take something else, or whose code is examined elsewhere."""


def takes_code(words: Sequence[str | None]) -> bool:
    """Return whether an unknown program may run the value of an option as code."""
    program = posixpath.basename(words[0] or "") if words else ""
    if not program or program in _KNOWN:
        return False
    for place, word in enumerate(words):
        if word is None or not place or not word.startswith("-"):
            continue
        following = words[place + 1] if place + 1 < len(words) else ""
        if _OPTION.fullmatch(word) and following is not None and _CODE.search(following):
            return True
        joined = _JOINED.fullmatch(word)
        if joined is not None and _CODE.search(joined[1] or joined[2] or ""):
            return True
    return False
