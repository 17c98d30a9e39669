"""The raw input of a tool call: its paths, folder and environment variables.

Each agent has its own names for the fields of its tools, so paths are recognised by words in field names.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Set
from itertools import islice
from typing import Any, Final
from urllib.parse import unquote

from acp_tui.formatting import expand_home
from acp_tui.lazy_regex import regex
from acp_tui.session.entries import ToolCall
from acp_tui.workspace.real_paths import is_deep

_FILE_FIELDS: Final = frozenset({"path", "file_path", "abs_path", "absolute_path", "filename", "file"})
"""Fields that name a file also in the input of a command; the working directory is not one of them."""
_PATH_FIELD: Final = regex(
    r"(?:.*_)?(?:paths?|files?|filenames?|dirs?|director(?:y|ies)|folders?|uris?)"
    r"|source|src|destination|dest|target"
)
_WORD_START: Final = regex(r"(?<=[a-z0-9])(?=[A-Z])")
_CONTENT_FIELD: Final = regex(
    r"(?:.*_)?(?:contents?|text|string|str|code|body|description|title|prompt|query|message|explanation|"
    r"instructions?|reason|thought)"
)
"""Fields that hold the text to write, or a description of it."""
_PATCHED: Final = regex(
    r"(?:^|(?<=[\r\x0b\x0c\x85\u2028\u2029]))[ \t>]*+"
    r"(?:\*\*\*[ ]?(?i:(?:\w+[ ])?File|Move to|Add|Update|Delete):|(?:\+\+\+|---)(?=[ \t/~\"])"
    r"|(?:rename|copy) (?:from|to)(?=[ \t])|Index:|diff --git(?=[ \t]))[ \t]*+(.+)$",
    re.MULTILINE,
)
"""Lines of a patch that name a file."""
_DELETED: Final = regex(
    r"^[ \t>]*+(?:\*\*\* ?(?i:Delete)\b|\+\+\+[ \t]+/dev/null|deleted file mode )", re.MULTILINE
)
_MOVED: Final = regex(r"^[ \t>]*+(?:\*\*\* ?(?i:Move)\b|rename (?:from|to) )", re.MULTILINE)
"""Lines of a patch that delete or move a file."""
_WRITTEN: Final = frozenset(
    {
        *("content", "contents", "file_text", "insert_text", "replacement"),
        *("new_string", "new_str", "new_text", "new_content", "old_string", "old_str", "old_text"),
    }
)
"""Fields for a text that is to be written; the input of a read has none."""
_ANY_CONTENT: Final = frozenset({"content", "contents"})
"""Those of them that count only at the top and beside a path: items of a list have contents, too."""
_OPERATIONS: Final = frozenset(
    {"command", "operation", "operation_type", "op", "action", "type", "kind", "change_type"}
)
"""Fields for what is to be done with a file."""
_DELETING: Final = frozenset(
    {"delete", "deleted", "remove", "removed", "unlink", "delete_file", "remove_file"}
)
_MOVING: Final = frozenset({"move", "moved", "rename", "renamed", "move_file", "rename_file"})
_NEW_NAMES: Final = frozenset(
    {"move_path", "move_to", "moved_to", "rename_to", "new_path", "new_name", "new_file_path", "new_filename"}
)
"""Fields for the new name of a file."""
_MAX_WORD: Final = 20  # characters
_MAX_PATH: Final = 4096  # characters
_MAX_JSON: Final = 100_000  # characters
_MAX_DEPTH: Final = 6
_MAX_PATHS: Final = 1_000
_MAX_ITEMS: Final = 200
_MAX_PATCH: Final = 1 << 20  # characters
_FILE_URL: Final = regex(r"file:(?://(?:localhost)?)?(?=/)", re.IGNORECASE)
_GLOB: Final = regex(r"[*?\[{]")
_PARTS: Final = regex(r"[{},;|=:\s\"'`@<>()]+")
"""Signs between several paths in one text, between the parts of a pattern, or around a path."""
_URL_FIELD: Final = regex(r"(?:.*_)?(?:urls?|uris?|hrefs?|links?|endpoints?)")
_WEB: Final = regex(r"(?!file:)[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_HOME_OF: Final = regex(r"~[a-z_][\w.-]*/")
"""The start of a path in the home folder of a user."""
_FOLDER_FIELDS: Final = ("cwd", "workdir", "working_directory", "working_dir", "directory", "dir_path")
"""Fields for the working directory, the most reliable first."""
_FOLDER_FIELD: Final = regex(
    r"(?:.*_)?(?:cwd|pwd|chdir|workdir|workspace|dirs?|director(?:y|ies)|folders?|roots?)(?:_(?:path|uri))?|path"
)
"""Any field that may name the working directory of a command."""
_ENV_FIELD: Final = regex(r"(?:.*_)?(?:envs?|env_?vars?|environ|environment|variables|vars)")
_ANY: Final = regex(r".*", re.DOTALL)
_ID: Final = regex(r"[\w.:-]{1,128}")
_SPAN: Final = regex(r"[0-9]{1,12}(?:\.[0-9]{1,6})?(?:ms|s|m|h)?")
_NUMBERS: Final = frozenset(
    {
        *("timeout", "timeout_ms", "timeout_s", "timeout_sec", "timeout_secs", "timeout_seconds"),
        *("max_wait_seconds", "initial_wait", "yield_time_ms", "delay", "started_at", "started_at_ms"),
        *("max_output_tokens", "max_output_length", "output_byte_limit", "output_limit"),
    }
)
"""Fields for a time or a size."""
_FLAGS: Final = frozenset(
    {
        *("background", "is_background", "run_in_background", "blocking", "wait", "tty", "pty"),
        *("requires_approval", "needs_approval", "reset"),
    }
)
_OFF: Final = frozenset(
    {"is_input", "interactive", "dangerously_disable_sandbox", "with_escalated_permissions"}
)
"""Fields that do not change the command while they are false."""
_PARSED_FIELDS: Final = frozenset({"parsed_cmd", "proposed_execpolicy_amendment", "available_decisions"})
"""Fields in which Codex describes the command and the answers."""
_TEXTS: Final = {
    **dict.fromkeys(("description", "title", "summary", "label", "purpose", "intent"), _ANY),
    **dict.fromkeys(("reason", "justification", "explanation", "rationale", "thought"), _ANY),
    **dict.fromkeys(("risk", "risk_level", "security_risk"), _ID),
    "risk_level_reason": _ANY,
    **dict.fromkeys(("id", "call_id", "tool_call_id", "turn_id", "process_id"), _ID),
    **dict.fromkeys(("session_id", "thread_id", "approval_id", "item_id"), _ID),
    **dict.fromkeys(_NUMBERS, _SPAN),
    "kind": regex("[A-Za-z]*Action"),
    "mode": regex("sync|async"),
    "source": regex("agent|unified_exec_startup"),
    "shell": regex(r"(?:/(?:usr/)?(?:local/)?bin/)?(?:sh|bash|dash|zsh)"),
}
"""Fields for a text, with its known values."""
_NUMBER: Final = regex(r"[0-9]{0,5}")
_PLAIN_WORD: Final = regex(r"(?:[A-Za-z0-9_][A-Za-z0-9_.@:+-]{0,63})?")
_ZONE: Final = regex(r"(?:[A-Za-z0-9_+-]+(?:/[A-Za-z0-9_+-]+){0,2})?")
_HARMLESS: Final = {
    **dict.fromkeys(("COLUMNS", "LINES"), _NUMBER),  # shells evaluate them in arithmetic
    **dict.fromkeys(("CI", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "CLICOLOR"), _PLAIN_WORD),
    **dict.fromkeys(("CLICOLOR_FORCE", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES"), _PLAIN_WORD),
    **dict.fromkeys(("AGENT", "AI_AGENT", "CLAUDECODE", "GEMINI_CLI", "GOOSE_TERMINAL"), _PLAIN_WORD),
    "QWEN_CODE": _PLAIN_WORD,
    "DEBIAN_FRONTEND": regex("noninteractive|readline|dialog|teletype|text"),  # it can load a program
    "TZ": _ZONE,
}
"""Variables that only change how a program prints or who its caller is, with their harmless values."""
_HARMLESS_PAIRS: Final = frozenset({("PAGER", "cat"), ("GIT_PAGER", "cat"), ("GIT_TERMINAL_PROMPT", "0")})


def named_in(raw_input: Any, *, narrow: bool = False) -> list[str]:
    """Return the paths that an input names, as written, each once.

    Finds too many rather than too few: a path can deny a call or turn it into a question, never allow it.

    Args:
        raw_input: the input of the tool, of any shape.
        narrow: True for the input of a command: only top-level fields that name a file count.
    """
    if isinstance(raw_input, str):
        raw_input = _read(raw_input)
    if not isinstance(raw_input, dict | list) or (narrow and isinstance(raw_input, list)):
        return []
    found = _narrow(raw_input) if isinstance(raw_input, dict) and narrow else _wide(raw_input, _MAX_DEPTH)
    return list(dict.fromkeys(islice(found, _MAX_PATHS)))


def hinted_in(raw_input: Any, without: Set[str] = frozenset()) -> list[str]:
    """Return every text of an input that may be a path, whatever its field is called, and each one of a list.

    Args:
        raw_input: the input of the tool, of any shape.
        without: top-level fields that are known to hold something else.
    """
    if isinstance(raw_input, dict):
        raw_input = {key: value for key, value in raw_input.items() if key not in without}
    listed = (piece for text in _texts(raw_input, _CONTENT_FIELD) for piece in _pieces(text))
    return list(dict.fromkeys([*islice(_words(raw_input), _MAX_PATHS), *islice(listed, _MAX_PATHS)]))


def changed_in(raw_input: Any) -> list[str]:
    """Return the texts of an input that may name a file to change: in any field, and in patches."""
    return list(dict.fromkeys([*_one_line(raw_input), *patched_in(raw_input)]))


def patched_in(raw_input: Any) -> list[str]:
    """Return the files named by patches in an input, each with and without its first folder."""
    lines = (line for text in _texts(raw_input) for line in _PATCHED.findall(text[:_MAX_PATCH]))
    names = (
        name
        for line in islice(lines, _MAX_PATHS)
        for name in (line.split("\t")[0].strip(), *line.split())
        if name != "/dev/null"
    )
    whole = dict.fromkeys(_unquoted(name) for name in names)
    # Programs such as git add a folder of one letter, `a/` or `b/`.
    shorter = (rest for name in whole if not name.startswith("/") and (rest := name.partition("/")[2]))
    return list(dict.fromkeys([*whole, *shorter]))


def changes_in(raw_input: Any, *, is_read: bool = False) -> list[str]:
    """Return the kinds of change that an input tells: by patches, and in that of a read by a new text."""
    found: dict[str, None] = {}
    for text in _texts(raw_input):
        text = text[:_MAX_PATCH]
        if _PATCHED.search(text):
            found["edit"] = None
        found.update(
            (kind, None) for kind, lines in (("delete", _DELETED), ("move", _MOVED)) if lines.search(text)
        )
    for number, (name, fields) in enumerate(_tables(raw_input)):
        is_of_file = "/" in name or "." in name or any(map(_PATH_FIELD.fullmatch, fields))
        if is_of_file:
            found.update(dict.fromkeys(_operations_in(fields)))
        counted = _WRITTEN if is_of_file or not number else _WRITTEN - _ANY_CONTENT
        if is_read and any(fields[key] not in (None, "") for key in counted & fields.keys()):
            found["edit"] = None
    return list(found)


def _tables(raw_input: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects of an input with their names, the whole first; their fields in snake case."""
    waiting = [("", raw_input, _MAX_DEPTH)]
    while waiting:
        name, value, depth = waiting.pop()
        if depth and isinstance(value, str):
            value = _read(value)
        if depth and isinstance(value, list):
            waiting += [(name, item, depth - 1) for item in value[:_MAX_PATHS]]
        elif depth and isinstance(value, dict):
            items = list(islice(value.items(), _MAX_PATHS))
            yield name, {_snake_case(key): inner for key, inner in items}
            waiting += [(str(key), inner, depth - 1) for key, inner in items]


