"""Redacted copies of journals: private values are replaced by their kind and length.

Masked are paths under the home folder, values of the environment, tokens, file contents and program output.
Other text stays, so review a copy before sharing it.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from acp_tui.lazy_regex import regex
from acp_tui.protocol import frames as json_line
from acp_tui.protocol.json_values import member
from acp_tui.store import urls
from acp_tui.store.folders import private_folder
from acp_tui.store.journal import SECRET_LENGTH
from acp_tui.store.plain_files import plain_file

PATH, VARIABLE, TOKEN, CONTENT, OUTPUT = "path", "variable", "token", "file content", "output"
ACCOUNT: Final = "account"
"""Kinds of masked values."""

_KEY_WORDS: Final = r"key|token|secret|passw(?:or)?d|passphrase|credential|authorization|cookie|signature"
_KEY_NAME: Final = regex(_KEY_WORDS, re.I)
_VALUE: Final = r"[A-Za-z0-9+/_.=~%-]"
# An agent decides how long a text is, so patterns must not backtrack from each of its characters.
_TOKENS: Final = regex(
    rf"""
    (?P<before>
        \b(?:bearer|basic)\s+
      | (?<![\w-])(?=[\w-]*?(?:{_KEY_WORDS}))[\w-]++\\?["']?\s*[:=]\s*\\?["']?(?:(?:bearer|basic)\s+)?
      | [?&](?:code|state)=
      | ://(?=[^\s/@]+@)
    )(?P<value>{_VALUE}{{8,}}|(?<=://)[^\s/@]+(?=@))
  | (?P<alone>
        \b(?:sk|pk|rk)-[\w-]{{16,}}
      | \bgh[pousr]_\w{{20,}} | \bgithub_pat_\w{{20,}} | \bglpat-[\w-]{{16,}}
      | \bxox[abeprs]-[\w-]{{10,}} | \bAKIA[0-9A-Z]{{16}}\b | \bAIza[\w-]{{30,}}
      | \b(?:hf|npm)_\w{{20,}} | \bya29\.[\w.-]{{20,}}
      | (?<![\w-])eyJ[\w-]{{10,}}+\.[\w-]{{10,}}\.[\w-]*
      | -----BEGIN[ A-Z]*PRIVATE[ ]KEY-----.*?(?:-----END[ A-Z]*PRIVATE[ ]KEY-----|\Z)
    )
    """,
    re.I | re.X | re.S,
)
_UNTIL: Final = r"[^\s\"'`<>|()\[\]{},;]*"
"""The rest of a path in a text."""

_CONTENTS: Final[Mapping[str, str]] = {
    "oldText": CONTENT, "newText": CONTENT, "old_text": CONTENT, "new_text": CONTENT, "blob": CONTENT,
    "rawOutput": OUTPUT, "raw_output": OUTPUT, "terminal_output": OUTPUT, "terminal_output_delta": OUTPUT,
    "terminalOutput": OUTPUT, "rawInput": OUTPUT, "raw_input": OUTPUT,
}  # fmt: skip
"""Fields with file contents or program output, at any depth."""
_ACCOUNTS: Final = frozenset({"accounts", "authStatus"})
"""Fields of an agent's message about the login that name its user."""
_BRIEF: Final = 60
"""Maximum characters of a text in a tool's input that does not count as content."""
_ANSWERS: Final = {"fs/read_text_file": ("content", CONTENT), "terminal/output": ("output", OUTPUT)}
"""The private field in the results of some methods."""
_SAMPLES: Final = 20
_SAMPLE_LENGTH: Final = 400


@dataclass
class RedactionReview:
    """A preview of a redacted copy."""

    path: Path
    size: int
    """Bytes of the journal covered."""
    rows: int = 0
    broken: int = 0
    """Unreadable rows, which are left out."""
    masked: Counter[str] = field(default_factory=Counter)
    """Number of masked values by kind."""
    samples: list[str] = field(default_factory=list)
    """The first redacted rows, shortened."""


# A result names no method, so requests are remembered by direction and id. Values of the environment that are
# paths under the home folder are left to the pattern of paths, so that they are counted once.
class Redactor:
    """Redacts the rows of one journal, in order, matching results to requests."""

    def __init__(self, home: str, environment: Mapping[str, str]) -> None:
        self.masked: Counter[str] = Counter()
        self._asked: dict[tuple[str, str], str] = {}
        self._home = home.rstrip("/")
        self._homes = _homes(self._home)
        self._values = _values(environment, self._home)

    def row(self, line: bytes) -> bytes:
        """Return a redacted row.

        Raises:
            ValueError: the line is not a row of a journal.
        """
        row = json_line.read(line)
        if not isinstance(row, dict) or not isinstance(row.get("dir"), str):
            raise ValueError("not a row of a journal")
        row["msg"] = self._message(row["dir"], row.get("msg"))
        return json.dumps(row, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"

    def text(self, text: str) -> str:
        """Mask paths, values of the environment and tokens in a text."""
        if self._home and text.startswith(f"{self._home}/") and len(text) < 1024 and "\n" not in text:
            return self._mask(PATH, text)  # a path may contain spaces
        text = _TOKENS.sub(self._token, text)
        if self._values is not None:
            text = self._values.sub(lambda found: self._mask(VARIABLE, found[0]), text)
        if self._homes is not None:
            text = self._homes.sub(lambda found: self._mask(PATH, found[0]), text)
        return text

    def _message(self, direction: str, msg: Any) -> Any:
        if not isinstance(msg, dict):
            return self._any(msg)
        if direction == "note" and "wrote" in msg:
            return {**self._any(msg), **self._hidden(msg, {"old": CONTENT, "new": CONTENT})}
        method, request_id = msg.get("method"), json.dumps(msg.get("id"))
        if isinstance(method, str):
            self._asked[direction, request_id] = method
            if method == "fs/write_text_file" and isinstance(msg.get("params"), dict):
                hidden = self._hidden(msg["params"], {"content": CONTENT})
                return {**self._any({**msg, "params": {}}), "params": {**self._any(msg["params"]), **hidden}}
            return self._any(msg)
        other = "out" if direction == "in" else "in"
        asked = self._asked.pop((other, request_id), "")
        if asked in _ANSWERS and isinstance(msg.get("result"), dict):
            name, kind = _ANSWERS[asked]
            hidden = self._hidden(msg["result"], {name: kind})
            return {**self._any({**msg, "result": {}}), "result": {**self._any(msg["result"]), **hidden}}
        return self._any(msg)

    def _any(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._any(item) for item in value]
        if isinstance(value, dict):
            return self._object(value)
        return value

    def _object(self, value: dict[str, Any]) -> dict[str, Any]:
        kind = value.get("type")
        is_output = value.get("sessionUpdate") in ("tool_call", "tool_call_update") or "toolCallId" in value
        is_terminal = value.get("sessionUpdate") in ("terminal_update", "terminal_output_chunk")
        result: dict[str, Any] = {}
        for name, item in value.items():
            if name in _CONTENTS:
                brief = _BRIEF if name in ("rawInput", "raw_input") else 0
                shown = self._hide_all(item, _CONTENTS[name], brief)
            elif kind in ("image", "audio") and name == "data":
                shown = self._hide_all(item, CONTENT)
            elif is_terminal and name == "output" and isinstance(item, dict):
                shown = {**self._any(item), **self._hidden_bytes(item)}
            elif is_terminal and name == "data":
                shown = self._hidden_bytes(value).get("data", item)
            elif name == "patch" and isinstance(item, dict):
                shown = self._hide(item, "text", CONTENT)
            elif kind == "resource" and name == "resource" and isinstance(item, dict):
                shown = {**self._any(item), **self._hidden(item, {"text": CONTENT, "blob": CONTENT})}
            elif is_output and name == "content" and isinstance(item, list):
                shown = [self._tool_content(one) for one in item]
            elif is_output and name == "content":
                shown = self._tool_content(item)
            elif name in ("env", "headers"):
                shown = self._variables(item)
            elif isinstance(item, str) and name == "url":
                shown = self.text(urls.masked(item, lambda secret: self._mask(TOKEN, secret)))
            elif isinstance(item, str) and len(item) >= SECRET_LENGTH and _KEY_NAME.search(name):
                shown = self._mask(TOKEN, item)
            else:
                shown = self._any(item)
            result[self._name(name, result)] = shown
        return result

    def _hidden_bytes(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return base64 output with a mask in its place, also in base64."""
        data = value.get("data")
        if not isinstance(data, str) or not data:
            return {}
        return {"data": base64.b64encode(self._mask(OUTPUT, data).encode()).decode()}

    def _variables(self, value: Any) -> Any:
        """Mask the values of variables or headers, in a list or an object."""
        if isinstance(value, list):
            return [self._hide(one, "value", VARIABLE) if isinstance(one, dict) else one for one in value]
        return self._hide_all(value, VARIABLE)

    def _tool_content(self, item: Any) -> Any:
        """Mask the texts of a tool's content: lines of files or program output."""
        block = member(item, "content")
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            return {**self._any({**item, "content": {}}), "content": self._hide(block, "text", OUTPUT)}
        if isinstance(item, dict) and item.get("type") == "text":
            return self._hide(item, "text", OUTPUT)
        return self._any(item)

    def _hide(self, value: dict[str, Any], name: str, kind: str) -> dict[str, Any]:
        rest = self._object({key: item for key, item in value.items() if key != name})
        return {**rest, **self._hidden(value, {name: kind})}

    def _hidden(self, value: dict[str, Any], kinds: Mapping[str, str]) -> dict[str, Any]:
        return {name: self._hide_all(value[name], kind) for name, kind in kinds.items() if name in value}

    def _hide_all(self, value: Any, kind: str, brief: int = 0) -> Any:
        """Mask all texts in a value; texts up to `brief` characters are treated as ordinary text."""
        if isinstance(value, str):
            if not value:
                return value
            return self.text(value) if len(value) <= brief and "\n" not in value else self._mask(kind, value)
        if isinstance(value, list):
            return [self._hide_all(item, kind, brief) for item in value]
        if isinstance(value, dict):
            return {self.text(name): self._hide_all(item, kind, brief) for name, item in value.items()}
        return value

    def _name(self, name: str, taken: Mapping[str, Any]) -> str:
        shown = self.text(name)
        while shown in taken:
            shown += "'"
        return shown

    def _token(self, found: re.Match[str]) -> str:
        if found["alone"]:
            return self._mask(TOKEN, found["alone"])
        return found["before"] + self._mask(TOKEN, found["value"])

    def _mask(self, kind: str, text: str) -> str:
        self.masked[kind] += 1
        return f"‹{kind} {len(text)}›"


def without_accounts(line: bytes) -> bytes:
    """Return a message of an agent with the user's account masked, which is only for display."""
    if b'"accounts"' not in line and b'"authStatus"' not in line:
        return line
    try:
        message = json_line.read(line)
    except ValueError:
        return line
    found = False
    parts = (message.get("params"), message.get("result")) if isinstance(message, dict) else ()
    for part in (part for part in parts if isinstance(part, dict)):
        for name in _ACCOUNTS.intersection(part):
            part[name] = _hidden_texts(part[name])
            found = True
    return json_line.ascii_line(message) if found else line


def _hidden_texts(value: Any) -> Any:
    if isinstance(value, str):
        return f"‹{ACCOUNT} {len(value)}›" if value else value
    if isinstance(value, list):
        return [_hidden_texts(item) for item in value]
    return {name: _hidden_texts(item) for name, item in value.items()} if isinstance(value, dict) else value


def mask_tokens(text: str, mask: str) -> str:
    """Replace tokens, recognised by their form or by their context."""
    return _TOKENS.sub(lambda found: mask if found["alone"] else found["before"] + mask, text)


def secret_arguments(arguments: Iterable[str]) -> Iterator[str]:
    """Yield the secrets in arguments, recognised by themselves or by the option before."""
    is_secret = False
    for argument in arguments:
        if is_secret:
            yield argument
        else:
            yield from (found[0][len(found["before"] or "") :] for found in _TOKENS.finditer(argument))
        is_secret = argument.startswith("-") and "=" not in argument and bool(_KEY_NAME.search(argument))


def mask_arguments(arguments: Iterable[str], mask: str) -> list[str]:
    """Replace secret arguments, recognised by themselves or by the option before."""
    found: list[str] = []
    is_secret = False
    for argument in arguments:
        found.append(mask if is_secret else mask_tokens(argument, mask))
        is_secret = argument.startswith("-") and "=" not in argument and bool(_KEY_NAME.search(argument))
    return found


def review(path: Path, redactor: Redactor) -> RedactionReview:
    """Return a preview of the redacted copy; nothing is written.

    Raises:
        OSError: the journal cannot be read.
    """
    found = RedactionReview(path, path.stat().st_size)
    for line, masked in _rows(found, redactor, lambda: found.masked.total()):
        if masked and len(found.samples) < _SAMPLES:
            found.samples.append(line.decode("utf-8", "replace")[:_SAMPLE_LENGTH].rstrip())
    return found


def save(reviewed: RedactionReview, redactor: Redactor, target: Path) -> None:
    """Write the reviewed copy, all or nothing.

    Raises:
        OSError: it cannot be written.
    """
    private_folder(target.parent)
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    again = RedactionReview(reviewed.path, reviewed.size)
    try:
        with open(unfinished, "wb", opener=_private) as file:
            for line, _ in _rows(again, redactor, lambda: 0):
                file.write(line)
        unfinished.replace(target)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def _rows(
    found: RedactionReview, redactor: Redactor, count: Callable[[], int]
) -> Iterator[tuple[bytes, bool]]:
    """Yield (a redacted row, whether anything was masked), counting into `found`."""
    found.masked = redactor.masked
    with plain_file(found.path) as file:
        while file.tell() < found.size and (line := file.readline(found.size - file.tell())):
            before = count()
            try:
                row = redactor.row(line)
            except ValueError:
                found.broken += bool(line.strip())
                continue
            found.rows += 1
            yield row, count() > before


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o600)


def _homes(home: str) -> re.Pattern[str] | None:
    """Return a pattern for paths under the home folder, also in URLs."""
    if len(home) < 2:
        return None
    forms = "|".join(re.escape(form) for form in dict.fromkeys((home, quote(home))))
    return re.compile(rf"(?<![\w.-])(?:{forms})(?:/{_UNTIL}|(?![\w.-]))")


def _values(environment: Mapping[str, str], home: str) -> re.Pattern[str] | None:
    """Return a pattern for the values of variables, except paths under the home folder."""
    long_enough = {value for value in environment.values() if len(value) >= SECRET_LENGTH}
    values = sorted((value for value in long_enough if not f"{value}/".startswith(f"{home}/")), key=len)
    if not values:
        return None
    return re.compile("|".join(re.escape(value) for value in reversed(values)))


_MOST: Final = 48
"""Characters of a title in a file name."""
_NO_WORD: Final = regex(r"\W+")


def save_export(folder: Path, title: str, suffix: str, text: str, at: datetime) -> Path:
    """Write a text to a new file named after title and time; return its path.

    Raises:
        OSError: it cannot be written.
    """
    words = _NO_WORD.sub("-", title.lower())[:_MOST].strip("-_") or "session"
    stem = f"{at:%Y-%m-%d-%H%M%S}-{words}"
    private_folder(folder)
    number = 1
    while True:
        path = folder / f"{stem}{f'-{number}' if number > 1 else ''}.{suffix}"
        try:
            with path.open("x", encoding="utf-8", errors="replace", newline="") as file:
                file.write(text)
        except FileExistsError:
            number += 1
        else:
            path.chmod(0o600)
            return path
