"""Which words of two lines differ, for the lines that are being painted."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, TypeAlias

Span: TypeAlias = tuple[int, int]
"""Start and stop of a run of characters in a line."""

_TOKEN: Final = re.compile(r"\w+|\s+|.", re.DOTALL)
_LONGEST: Final = 2_000
"""Characters of a line up to which changed words are looked for."""
_LEAST_ALIKE: Final = 0.35
"""Share of a pair of lines that has to be equal: below it marks would cover nearly everything."""


@lru_cache(maxsize=2_000)
def changed_words(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Return which characters of a removed and an added line differ; none where all of it does."""
    if old == new or max(len(old), len(new)) > _LONGEST:
        return (), ()
    from rapidfuzz.distance import Indel

    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    codes = [code for code in Indel.opcodes(before, after) if code.tag != "equal"]
    removed = _spans(before, [(code.src_start, code.src_end) for code in codes])
    added = _spans(after, [(code.dest_start, code.dest_end) for code in codes])
    equal = len(old) - sum(stop - start for start, stop in removed)
    if equal < _LEAST_ALIKE * max(len(old), len(new)):
        return (), ()
    return removed, added


def _spans(tokens: list[str], runs: list[Span]) -> tuple[Span, ...]:
    """Return runs of tokens as runs of characters; runs with only a blank between them are one."""
    places = [0]
    for token in tokens:
        places.append(places[-1] + len(token))
    text = "".join(tokens)
    spans: list[Span] = []
    for start, stop in runs:
        if start == stop:
            continue
        if spans and not text[spans[-1][1] : places[start]].strip():
            spans[-1] = (spans[-1][0], places[stop])
        else:
            spans.append((places[start], places[stop]))
    return tuple(spans)