def _operations_in(fields: dict[str, Any]) -> Iterator[str]:
    """Yield "delete" and "move" if the fields of a file say so."""
    for key, value in fields.items():
        word = value if key in _OPERATIONS and isinstance(value, str) and len(value) < _MAX_WORD else ""
        word = _snake_case(word)
        if word in _DELETING or (key in _DELETING and (value is True or isinstance(value, dict))):
            yield "delete"
        if word in _MOVING or (key in _NEW_NAMES and isinstance(value, str) and value):
            yield "move"


def other_files(raw_input: Any, cwd: str, is_inside: Callable[[str], bool]) -> list[str]:
    """Return the files, absolute, that an input names in patches and in fields with any other name.

    A text that only looks like a path, such as a part of a URL, names no existing file.
    """
    lines = [
        line.strip(" \t\"'`") for text in _texts(raw_input, _CONTENT_FIELD) for line in text.splitlines()
    ]
    paths = (text for line in lines if len(line) <= _MAX_PATH and "/" in line for text in _values(line))
    names = (line for line in lines if len(line) <= _MAX_PATH and "/" not in line)
    texts = dict.fromkeys([*_one_line(raw_input), *islice(paths, _MAX_PATHS), *islice(names, _MAX_PATHS)])
    found = [*_patch_names(raw_input), *(text for text in texts if _is_file(text, cwd, is_inside))]
    return list(dict.fromkeys(_joined(text, cwd) for text in found))


