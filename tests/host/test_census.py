"""The processes of the system: found anew only where they are new, and never taken for one another."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from acp_tui.host import census
from acp_tui.host.census import Census, Known


class System:
    """A folder like `/proc`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.last = 0

    def put(self, pid: int, since: int, session: int, state: str = "S") -> None:
        place = self.folder / str(pid)
        place.mkdir(exist_ok=True)
        fields = [state, "1", "1", str(session), *["0"] * 15, str(since), "0"]
        (place / "stat").write_text(f"{pid} (a) b) {' '.join(fields)}")
        self.tell(pid)

    def tell(self, last: int) -> None:
        (self.folder / "loadavg").write_text(f"0.1 0.2 0.3 1/2 {last}\n")


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> System:
    monkeypatch.setattr(census, "PROC", tmp_path)
    monkeypatch.setattr(census, "_FULL", float("inf"))
    return System(tmp_path)


def found(census: Census, session: int) -> list[int]:
    def is_wanted(pid: int, known: Known) -> bool:
        return known.session == session

    return sorted(pid for pid, _ in census.living(is_wanted))


@pytest.mark.parametrize(("number", "last"), [(11, 11), (11, 40), (3, 3)], ids=["next", "later", "anew"])
def test_a_new_process_is_found(system: System, number: int, last: int) -> None:
    looks = Census()
    system.put(10, 1, 10)
    assert found(looks, 7) == []

    system.put(number, 2, 7)
    system.tell(last)

    assert found(looks, 7) == [number]


def test_a_number_that_is_given_again_is_another_process(system: System) -> None:
    looks = Census()
    system.put(5, 1, 5)
    system.put(10, 1, 10)
    assert found(looks, 10) == [10]

    system.put(5, 2, 10)

    assert found(looks, 10) == [5, 10]


@pytest.mark.parametrize("state", ["Z", "X"])
def test_what_has_ended_is_not_living(system: System, state: str) -> None:
    looks = Census()
    system.put(10, 1, 10)
    assert found(looks, 10) == [10]

    system.put(10, 1, 10, state)

    assert found(looks, 10) == []


def test_what_left_the_session_is_not_in_it(system: System) -> None:
    looks = Census()
    system.put(10, 1, 10)
    assert found(looks, 10) == [10]

    system.put(10, 1, 11)

    assert found(looks, 10) == []


def test_where_no_last_number_is_told_all_are_read(system: System) -> None:
    looks = Census()
    system.put(5, 1, 5)
    (system.folder / "loadavg").unlink()
    assert found(looks, 7) == []

    system.put(5, 1, 7)
    (system.folder / "loadavg").write_text("nothing")

    assert found(looks, 7) == [5]


def test_a_look_at_the_true_processes_finds_our_own() -> None:
    looks = Census()
    for _ in range(2):
        assert os.getpid() in found(looks, os.getsid(0))
