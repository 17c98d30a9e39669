"""The style sheets name what there is."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import textual.widgets
from textual.dom import DOMNode

import acp_tui.ui

_TYPE = re.compile(r"(?<![\w.#$:-])[A-Z][A-Za-z]+(?=[^;{}]*\{)")
"""A type in front of a block: not a class, an id, a variable or a value."""


def kinds(kind: type[DOMNode]) -> Iterator[str]:
    for one in kind.__subclasses__():
        yield one.__name__
        yield from kinds(one)


def textual_widgets() -> list[str]:
    return [module.name for module in pkgutil.iter_modules(textual.widgets.__path__)]


def test_every_type_in_a_style_sheet_is_a_widget() -> None:
    for module in pkgutil.walk_packages(acp_tui.ui.__path__, "acp_tui.ui."):
        importlib.import_module(module.name)
    known = set(kinds(DOMNode)) | {
        name.removeprefix("_").title().replace("_", "") for name in textual_widgets()
    }

    for path in Path(acp_tui.ui.__file__).parent.rglob("*.tcss"):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
        assert set(_TYPE.findall(text)) <= known, path.name
