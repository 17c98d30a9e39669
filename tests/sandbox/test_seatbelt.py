"""Tests of `sandbox/seatbelt.py`: the text of the profile, which no test here can try."""

from __future__ import annotations

from acp_tui.sandbox.fence import Fence
from acp_tui.sandbox.seatbelt import profile


def test_a_profile_has_the_deeper_rule_later_and_quotes_names() -> None:
    fence = Fence(
        {"/": "read", '/h/w"x': "write", '/h/w"x/.git/hooks': "read", "/h/.ssh": "hide"},
        "/h",
        "/t/tmp",
        "/t/empty",
    )

    lines = profile(fence, network=False).splitlines()

    assert lines[:3] == ["(version 1)", "(allow default)", "(deny file-write*)"]
    write = lines.index(r'(allow file-read* file-write* (subpath "/h/w\"x"))')
    assert write < lines.index(r'(deny file-write* (subpath "/h/w\"x/.git/hooks"))')
    assert '(deny file-read* file-write* (subpath "/h/.ssh"))' in lines
    assert "(deny network*)" in lines
    assert "(deny network*)" not in profile(fence, network=True).splitlines()