def _patch_names(raw_input: Any) -> Iterator[str]:
    """Yield the names of files in patches as the patches mean them, those of git with and without `a/`."""
    found = (line for text in _texts(raw_input) for line in _PATCHED.finditer(text[:_MAX_PATCH]))
    for line in islice(found, _MAX_PATHS):
        is_of_two = line[0].lstrip().startswith("diff")
        for name in map(_unquoted, line[1].split() if is_of_two else [line[1].split("\t")[0].strip()]):
            if name != "/dev/null":
                yield name
            if name[1:2] == "/" and "***" not in line[0]:
                yield name[2:]


def _is_file(text: str, cwd: str, is_inside: Callable[[str], bool]) -> bool:
    """Return whether a text names a file in the workspace, or any place outside."""
    path = _joined(text, cwd)
    try:
        if text.startswith(("/", "~/")) and is_inside(path):
            return not os.path.isdir(path)  # noqa: PTH112
        in_folder = "/" in text and os.path.isdir(os.path.dirname(path)) and not os.path.isdir(path)  # noqa: PTH112, PTH120
        return in_folder or _is_out(text, cwd, is_inside) or os.path.isfile(path)  # noqa: PTH113
    except ValueError:  # no valid path on this machine
        return False


def _unquoted(name: str) -> str:
    """Return a name without git's quotes and escapes."""
    if '"' not in name:
        return name
    raw = name.strip('"').encode("utf-8", "replace")  # it may have half a character
    bytes_of = re.sub(rb"\\([0-7]{3})", lambda found: bytes([int(found[1], 8) & 0xFF]), raw)
    return bytes_of.decode("utf-8", "replace").replace("\\", "")


