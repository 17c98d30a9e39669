"""Verdicts of the protocol's official schemas (v1.json and v2.json, kept as published) on a message."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

SCHEMA = json.loads(Path(__file__).with_name("v1.json").read_text("utf-8"))


@cache
def schema(version: int) -> dict[str, Any]:
    """Return the schema of a version."""
    read: dict[str, Any] = json.loads(Path(__file__).with_name(f"v{version}.json").read_text("utf-8"))
    return SCHEMA if version == 1 else read


@cache
def _words(version: int) -> dict[tuple[str, bool], str]:
    return {
        (words["x-method"], name.endswith(("Request", "Notification"))): name
        for name, words in schema(version)["$defs"].items()
        if "x-method" in words
    }


def faults_of_params(method: str, params: Any, version: int = 1) -> list[str]:
    """Return what is wrong with the params of a request or notification."""
    return _faults(word_of(method, is_params=True, version=version), params, version)


def faults_of_result(method: str, result: Any, version: int = 1) -> list[str]:
    """Return what is wrong with the answer to a request."""
    return _faults(word_of(method, is_params=False, version=version), result, version)


def is_valid(name: str, value: Any) -> bool:
    """Return whether a value is a word of this name."""
    return _validator(name, 1).is_valid(value)


def is_method(method: str, version: int) -> bool:
    """Return whether a version has a method."""
    return (method, True) in _words(version)


def unknown_fields(method: str, params: dict[str, Any], version: int) -> list[str]:
    """Return the fields of params that a version does not have."""
    definitions = schema(version)["$defs"]

    def fields(word: dict[str, Any]) -> Iterator[str]:
        if "$ref" in word:
            yield from fields(definitions[word["$ref"].rpartition("/")[2]])
        yield from word.get("properties", {})
        for group in ("anyOf", "oneOf", "allOf"):
            for each in word.get(group, ()):
                yield from fields(each)

    return sorted(params.keys() - {*fields(definitions[word_of(method, is_params=True, version=version)])})


def word_of(method: str, *, is_params: bool, version: int = 1) -> str:
    """Return the name of the word that a method's params, or its result, are."""
    return _words(version)[method, is_params]


def _faults(name: str, value: Any, version: int) -> list[str]:
    return [
        f"{name} {error.json_path}: {error.message[:300]}"
        for error in _validator(name, version).iter_errors(value)
    ]


@cache
def _validator(name: str, version: int) -> Draft202012Validator:
    return Draft202012Validator({"$defs": schema(version)["$defs"], "$ref": f"#/$defs/{name}"})
