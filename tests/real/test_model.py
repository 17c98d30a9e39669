"""The scripted model as agents see it, in each of its APIs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests.real.dialects import DIALECTS
from tests.real.dialects.answer import Use
from tests.real.model import Model, Say, Script

TOOLS = {
    "/v1/chat/completions": [{"type": "function", "function": {"name": "look"}}],
    "/v1/responses": [{"type": "function", "name": "look"}],
    "/v1/messages": [{"name": "look"}],
    "/v1beta/models/some:streamGenerateContent": [{"functionDeclarations": [{"name": "look"}]}],
}


def asked(path: str, *texts: str) -> dict[str, Any]:
    """Return a request in which the user says some texts, and after the first of them a tool was used."""
    if "Generate" in path:
        said: list[Any] = [{"role": "user", "parts": [{"text": text}]} for text in texts]
        result: Any = {"role": "user", "parts": [{"functionResponse": {}}]}
        key = "contents"
    else:
        said = [{"role": "user", "content": [{"type": "text", "text": text}]} for text in texts]
        result = {
            "/v1/chat/completions": {"role": "tool", "content": "seen"},
            "/v1/responses": {"type": "function_call_output", "output": "seen"},
            "/v1/messages": {"role": "user", "content": [{"type": "tool_result", "content": "seen"}]},
        }[path]
        key = "input" if path == "/v1/responses" else "messages"
    return {key: [said[0], result, *said[1:]], "tools": TOOLS[path], "stream": True}


@pytest.fixture
def model() -> Iterator[Model]:
    with Model(
        Script({"Look around": [Use("look", {"at": "it"}), Say("All seen.")], "Fly": [Use("fly", {})]})
    ) as model:
        yield model


def post(model: Model, path: str, request: dict[str, Any]) -> str:
    with urlopen(Request(model.url + path, json.dumps(request).encode()), timeout=10) as answer:
        return str(answer.read().decode())


@pytest.mark.parametrize("path", TOOLS)
def test_a_prompt_is_answered_with_its_first_step(model: Model, path: str) -> None:
    answer = post(model, path, asked(path, "Hello", "<reminder/> Look around"))

    assert '"look"' in answer
    assert "it" in answer
    assert "seen." not in answer


@pytest.mark.parametrize("path", TOOLS)
def test_the_result_of_a_tool_is_answered_with_the_next_step(model: Model, path: str) -> None:
    answer = post(model, path, asked(path, "Look around"))

    assert "All " in answer
    assert "seen. " in answer
    assert '"look"' not in answer


@pytest.mark.parametrize("path", TOOLS)
def test_who_offers_no_tools_gets_an_aside(model: Model, path: str) -> None:
    answer = post(model, path, {**asked(path, "Look around"), "tools": []})

    assert "aside" in answer


@pytest.mark.parametrize("path", TOOLS)
def test_what_is_not_in_the_script_is_refused_and_noted(model: Model, path: str) -> None:
    for text in ("Swim", "Fly"):
        with pytest.raises(HTTPError):
            post(model, path, asked(path, "Hello", text))

    assert "Swim" in model.requests[1]
    assert "fly is not among the tools" in model.requests[3]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_answer_in_one_holds_what_is_streamed(dialect: Any) -> None:
    for piece, held in (("some words", "some words"), (Use("look", {"at": "it"}), '"look"')):
        assert held in json.dumps(dialect.whole({}, [piece]))
        assert held in json.dumps(list(dialect.stream({}, [piece])))


def test_a_tool_that_takes_free_text_gets_it_as_it_is() -> None:
    responses = DIALECTS[1]
    request = {"tools": [{"type": "custom", "name": "patch"}]}

    answer = responses.whole(request, [Use("patch", {"text": "*** Begin"})])

    assert answer["output"][0]["input"] == "*** Begin"
