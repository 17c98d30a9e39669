"""Remembered choices: modes and options by agent, layouts, the theme, names of sessions."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from typing_extensions import override

from acp_tui.store.plain_files import SharedJson, plain_bytes, plain_text, write_whole
from acp_tui.store.toml_check import Problem

Value = str | bool
log = logging.getLogger(__name__)


class RememberedChoices:
    """The latest modes, models and options by agent.

    An unreadable file is left alone.
    """

    def __init__(self, path: Path) -> None:
        self._file = SharedJson(path)
        self.problem: Problem | None = None
        """Reason why nothing is remembered."""

    def of(self, agent: str) -> Mapping[str, Value]:
        """Return the choices for an agent, by option id."""
        try:
            return _usable(self._file.read()).get(agent, {})
        except OSError as error:
            text = f"the last choices cannot be read: {error.strerror}"
            self.problem = Problem(self._file.path, None, text)
            return {}

    def keep(self, agent: str, option_id: str, value: Value) -> None:
        """Remember a choice."""
        self._change(agent, option_id, value)

    def drop(self, agent: str, option_id: str) -> None:
        """Forget a choice."""
        if option_id in self.of(agent):
            self._change(agent, option_id, None)

    def _change(self, agent: str, option_id: str, value: Value | None) -> None:
        def changed(found: object) -> dict[str, dict[str, Value]]:
            choices = _usable(found)
            of_agent = choices.setdefault(agent, {})
            of_agent.pop(option_id, None)
            if value is not None:
                of_agent[option_id] = value
            return choices

        try:
            self._file.change(changed)
        except OSError as error:
            self.problem = Problem(
                self._file.path, None, f"the last choices cannot be saved: {error.strerror}"
            )


def _usable(found: object) -> dict[str, dict[str, Value]]:
    """Return the valid part of a file that may have been edited."""
    agents = found.items() if isinstance(found, dict) else ()
    return {
        agent: {option: value for option, value in values.items() if isinstance(value, str | bool)}
        for agent, values in agents
        if isinstance(values, dict)
    }


class SandboxedWorkspaces:
    """The workspaces in which the user wants a sandbox, and those in which one was offered.

    One line each: a word and a path. An unreadable file is left alone.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def state(self, workspace: str) -> str:
        """Return `on`, `offered`, or "" for a workspace that is not known."""
        return self._read().get(workspace, "")

    def keep(self, workspace: str, state: str) -> Problem | None:
        """Remember the state of a workspace, or forget it for ""; return the problem, if any."""
        known = self._read()
        known.pop(workspace, None)
        rows = [*known.items(), *([(workspace, state)] if state else [])][-KEPT:]
        if "\n" in workspace:
            return Problem(self._path, None, "a path of several lines is not kept")
        try:
            text = "".join(f"{word} {path}\n" for path, word in rows)
            write_whole(self._path, text.encode("utf-8", "surrogateescape"), durable=False)
        except OSError as error:
            return Problem(self._path, None, f"the sandbox of this workspace is not kept: {error.strerror}")
        return None

    def _read(self) -> dict[str, str]:
        try:
            lines = plain_bytes(self._path).decode("utf-8", "surrogateescape").split("\n")
        except OSError:  # none yet
            return {}
        rows = (line.partition(" ") for line in lines)
        return {path: word for word, _, path in rows if word in ("on", "offered") and path}


class Layout(NamedTuple):
    """The panes beside the chat."""

    panes: tuple[str, ...]
    """Names of the visible panes."""
    side: bool = True
    """True if their column is visible."""


def load_layout(path: Path, default: Sequence[str]) -> tuple[Layout, Problem | None]:
    """Return (the layout of a file, its problem); without a valid file, the default panes."""
    import json  # not needed for the first frame

    try:
        found = json.loads(plain_bytes(path))
        panes, side = found["panes"], found["side"]
        if not isinstance(side, bool) or not all(isinstance(pane, str) for pane in panes):
            raise ValueError
    except FileNotFoundError:
        return Layout(tuple(default)), None
    except OSError as error:
        return Layout(tuple(default)), Problem(path, None, f"cannot be read: {error.strerror}")
    except (ValueError, KeyError, TypeError, RecursionError):
        return Layout(tuple(default)), Problem(
            path, None, "is not a valid layout; the panes of the settings are shown"
        )
    return Layout(tuple(panes), side), None