def is_searched(raw_input: Any) -> bool:
    """Return whether an input is small enough to be searched as a whole for paths and commands.

    File contents do not count: they name neither, except for patches.
    """
    waiting, count, patched, length = [(raw_input, _MAX_DEPTH, "")], 0, 0, 0
    while waiting:
        value, depth, name = waiting.pop()
        count += 1
        if count > _MAX_PATHS:
            return False
        if isinstance(value, str):
            length += len(value)
            if length > _MAX_PATCH:
                return False
            patched += len(_PATCHED.findall(value))
            is_data = value.lstrip()[:1] in ("{", "[") and not _CONTENT_FIELD.fullmatch(name)
            read = _read(value) if is_data else None
            if read is not None:
                waiting.append((read, depth - 1, name))
            if len(value) > _most_of(name, is_data=is_data) or patched > _MAX_PATHS:
                return False
        elif isinstance(value, list | dict) and value:
            if depth <= 0 or len(value) > _MAX_ITEMS:
                return False
            if isinstance(value, list):
                waiting += [(item, depth - 1, name) for item in value]
            else:
                count += len(value)
                waiting += [(item, depth - 1, _snake_case(key)) for key, item in value.items()]
    return True


def _most_of(name: str, *, is_data: bool) -> int:
    """Return the number of characters of a field that are searched."""
    if is_data:
        return _MAX_JSON
    return _MAX_PATH if _PATH_FIELD.fullmatch(name) else _MAX_PATCH


