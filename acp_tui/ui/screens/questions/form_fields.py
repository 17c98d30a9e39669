"""Fields of a form, read from its schema, and the values to send.

An entry that cannot be sent raises `InvalidEntry`, with the message to show at its field.
Source: ACP, page "elicitation".
"""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from acp_tui.lazy_regex import regex
from acp_tui.safe_text import exact_line
from acp_tui.session.permission_option_names import has_hidden, mixes_alphabets

Kind = Literal["text", "number", "integer", "choice", "choices", "boolean", "unknown"]
Entry = str | bool | tuple[str, ...] | None
"""Content of a control: text, a choice or None, a boolean or None, several choices."""
Value = str | int | float | bool | list[str]

_SECRET: Final = regex(
    r"pass(word|phrase|code|wd)|secret|token|credential|api[\s_-]?key|private[\s_-]?key|\bpin\b|\bcvv\b"
    r"|passwort|kennwort|passord|wachtwoord|losenord|adgangskode|kodeord|salasana|geheim|schlussel"
    r"|contrasen|clave|senha|mot de passe|\bmdp\b|\bparola|segret|segred|sifre|mat khau|kata sandi"
    r"|has[łl]o|heslo|jelszo|lozink|\bgeslo|slaptazod|парол|секрет|токен|лозинк|\bпин\b|κωδικ|συνθηματικ"
    r"|סיסמ|كلمة (ال)?(مرور|سر)|رمز عبور|گذرواژه|पासवर्ड|कूटशब्द|পাসওয়ার্ড|รหัสผ่าน"
    r"|密[码碼钥鑰]|口令|暗証|令牌|パスワード|秘密|トークン|비밀|암호|토큰",
    re.IGNORECASE,
)
"""Words for a password or a key, without the marks of letters; a list can only be a help."""
_EMAIL: Final = regex(r"[^@\s]+@[^@\s.]+(\.[^@\s.]+)+")
_DATE: Final = regex(r"\d{4}-\d\d-\d\d")
_DATE_TIME: Final = regex(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)")
_SEPARATORS: Final = regex("[ _-]+")
_INTEGER: Final = regex(r"[+-]?\d{1,300}")
FORMATS: Final = {
    "email": "an address like name@example.org",
    "uri": "an address like https://example.org/page",
    "date": "a date like 2025-12-31",
    "date-time": "a time like 2025-12-31T18:30:00Z",
}
"""Known formats with an example; other formats are shown but not checked."""


MOST_FIELDS: Final = 100
"""Most fields that are shown: each is several widgets, and thousands would block for minutes."""
MOST_CHOICES: Final = 1_000
"""Most choices of a field that are shown."""
_LONGEST_TITLE: Final = 500
_LONGEST_TEXT: Final = 5_000
"""Most characters of a description or a default."""


class InvalidEntry(ValueError):
    """An entry cannot be sent; the message is for the user."""


@dataclass(frozen=True)
class FieldChoice:
    """A value to choose."""

    value: str
    title: str
    description: str = ""

    @property
    def about(self) -> str:
        """The description, and the value if the title does not say it."""
        says = "" if _plainly(self.value) == _plainly(self.title) else f"sends {exact_line(_cut(self.value))}"
        return ", ".join(filter(None, (self.description, says)))


@dataclass(frozen=True)
class FormField:
    """A property of the form; if `kind` is unknown, nothing can be entered."""

    name: str
    kind: Kind
    title: str
    description: str = ""
    required: bool = False
    default: Entry = None
    choices: tuple[FieldChoice, ...] = ()
    format: str = ""
    pattern: str = ""
    least: float | None = None
    """Minimum number of characters or choices, or the smallest value."""
    most: float | None = None

    @property
    def is_written(self) -> bool:
        """True if the user can write what is sent."""
        return self.kind in ("text", "number", "integer")

    @property
    def asks_for_secret(self) -> bool:
        """True if it looks like a password or a key, which agents must not ask for."""
        called = f"{self.name} {self.title}"
        is_odd = mixes_alphabets(called) or has_hidden(called)
        return self.is_written and (
            is_odd or names_secret(f"{called} {self.description} {self.format}".replace("_", " "))
        )


