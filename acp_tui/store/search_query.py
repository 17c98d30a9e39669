"""Search queries: the user's words and filters, applied to the index and to documents outside it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Final, NamedTuple

from acp_tui.formatting import expand_home, moment
from acp_tui.lazy_regex import regex
from acp_tui.store.search_documents import COLUMNS, Column, Document

FILTERS: Final = ("agent", "folder", "file", "since", "until", "in")
"""Words that limit a search, before a colon."""
MOST: Final = 256 << 10
"""Maximum characters of a text that are searched: half of them at its start, half at its end."""

_ARGUMENT: Final = regex(r'(-?)(?:([a-z]+):)?(?:"([^"]*)"|(\S+))')
_WIDE: Final = regex(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Letters of scripts without spaces between words: each letter counts as a word, a word as a phrase."""
_WORD: Final = regex(r"[^\W_]+")
_GOES_ON: Final = 3
"""Minimum letters of a prefix: shorter ones match too much and take long."""
_LATEST: Final = 4e9
_NO_VALUE: Final = ("", "/", ":", "\\")
"""Beginnings that no value of a filter has, as in `http://`, `std::` and `c:\\`."""


class InvalidQuery(ValueError):
    """A filter of a query is invalid; the message is for the user."""


@dataclass(frozen=True)
class Term:
    """Consecutive words that a document must, or must not, contain."""

    words: tuple[str, ...]
    """As typed: the index itself ignores case and accents."""
    is_prefix: bool = False
    """True if the last word may be a prefix."""
    is_unwanted: bool = False


@dataclass(frozen=True)
class Query:
    """A search: terms, and filters for columns and sessions."""

    terms: tuple[Term, ...] = ()
    columns: tuple[Column, ...] = ()
    """Columns to search; all if empty."""
    agent: str = ""
    folder: str = ""
    """If absolute, this workspace and those below it; else a part of the path."""
    file: tuple[str, ...] = ()
    """Words in the path of a file."""
    since: float = 0.0
    """Seconds since the epoch."""
    until: float = _LATEST
    no_filters: tuple[str, ...] = ()
    """Names before a colon that look like filters and are none: they are searched as words."""

    @property
    def advice(self) -> str:
        """A sentence for the user of a search that found nothing, or ""."""
        if self.is_empty:
            return "There are no words to look for."
        names = ", ".join(f"{name}:" for name in self.no_filters)
        are = "are not filters" if len(self.no_filters) > 1 else "is not a filter"
        return f"{names} {are}." if names else ""

    @property
    def is_empty(self) -> bool:
        """True if there are no words to search for."""
        return not self.file and all(term.is_unwanted for term in self.terms)

    def fts(self) -> str:
        """Return the terms as a query of SQLite's FTS5."""
        wanted = [_quoted(term) for term in self.terms if not term.is_unwanted]
        unwanted = [_quoted(term) for term in self.terms if term.is_unwanted]
        only = f"{{{' '.join(self.columns)}}} : " if self.columns else ""
        parts = [f"{only}({' AND '.join(wanted)})"] if wanted else []
        if self.file:
            parts.append(f'file : "{" ".join(self.file)}"')
        return f"({' AND '.join(parts)})" + "".join(f" NOT {each}" for each in unwanted)

    def fits(self, document: Document) -> bool:
        """Return whether a document matches the terms."""
        texts = {column: _tokens(document.text(column)) for column in COLUMNS}
        searched = [texts[column] for column in self.columns or COLUMNS]
        if self.file and f" {_phrase(self.file)} " not in texts["file"]:
            return False
        for term in self.terms:
            phrase = f" {_phrase(term.words)}" + ("" if term.is_prefix else " ")
            within = texts.values() if term.is_unwanted else searched
            if any(phrase in text for text in within) is term.is_unwanted:
                return False
        return True

    def has_session(self, agent: str, folder: str) -> bool:
        """Return whether the filters accept sessions of an agent in a folder."""
        return self.agent.casefold() in agent.casefold() and has_folder(self.folder, folder)


def has_folder(wanted: str, folder: str) -> bool:
    """Return whether a folder filter accepts a workspace."""
    if not wanted.startswith("/"):
        return wanted in folder
    return f"{folder.rstrip('/')}/".startswith(f"{wanted.rstrip('/')}/")


