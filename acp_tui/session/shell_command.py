"""The shell command of a tool call, found in the input or texts of any known agent."""

from __future__ import annotations

import json
import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice
from typing import Any, Final, NamedTuple

from acp_tui.lazy_regex import regex

# Agents send commands in different fields: as a string, as a list of words, as a program with arguments, or
# as several strings. `shell_command` reads the forms that are certain, which rules may allow. A command found
# in texts (`worded_command`) or in other fields (`unusual_commands`) does not bind the agent: rules may only
# deny it.

_SCRIPT_OPTIONS: Final = ("-c", "-lc")
_SHELLS: Final = frozenset({"sh", "bash", "dash"})
"""Shells that read a text as the parser does."""
_FOLDERS: Final = frozenset({"", "/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"})
"""Folders where a program of that name is that shell; "" means the search path."""

_OPERATION: Final = regex(r"[a-z][a-z_]*")
_LONGEST: Final = 10_000
"""Maximum characters of a text that is searched for a command."""
_ABOUT_RUNNING: Final = frozenset(
    {
        *("command", "cmd", "commands", "args", "cwd", "workdir", "working_directory", "directory", "env"),
        *("description", "justification", "timeout", "timeout_ms", "is_background", "run_in_background"),
    }
)
"""Input fields of command tools other than the command."""

_IN_WORDS: Final = regex(r"(?:[^`\n]{0,80}: )?Run (?:the )?(?:shell )?command:? `(.+)`\.?", re.DOTALL)
"""A text that only asks to run one command."""

_TELLING: Final = regex(
    r"(?:.*_)?(?:commands?|cmds?|cmd_?line|argv|args|arguments|scripts?|code|shell|bash|sh|exec|execute|run|program"
    r"|executable|snippet|line|input|zsh|dash|ksh|fish|pwsh|powershell|cli|eval|spawn)"
)
"""Names of fields that may hold a command."""
_NAMED: Final = regex(
    r"(?:.*_)?(?:commands?|cmds?|(?:cmd|command)_?line|argv|scripts?|shell|bash|sh|exec|execute|run|program"
    r"|executable|zsh|dash|ksh|fish|pwsh|powershell|cli|eval|spawn)"
)
"""Names of fields that hold a command, in calls of any kind."""
_HUMP: Final = regex(r"(?<=[a-z0-9])(?=[A-Z])")
_DEEPEST: Final = 8
_MOST: Final = 200
_MOST_FOUND: Final = 5_000

_HIDES: Final = ("\\", "$", "`", "<<")


class StatedCommand(NamedTuple):
    """A command, and the input keys that state it."""

    text: str
    keys: frozenset[str] = frozenset()


def shell_command(kind: str, raw_input: Any) -> StatedCommand | None:
    """Return the command a tool call runs according to its input, or None."""
    if not isinstance(raw_input, dict) or _is_operation(kind, raw_input):
        return None
    return _in_input(raw_input)


def worded_command(texts: Iterable[str]) -> str | None:
    """Return the command in the texts of a call, if one of them contains nothing else.

    Texts do not bind the agent: such a command may be shown, and denied, but never allowed by a rule.
    """
    found = (_IN_WORDS.fullmatch(text.strip()) for text in texts if len(text) < _LONGEST)
    return next((said[1] for said in found if said is not None), None)


def unusual_commands(raw_input: Any, without: Set[str] = frozenset()) -> list[str]:
    """Return possible commands in unusual input fields.

    They may be denied, but never allowed by a rule. An input that is only words may be one itself.
    """
    if isinstance(raw_input, dict):
        raw_input = {key: value for key, value in raw_input.items() if key not in without}
    is_command = not isinstance(raw_input, dict)
    return list(dict.fromkeys(islice(_commands(raw_input, _TELLING, is_command=is_command), _MOST_FOUND)))


def named_commands(raw_input: Any) -> list[str]:
    """Return the commands in fields named for a command, of a call whose kind is not `execute`.

    An operation of the tool, as in editor tools, does not count.
    """
    return list(dict.fromkeys(islice(_commands(raw_input, _NAMED, is_command=False), _MOST_FOUND)))


