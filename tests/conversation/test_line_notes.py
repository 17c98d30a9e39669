"""Notes on lines, as a conversation keeps, follows and sends them."""

from __future__ import annotations

from pathlib import Path

from acp_tui.conversation.conversation import Conversation
from acp_tui.conversation.line_notes import LineNotes
from acp_tui.protocol.schema import ResourceLink, TextContent
from acp_tui.session.entries import LINE_NOTES, UserMessage, line_of, text_of
from acp_tui.session.line_notes import LineNote, lines_in, note_on
from tests.conversation.talks import TRACKED, held_before_turns, said, start, talk
from tests.waiting import until

TEXT = "import os\n\ndef main():\n    os.abort()\n"


def note_in(folder: Path, name: str = "a.py", text: str = TEXT, at: int = 3) -> LineNote:
    """Write a file, and return a note on one of its lines (from 0)."""
    path = folder / name
    path.write_text(text)
    return note_on(lines_in(text), at, at, "Why?", path=str(path))


def notes_sent(conversation: Conversation) -> list[str]:
    """Return the prompts of the session that have notes."""
    assert conversation.session is not None
    prompts = [text_of(one) for one in conversation.session.entries if isinstance(one, UserMessage)]
    return [text for text in prompts if LINE_NOTES.strip() in text]


async def test_notes_go_with_the_next_prompt_and_with_no_other(tmp_path: Path) -> None:
    async with talk(start(tmp_path)) as (conversation, _):
        await conversation.begin()
        conversation.line_notes.add(note_in(tmp_path))

        conversation.say("look")
        conversation.say("again")
        await until(lambda: said(conversation)[-1:] == ["heard again"])

        assert [text.partition("\n\n")[0] for text in notes_sent(conversation)] == ["look"]
        assert "a.py:4\n>     os.abort()\nWhy?" in notes_sent(conversation)[0]
        assert len(conversation.line_notes) == 0
        assert conversation.session is not None
        message = next(one for one in conversation.session.entries if isinstance(one, UserMessage))
        assert line_of(message) == "look", "the notes are no words of the prompt"


async def test_where_the_lines_are_is_looked_up_when_the_prompt_is_sent(tmp_path: Path) -> None:
    async with talk(start(tmp_path)) as (conversation, _):
        await conversation.begin()
        conversation.line_notes.add(note_in(tmp_path), note_in(tmp_path, "b.py"), note_in(tmp_path, "c.py"))
        (tmp_path / "a.py").write_text(f"# new\n{TEXT}")
        (tmp_path / "b.py").write_text(TEXT.replace("abort", "fork"))
        (tmp_path / "c.py").unlink()

        conversation.say("look")
        await until(lambda: notes_sent(conversation))

        sent = notes_sent(conversation)[0]
        assert "a.py:5 (moved from line 4)" in sent
        assert "b.py:4 (these lines are gone)" in sent
        assert "c.py:4 (the file is gone)" in sent


async def test_notes_of_a_prompt_that_was_refused_go_with_the_next_one(tmp_path: Path) -> None:
    async with talk(start(tmp_path, login="prompt")) as (conversation, notes):
        notes.logins = [None]
        await conversation.begin()
        conversation.line_notes.add(note_in(tmp_path))

        conversation.say("refused")
        await until(lambda: notes.given_back == ["refused"])
        assert len(conversation.line_notes) == 1

        notes.logins = ["key"]
        conversation.say("taken")
        await until(lambda: said(conversation)[-1:] == ["heard taken"])

        assert len(conversation.line_notes) == 0
        assert "taken" in notes_sent(conversation)[-1]


async def test_notes_wait_while_a_command_of_the_agent_is_sent(tmp_path: Path) -> None:
    async with talk(start(tmp_path)) as (conversation, _):
        await conversation.begin()
        conversation.line_notes.add(note_in(tmp_path))

        conversation.say("/compact")
        await until(lambda: said(conversation)[-1:] == ["heard /compact"])

        assert notes_sent(conversation) == []
        assert len(conversation.line_notes) == 1


async def test_notes_of_a_prompt_that_is_stopped_before_it_is_sent_are_kept(tmp_path: Path) -> None:
    async with talk(start(tmp_path, TRACKED)) as (conversation, notes):
        await conversation.begin()
        gate = held_before_turns(conversation)
        conversation.line_notes.add(note_in(tmp_path))
        conversation.say("unwanted")
        await until(lambda: conversation.prompts.unsent and not conversation.prompts.queue)

        conversation.stop()
        gate.set()
        conversation.say("wanted")
        await until(lambda: said(conversation)[-1:] == ["heard wanted"])

        assert notes.given_back == ["unwanted"]
        assert [text.partition("\n\n")[0] for text in notes_sent(conversation)] == ["wanted"]


def test_notes_that_did_not_arrive_come_back_and_others_do_not(tmp_path: Path) -> None:
    notes = LineNotes(lambda: None)
    notes.add(note_in(tmp_path))
    notes.take([str(tmp_path)])
    notes.add(note_in(tmp_path, at=0))

    notes.give_back()
    notes.give_back()

    assert [note.first for note in notes.notes.values()] == [4, 1]
    notes.take([str(tmp_path)])
    notes.arrived()
    notes.give_back()
    assert len(notes) == 0


def test_the_files_are_linked_with_their_lines_if_they_are_in_the_session(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    notes = LineNotes(lambda: None)
    notes.add(note_in(folder), note_in(folder, at=0), note_in(tmp_path, "secret.py"))
    notes.add(note_on(["Done."], 0, 0, "No.", subject="answer", first_line=None))

    text, *links = notes.take([str(folder)])

    assert isinstance(text, TextContent)
    assert [(link.name, link.description) for link in links if isinstance(link, ResourceLink)] == [
        ("a.py", "lines 4, 1")
    ]
    assert f"{tmp_path}/secret.py:4" in text.text


async def test_a_file_that_cannot_be_read_says_nothing_about_its_lines(tmp_path: Path) -> None:
    notes = LineNotes(lambda: None)
    notes.add(note_in(tmp_path))
    (tmp_path / "a.py").unlink()
    (tmp_path / "a.py").mkdir()

    await notes.follow()

    assert [note.state for note in notes.notes.values()] == ["there"]


def test_a_note_that_was_dropped_is_not_brought_back_by_an_edit(tmp_path: Path) -> None:
    heard: list[int] = []
    notes = LineNotes(lambda: heard.append(len(notes)))
    note = note_in(tmp_path)
    key = notes.add(note)
    notes.drop(key, key)
    notes.change(key, note)

    assert heard == [1, 0]
    assert notes.notes == {}
