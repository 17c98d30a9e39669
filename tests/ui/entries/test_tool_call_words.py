"""Tool calls in a few words."""

import pytest

from acp_tui.session.entries import Location, ToolCall
from acp_tui.ui.entries.tool_call_words import call_command, call_sentence, call_title, call_words, kind_word
from tests.ui.entries.rows import call


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        ("read", "read"),
        ("execute", "run"),
        ("switch_mode", "mode"),
        ("other", "tool"),
        ("of_tomorrow", "tool"),
    ],
)
def test_each_kind_has_a_short_word(kind: str, word: str) -> None:
    assert kind_word(kind) == word


@pytest.mark.parametrize(
    ("known", "words"),
    [
        (call(title=" `Read\n a/b` "), "Read a/b"),
        (call(title="Read /w/src/a.py"), "Read a.py"),
        (call(title="", name="reader"), "reader"),
        (call(title="", locations=[Location(path="/w/src/a.py")]), "a.py"),
        (call(title=""), ""),
        (call(title="edit", kind="edit", locations=[Location(path="/w/src/a.py")]), "a.py"),
        (call(title="edit", kind="edit"), "edit"),
        (call(title="w/src/a.py", locations=[Location(path="/w/src/a.py")]), "a.py"),
        (call(title="Edit it", kind="edit", locations=[Location(path="/w/src/a.py")]), "Edit it"),
    ],
)
def test_a_call_is_named_by_what_is_known_of_it_as_seen_from_the_folder(known: ToolCall, words: str) -> None:
    assert call_words(known, "/w/src/") == words


def test_a_command_replaces_a_title_that_does_not_contain_it() -> None:
    runs = {"kind": "execute", "raw_input": {"command": "pytest\n -q /w/src/tests"}}

    assert call_command(call(**runs), "/w/src") == "pytest -q tests"
    assert call_title(call(title="Run the tests", **runs), "/w/src") == "pytest -q tests"
    assert call_title(call(title="Run: pytest -q tests", **runs), "/w/src") == "Run: pytest -q tests"
    assert call_title(call(title="Read", kind="read", raw_input={"command": "x"}), "") == "Read"


def test_the_sentence_of_a_call_names_its_kind_once() -> None:
    assert call_sentence(ToolCall("t", "Fetch https://x.org", "fetch"), "/w") == "Fetch https://x.org"
    assert call_sentence(ToolCall("t", "https://x.org", "fetch"), "/w") == "fetch https://x.org"
    assert call_sentence(ToolCall("t", "Fetching", "fetch"), "/w") == "fetch Fetching"


@pytest.mark.parametrize("unseen", ["\u200b", "\u200d", "\ufe0f", "\u00ad", "\u3164", "\U000e0041", "\u202e"])
def test_nothing_in_a_command_is_unseen(unseen: str) -> None:
    call = ToolCall("c1", kind="execute", title="", raw_input={"command": f"rm{unseen} -rf 👨\u200d👩"})

    assert call_title(call, "/w") == "rm\ufffd -rf 👨\ufffd👩"
    assert call_title(ToolCall("c1", kind="execute", title=f"ls{unseen}"), "/w") == "ls\ufffd"