def _commands(raw: Any, telling: re.Pattern[str], *, is_command: bool) -> Iterator[str]:
    waiting: list[tuple[Any, bool, int]] = [(raw, is_command, _DEEPEST)]
    while waiting:
        value, is_command, depth = waiting.pop()
        if not depth:
            continue
        if isinstance(value, str):
            inner = _parsed(value)
            if inner is not None:
                waiting.append((inner, is_command, depth - 1))
            elif is_command and value.strip():
                yield value
        elif isinstance(value, list):
            words = value[:_MOST]
            if is_command and words and all(isinstance(word, str) for word in words):
                yield _of_words(words)
                yield "\n".join(words)
            waiting += [(item, is_command, depth - 1) for item in words]
        elif isinstance(value, dict):
            yield from _joined(value)
            is_operation = telling is _NAMED and _is_operation("", value)
            for key, item in islice(value.items(), _MOST):
                names_one = telling.fullmatch(_HUMP.sub("_", str(key)).lower()) is not None
                # Fields within a field for a command also belong to the command.
                names_one = names_one or (is_command and isinstance(item, str))
                waiting.append((item, names_one and not (is_operation and key == "command"), depth - 1))


def _joined(raw: Mapping[Any, Any]) -> Iterator[str]:
    """Yield a program and its arguments from two fields."""
    for key in ("command", "cmd", "program", "executable", "name", "file", "path"):
        for rest in ("args", "arguments", "argv", "params", "parameters"):
            program, words = raw.get(key), raw.get(rest)
            if isinstance(program, str) and isinstance(words, list):
                yield f"{program} {shlex.join(map(str, words[:_MOST]))}"
            elif isinstance(program, str) and isinstance(words, str):
                yield f"{program} {words}"


def _parsed(text: str) -> Any:
    if text.lstrip()[:1] not in ("{", "[") or len(text) > _LONGEST * 10:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _in_input(raw: Mapping[str, Any]) -> StatedCommand | None:
    key = "command" if raw.get("command") is not None else "cmd"
    command, arguments, several = raw.get(key), raw.get("args"), raw.get("commands")
    if isinstance(command, str):
        if isinstance(arguments, list) and arguments:  # the form of `terminal/create`
            return StatedCommand(f"{command} {shlex.join(map(str, arguments))}", frozenset({key, "args"}))
        keys = {key, "commands"} if several == [command] else {key}
        return StatedCommand(command, frozenset(keys))
    if isinstance(command, list):
        return StatedCommand(_of_words([str(word) for word in command]), frozenset({key}))
    if isinstance(several, list) and several and all(isinstance(one, str) for one in several):
        return StatedCommand(_in_turn(several), frozenset({"commands"}))
    return None


def _of_words(words: Sequence[str]) -> str:
    """Return the command of a list of words: the script of a shell, else the words."""
    if len(words) == 3 and is_shell(words[0]) and words[1] in _SCRIPT_OPTIONS:
        return words[2]
    return shlex.join(words)


def is_shell(program: str) -> bool:
    """Return whether a program is a shell whose text the parser can read."""
    folder, name = posixpath.split(program)
    return name in _SHELLS and folder in _FOLDERS


def _in_turn(commands: Sequence[str]) -> str:
    """Return commands as lines, none of which can continue into the next."""
    if len(commands) == 1:
        return commands[0]
    return "\n".join(one if _stands_alone(one) else shlex.join(("sh", "-c", one)) for one in commands)


def _stands_alone(command: str) -> bool:
    try:
        shlex.split(command)
    except ValueError:  # a quote is left open
        return False
    return not any(mark in command for mark in _HIDES)


def _is_operation(kind: str, raw: Mapping[str, Any]) -> bool:
    """Return whether `command` names an operation of the tool, as in editor tools."""
    command = raw.get("command")
    return (
        kind != "execute"
        and isinstance(command, str)
        and _OPERATION.fullmatch(command) is not None
        and any(value is not None for key, value in raw.items() if key not in _ABOUT_RUNNING)
    )