def save_layout(path: Path, layout: Layout) -> Problem | None:
    """Save a layout; return the problem, if any."""
    import json  # not needed for the first frame

    text = json.dumps({"panes": list(layout.panes), "side": layout.side})
    try:
        write_whole(path, text.encode(), durable=False)
    except OSError as error:
        return Problem(path, None, f"the layout cannot be saved: {error.strerror}")
    return None


def last_theme(path: Path, in_settings: str) -> str | None:
    """Return the theme chosen while the settings named `in_settings`, or None."""
    try:
        before, chosen, _ = plain_text(path).split("\n")
    except (OSError, ValueError):  # missing or invalid: the settings apply
        return None
    return chosen if before == in_settings else None


def keep_theme(path: Path, in_settings: str, chosen: str) -> Problem | None:
    """Save the choice of a theme; return the problem, if any."""
    try:
        write_whole(path, f"{in_settings}\n{chosen}\n".encode(), durable=False)
    except OSError as error:
        return Problem(path, None, f"the theme cannot be saved: {error.strerror}")
    return None


KEPT: Final = 1000
"""Maximum number of names; the oldest are dropped."""


Key = tuple[str, str]
"""Agent name (`Launch.name`) and session id.

The id alone is ambiguous: agents that number their sessions all have a "1".
"""


class SessionNames:
    """The user's names of sessions.

    An unreadable file is left alone.
    """

    def __init__(self, path: Path | None) -> None:
        """Use a file, or only memory for None."""
        self._file = SharedJson(path) if path is not None else None
        self._names: dict[Key, str] | None = None

    def get(self, agent: str, session_id: str) -> str:
        """Return the user's name of a session, or ""."""
        if self._names is None:
            self._names = {}
            if self._file is not None:
                with suppress(OSError):  # reported when a name is saved
                    self._names = _named(self._file.read())
        return self._names.get((agent, session_id), "")

    def put(self, agent: str, session_id: str, name: str) -> Problem | None:
        """Save a name, or forget it for ""; return the problem, if any."""

        def changed(found: object) -> list[list[str]]:
            self._names = _with(_named(found), (agent, session_id), name)
            return [[*key, value] for key, value in self._names.items()]

        if self._file is not None:
            try:
                self._file.change(changed)
            except OSError as error:
                self._names = _with(self._names or {}, (agent, session_id), name)
                return Problem(self._file.path, None, f"the name cannot be saved: {error.strerror}")
        else:
            self._names = _with(self._names or {}, (agent, session_id), name)
        return None


def _with(names: dict[Key, str], key: Key, name: str) -> dict[Key, str]:
    """Return the names with one added as the latest, or removed."""
    others = {each: value for each, value in names.items() if each != key}
    return dict([*others.items(), *([(key, name)] if name else [])][-KEPT:])


def _named(found: object) -> dict[Key, str]:
    """Return the valid part of a file that may have been edited."""
    return {(row[0], row[1]): row[2] for row in found if _is_row(row)} if isinstance(found, list) else {}


def _is_row(row: object) -> bool:
    """Return whether a row is an agent, a session and a name."""
    return isinstance(row, list) and len(row) == 3 and all(isinstance(word, str) for word in row)


class DiffPreferences:
    """The layout of differences that the user chose last; a subclass saves it."""

    wraps: bool | None = None
    """True if long lines are wrapped, False if not; None to wrap where a changed line would be cut."""
    sides: bool | None = None
    """True for two columns, False for one; None for two where no changed line would be cut."""

    def keep(self) -> None:
        """Save the preferences."""


class SavedDiffPreferences(DiffPreferences):
    """Preferences in a small file; losing it costs the user two keys."""

    def __init__(self, path: Path) -> None:
        self._file = SharedJson(path)
        try:
            found = self._file.read()
        except OSError as error:
            log.warning("%s", error)
            found = None
        if isinstance(found, dict):
            wraps, sides = found.get("wraps"), found.get("sides")
            self.wraps = wraps if isinstance(wraps, bool) else None
            self.sides = sides if isinstance(sides, bool) else None

    @override
    def keep(self) -> None:
        try:
            self._file.change(lambda _: {"wraps": self.wraps, "sides": self.sides})
        except OSError as error:
            log.warning("%s", error)
