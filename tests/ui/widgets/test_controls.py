"""A row of words of which one is chosen, and lists of answers."""

from __future__ import annotations

from textual.app import App, ComposeResult

from acp_tui.ui.widgets.controls import AT_ONCE, Answer, AnswerList, LazySequence, OneOf
from acp_tui.ui.widgets.styles import Styles

MARK = Styles(ascii=True).symbol("current")


class Form(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.told: list[int] = []

    def compose(self) -> ComposeResult:
        yield OneOf(["allow", "ask", "deny"], Styles(ascii=True), chosen=1)

    def on_one_of_switched(self, event: OneOf.Switched) -> None:
        self.told.append(event.sender.chosen)

    @property
    def row(self) -> str:
        return str(self.query_one(OneOf).render())


async def test_keys_wrap_around_and_each_choice_is_posted() -> None:
    app = Form()
    async with app.run_test() as pilot:
        app.query_one(OneOf).focus()
        assert app.row == f" allow {MARK}ask  deny "

        await pilot.press("right", "space", "left")

        assert app.told == [2, 0, 2]
        assert app.row == f" allow  ask {MARK}deny "


async def test_a_click_chooses_the_word_under_it() -> None:
    app = Form()
    async with app.run_test() as pilot:
        await pilot.click(OneOf, offset=(2, 0))
        await pilot.click(OneOf, offset=(14, 0))

        assert app.told == [0, 2]


async def test_the_choice_that_is_there_already_is_no_news() -> None:
    app = Form()
    async with app.run_test() as pilot:
        await pilot.click(OneOf, offset=(9, 0))

        assert app.told == []


def test_of_thousands_of_answers_a_list_makes_the_first_alone() -> None:
    made: list[int] = []

    def make(place: int) -> Answer:
        made.append(place)
        return Answer(str(place))

    answers = LazySequence(5_000, make)
    AnswerList(answers)

    assert len(answers) == 5_000
    assert set(made) == set(range(AT_ONCE))
    assert answers[-1] == Answer("4999")
    assert answers[:2] == [Answer("0"), Answer("1")]
