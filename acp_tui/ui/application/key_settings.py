"""Keys: the actions of a screen with their keys, and the validation of the key settings."""

from __future__ import annotations

import asyncio
import importlib
import pkgutil
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args

from textual.app import App
from textual.dom import DOMNode
from textual.keys import KEY_NAME_REPLACEMENTS, KEY_TO_UNICODE_NAME, Keys
from textual.screen import Screen

from acp_tui.store.plain_files import plain_text
from acp_tui.store.toml_check import Problem, line_of, nearest
from acp_tui.ui.application.command_table import BY_NAME, Group
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.rows.keys import KeyLine, key_map
from acp_tui.ui.widgets.textual_internals import class_bindings_of, keymap_of

_GROUPS: Final = get_args(Group)
"""The tasks of the commands, in the order of the help."""


def actions_of(screen: Screen[Any]) -> list[KeyLine]:
    """Return the actions with keys on a screen, in the words of the command table, grouped by task."""
    lines: dict[tuple[str, str], KeyLine] = {}
    for line in key_map(screen):
        command = BY_NAME.get(line.name)
        if command is not None:
            line = replace(line, group=command.group, description=command.title)
        known = lines.get((line.group, line.description))
        if known is not None:
            line = replace(known, keys=(*known.keys, *line.keys))
        lines[line.group, line.description] = line
    return sorted(lines.values(), key=_place)


def _place(line: KeyLine) -> tuple[int, str]:
    """Return the place of an action: the prompt and other widgets, then the tasks, as in the table."""
    if line.group in _GROUPS:
        return _GROUPS.index(line.group) + 1, ""
    return 0, "" if line.group == "Prompt" else line.group


_MODIFIERS: Final = frozenset(("ctrl", "alt", "shift", "super", "hyper", "meta"))
_NAMES: Final = frozenset(
    (*(key.value for key in Keys), *KEY_NAME_REPLACEMENTS.values(), *KEY_TO_UNICODE_NAME, "space")
)
"""Keys with a name; all others are named by their character."""

_BESIDE_PROMPT: Final = ("app.", "session.", "prompt.")
"""Prefixes of the actions that are available while the prompt has the focus."""
_IN_PANES: Final = ("session.hide-pane",)
"""Exceptions, which are only for panes."""
_SEEN_WITH_SESSION: Final = ("PromptBox", "ChatPane", "PlanPane", "ToolCallsPane", "ChangesPane")
"""The focusable widgets of a session screen."""


class KeyProblem(NamedTuple):
    """A problem in the key settings."""

    action: str
    """The name in the settings."""
    message: str


class NamedAction(NamedTuple):
    """The name and description of an action."""

    name: str
    description: str


def is_key(text: str) -> bool:
    """Return True for names of keys: `ctrl+k`, `f7`, `shift+tab`, `left_square_bracket`, or several."""
    return all(_is_one_key(key.strip()) for key in text.split(","))


def _is_one_key(key: str) -> bool:
    *modifiers, name = key.split("+") if len(key) > 1 else (key,)
    known = len(name) == 1 or name in _NAMES or _is_character(name)
    return known and set(modifiers) <= _MODIFIERS and len(set(modifiers)) == len(modifiers)


def _is_character(name: str) -> bool:
    try:
        return unicodedata.lookup(name.replace("_", " ")).isprintable() and name == name.lower()
    except KeyError:
        return False


def usable(keys: Mapping[str, str]) -> dict[str, str]:
    """Return the valid keys; all other actions keep their defaults."""
    return {action: key for action, key in keys.items() if is_key(key) and not writes(action, key)}


def writes(action: str, keys: str) -> bool:
    """Return True if a key would write a letter into the prompt."""
    return (
        action.startswith(_BESIDE_PROMPT) and action not in _IN_PANES and any(map(_is_text, keys.split(",")))
    )


def _is_text(key: str) -> bool:
    *modifiers, name = key.strip().split("+") if len(key.strip()) > 1 else (key.strip(),)
    return set(modifiers) <= {"shift"} and (len(name) == 1 or name == "space" or _is_character(name))