def leads_out(raw_input: Any, cwd: str, is_inside: Callable[[str], bool]) -> bool:
    """Return whether an input names a path or pattern outside the workspace.

    A text that only looks like a path, such as a part of a URL, names no existing file.
    """
    texts = _one_line(raw_input)
    lines = (
        line.strip()
        for text in _texts(raw_input, _CONTENT_FIELD)
        if "\n" in text
        for line in text.splitlines()
    )
    parts = (part for text in texts for part in filter(None, _PARTS.split(text)) if part != text)
    return (
        any(_is_out(text, cwd, is_inside) for text in texts)
        or any(_is_out(part, cwd, is_inside, is_part=True) for part in islice(parts, 2 * _MAX_PATHS))
        or any(_is_out(line, cwd, is_inside, is_part=True) for line in islice(lines, _MAX_PATHS))
    )


def fetches(raw_input: Any) -> bool:
    """Return whether an input names an address of the web in a field for one."""
    values = (value if isinstance(value, list) else [value] for value in _fields(raw_input, _URL_FIELD))
    return any(isinstance(text, str) and _WEB.match(text) is not None for texts in values for text in texts)


def _one_line(raw_input: Any) -> list[str]:
    """Return the texts of one line in an input, except in the fields for contents."""
    found = _texts(raw_input, _CONTENT_FIELD)
    texts = (text for one in found for each in (one, one.strip()) for text in _values(each))
    return list(dict.fromkeys(islice(texts, 2 * _MAX_PATHS)))


def _is_out(text: str, cwd: str, is_inside: Callable[[str], bool], *, is_part: bool = False) -> bool:
    """Return whether a text names an existing place outside; if it is no part, also a new one."""
    if _HOME_OF.match(text):
        return True
    if not text.startswith(("/", "~/")) and ".." not in text.split("/"):
        return False
    if is_deep(text):
        return True
    plain, *more = _GLOB.split(expand_home(text), maxsplit=1)
    plain = f"{plain.rpartition('/')[0]}/" if more else plain
    path = os.path.normpath(os.path.join(cwd, plain))  # noqa: PTH118
    try:
        if is_inside(path):
            return False
        folder = os.path.dirname(path)  # noqa: PTH120
        is_new = not is_part and folder != "/" and os.path.isdir(folder)  # noqa: PTH112
        return is_new or os.path.lexists(path)
    except ValueError:  # no valid path on this machine
        return False


def input_paths(call: ToolCall, cwd: str) -> list[str]:
    """Return the paths that only the input of a call names, absolute; its folder may mean others."""
    found = named_in(call.raw_input, narrow=call.command is not None)
    folders = dict.fromkeys((cwd, _joined(folder_of(call, cwd), cwd)))
    return list(dict.fromkeys(_joined(path, folder) for path in found for folder in folders))