def names_secret(text: str) -> bool:
    """Return whether a text has a word for a password or a key, in one of many languages."""
    composed = unicodedata.normalize("NFKC", text)
    marks = unicodedata.normalize("NFKD", text)
    bare = "".join(letter for letter in marks if not unicodedata.combining(letter))
    return _SECRET.search(f"{composed}\n{bare}") is not None


def fields_of(schema: Mapping[str, Any] | None) -> list[FormField]:
    """Return the fields of a form in the schema's order; malformed ones are of an unknown kind."""
    schema = schema or {}
    properties, required = schema.get("properties"), schema.get("required")
    needed = {name for name in required if isinstance(name, str)} if isinstance(required, list) else set()
    if not isinstance(properties, dict):
        properties = {}
    shown, rest = [*properties.items()][:MOST_FIELDS], [*properties][MOST_FIELDS:]
    found = [_field(name, about, name in needed) for name, about in shown]
    missing = sorted(needed - properties.keys())
    found += [FormField(name, "unknown", _cut(name), required=True) for name in missing[:MOST_FIELDS]]
    if rest:
        title, why = f"{len(rest):,} more fields", f"A form shows at most {MOST_FIELDS}."
        found.append(FormField("", "unknown", title, why, required=not needed.isdisjoint(rest)))
    return found


def value_of(field: FormField, entry: Entry) -> Value | None:
    """Return the value to send, or None to leave the field out; its pattern is not checked here.

    Raises:
        InvalidEntry: the entry breaks a limit or is missing.
    """
    if field.kind == "choices":
        return _several(field, entry if isinstance(entry, tuple) else ())
    is_empty = entry == "" and field.kind != "choice"  # a choice may have the empty text
    if entry is None or is_empty or field.kind == "unknown":
        if field.required:
            raise InvalidEntry("Required.")
        return None
    if field.kind == "text":
        return _text(field, str(entry))
    if field.kind in ("number", "integer"):
        return _number(field, str(entry).strip())
    return bool(entry) if field.kind == "boolean" else str(entry)


def can_be_sent(fields: Sequence[FormField]) -> bool:
    """Return whether the form can be accepted: no required field is of an unknown kind."""
    return not any(field.kind == "unknown" and field.required for field in fields)


def limits_of(field: FormField) -> str:
    """Describe the limits of a value in a few words."""
    words = {"text": "characters", "choices": "choices"}.get(field.kind, "")
    if field.most == 1 or (field.most is None and field.least == 1):
        words = words.removesuffix("s")
    if field.least is not None and field.most is not None:
        limits = f"{_plain(field.least)} to {_plain(field.most)} {words}"
    elif field.least is not None:
        limits = f"at least {_plain(field.least)} {words}"
    elif field.most is not None:
        limits = f"at most {_plain(field.most)} {words}"
    else:
        limits = ""
    whole = "a whole number" if field.kind == "integer" else ""
    written = FORMATS.get(field.format, field.format)
    return ", ".join(part for part in (written, whole, limits.strip()) if part)


def _field(name: str, about: Any, required: bool) -> FormField:
    if not isinstance(about, dict):
        return FormField(name, "unknown", _cut(name), required=required)
    kind, choices = _kind(about)
    description = _string(about.get("description"))[:_LONGEST_TEXT]
    if len(choices) > MOST_CHOICES:
        description += f" The first {MOST_CHOICES:,} of {len(choices):,} choices are shown."
        choices = choices[:MOST_CHOICES]
    counts = {"text": ("minLength", "maxLength"), "choices": ("minItems", "maxItems")}
    least, most = counts.get(kind, ("minimum", "maximum"))
    return FormField(
        name,
        kind,
        _cut(_string(about.get("title")) or name),
        description.strip(),
        required,
        _default(kind, choices, about.get("default")),
        choices,
        _string(about.get("format")) if kind == "text" else "",
        _string(about.get("pattern")) if kind == "text" else "",
        _limit(about.get(least)),
        _limit(about.get(most)),
    )


def _kind(about: Mapping[str, Any]) -> tuple[Kind, tuple[FieldChoice, ...]]:
    match about.get("type"):
        case "string" if "enum" in about or "oneOf" in about:
            choices = _choices(about.get("enum"), about.get("oneOf"))
            return ("choice", choices) if choices else ("unknown", ())
        case "string":
            return "text", ()
        case "number":
            return "number", ()
        case "integer":
            return "integer", ()
        case "boolean":
            return "boolean", (FieldChoice("yes", "Yes"), FieldChoice("no", "No"))
        case "array":
            items = about.get("items")
            choices = _choices(items.get("enum"), items.get("anyOf")) if isinstance(items, dict) else ()
            return ("choices", choices) if choices else ("unknown", ())
        case _:
            return "unknown", ()


