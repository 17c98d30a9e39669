"""What differs in a workspace, and what of it came from outside: without a workspace."""

from __future__ import annotations

from acp_tui.agent.found import Found, not_shown
from acp_tui.host.snapshot import Changed, LeftOut
from acp_tui.session.events import Noted, Snapped


def change(path: str, content: str = "1") -> Changed:
    return Changed(path, "M", path, 0o100644, 0o100644, "0", content)


class Told(list[Snapped | Noted]):
    """What a session hears."""

    @property
    def outside(self) -> dict[str, bool]:
        """Whether each file of the newest list was changed from outside."""
        newest = [event for event in self if isinstance(event, Snapped)][-1]
        return {file.path: file.outside for file in newest.files}


def test_a_file_is_from_outside_until_it_is_changed_in_a_turn() -> None:
    told = Told()
    found = Found("/w/", told.append)

    found.take_over([change("a")], outside=True)
    assert told.outside == {"/w/a": True}
    found.take_over([change("a"), change("b")], outside=False)
    assert told.outside == {"/w/a": True, "/w/b": False}
    found.take_over([change("a", "2"), change("b")], outside=False)
    assert told.outside == {"/w/a": False, "/w/b": False}


def test_the_same_changes_are_told_once() -> None:
    told = Told()
    found = Found("/w", told.append)

    found.take_over([change("a")], outside=False)
    found.take_over([change("a")], outside=False)

    assert len(told) == 1


def test_what_is_not_as_the_last_turn_left_it_came_from_outside() -> None:
    told = Told()
    found = Found("/w", told.append)
    found.take_over([change("a"), change("b")], outside=False)
    found.settle()

    found.changed_since_then([change("a"), change("b", "2")])
    found.take_over([change("a"), change("b", "2")], outside=False)

    assert told.outside == {"/w/a": False, "/w/b": True}


def test_what_is_left_out_is_counted_by_its_reason_and_too_many_files_are_a_warning() -> None:
    few = not_shown([LeftOut("big", "large"), LeftOut("bigger", "large"), LeftOut("inner", "repository")])
    assert few.text == "Changes are not shown in files above 8 MB (2) and other repositories inside (1)."
    assert few.severity == "info"
    assert few.detail.splitlines() == ["big", "bigger", "inner"]

    many = not_shown([LeftOut(str(number), "too many") for number in range(12)])
    assert many.severity == "warning"
    assert many.detail.splitlines()[-1] == "and 2 more"