def _joined(path: str, cwd: str) -> str:
    """Return a path as written, absolute."""
    return os.path.join(cwd, expand_home(path)).replace("/./", "/")  # noqa: PTH118 - text, not yet a path


def folder_of(call: ToolCall, cwd: str) -> str:
    """Return the working directory of a command; `cwd` if the input names none."""
    key = folder_key(call.raw_input)
    return cwd if key is None else str(call.raw_input[key]) or cwd


def folder_key(raw: Any) -> str | None:
    """Return the field of an input that names the working directory."""
    if not isinstance(raw, dict):
        return None
    names = {_snake_case(key): key for key in raw if isinstance(raw[key], str)}
    return next((names[name] for name in _FOLDER_FIELDS if name in names), None)


def folders_in(raw_input: Any) -> list[str]:
    """Return all folders that the input of a command names in any field, as written."""
    return [text for value in _fields(raw_input, _FOLDER_FIELD) for text in _values(value)]


def unknown_fields(raw_input: Any, command_keys: Set[str] = frozenset()) -> list[str]:
    """Return the top-level fields of a command's input that may change the command.

    A field is known by its name and the type of its value. An empty one does not count.

    Args:
        raw_input: the input of the tool, of any shape.
        command_keys: the fields that state the command.
    """
    if not isinstance(raw_input, dict):
        return []
    folder = raw_input.get(folder_key(raw_input))
    return [
        str(key)
        for key, value in raw_input.items()
        if key not in command_keys
        and not (value is None or value in ("", [], {}))
        and not _is_known(_snake_case(key), value, folder)
    ]


def _is_known(name: str, value: Any, folder: Any) -> bool:
    if name in _FOLDER_FIELDS:
        return bool(value == folder)
    if _ENV_FIELD.fullmatch(name):
        return _is_env(value)
    if name in _PARSED_FIELDS:
        return isinstance(value, list)
    if isinstance(value, bool):
        return name in _FLAGS or (name in _OFF and not value)
    if isinstance(value, int | float):
        return name in _NUMBERS
    if not isinstance(value, str):
        return False
    values = _TEXTS.get(name)
    return values is not None and values.fullmatch(value) is not None


_VARIABLE: Final = ({"name", "value"}, {"key", "value"})
"""The fields of a variable in a list."""


def _is_env(value: Any) -> bool:
    """Return whether a value has one of the shapes in which variables are read."""
    if isinstance(value, dict):
        return all(isinstance(text, str | int) for text in value.values())
    return all(
        isinstance(one, str) or (isinstance(one, dict) and one.keys() in _VARIABLE and _is_env(one))
        for one in (value if isinstance(value, list) else (value,))
    )


def env_of(call: ToolCall) -> dict[str, str]:
    """Return the environment variables in the input of a command that may change its effect."""
    found: dict[str, str] = {}
    for value in _fields(call.raw_input, _ENV_FIELD):
        for pair in _variables(value):
            for name, text in effective_env([pair]).items():
                known = found.get(name, text)
                found[name] = text if known == text else f"{known} or {text}"
    return found


def _variables(value: Any) -> Iterator[tuple[str, str]]:
    """Yield the variables of a field, in any of the shapes that agents use."""
    if isinstance(value, dict):
        yield from ((str(name), str(text)) for name, text in value.items())
    for one in value if isinstance(value, list) else (value,):
        if isinstance(one, str) and one:
            name, _, text = one.partition("=")
            yield name, text
        elif isinstance(one, dict) and isinstance(value, list):
            yield str(one.get("name", one.get("key"))), str(one.get("value"))


