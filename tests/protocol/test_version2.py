"""Version 2 in words of version 1: whatever comes, the translation goes on."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

import pytest

from acp_tui.agent.session_events import events_of_call, events_of_message
from acp_tui.protocol import version2
from acp_tui.protocol.git_patch import changed_parts
from acp_tui.protocol.jsonrpc import Call, Notification, Request, Response
from acp_tui.protocol.schema import TAKEN_BACK
from acp_tui.protocol.validation import Unreadable
from acp_tui.protocol.version2 import Inserted, Meaning, Version2
from tests import recordings
from tests.tables import each

ONE = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n"

ODD: list[Any] = [
    *(None, True, -1, 1.5, "", "x", [], {}, [None], {"a": 1}, [[]], "\ud800"),
    {"type": "diff", "changes": [{"path": 3}]},
    {"type": "diff", "changes": [1, {"path": "/a", "operation": []}], "patch": {"format": "git_patch"}},
]


def mutated(value: Any, chance: random.Random) -> Any:
    """Return a value in which some parts are others, and some are missing."""
    if chance.random() < 0.03:
        return copy.deepcopy(chance.choice(ODD))
    if isinstance(value, dict):
        return {key: mutated(item, chance) for key, item in value.items() if chance.random() > 0.02}
    if isinstance(value, list):
        return [mutated(item, chance) for item in value]
    return value


def read(meanings: Iterator[Meaning]) -> None:
    for meaning in meanings:
        try:
            list(events_of_message(meaning))
        except Unreadable:
            pass


@pytest.mark.slow
@each("seed", range(40))
def test_v20_odd_messages_in_any_order_are_taken(seed: int) -> None:
    rows = [row for name in recordings.IN_VERSION_2 for row in recordings.rows(name)]
    chance = random.Random(seed)
    translation, calls = Version2(), dict[int, Call]()
    for row in chance.sample([row for row in rows if isinstance(row.msg, dict)], 100):
        msg = row.msg
        params, result = mutated(msg.get("params"), chance), mutated(msg.get("result"), chance)
        if row.direction == "out" and "method" in msg and "id" in msg:
            call = calls[msg["id"]] = Call(msg["id"], msg["method"], params)
            try:
                list(events_of_call(translation.called(call)))
            except Unreadable:
                pass
        elif row.direction == "in" and "method" in msg:
            asks = Request(msg["id"], msg["method"], params) if "id" in msg else None
            read(translation.received(asks or Notification(msg["method"], params)))
        elif row.direction == "in":
            call = calls.get(msg["id"]) or Call(msg["id"], "session/new", {})
            read(translation.received(Response(call, result, None)))


def prompt(call_id: int, words: str) -> Call:
    blocks = [{"type": "text", "text": words}]
    return Call(call_id, "session/prompt", {"sessionId": "s", "prompt": blocks})


def news(**fields: Any) -> Notification:
    return Notification("session/update", {"sessionId": "s", "update": fields})


def test_v8_prompts_in_flight_keep_their_order_and_each_end_is_that_of_its_own_turn() -> None:
    translation = Version2()
    first, second = prompt(1, "one"), prompt(2, "two")
    told = [translation.called(first), translation.called(second)]
    assert [call.method for call in told] == ["session/prompt", "session/prompt, waiting"]

    assert [*translation.received(Response(first, {"messageId": "u1"}, None))] != []
    idle = news(sessionUpdate="state_update", state="idle", stopReason="end_turn")
    ends = [each for each in translation.received(idle) if isinstance(each, Response)]
    assert [each.call for each in ends] == [told[0]]

    begun = [*translation.received(Response(second, {"messageId": "u2"}, None))]
    assert begun[0] == Inserted(told[1])
    assert told[1].method == "session/prompt"
    ends = [each for each in translation.received(idle) if isinstance(each, Response)]
    assert [each.call for each in ends] == [told[1]]


@pytest.mark.parametrize("same", [True, False])
def test_words_of_the_user_are_held_for_a_prompt_up_to_a_bound(same: bool) -> None:
    translation = Version2()
    translation.called(prompt(1, "one"))

    shown = 0
    for number in range(5_000):
        words = {"messageId": "m" if same else str(number), "content": {"type": "text", "text": "x"}}
        shown += len([*translation.received(news(sessionUpdate="user_message_chunk", **words))])

    assert 5_000 - shown <= 2_001


def test_a_prompt_is_taken_back_by_the_user_alone() -> None:
    translation = Version2()
    first = translation.called(prompt(1, "one"))
    [*translation.received(Response(first, {"messageId": "u1"}, None))]

    idle = news(sessionUpdate="state_update", state="idle", stopReason=TAKEN_BACK)
    end = next(each for each in translation.received(idle) if isinstance(each, Response))

    assert end.result == {}


@pytest.mark.parametrize(
    ("patch", "hunks"),
    [
        ("--- a/x.txt\n+++ b/x.txt\n@@ -1 +1 @@\n-a\n+b\n", [("a\n", "b\n")]),
        ("--- /w/x.txt\n+++ /w/x.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n", [("a\nb\n", "a\nc\n")]),
        (
            "@@ -1 +1 @@\n-a\n+b\n",
            [("a\n", "b\n")],
        ),
        (
            "--- a/x.txt\n+++ b/x.txt\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n",
            [("a", "b\n")],
        ),
        (
            "--- a/x.txt\n+++ b/x.txt\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n",
            [("a\n", "b")],
        ),
        (
            "--- a/x.txt\n+++ b/x.txt\n@@ -1,2 +1,2 @@\n--- a\n+++ b\n c\n",
            [("-- a\nc\n", "++ b\nc\n")],
        ),
        ("not a patch", [("", "")]),
        ("--- a/x.txt\n+++ b/x.txt\n@@ -1,9 +1,9 @@\n a\n", [("a\n", "a\n")]),
    ],
)
def test_v12_hunks_are_read_as_they_stand(patch: str, hunks: list[tuple[str, str]]) -> None:
    changes = [{"operation": "modify", "path": "/w/x.txt"}]
    parts = changed_parts({"changes": changes, "patch": {"format": "git_patch", "text": patch}})

    assert [(part.get("oldText", ""), part["newText"]) for part in parts] == hunks


def test_v12_each_file_of_a_patch_gets_its_own_hunks() -> None:
    patch = """diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+new