def _choices(values: Any, titled: Any) -> tuple[FieldChoice, ...]:
    if isinstance(titled, list):
        return tuple(
            FieldChoice(
                one["const"],
                _cut(_string(one.get("title")) or one["const"]),
                _cut(_string(one.get("description"))),
            )
            for one in titled
            if isinstance(one, dict) and isinstance(one.get("const"), str)
        )
    if isinstance(values, list):
        return tuple(
            FieldChoice(value, _cut(value) or "(empty)") for value in values if isinstance(value, str)
        )
    return ()


def _default(kind: Kind, choices: Sequence[FieldChoice], default: Any) -> Entry:
    """Return a default as its control represents it; None or "" if it is invalid."""
    offered = [choice.value for choice in choices]
    if kind == "boolean":
        return default if isinstance(default, bool) else None
    if kind == "choices":
        given = default if isinstance(default, list) else []
        return tuple(value for value in offered if value in given)
    if kind == "choice":
        return default if default in offered else None
    if kind == "text":
        return _string(default) if len(_string(default)) <= _LONGEST_TEXT else ""
    if isinstance(default, int | float) and not isinstance(default, bool):
        return _plain(default)
    return ""


def _several(field: FormField, chosen: tuple[str, ...]) -> list[str] | None:
    if not chosen and not field.required:
        return None
    if field.required and not chosen and not field.least:
        return []
    _check_count(field, len(chosen), "chosen")
    return list(chosen)


def _text(field: FormField, text: str) -> str:
    _check_count(field, len(text), "characters")
    if field.format in FORMATS and not _has_format(field.format, text):
        raise InvalidEntry(f"This should be {FORMATS[field.format]}.")
    return text


def _has_format(name: str, text: str) -> bool:
    try:
        match name:
            case "email":
                return _EMAIL.fullmatch(text) is not None
            case "uri":
                parts = urlsplit(text)
                return bool(parts.scheme and (parts.netloc or parts.path)) and not re.search(r"\s", text)
            case "date":
                return _DATE.fullmatch(text) is not None and bool(date.fromisoformat(text))
            case _:
                return _DATE_TIME.fullmatch(text) is not None and bool(datetime.fromisoformat(text.upper()))
    except ValueError:  # well-formed, but there is no such day or address
        return False


def _number(field: FormField, text: str) -> int | float:
    if field.kind == "integer" or _INTEGER.fullmatch(text):
        if not _INTEGER.fullmatch(text):
            raise InvalidEntry("This should be a whole number.")
        number: int | float = int(text)
    else:
        try:
            number = float(text)
        except ValueError:
            raise InvalidEntry("This should be a number.") from None
        if not math.isfinite(number) or "_" in text:
            raise InvalidEntry("This should be a number.")
    if field.least is not None and number < field.least:
        raise InvalidEntry(f"The smallest is {_plain(field.least)}.")
    if field.most is not None and number > field.most:
        raise InvalidEntry(f"The largest is {_plain(field.most)}.")
    return number


def _check_count(field: FormField, count: int, what: str) -> None:
    if field.least is not None and count < field.least:
        raise InvalidEntry(f"At least {_plain(field.least)} {what}; there are {count}.")
    if field.most is not None and count > field.most:
        raise InvalidEntry(f"At most {_plain(field.most)} {what}; there are {count}.")


def _limit(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if math.isfinite(value) else None


def _plainly(text: str) -> str:
    """Return a text without the differences between a name for programs and one for people."""
    return _SEPARATORS.sub(" ", text).casefold()


def _plain(number: float) -> str:
    """Format a number without a needless decimal point."""
    return str(int(number)) if math.isfinite(number) and number == int(number) else str(number)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_TITLE else f"{text[: _LONGEST_TITLE - 1]}…"


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""


LONGEST: Final = 1.0
"""Seconds for all patterns of a form, including the start of the process."""

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
    """Search the pattern of each pair in its text; None if it is invalid or took too long.

    The patterns run in another process, which is killed after `seconds`. Blocking: call it in a thread.
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