def _fields(raw_input: Any, names: re.Pattern[str]) -> Iterator[Any]:
    """Yield the values of all fields with one of the names, at any depth."""
    waiting = [(raw_input, _MAX_DEPTH)]
    while waiting:
        value, depth = waiting.pop()
        if isinstance(value, list) and depth:
            waiting += [(item, depth - 1) for item in value[:_MAX_PATHS]]
        elif isinstance(value, dict) and depth:
            for key, inner in value.items():
                if names.fullmatch(_snake_case(key)):
                    yield inner
                elif isinstance(inner, dict | list):
                    waiting.append((inner, depth - 1))


def effective_env(env: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the environment variables that may change the effect of a command."""
    return {name: value for name, value in env if not _is_harmless(name, value)}


def _is_harmless(name: str, value: str) -> bool:
    values = _HARMLESS.get(name)
    return (name, value) in _HARMLESS_PAIRS or (values is not None and values.fullmatch(value) is not None)


def _narrow(raw_input: dict[Any, Any]) -> Iterator[str]:
    for key, value in raw_input.items():
        if _snake_case(key) in _FILE_FIELDS:
            yield from _values(value)


def _wide(value: Any, depth: int) -> Iterator[str]:
    """Yield the paths in fields of any depth; a field name may itself be a path."""
    if depth and isinstance(value, str):
        value = _read(value)
    if depth and isinstance(value, list):
        for item in value:
            yield from _wide(item, depth - 1)
    if not depth or not isinstance(value, dict):
        return
    for key, inner in value.items():
        if isinstance(key, str) and key.startswith("/"):
            yield from _values(key)
        if _PATH_FIELD.fullmatch(_snake_case(key)):
            yield from _values(inner)
            # Some tools take several files as lines.
            yield from _lines(inner)
        yield from _wide(inner, depth - 1)


def _lines(value: Any) -> Iterator[str]:
    lines = value.split() if isinstance(value, str) and "\n" in value else ()
    return (text for line in lines for text in _values(line) if "/" in text or "." in text)


def _words(value: Any) -> Iterator[str]:
    """Yield the one-line texts of an input at any depth."""
    return (text for one in _texts(value) for text in _values(one))


def _texts(value: Any, without: re.Pattern[str] | None = None) -> Iterator[str]:
    """Yield the texts and field names of an input at any depth, except in the fields `without`.

    It loops instead of recursing: the agent decides how deep its input is.
    """
    waiting = [(value, _MAX_DEPTH * 4)]
    while waiting:
        value, depth = waiting.pop()
        if not depth:
            continue
        if isinstance(value, str):
            read = _read(value)
            if read is not None:
                waiting.append((read, depth - 1))
            else:
                yield value
        elif isinstance(value, list):
            waiting += [(item, depth - 1) for item in value[:_MAX_PATHS]]
        elif isinstance(value, dict):
            items = list(islice(value.items(), _MAX_PATHS))
            kept = [one for one in items if without is None or not without.fullmatch(_snake_case(one[0]))]
            waiting += [(inner, depth - 1) for _, inner in kept]
            waiting += [(key, depth - 1) for key, _ in kept if isinstance(key, str)]


def _read(text: str) -> Any:
    """Return the object or list in a JSON text, else None: some agents send their input as text."""
    if text.lstrip()[:1] not in ("{", "[") or len(text) > _MAX_JSON:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


_BETWEEN: Final = regex(r"[\s,;\"'`]+")


def _pieces(text: str) -> Iterator[str]:
    """Yield the parts of a text that may be a list of paths, or a path with more around it."""
    if len(text) <= _MAX_PATH:
        yield from (piece.lstrip("@") for piece in _BETWEEN.split(text) if piece.strip("@"))


def _values(value: Any) -> Iterator[str]:
    for text in value if isinstance(value, list) else [value]:
        if isinstance(text, str) and text and "\n" not in text and len(text) <= _MAX_PATH:
            local = _FILE_URL.match(text)
            yield unquote(text[local.end() :]) if local is not None else text


def _snake_case(key: Any) -> str:
    """Return a field name in snake case."""
    return _WORD_START.sub("_", str(key)).lower()
