"""The queue of prompts, sent one after the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.changes import tracker
from acp_tui.conversation import prompt_queue
from acp_tui.conversation.conversation import Conversation
from acp_tui.session.entries import SteeredMessage, text_of
from acp_tui.store.prompts import Prompt
from tests.conversation.talks import PLAIN, TRACKED, held_before_turns, said, start, talk
from tests.waiting import until

pytestmark = pytest.mark.slow


async def test_what_is_said_during_the_start_is_sent_when_the_session_is_ready(tmp_path: Path) -> None:
    async with talk(start(tmp_path)) as (conversation, notes):
        conversation.say("early")
        assert conversation.prompts.queue == [Prompt("early")]

        await conversation.begin()
        await until(lambda: said(conversation) == ["early", "heard early"])

        assert notes.phases == ["starting", "ready"]
        assert conversation.prompts.queue == []


async def test_prompts_wait_for_the_turn_before_and_keep_their_order(tmp_path: Path) -> None:
    async with talk(start(tmp_path)) as (conversation, notes):
        await conversation.begin()

        for text in ("one", "two", "three"):
            conversation.say(text)
        await until(lambda: len(said(conversation)) == 6 and not conversation.is_busy)

        assert said(conversation) == ["one", "heard one", "two", "heard two", "three", "heard three"]
        assert notes.given_back == []


async def test_cancelling_stops_the_turn_and_what_waits_comes_next(tmp_path: Path) -> None:
    async with talk(start(tmp_path)) as (conversation, notes):
        await conversation.begin()
        assert not conversation.cancel(), "no turn runs"
        conversation.say("wait")
        conversation.say("next")
        await until(lambda: said(conversation)[-1:] == ["waiting"])

        assert conversation.cancel()
        assert not conversation.cancel(), "it is being stopped already"
        await until(lambda: said(conversation)[-1:] == ["heard next"])

        assert notes.given_back == []


async def test_the_chat_says_so_when_the_agent_begins_before_the_first_snapshot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with talk(start(tmp_path, TRACKED)) as (conversation, _):
        await conversation.begin()
        tracking = conversation.tracker
        assert tracking is not None
        await until(lambda: tracking.first)
        conversation.say("in time")
        await until(lambda: said(conversation)[-1:] == ["heard in time"] and not conversation.is_busy)

        monkeypatch.setattr(tracker, "PATIENCE", 0.0)
        monkeypatch.setattr(tracker, "FIRST_PATIENCE", 0.0)
        tracking.first = None
        conversation.say("too early")
        await until(lambda: said(conversation)[-1:] == ["heard too early"])

        notices = [text for text in said(conversation) if text.startswith("The agent started before")]
        assert len(notices) == 1


async def test_stopping_takes_back_what_waits(tmp_path: Path) -> None:
    async with talk(start(tmp_path)) as (conversation, notes):
        await conversation.begin()
        for text in ("wait", "b", "c"):
            conversation.say(text)
        await until(lambda: said(conversation)[-1:] == ["waiting"])

        assert conversation.stop()
        await until(lambda: not conversation.is_busy)

        assert notes.given_back == ["b\n\nc"]
        assert said(conversation)[-1] == "Cancelled."


async def test_what_is_about_to_be_sent_is_stopped_before_the_agent_hears_of_it(tmp_path: Path) -> None:
    async with talk(start(tmp_path, TRACKED)) as (conversation, notes):
        await conversation.begin()
        conversation.rejections.add("rejected your change in a.py", "took that back")
        await until(lambda: conversation.tracker is not None and conversation.tracker.first)
        gate = held_before_turns(conversation)
        conversation.say("unwanted")
        conversation.say("b")
        await until(lambda: conversation.prompts.queue == [Prompt("b")])

        assert conversation.stop()
        assert not conversation.stop(), "it is stopped already"
        assert notes.given_back == ["unwanted\n\nb"]
        conversation.say("wanted")
        gate.set()
        await until(lambda: said(conversation)[-1:] == ["heard wanted"])

        assert [text for text in said(conversation) if "unwanted" in text] == []
        assert "rejected your change in a.py" in said(conversation)[0], "told with what was said first"


async def test_after_an_error_what_waits_is_given_back_and_the_session_goes_on(tmp_path: Path) -> None:
    async with talk(start(tmp_path)) as (conversation, notes):
        await conversation.begin()
        conversation.say("fail")
        conversation.say("b")
        await until(lambda: notes.given_back)

        conversation.say("again")
        await until(lambda: said(conversation)[-1:] == ["heard again"])

        assert notes.given_back == ["b"]
        assert "It broke (error -32603)" in said(conversation)


async def busy(conversation: Conversation) -> None:
    """Begin a turn that lasts until it is cancelled."""
    await conversation.begin()
    conversation.say("wait")
    await until(lambda: said(conversation)[-1:] == ["waiting"])


def steered(conversation: Conversation) -> list[str]:
    assert conversation.session is not None
    return [text_of(entry) for entry in conversation.session.entries if isinstance(entry, SteeredMessage)]


MEANT = Prompt("shorter, please", steers=True)


async def test_c149_steered_words_stand_once_in_the_chat_and_the_turn_goes_on(tmp_path: Path) -> None:
    async with talk(start(tmp_path, steers=["injected"])) as (conversation, _):
        await busy(conversation)

        conversation.say(MEANT)
        await until(lambda: steered(conversation) and not conversation.prompts.given)

        assert steered(conversation) == ["shorter, please"]
        await until(lambda: said(conversation)[-1:] == ["steered by shorter, please"])
        assert (conversation.prompts.queue, conversation.is_busy) == ([], True)
        assert conversation.session is not None
        assert len(conversation.session.turns) == 1
        conversation.cancel()
        await until(lambda: not conversation.is_busy)
        assert said(conversation).count("shorter, please") == 0


async def test_c150_words_that_come_after_the_turn_are_sent_once_as_a_prompt(tmp_path: Path) -> None:
    async with talk(start(tmp_path, steers=["promptRequired"])) as (conversation, _):
        await busy(conversation)

        conversation.say(MEANT)
        await until(lambda: conversation.prompts.queue == [Prompt("shorter, please")])
        conversation.cancel()
        await until(lambda: said(conversation)[-1:] == ["heard shorter, please"])

        assert said(conversation).count("shorter, please") == 1
        assert (conversation.prompts.queue, steered(conversation)) == ([], [])


@pytest.mark.parametrize(("outcome", "reason"), [("failed", "the agent says failed"), ("error", "Not now")])
async def test_c150_words_that_are_not_taken_wait_in_the_queue_with_the_reason(
    tmp_path: Path, outcome: str, reason: str
) -> None:
    async with talk(start(tmp_path, steers=[outcome])) as (conversation, _):
        await busy(conversation)

        conversation.say(MEANT)
        await until(lambda: conversation.prompts.queue == [Prompt("shorter, please")])

        assert said(conversation)[-1] == f"It was not taken during the turn: {reason}"
        assert (conversation.prompts.given, steered(conversation)) == ([], [])


async def test_c150_words_that_are_not_taken_go_back_to_their_places_in_the_queue(tmp_path: Path) -> None:
    async with talk(start(tmp_path, steers=["failed", "injected", "failed"])) as (conversation, _):
        await busy(conversation)
        for words in ("one", "two", "three", "four"):
            conversation.say(words)

        assert [conversation.prompts.steer(1) for _ in range(3)] == ["", "", ""]
        await until(lambda: steered(conversation) == ["three"] and not conversation.prompts.given)

        assert [prompt.text for prompt in conversation.prompts.queue] == ["one", "two", "four"]


async def test_c150_words_that_come_after_the_turn_keep_their_order(tmp_path: Path) -> None:
    async with talk(start(tmp_path, steers=["promptRequired"] * 3)) as (conversation, _):
        await busy(conversation)
        conversation.say("/later")
        for words in ("one", "two", "three"):
            conversation.say(words)

        conversation.prompts.steer_all()
        conversation.cancel()
        await until(lambda: said(conversation)[-1:] == ["heard three"])

        heard = [words for words in said(conversation) if words.startswith("heard")]
        assert heard == ["heard /later", "heard one", "heard two", "heard three"]


async def test_c149_all_that_waits_is_given_to_the_turn_in_its_order(tmp_path: Path) -> None:
    async with talk(start(tmp_path, steers=["injected"] * 2)) as (conversation, _):
        await busy(conversation)
        for words in ("one", "/later", "two"):
            conversation.say(words)

        conversation.prompts.steer_all()
        await until(lambda: len(steered(conversation)) == 2)

        assert steered(conversation) == ["one", "two"]
        assert conversation.prompts.queue == [Prompt("/later")]


async def test_c150_words_on_their_way_come_back_when_the_agent_dies(tmp_path: Path) -> None:
    async with talk(start(tmp_path, steers=[])) as (conversation, notes):  # it has no outcome, and crashes
        await busy(conversation)

        conversation.say(MEANT)
        await until(lambda: notes.given_back)

        assert notes.given_back == ["shorter, please"]
        assert (conversation.prompts.queue, conversation.prompts.given) == ([], [])


async def test_words_of_which_the_agent_says_nothing_come_back_and_later_prompts_are_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prompt_queue, "ANSWER_TIME", 0.01)
    async with talk(start(tmp_path, steers=["silence"])) as (conversation, notes):
        await busy(conversation)
        conversation.say(MEANT)
        await until(lambda: "heard, and nothing" in said(conversation)[-1])
        conversation.say("next")

        conversation.cancel()
        await until(lambda: said(conversation)[-1:] == ["heard next"])

        assert notes.given_back == ["shorter, please"]
        assert "The agent did not confirm the text that was sent into its turn." in said(conversation)
        assert (conversation.prompts.queue, conversation.prompts.given) == ([], [])


async def test_c148_a_command_is_never_steered_and_nothing_is_without_a_turn(tmp_path: Path) -> None:
    async with talk(start(tmp_path, steers=["injected"])) as (conversation, _):
        await conversation.begin()
        conversation.say(MEANT)
        await until(lambda: said(conversation)[-1:] == ["heard shorter, please"])
        await until(lambda: not conversation.is_busy)
        assert not conversation.accepts_text

        conversation.say("wait")
        await until(lambda: said(conversation)[-1:] == ["waiting"])
        conversation.say(Prompt("/compact", steers=True))

        assert conversation.prompts.queue == [Prompt("/compact")]
        assert conversation.prompts.steer(0).startswith("A slash command is queued")
        conversation.cancel()
        assert not conversation.accepts_text
        assert conversation.prompts.steer(0).startswith("No turn is running")


async def test_c148_while_a_question_is_open_enter_queues(tmp_path: Path) -> None:
    settings = PLAIN._replace(busy_enter="steer")
    async with talk(start(tmp_path, settings, steers=["injected"])) as (conversation, _):
        await conversation.begin()
        conversation.say("ask t1")
        await until(lambda: conversation.questions)

        conversation.say("later")
        assert (conversation.prompts.queue, conversation.accepts_text) == ([Prompt("later")], False)


async def test_c151_without_the_capability_words_for_the_turn_wait_for_its_end(tmp_path: Path) -> None:
    async with talk(start(tmp_path)) as (conversation, _):
        await busy(conversation)
        assert not conversation.accepts_text

        conversation.say(MEANT)
        assert conversation.prompts.queue == [MEANT]
        conversation.cancel()
        await until(lambda: said(conversation)[-1:] == ["heard shorter, please"])


async def test_c152_an_agent_that_asks_gets_what_is_marked_once_and_hears_of_the_rest(tmp_path: Path) -> None:
    async with talk(start(tmp_path)) as (conversation, _):
        await conversation.begin()
        conversation.say("drain")
        await until(lambda: conversation.questions)
        assert said(conversation)[-1] == '{"messages": [], "hasQueuedPrompt": false}'

        for text in ("one", "two", "three"):
            conversation.say(text)
        for place in (0, 2):
            assert conversation.prompts.steer(place) == ""
        conversation.answer(next(iter(conversation.questions)), "yes:1")
        await until(lambda: said(conversation)[-1:] == ["heard two"])

        assert '{"messages": ["one", "three"], "hasQueuedPrompt": true}' in said(conversation)
        assert steered(conversation) == ["one", "three"]
        assert conversation.prompts.queue == []
