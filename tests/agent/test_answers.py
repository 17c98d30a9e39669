"""What an agent answers, read as the words of the protocol."""

import pytest

from acp_tui.acp.prompts import PromptResponse
from acp_tui.acp.sessions import NewSessionResponse
from acp_tui.agent.answers import as_object, as_word
from acp_tui.agent.errors import AgentError


def test_an_answer_is_read_as_its_word() -> None:
    assert as_word(PromptResponse, "session/prompt", {"stopReason": "refusal"}).stop_reason == "refusal"


def test_an_answer_that_cannot_be_read_names_the_method() -> None:
    with pytest.raises(AgentError, match="The answer to session/new cannot be read"):
        as_word(NewSessionResponse, "session/new", {"sessionId": None})


@pytest.mark.parametrize("value", [None, [], "x", 1, True])
def test_what_is_no_object_counts_as_an_empty_one(value: object) -> None:
    assert as_object(value) == {}
    assert as_object({"a": 1}) == {"a": 1}
