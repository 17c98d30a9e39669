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


def test_a_permission_is_found_by_its_call_until_it_is_closed() -> None:
    questions = Questions()
    first, second = (Permission(key, ToolCall("t1"), [], place=place) for key, place in (("p", 0), ("q", 1)))
    questions.ask(first, 0.0)
    questions.ask(second, 0.0)
    assert list(questions.about("t1")) == [first, second]
    assert list(questions.about("t2")) == []

    assert questions.told(1, ToolCall("t1", "another title"))
    assert (first.later, second.later) == (None, ToolCall("t1", "another title"))
    questions.answered("q", waiting=False)
    assert list(questions.about("t1")) == [first]
    assert not questions.told(1, ToolCall("t1", "a third title"))

    questions.clear()
    assert list(questions.about("t1")) == []
    assert not questions.told(0, ToolCall("t1", "a third title"))


def test_a_question_under_the_key_of_another_takes_its_place() -> None:
    questions = Questions()
    questions.ask(Permission("p", ToolCall("t1"), [], place=0), 0.0)
    questions.ask(second := Permission("p", ToolCall("t2"), [], place=1), 0.0)

    assert questions.open == {"p": second}
    assert list(questions.about("t1")) == []
    questions.end_turn()
    assert list(questions.about("t2")) == []