diff --git a/old.txt b/gone/moved.txt
similarity index 90%
rename from old.txt
rename to gone/moved.txt
--- a/old.txt
+++ b/gone/moved.txt
@@ -1 +1 @@
-a
+b
diff --git a/dead.txt b/dead.txt
deleted file mode 100644
--- a/dead.txt
+++ /dev/null
@@ -1 +0,0 @@
-dead
"""
    changes = [
        {"operation": "delete", "path": "/w/dead.txt"},
        {"operation": "move", "oldPath": "/w/old.txt", "path": "/w/gone/moved.txt"},
        {"operation": "add", "path": "/w/new.txt"},
        {"operation": "copy", "oldPath": "/w/old.txt", "path": "/w/copy.txt"},
    ]
    parts = changed_parts({"changes": changes, "patch": {"format": "git_patch", "text": patch}})

    assert [(part["path"], part.get("oldText"), part["newText"]) for part in parts] == [
        ("/w/dead.txt", "dead\n", ""),
        ("/w/gone/moved.txt", "a\n", "b\n"),
        ("/w/new.txt", None, "new\n"),
        ("/w/copy.txt", None, ""),
    ]


@pytest.mark.parametrize(
    "method", ["session/load", "session/resume", "authenticate", "logout", "session/prompt"]
)
def test_v2_a_request_means_what_it_was_made_from(method: str) -> None:
    params: dict[str, Any] = {"sessionId": "s", "methodId": "m", "mcpServers": [], "prompt": []}
    wire, sent = version2.outgoing(method, params)

    assert Version2().called(Call(1, wire, sent)).method == method


def test_v12_of_two_files_with_one_name_each_gets_its_own_lines() -> None:
    patch = "".join(
        f"diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-{name}\n+x\n"
        for name in ("x.txt", "sub/x.txt")
    )
    changes = [{"operation": "modify", "path": f"/w/{name}"} for name in ("sub/x.txt", "x.txt")]
    parts = changed_parts({"changes": changes, "patch": {"format": "git_patch", "text": patch}})

    assert [(part["path"], part["oldText"]) for part in parts] == [
        ("/w/sub/x.txt", "sub/x.txt\n"),
        ("/w/x.txt", "x.txt\n"),
    ]


def git_patch(text: str) -> dict[str, Any]:
    return {"format": "git_patch", "text": text}


HUNK = "@@ -1 +1 @@\n-a\n+b\n"
GIT = "diff --git a/x.txt b/x.txt\n"
HEAD = f"{GIT}--- a/x.txt\n+++ b/x.txt\n"


@pytest.mark.parametrize(
    ("patch", "untold"),
    [
        (f"{HEAD}{HUNK}", None),
        (f"{HEAD}index 1f..2e 100644\n{HUNK}", None),
        (f"{HEAD}{HUNK}diff --git a/y b/y\n--- a/y\n+++ b/y\n{HUNK}", ["y"]),
        (f"{HEAD}{HUNK}+EVIL\n", ["+EVIL"]),
        (f"{HEAD}{HUNK}@@ -9,1 +9,2@@\n-c\n", ["@@ -9,1 +9,2@@", "-c"]),
        (f"{HEAD}{HUNK}@@ -9,4 +9,4 @@\n c\n", ["@@ -9,4 +9,4 @@"]),
        (f"diff --git a/.rc b/.rc\n{HUNK}", [".rc"]),
        (f"diff --git a/.rc b/.rc\n--- a/x.txt\n+++ b/x.txt\n{HUNK}", [".rc"]),
        (f"--- a/.rc\n+++ b/x.txt\n{HUNK}", [".rc"]),
        (f"rename from .rc\nrename to x.txt\n{HUNK}", [".rc"]),
        (f"{GIT}copy to .git/hooks/x\n--- a/x.txt\n+++ b/x.txt\n{HUNK}", [".git/hooks/x"]),
        (f"{GIT}deleted file mode 100644\n", ["deleted file mode 100644", "no text of /w/x.txt"]),
        (f"{GIT}index 12..34 120000\n--- a/x.txt\n+++ b/x.txt\n{HUNK}", ["index 12..34 120000"]),
        (f"{GIT}index 12..34 100755\n--- a/x.txt\n+++ b/x.txt\n{HUNK}", None),
        (f"new mode 104755\n{HEAD}{HUNK}", ["a part without a name", "new mode 104755"]),
        ("not a patch", ["not a patch", "no text of /w/x.txt"]),
        (f"{HEAD}{HUNK}\\ evil\n", ["\\ evil"]),
        (f"{HEAD}{HUNK}\\ No newline at end of file\n", None),
    ],
)
def test_v12_what_a_patch_holds_besides_is_kept(patch: str, untold: list[str] | None) -> None:
    changes = [{"operation": "modify", "path": "/w/x.txt", "fileType": "text"}]
    first, *_ = changed_parts(
        {"type": "diff", "changes": changes, "patch": {"format": "git_patch", "text": patch}}
    )

    assert first.get("untold") == untold


def test_v12_both_parts_of_a_patch_about_one_file_are_reported() -> None:
    changes = [{"operation": "modify", "path": "/w/x.txt"}]
    text = f"{HEAD}{HUNK}{HEAD}@@ -9 +9 @@\n-c\n+d\n"
    parts = changed_parts(
        {"type": "diff", "changes": changes, "patch": {"format": "git_patch", "text": text}}
    )

    assert [(part["oldText"], part["newText"]) for part in parts] == [("a\n", "b\n"), ("c\n", "d\n")]
    assert "untold" not in parts[0]


@pytest.mark.parametrize(
    ("change", "text", "untold"),
    [
        ({"operation": "modify", "path": "/w/a"}, None, ["no text of /w/a"]),
        ({"operation": "add", "path": "/w/a"}, None, ["no text of /w/a"]),
        ({"operation": "delete", "path": "/w/a"}, None, None),
        ({"operation": "move", "path": "/w/b", "oldPath": "/w/a"}, None, None),
        ({"operation": {"x": 1}, "path": "/w/a"}, ONE, [{"operation": {"x": 1}, "path": "/w/a"}]),
        ({"path": "/w/a", "oldPath": ["/x"]}, ONE, [{"path": "/w/a", "oldPath": ["/x"]}]),
        ({"path": "/w/a"}, f"{ONE}\\ No newline at end of file\n", None),
        ({"path": "/w/a"}, f"{ONE}\\ evil\n", ["\\ evil"]),
        ({"path": "/w/a"}, ONE.replace("a/a", "a/c").replace("b/a", "b/c") + ONE, ["c"]),
        ({"path": "/w/a"}, "x" * (3 << 20), ["a patch of 3,145,728 characters", "no text of /w/a"]),
    ],
)
def test_v12_what_a_patch_does_not_tell_of_a_change_is_named(
    change: dict[str, Any], text: str | None, untold: list[Any] | None
) -> None:
    patch = {} if text is None else {"patch": {"format": "git_patch", "text": text}}

    part, *_ = changed_parts({"type": "diff", "changes": [change], **patch})

    assert part.get("untold") == untold


def test_v12_a_part_of_a_patch_is_shown_with_one_change_and_a_list_is_cut() -> None:
    changes = [{"operation": "modify", "path": "/w/a"}] * 1_002

    parts = changed_parts(
        {"type": "diff", "changes": changes, "patch": {"format": "git_patch", "text": ONE * 3}}
    )

    assert sum(part["newText"] == "y\n" for part in parts) == 3
    assert parts[0]["untold"][0] == "2 more changes"


def test_v12_a_change_that_cannot_be_read_is_kept() -> None:
    changes = [{"operation": "modify", "path": "/w/x.txt", "extra": 1}, {"uri": "file:///root/.bashrc"}]
    (part,) = changed_parts(
        {"type": "diff", "changes": changes, "patch": {"format": "other", "data": ""}, "a": 1}
    )

    patch = {"format": "other", "data": ""}
    assert part["untold"] == ["a", patch, *changes, "no text of /w/x.txt"]
    assert changed_parts({"type": "diff", "changes": [7]}) == [{"type": "diff", "changes": [7]}]


def test_v15_what_stands_beside_a_call_in_a_question_does_not_hide_behind_it() -> None:
    subject = {
        "type": "tool_call",
        "toolCall": {"toolCallId": "t", "title": "ls"},
        "title": "rm",
        "args": ["x"],
    }

    call = version2.asked_call({"subject": subject}, 1)

    assert call == {"toolCallId": "t", "title": "ls", "subject title": "rm", "subject args": ["x"]}


def test_v15_all_of_a_command_that_is_asked_about_is_its_input() -> None:
    subject = {
        "type": "command",
        "command": "ls",
        "cwd": "/w",
        "env": {"A": "1"},
        "args": ["-la"],
        "_meta": {},
    }

    call = version2.asked_call({"subject": subject}, 1)

    assert call["rawInput"] == {"command": "ls", "cwd": "/w", "env": {"A": "1"}, "args": ["-la"]}