def parse(text: str) -> Query:
    """Parse words, "phrases", -unwanted words and filters such as `agent:claude`.

    Raises:
        InvalidQuery: a filter is invalid.
    """
    query, terms = Query(), []
    no_filters: list[str] = []
    for found in _ARGUMENT.finditer(text):
        sign, name, phrase, word = found[1], found[2], found[3], found[4]
        value = phrase if phrase is not None else word
        if name in FILTERS and not sign:
            query = limited(query, name, value)
            continue
        if name and not sign and value[:1] not in _NO_VALUE and name not in no_filters:
            no_filters.append(name)
        words = _words(f"{name} {value}" if name else value)
        if words:
            is_last = found.end() == len(text) and phrase is None and not sign
            terms.append(Term(words, is_last and _may_go_on(value), bool(sign)))
    return replace(query, terms=tuple(terms), no_filters=tuple(no_filters))


def limited(query: Query, name: str, value: str) -> Query:
    """Return the query with one more filter.

    Raises:
        InvalidQuery: the value is invalid.
    """
    match name:
        case "agent":
            return replace(query, agent=value)
        case "folder":
            return replace(query, folder=str(Path(expand_home(value))) if value.startswith("~") else value)
        case "file":
            return replace(query, file=_words(value))
        case "in":
            column = next((one for one in COLUMNS if value and one.startswith(value)), None)
            if column is None:
                raise InvalidQuery(f"in: must be one of {', '.join(COLUMNS)}, not {value}")
            return replace(query, columns=(*query.columns, column))
    try:
        at = moment(value)
    except ValueError as error:
        raise InvalidQuery(f"{name}: {error}") from None
    if name == "since":
        return replace(query, since=at.timestamp())
    is_day = len(value) == len("2026-03-01") and value[-3:-2] == "-"
    return replace(query, until=(at + timedelta(days=is_day)).timestamp())


def folded(text: str) -> str:
    """Return a text in lower case without accents, with spaces around letters that count as words."""
    if text.isascii():
        return text.lower()
    letters = unicodedata.normalize("NFD", _spaced(text))
    kept = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return unicodedata.normalize("NFC", kept).lower()


def indexed(text: str) -> str:
    """Return the text to be indexed."""
    return _spaced(_bounded(text))


class Excerpt(NamedTuple):
    """The text around a match in a document."""

    column: Column
    text: str
    """On one line; not yet safe to draw."""


_WIDTH: Final = 200
"""Maximum characters of an excerpt."""


def excerpt(document: Document, query: Query) -> Excerpt:
    """Return the text around the first match."""
    present = [column for column in query.columns or COLUMNS if document.texts.get(column)]
    for pattern in _patterns(query):
        for column in present:
            text = _bounded(document.text(column))
            found = pattern.search(text)
            if found is not None:
                start = max(0, found.start() - _WIDTH // 4)
                if start and (end := re.compile(r"\s").search(text, start - 1, found.start())):
                    start = end.end()  # of the word that would be cut
                return Excerpt(column, " ".join(text[start : start + _WIDTH].split()))
    column = next(iter(present), "prompt")
    return Excerpt(column, " ".join(document.text(column)[:_WIDTH].split()))


def _patterns(query: Query) -> Iterator[re.Pattern[str]]:
    """Yield patterns for the terms, then for their words."""
    wanted = [term.words for term in query.terms if not term.is_unwanted]
    wanted += [query.file] if query.file else []
    for words in wanted:
        yield re.compile(r"[\W_]*".join(map(re.escape, words)), re.IGNORECASE)
    for words in wanted:
        yield re.compile("|".join(map(re.escape, words)), re.IGNORECASE)


def _bounded(text: str) -> str:
    return text if len(text) <= MOST else f"{text[: MOST // 2]}\n{text[-MOST // 2 :]}"


def _spaced(text: str) -> str:
    return text if text.isascii() else _WIDE.sub(r" \g<0> ", text)


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(_spaced(unicodedata.normalize("NFC", text))))


def _phrase(words: Sequence[str]) -> str:
    return " ".join(_WORD.findall(folded(" ".join(words))))


def _tokens(text: str) -> str:
    """Return the words of a text between blanks."""
    return f" {' '.join(_WORD.findall(folded(_bounded(text))))} "


def _may_go_on(value: str) -> bool:
    ends: Sequence[str] = _WORD.findall(value)
    return bool(ends) and value.endswith(ends[-1]) and len(ends[-1]) >= _GOES_ON and not _WIDE.search(value)


def _quoted(term: Term) -> str:
    return f'"{" ".join(term.words)}"' + ("*" if term.is_prefix else "")