def unreadable(keys: Mapping[str, str]) -> list[KeyProblem]:
    """Return unknown keys and keys that write a letter."""
    return [
        KeyProblem(
            action,
            f"'{key}' is not a key, so {action} keeps its default; write ctrl+k, alt+up, f7 or shift+tab",
        )
        for action, key in keys.items()
        if not is_key(key)
    ] + [
        KeyProblem(
            action,
            f"'{key}' types a letter in the prompt, so {action} keeps its default; write ctrl+k or f7",
        )
        for action, key in keys.items()
        if is_key(key) and writes(action, key)
    ]


async def check(app: App[Any], keys: Mapping[str, str]) -> list[KeyProblem]:
    """Validate the key settings: unknown actions, unknown keys, conflicts.

    It imports all modules of the interface, one at a time, and expects the app's keymap to have the usable
    keys.
    """
    for module in pkgutil.walk_packages([str(Path(__file__).parents[1])], "acp_tui.ui."):
        importlib.import_module(module.name)
        await asyncio.sleep(0)
    groups = list(key_groups(app))
    known = {named.name for group in groups for named in named_actions(group)}
    return [
        *unknown(keys, known, key_of(app, "app.help")),
        *unreadable(keys),
        *conflicts(keymap_of(app), groups),
    ]


async def problems(app: App[Any], keys: Mapping[str, str], path: Path) -> list[Problem]:
    """Return the problems of the keys of a settings file, with lines."""
    found = await check(app, keys)
    text = await asyncio.to_thread(_text, path) if found else ""
    return [Problem(path, line_of(text, ("keys", wrong.action)), wrong.message) for wrong in found]


def _text(path: Path) -> str:
    try:
        return plain_text(path, "utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return ""  # the file was deleted


def unknown(keys: Mapping[str, str], known: set[str], help_key: str) -> list[KeyProblem]:
    """Return unknown actions; `help_key` is named in the advice."""
    return [
        KeyProblem(action, f"unknown action '{action}'{nearest(action, known)}; {help_key} lists them")
        for action in keys
        if action not in known
    ]


def conflicts(keys: Mapping[str, str], groups: Sequence[Sequence[type[DOMNode]]]) -> list[KeyProblem]:
    """Return keys of the settings with two meanings at the same time."""
    found: dict[frozenset[str], KeyProblem] = {}
    for group in groups:
        by_key: dict[str, dict[str, NamedAction]] = {}
        for key, named in bound_keys(group, keys):
            by_key.setdefault(key, {})[named.name] = named
        for key, meanings in by_key.items():
            moved = [name for name in meanings if name in keys]
            if len(meanings) > 1 and moved:
                both = " and ".join(f"{one.description} ({one.name})" for one in meanings.values())
                message = f"{key} is used twice: {both}; give one of them another key"
                found.setdefault(frozenset(meanings), KeyProblem(moved[0], message))
    return list(found.values())


def key_groups(app: App[Any]) -> Iterator[list[type[DOMNode]]]:
    """Yield the classes with keys at the same time: a focused widget, its screen and the app."""
    kinds = {kind for kind in _below(DOMNode) if kind.__module__.startswith("acp_tui.")}
    for kind in sorted(kinds, key=lambda kind: kind.__qualname__):
        if issubclass(kind, Screen) and kind.__name__ != "SessionScreen":
            yield [kind, type(app)]
        elif kind.__name__ in _SEEN_WITH_SESSION:
            session = next(one for one in kinds if one.__name__ == "SessionScreen")
            yield [kind, session, type(app)]
        elif not issubclass(kind, App | Screen):
            yield [kind]


def _below(kind: type[DOMNode]) -> Iterator[type[DOMNode]]:
    for one in kind.__subclasses__():
        yield one
        yield from _below(one)


def named_actions(group: Sequence[type[DOMNode]]) -> Iterator[NamedAction]:
    """Return the actions of these classes that have keys."""
    return (named for _, named in bound_keys(group, {}))


def bound_keys(group: Sequence[type[DOMNode]], keys: Mapping[str, str]) -> Iterator[tuple[str, NamedAction]]:
    """Yield (key, action) of these classes, with the keys of the settings."""
    for kind in group:
        for _, binding in class_bindings_of(kind):
            if binding.id:
                own = keys.get(binding.id)
                for key in own.split(",") if own else (binding.key,):
                    yield key.strip(), NamedAction(binding.id, binding.description)
