"""Verdicts of the protocol's official schema (v1.json, kept as published) on a message."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

SCHEMA = json.loads(Path(__file__).with_name("v1.json").read_text("utf-8"))
_WORDS: dict[tuple[str, bool], str] = {
    (words["x-method"], name.endswith(("Request", "Notification"))): name
    for name, words in SCHEMA["$defs"].items()
    if "x-method" in words
}


def faults_of_params(method: str, params: Any) -> list[str]:
    """Return what is wrong with the params of a request or notification."""
    return _faults(word_of(method, is_params=True), params)


def faults_of_result(method: str, result: Any) -> list[str]:
    """Return what is wrong with the answer to a request."""
    return _faults(word_of(method, is_params=False), result)


def is_valid(name: str, value: Any) -> bool:
    """Return whether a value is a word of this name."""
    return _validator(name).is_valid(value)


def word_of(method: str, *, is_params: bool) -> str:
    """Return the name of the word that a method's params, or its result, are."""
    return _WORDS[method, is_params]


def _faults(name: str, value: Any) -> list[str]:
    return [
        f"{name} {error.json_path}: {error.message[:300]}" for error in _validator(name).iter_errors(value)
    ]


@cache
def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator({"$defs": SCHEMA["$defs"], "$ref": f"#/$defs/{name}"})
