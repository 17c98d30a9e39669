"""Which questions of a session wait for the person."""

from acp_tui.session.entries import ToolCall
from acp_tui.session.questions import Elicitation, Permission, Questions


def test_a_question_waits_until_it_has_its_answer() -> None:
    questions, asked = Questions(), Permission("q", ToolCall("t1"), [])

    questions.ask(asked, 3.0)
    assert (questions.open, asked.at) == ({"q": asked}, 3.0)

    assert questions.answered("q", waiting=False) is asked
    assert questions.answered("q", waiting=False) is None
    assert questions.open == {}


def test_a_visit_that_was_agreed_to_waits_for_the_agent_also_beyond_the_turn() -> None:
    questions, visit = Questions(), Elicitation("v", "Log in", url="https://a.example", elicitation_id="e1")
    questions.ask(visit, 0.0)
    questions.ask(Elicitation("f", "Which?", schema={}), 0.0)

    assert questions.answered("v", waiting=True) is visit
    questions.end_turn()
    assert questions.open == {"v": visit}

    assert not questions.completed("another")
    assert questions.completed("e1")
    assert questions.open == {}
