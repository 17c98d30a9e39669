"""Fixtures of all tests.

Private names: `_send` and `_receive` of `Connection`, the two places that every line passes; of the guard,
its process and what reaps it, since it is left to itself at the end.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from acp_tui import trusted_programs
from acp_tui.agent.connection import Connection
from acp_tui.platform import ways
from acp_tui.protocol.jsonrpc import Message, Request
from acp_tui.workspace import guard
from tests.checklist import table
from tests.judges import Judges
from tests.offspring import descriptors, zombies

# The same examples in each run, at whatever pace: what fails only in the next run would be nobody's fault.
settings.register_profile(
    "tests", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("tests")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--checklist", action="store_true", help="show which tests each obligation has, and end")
    parser.addoption("--portable", action="store_true", help="refuse all calls that not every system has")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("portable"):
        paths = (str(Path(__file__).with_name("portable")), os.environ.get("PYTHONPATH", ""))
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        importlib.import_module("tests.portable.sitecustomize")
    # Compiling takes a third of the time: it is done once, and not again for each worker and each agent.
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Run two more tests at once than there are processors: half of the time of a test is waiting."""
    named = os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS")
    return None if named else (os.cpu_count() or 1) + 2


def pytest_collection(session: pytest.Session) -> None:
    """Import a share of the test modules first: the others have been compiled by other workers then."""
    config = session.config
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS and hasattr(config, "workerinput"):
        worker, workers = int(config.workerinput["workerid"][2:]), config.workerinput["workercount"]
        for file in sorted(Path(__file__).parent.rglob("test_*.py"))[worker::workers]:
            importlib.import_module(".".join(file.relative_to(config.rootpath).with_suffix("").parts))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what tests a call that is refused, or not there."""
    if config.getoption("portable") or not all(way.is_native for way in ways()):
        native = [item for item in items if item.get_closest_marker("native")]
        items[:] = [item for item in items if item not in native]
        config.hook.pytest_deselected(items=native)


def pytest_collection_finish() -> None:
    """Leave what stays out of garbage collections, as the program does: they took a quarter of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)


def pytest_cmdline_main(config: pytest.Config) -> int | None:
    if not config.getoption("checklist"):
        return None
    print(table())
    return 0


@pytest.fixture(autouse=True)
def all_that_is_sent_is_valid(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put every line of every connection before the judges."""
    judges: defaultdict[Connection, Judges] = defaultdict(Judges)
    send, receive = Connection._send, Connection._receive

    def judged_send(self: Connection, line: bytes) -> None:
        judges[self].sent(line, self.version)
        send(self, line)

    def noted_receive(self: Connection, message: Message) -> None:
        if isinstance(message, Request):
            judges[self].heard(message.id, message.method)
        receive(self, message)

    monkeypatch.setattr(Connection, "_send", judged_send)
    monkeypatch.setattr(Connection, "_receive", noted_receive)
    yield
    assert [fault for each in judges.values() for fault in each.faults] == []


@pytest.fixture(autouse=True)
def nothing_is_exposed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the folders of earlier tests: programs in one of them, such as /tmp, would not be run."""
    monkeypatch.setattr(
        trusted_programs, "_exposed", set()
    )  # private: it holds for the whole run of the program


@pytest.fixture(autouse=True)
def watchers_go(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Wait until a watcher is gone, however busy the machine: later tests would find it as a zombie.

    One that is left to itself would end what a later test starts: in the program nothing is started then.
    """
    monkeypatch.setattr(guard, "GOING", 60.0)
    left: list[int] = []
    linger = guard.Guard.linger

    def noted(one: guard.Guard) -> None:
        if one._pid is not None:
            left.append(one._pid)
        linger(one)

    monkeypatch.setattr(guard.Guard, "linger", noted)
    yield
    deadline = time.monotonic() + 20
    while any(guard._runs(pid) for pid in left) and time.monotonic() < deadline:
        time.sleep(0.01)


@pytest.fixture
def nothing_left() -> Iterator[None]:
    """Fail a test that leaves a zombie, or an end of a pipe open."""
    before, dead = descriptors(), zombies()
    yield
    assert set(zombies()) <= set(dead)
    assert not {entry for entry in descriptors() - before if "pidfd" in entry or "pipe" in entry}
