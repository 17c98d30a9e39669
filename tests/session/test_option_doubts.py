"""Options of a permission whose name and kind do not agree, or that nobody can tell apart."""

from __future__ import annotations

import pytest

from acp_tui.acp.permissions import PermissionOption
from acp_tui.session.option_doubts import doubt_of


def option(name: str, kind: str, option_id: str = "x") -> PermissionOption:
    return PermissionOption(option_id=option_id, name=name, kind=kind)


@pytest.mark.parametrize(
    ("name", "kind", "is_odd"),
    [
        ("Allow", "allow_once", False),
        ("Reject", "reject_once", False),
        ("Never allow this tool", "reject_always", False),
        ("Always proceed (don't ask again)", "allow_always", False),
        ("Yes, and don't ask again", "allow_always", False),
        ("No, and tell it what to do", "reject_once", False),
        ("Auto-confirm low risk", "allow_once", False),
        ("Stop asking me", "allow_always", False),
        ("Reject", "allow_always", True),
        ("Deny", "allow_once", True),
        ("No", "allow_once", True),
        ("NO!", "allow_once", True),
        ("1. Reject", "allow_once", True),
        ("[n] No", "allow_once", True),
        ("\u274c Cancel", "allow_always", True),
        ("Don't allow", "allow_once", True),
        ("Do not run it", "allow_once", True),
        ("Always reject", "allow_always", True),
        ("Allow", "reject_once", True),
        ("Yes", "reject_always", True),
        ("", "allow_once", True),
        (" ", "reject_once", True),
        ("Allow", "", True),
        ("Allow", "allow", True),
        ("Allow", "ALLOW_ONCE", True),
    ],
)
def test_an_option_is_odd_if_its_name_and_kind_do_not_agree(name: str, kind: str, is_odd: bool) -> None:
    one = option(name, kind)
    assert bool(doubt_of(one, [one])) == is_odd


@pytest.mark.parametrize(
    ("first", "second", "is_odd"),
    [
        (option("Yes", "allow_once", "a"), option("No", "reject_once", "b"), False),
        (option("Yes", "allow_once", "a"), option("Sure", "allow_once", "b"), False),
        (option("Yes", "allow_once", "a"), option("No", "reject_once", "a"), True),
        (option("Go", "allow_once", "a"), option("go ", "reject_once", "b"), True),
        (option("Go", "allow_once", "a"), option("Go", "allow_once", "a"), True),
    ],
)
def test_two_options_that_cannot_be_told_apart_are_both_odd(
    first: PermissionOption, second: PermissionOption, is_odd: bool
) -> None:
    options = [first, second]
    assert [bool(doubt_of(one, options)) for one in options] == [is_odd, is_odd]
