"""Texts of an agent may be as long as it likes: searching one takes time in its length, not in its square."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, Final

import pytest

from acp_tui.agent.permissions.grants import ImplicitRequest, runs
from acp_tui.protocol.frames import DecodedLine, LineDecoder, oversize_reason, read
from acp_tui.protocol.schema import OptionValue, SelectOption, as_text
from acp_tui.rules.path_rules import reach_of, spellings
from acp_tui.rules.shell import rough_commands
from acp_tui.session.entries import Text
from acp_tui.session.options import acts_unasked
from acp_tui.store import urls
from acp_tui.store.mcp import without_comments
from acp_tui.store.redaction import mask_tokens
from acp_tui.ui.screens.review.tool_call import CallPage, blocks
from acp_tui.ui.session_screen.review.links import other_host
from acp_tui.workspace.encodings import decode
from tests.tables import each

HUNG: Final = 60.0
"""Seconds after which a search hangs. The fast way takes milliseconds, the slow one hours."""


@pytest.fixture(autouse=True)
def alarm() -> Iterator[None]:
    def ring(number: int, frame: FrameType | None) -> None:
        raise TimeoutError("it hangs")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, HUNG)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def mode(about: str) -> SelectOption:
    choice = OptionValue(value="x", name="x", description=about)
    return SelectOption(id="mode", name="Mode", category="mode", current_value="x", options=[choice])


def oversized(line: bytes) -> str:
    work = oversize_reason(line)
    while True:
        try:
            next(work)
        except StopIteration as end:
            return str(end.value)


LS = ImplicitRequest("execute", command="ls", args=("-l",))
QUOTES = b'{"a":"' + b'\\"' * 500_000


@pytest.mark.slow
@each(
    ("search", "expected"),
    [
        (lambda: mask_tokens("key" * 100_000, "***"), "key" * 100_000),
        (lambda: mask_tokens("eyJ-" * 100_000, "***"), "eyJ-" * 100_000),
        (lambda: mask_tokens("T" * 400_000, "***"), "T" * 400_000),
        (lambda: urls.masked("a." * 100_000), "a." * 100_000),
        (lambda: runs("echo " + "{" * 100_000, LS), False),
        (lambda: runs("'" * 100_001, LS), False),
        (lambda: acts_unasked(mode("never " * 100_000), "x"), False),
        (lambda: as_text("<html>" + "<!--" * 50_000), ""),
        (lambda: oversized(b"[" * 20 + QUOTES + b"," * 9_000_000), ""),
        (lambda: decode(b"a" * 3_000_000).encoding, ""),
        (lambda: other_host("https://a.example/", "a" * 200_000), ""),
        (lambda: len(blocks(CallPage("text", "text", [Text("\n" * 200_000 + "a\n")]))), 1),
        (lambda: len(rough_commands("echo " + "{" * 100_000)), 1),
        (lambda: without_comments('"' + '\\"' * 200_000) != "", True),
        (lambda: reach_of("[[" * 4_900, "/w").is_open, True),
        (lambda: any(one == "/w/a" for one in spellings("a" + ":0" * 20_000, "/w")), False),
    ],
)
def test_a_long_text_is_searched_at_once(search: Callable[[], Any], expected: Any) -> None:
    assert search() == expected


@pytest.mark.parametrize(
    ("digits", "expected"),
    [("9" * 40, int("9" * 40)), ("-" + "9" * 39, -int("9" * 39)), ("9" * 400, None), ("9" * 5_000, None)],
)
def test_a_number_without_end_is_no_number(digits: str, expected: int | None) -> None:
    line = b'{"method":"x","params":{"used":%b}}\n' % digits.encode()
    live = [one.value for one in LineDecoder(1_000_000).feed(line) if isinstance(one, DecodedLine)]

    assert read(line)["params"] == {"used": expected}
    assert [one["params"] for one in live] == [{"used": expected}]
