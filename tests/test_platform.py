from __future__ import annotations

import os

import pytest

from acp_tui.platform import ProcProcesses, PsutilProcesses, ways


def test_each_way_is_named_and_what_a_native_one_loses_is_nothing() -> None:
    told = ways()
    assert len({way.subject for way in told}) == len(told)
    assert all(way.used for way in told)
    assert not [way for way in told if way.is_native and way.loss]


@pytest.mark.native
def test_both_ways_tell_the_same_of_a_process() -> None:
    native, portable = ProcProcesses(), PsutilProcesses()
    ours, theirs = native.facts(os.getpid()), portable.facts(os.getpid())
    assert ours is not None
    assert theirs is not None
    assert (ours.parent, ours.session) == (theirs.parent, theirs.session) == (os.getppid(), os.getsid(0))
    assert os.getpid() in native.ids()
    assert os.getpid() in portable.ids()
