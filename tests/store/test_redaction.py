"""Tests of `store/redaction.py`."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from acp_tui.store.redaction import (
    CONTENT,
    OUTPUT,
    PATH,
    TOKEN,
    VARIABLE,
    Redactor,
    review,
    save,
    save_export,
    secret_arguments,
    without_accounts,
)
from tests.recordings import rows
from tests.tables import each

AT = datetime(2026, 2, 3, 4, 5, 6)


def test_a_file_is_named_after_time_and_title_and_never_overwrites_another(tmp_path: Path) -> None:
    first = save_export(tmp_path / "exports", "Add: a ../flag!", "md", "one\r\n", AT)
    second = save_export(tmp_path / "exports", "Add: a ../flag!", "md", "two", AT)

    assert first == tmp_path / "exports" / "2026-02-03-040506-add-a-flag.md"
    assert second.name == "2026-02-03-040506-add-a-flag-2.md"
    assert (first.read_bytes(), second.read_bytes()) == (b"one\r\n", b"two")
    assert first.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("title", ["", "///", "日本" * 60])
def test_any_title_gives_a_name(tmp_path: Path, title: str) -> None:
    assert save_export(tmp_path, title, "json", "\ud800", AT).read_text("utf-8") == "?"


HOME = "/home/anna"
ENVIRONMENT = {"API": "hunter2-hunter2", "LANG": "C", "HOME": HOME, "PLACE": f"{HOME}/.cache"}


def redactor() -> Redactor:
    return Redactor(HOME, ENVIRONMENT)


def masked(*rows: tuple[str, Any]) -> list[Any]:
    """Return the messages of rows, (direction, message), as they are after masking."""
    one = redactor()
    lines = [json.dumps({"t": 0.1, "dir": direction, "msg": msg}).encode() for direction, msg in rows]
    return [json.loads(one.row(line))["msg"] for line in lines]


@each(
    ("text", "shown"),
    [
        ("/home/anna", "‹path 10›"),
        ("/home/anna/My Documents/a.txt", "‹path 29›"),
        ("see /home/anna/a.py:3, and b", "see ‹path 17›, and b"),
        ("\"/home/anna/x\" and '/home/anna/y'", "\"‹path 12›\" and '‹path 12›'"),
        ("file:///home/anna/x%20y", "file://‹path 16›"),
        ("/home/annabel/x", "/home/annabel/x"),
        ("/srv/home/anna2", "/srv/home/anna2"),
        ("key is hunter2-hunter2!", "key is ‹variable 15›!"),
        ("Authorization: Bearer abcdefgh1234", "Authorization: Bearer ‹token 12›"),
        ("bearer abcdefgh1234.x", "bearer ‹token 14›"),
        (f"use sk-{'a1-b' * 6} now", "use ‹token 27› now"),
        ("ghp_abcdefghijklmnopqrst0123", "‹token 28›"),
        ("github_pat_abcdefghijklmnopqrst0123", "‹token 35›"),
        ('{"apiKey": "0123456789abcdef"}', '{"apiKey": "‹token 16›"}'),
        ("MY_SECRET=aGVsbG8gd29ybGQ=", "MY_SECRET=‹token 16›"),
        ("eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.c2ln", "‹token 38›"),
        ("https://me:pw@example.com/x", "https://‹token 5›@example.com/x"),
        ("https://x.com/cb?code=abcdef123456&n=1", "https://x.com/cb?code=‹token 12›&n=1"),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----", "‹token 65›"),
        (
            "the keyboard has 102 keys, and a token of love",
            "the keyboard has 102 keys, and a token of love",
        ),
        ("commit 3f786850e387550fdab836ed7e6dc881de23001b",) * 2,
    ],
)
def test_texts_lose_paths_variables_and_tokens_and_nothing_else(text: str, shown: str) -> None:
    assert redactor().text(text) == shown


def test_masking_again_changes_nothing() -> None:
    once = redactor().text("Bearer abcdefgh1234 /home/anna/x hunter2-hunter2 token=abcdefgh")

    assert redactor().text(once) == once


def test_what_files_hold_is_masked_in_requests_and_in_answers() -> None:
    shown = masked(
        ("in", {"id": 1, "method": "fs/read_text_file", "params": {"path": "/w/a"}}),
        ("in", {"id": 2, "method": "fs/write_text_file", "params": {"path": "/w/a", "content": "new"}}),
        ("out", {"id": 1, "result": {"content": "secret lines"}}),
        ("out", {"id": 2, "result": {"content": "not asked for"}}),
        ("note", {"wrote": "/w/a", "old": "before", "new": None}),
    )

    assert shown[1]["params"] == {"path": "/w/a", "content": "‹file content 3›"}
    assert shown[2]["result"] == {"content": "‹file content 12›"}
    assert shown[3]["result"] == {"content": "not asked for"}
    assert shown[4] == {"wrote": "/w/a", "old": "‹file content 6›", "new": None}


def test_an_answer_is_known_by_its_request_on_the_other_side_only() -> None:
    shown = masked(
        ("in", {"id": 1, "method": "terminal/output", "params": {}}),
        ("out", {"id": 1, "method": "session/list", "params": {}}),
        ("in", {"id": 1, "result": {"output": "not a terminal's"}}),
        ("out", {"id": 1, "result": {"output": "a terminal's", "truncated": False}}),
    )

    assert shown[2]["result"] == {"output": "not a terminal's"}
    assert shown[3]["result"] == {"output": "‹output 12›", "truncated": False}


def update(**fields: Any) -> tuple[str, Any]:
    return "in", {"method": "session/update", "params": {"sessionId": "s1", "update": fields}}


def test_tool_calls_keep_their_shape_without_what_they_brought() -> None:
    diff = {"type": "diff", "path": "/w/a", "oldText": None, "newText": "x = 1"}
    text = {"type": "content", "content": {"type": "text", "text": "line of a file"}}
    (row,) = masked(
        update(
            sessionUpdate="tool_call",
            toolCallId="t1",
            title="Read /home/anna/a",
            content=[diff, text, {"type": "terminal", "terminalId": "term-1"}],
            rawInput={"command": "ls", "content": "a\nb"},
            rawOutput={"stdout": "much", "code": 0},
            _meta={"terminal_output": {"terminal_id": "1", "data": "more"}},
        )
    )

    shown = row["params"]["update"]
    assert shown["title"] == "Read ‹path 12›"
    assert shown["content"][0] == {**diff, "newText": "‹file content 5›"}
    assert shown["content"][1]["content"] == {"type": "text", "text": "‹output 14›"}
    assert shown["content"][2] == {"type": "terminal", "terminalId": "term-1"}
    assert shown["rawInput"] == {"command": "ls", "content": "‹output 3›"}
    assert shown["rawOutput"] == {"stdout": "‹output 4›", "code": 0}
    assert shown["_meta"]["terminal_output"]["data"] == "‹output 4›"


def test_what_is_attached_to_a_prompt_is_masked_and_what_was_said_stays() -> None:
    blocks = [
        {"type": "text", "text": "explain this"},
        {"type": "resource", "resource": {"uri": "file:///home/anna/a", "text": "its text"}},
        {"type": "image", "mimeType": "image/png", "data": "aGVsbG8="},
    ]
    (row,) = masked(("out", {"id": 3, "method": "session/prompt", "params": {"prompt": blocks}}))

    text, resource, image = row["params"]["prompt"]
    assert text == blocks[0]
    assert resource["resource"] == {"uri": "file://‹path 12›", "text": "‹file content 8›"}
    assert image == {"type": "image", "mimeType": "image/png", "data": "‹file content 8›"}


def test_variables_and_headers_of_mcp_servers_are_masked() -> None:
    server = {"name": "x", "env": [{"name": "MODE", "value": "abc"}], "headers": {"A": "bc"}}
    (row,) = masked(("out", {"id": 1, "method": "session/new", "params": {"mcpServers": [server]}}))

    shown = row["params"]["mcpServers"][0]
    assert shown["env"] == [{"name": "MODE", "value": "‹variable 3›"}]
    assert shown["headers"] == {"A": "‹variable 2›"}


def test_addresses_of_servers_lose_their_logins_and_all_behind_the_question_mark() -> None:
    server = {"type": "http", "name": "web", "url": "https://me:pw@example.com/mcp?k=v", "headers": []}
    (msg,) = masked(("out", {"method": "session/new", "params": {"mcpServers": [server]}}))

    assert msg["params"]["mcpServers"][0]["url"] == "https://‹token 5›@example.com/mcp?‹token 3›"


def test_names_of_fields_lose_paths_too_and_none_is_lost() -> None:
    (row,) = masked(("note", {"/home/anna/a": 1, "/home/anna/b": 2}))

    assert list(row.values()) == [1, 2]
    assert "anna" not in json.dumps(row)


def journal(tmp_path: Path, lines: Sequence[str]) -> Path:
    path = tmp_path / "j.ndjson"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


ROWS = [
    '{"t": 0, "dir": "note", "msg": {"start": ["a"], "cwd": "/home/anna/w"}}',
    "no row",
    '{"t": 1, "dir": "err", "msg": "token=abcdefgh"}',
    '{"t": 2, "dir": "in", "msg": {"method": "x"}}',
]


def test_a_review_counts_what_would_be_masked_and_shows_it(tmp_path: Path) -> None:
    found = review(journal(tmp_path, ROWS), redactor())

    assert (found.rows, found.broken) == (3, 1)
    assert found.masked == {PATH: 1, TOKEN: 1}
    assert found.samples == [
        '{"t": 0, "dir": "note", "msg": {"start": ["a"], "cwd": "‹path 12›"}}',
        '{"t": 1, "dir": "err", "msg": "token=‹token 8›"}',
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["j.ndjson"]


def test_the_copy_ends_where_the_review_did_and_is_for_its_owner_only(tmp_path: Path) -> None:
    path = journal(tmp_path, ROWS)
    found = review(path, redactor())
    with path.open("a") as file:
        file.write('{"t": 3, "dir": "err", "msg": "later"}\n')

    save(found, redactor(), tmp_path / "bundles" / "copy")

    copy = tmp_path / "bundles" / "copy"
    assert [json.loads(line)["t"] for line in copy.read_text().splitlines()] == [0, 1, 2]
    assert copy.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in copy.parent.iterdir()] == ["copy"]


def test_a_copy_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    found = review(journal(tmp_path, ROWS), redactor())
    (tmp_path / "target").mkdir()

    with pytest.raises(OSError, match="directory"):
        save(found, redactor(), tmp_path / "target")

    assert sorted(path.name for path in tmp_path.iterdir()) == ["j.ndjson", "target"]


@pytest.mark.parametrize("name", ["gemini-basic", "kimi-full", "codex-basic"])
def test_of_real_agents_nothing_is_left_of_what_they_read_and_wrote(name: str) -> None:
    one = Redactor("/workspace", {})
    shown = b"".join(
        one.row(json.dumps({"t": row.t, "dir": row.direction, "msg": row.msg}).encode()) for row in rows(name)
    )

    assert not re.search(rb"(?<![\w.-])/workspace/\w", shown)
    assert one.masked[CONTENT] + one.masked[OUTPUT] > 3
    assert one.masked[VARIABLE] == 0


@pytest.mark.parametrize(
    "line",
    [
        b'{"id": 1, "result": {"state": "authenticated", "accounts": [{"label": "Ann", "name": "A. B."}]}}',
        b'{"method": "auth/status_update", "params": {"state": "unknown", "accounts": [{"label": "Ann"}]}}',
        b'{"method": "_auth/status_update", "params": {"authStatus": {"kind": "api", "label": "Ann"}}}',
    ],
)
def test_c158_the_accounts_of_the_user_are_masked(line: bytes) -> None:
    masked = without_accounts(line)
    assert b"Ann" not in masked
    assert b"account" in masked


@pytest.mark.parametrize(
    "line",
    [b'{"params": {"update": {"text": "the \\"accounts\\" of Ann"}}}', b'{"accounts": "Ann"}', b'"accounts"'],
)
def test_other_words_about_accounts_stay_byte_for_byte(line: bytes) -> None:
    assert without_accounts(line) == line


def test_what_agents_of_version_2_print_and_change_is_masked() -> None:
    def coded(words: str) -> str:
        return base64.b64encode(words.encode()).decode()

    patch = {"format": "git_patch", "text": "@@ -1 +1 @@\n-old\n+new\n"}
    diff = {"type": "diff", "changes": [{"operation": "modify", "path": "/w/a"}], "patch": patch}
    item = {"type": "content", "content": {"type": "text", "text": "line of a file"}}
    rows = masked(
        update(sessionUpdate="terminal_update", terminalId="x", output={"data": coded("secret")}),
        update(sessionUpdate="terminal_output_chunk", terminalId="x", data=coded("secret")),
        update(sessionUpdate="tool_call_update", toolCallId="t1", content=[diff]),
        update(sessionUpdate="tool_call_content_chunk", toolCallId="t1", content=item),
    )

    snapshot, chunk, call, more = (row["params"]["update"] for row in rows)
    assert base64.b64decode(snapshot["output"]["data"]).decode() == "‹output 8›"
    assert base64.b64decode(chunk["data"]).decode() == "‹output 8›"
    assert call["content"][0]["changes"] == diff["changes"]
    assert call["content"][0]["patch"]["text"] == f"‹file content {len(patch['text'])}›"
    assert more["content"]["content"]["text"] == "‹output 14›"


def test_secrets_in_arguments_are_found_by_their_options_and_by_themselves() -> None:
    arguments = [
        "--api-key",
        "hunter2hunter2",
        "--header",
        "X-Api-Key: abcdefgh1234",
        "--token=zyxwvuts",
        "--port",
        "80",
    ]

    assert [*secret_arguments(arguments)] == ["hunter2hunter2", "abcdefgh1234", "zyxwvuts"]
