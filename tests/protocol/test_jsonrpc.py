"""A peer fed whole, in pieces, and with the malformed input of real agents."""

from __future__ import annotations

import json

import pytest

from acp_tui.protocol.frames import StrayLine
from acp_tui.protocol.jsonrpc import (
    AlreadyAnswered,
    Dropped,
    Message,
    Notification,
    Peer,
    Request,
    Response,
    encode,
)
from tests.tables import each

STREAM = (
    '{"jsonrpc":"2.0","method":"session/update","params":{"text":"é漢🎉"}}\r\n'
    "\n"
    '{"jsonrpc":"2.0","id":"req-1","method":"fs/read_text_file","params":{"path":"/a"}}\n'
    '{"jsonrpc":"2.0","id":0,"result":{"ok":true}}'
).encode()


def described(messages: list[Message]) -> list[tuple[object, ...]]:
    """Return the relevant parts of each message."""
    rows: list[tuple[object, ...]] = []
    for message in messages:
        match message:
            case Request():
                rows.append(("request", message.id, message.method, message.params))
            case Notification():
                rows.append(("notification", message.method, message.params))
            case Response():
                rows.append(("response", message.call.id, message.result))
            case StrayLine():
                rows.append(("noise", message.line))
    return rows


def received(peer: Peer, data: bytes, size: int = 1 << 20) -> list[Message]:
    """Feed a peer in pieces of a size; return its messages."""
    pieces = (data[start : start + size] for start in range(0, len(data), size))
    return [message for piece in pieces for message in peer.receive(piece) if message is not None]


EXPECTED = [
    ("notification", "session/update", {"text": "é漢🎉"}),
    ("request", "req-1", "fs/read_text_file", {"path": "/a"}),
    ("response", 0, {"ok": True}),
]


@each("size", range(1, 40))
def test_c7_a_stream_reads_the_same_however_it_is_cut(size: int) -> None:
    peer = Peer()
    peer.call("initialize", {})
    data = b"\xef\xbb\xbf" + STREAM

    messages: list[Message] = []
    for start in range(0, len(data), size):
        messages += received(peer, data[start : start + size])
    messages += list(filter(None, peer.receive_end()))

    assert described(messages) == EXPECTED


def test_c7_a_message_split_at_any_byte_is_read() -> None:
    for cut in range(len(STREAM)):
        peer = Peer()
        peer.call("initialize", {})

        messages = (
            received(peer, STREAM[:cut])
            + received(peer, STREAM[cut:])
            + list(filter(None, peer.receive_end()))
        )

        assert described(messages) == EXPECTED


@each(
    "line",
    [
        b"Welcome to the agent!",
        b"\x1b[2J\x1b[1;1H",
        b"\xff\xfe\xfd",
        b"null",
        b"42",
        b'"x"',
        b"true",
        b"{}",
        b"[]",
        b"[" * 200,
        b'{"method": 5}',
        b'{"id": {"a": 1}, "method": "x"}',
        b'{"id": true, "method": "x"}',
    ],
)
def test_c8_a_line_that_is_no_message_is_noise_and_the_next_is_read(line: bytes) -> None:
    peer = Peer()

    messages = received(peer, line + b'\n{"method":"next"}\n')

    assert described(messages) == [("noise", line), ("notification", "next", None)]


def test_a_message_with_a_broken_byte_in_its_text_is_not_lost() -> None:
    messages = received(Peer(), b'{"method":"m","params":{"text":"a\xffb"}}\n')

    assert described(messages) == [("notification", "m", {"text": "a\ufffdb"})]


def test_c9_a_batch_is_its_items_in_order() -> None:
    peer = Peer()

    messages = received(peer, b'[{"method":"a"}, 7, {"id":null,"method":"b"}]\n')

    assert described(messages) == [
        ("notification", "a", None),
        ("noise", b"7"),
        ("request", None, "b", None),
    ]


@pytest.mark.parametrize("piece", [7, 1000])
def test_c6_a_line_over_the_limit_is_dropped_and_the_next_is_read(piece: int) -> None:
    peer = Peer(line_limit=100)
    data = b'{"method":"' + b"x" * 300 + b'"}\n{"method":"next"}\n'

    messages: list[Message] = []
    for start in range(0, len(data), piece):
        messages += received(peer, data[start : start + piece])

    assert [type(message) for message in messages] == [Dropped, Notification]


def test_c5_a_line_of_ten_megabytes_is_read() -> None:
    text = "x" * (10 * 1024 * 1024)
    peer = Peer()
    data = encode({"method": "m", "params": text})

    messages = [
        m for start in range(0, len(data), 65536) for m in received(peer, data[start : start + 65536])
    ]

    assert described(messages) == [("notification", "m", text)]


def test_c13_our_ids_are_unique_integers_and_theirs_are_echoed_unchanged() -> None:
    peer = Peer()

    ids = [peer.call("m", {})[0].id for _ in range(3)]
    replies = []
    for sent in (b'"a"', b"0", b"null", b'"7"'):
        (request,) = received(peer, b'{"id":' + sent + b',"method":"m"}\n')
        assert isinstance(request, Request)
        replies.append(json.loads(peer.reply(request, {})))

    assert ids == [0, 1, 2]
    assert [reply["id"] for reply in replies] == ["a", 0, None, "7"]


def test_c14_a_request_cannot_be_answered_twice() -> None:
    peer = Peer()
    (request,) = received(peer, b'{"id":1,"method":"m"}\n')
    assert isinstance(request, Request)
    peer.reply(request, {})

    with pytest.raises(AlreadyAnswered):
        peer.fail(request, -32603, "again")


def test_an_id_that_is_used_twice_gets_two_answers() -> None:
    peer = Peer()
    first, second = received(peer, b'{"id":1,"method":"a"}\n{"id":1,"method":"b"}\n')
    assert isinstance(first, Request)
    assert isinstance(second, Request)

    answers = [json.loads(peer.reply(first, 1)), json.loads(peer.reply(second, 2))]

    assert [answer["result"] for answer in answers] == [1, 2]


@pytest.mark.parametrize(
    "bad_id", [b"99", b"null", b"[0]", b'{"a":0}', b"true", b'"x"', b"1e999", b'"' + b"9" * 5000 + b'"']
)
def test_c18_a_response_to_nothing_leaves_the_calls_alone(bad_id: bytes) -> None:
    peer = Peer()
    peer.call("m", {})

    messages = received(peer, b'{"id":' + bad_id + b',"result":{}}\n{"id":0,"result":1}\n')

    assert [type(message) for message in messages] == [StrayLine, Response]


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        ('"boom"', 0, "boom"),
        ("{}", 0, "Unknown error"),
        ('{"code":"-32000","message":7}', -32000, "Unknown error"),
        ("[1]", 0, "[1]"),
        ('{"code":1e999,"message":"x"}', 0, "x"),
        ('{"code":"²","message":"x"}', 0, "x"),
        ('{"code":"--5","message":"x"}', 0, "x"),
    ],
)
def test_c18_a_malformed_error_still_ends_its_call(error: str, code: int, message: str) -> None:
    peer = Peer()
    peer.call("m", {})

    (response,) = received(peer, f'{{"id":0,"error":{error}}}\n'.encode())

    assert isinstance(response, Response)
    assert response.error is not None
    assert (response.error.code, response.error.message) == (code, message)


@pytest.mark.parametrize("echoed", [b'"0"', b"0.0"])
def test_c19_our_id_echoed_in_another_shape_resolves_the_call(echoed: bytes) -> None:
    peer = Peer()
    peer.call("m", {})

    (response,) = received(peer, b'{"id":' + echoed + b',"result":5}\n')

    assert isinstance(response, Response)
    assert (response.result, peer.calls) == (5, {})


@pytest.mark.parametrize("answer", [b'{"id":0,"result":null}', b'{"id":0,"result":{}}', b'{"id":0}'])
def test_c20_an_empty_answer_is_an_answer(answer: bytes) -> None:
    peer = Peer()
    peer.call("m", {})

    (response,) = received(peer, answer + b"\n")

    assert isinstance(response, Response)
    assert response.error is None


@pytest.mark.parametrize("text", ["a\nb\r\nc", "\u2028\u2029\u0085", "nul\x00", "漢字 🎉", "\x1b[31m"])
def test_c1_what_we_write_is_one_line_that_reads_back(text: str) -> None:
    line = Peer().notify("m", {"text": text})

    assert line.endswith(b"\n")
    assert len(line.decode().splitlines()) == 1
    assert json.loads(line)["params"]["text"] == text


def test_c3_a_lone_surrogate_is_never_written() -> None:
    line = encode({"text": "a\ud83d b\ude00 c\ud83d\ude00"})

    assert json.loads(line) == {"text": "a\ufffd b\ufffd c😀"}
    assert b"\\ud" not in line


def test_numbers_that_are_no_numbers_are_absent() -> None:
    messages = received(Peer(), b'{"method":"m","params":[NaN, Infinity, -Infinity]}\n')

    assert described(messages) == [("notification", "m", [None, None, None])]


def test_a_number_that_is_too_large_is_none_and_so_never_sent_back_as_what_is_no_json() -> None:
    peer = Peer()

    (request,) = received(
        peer, b'{"id":1e400,"method":"m","params":[-1e400, 1.5, 1e300, 12345678901234567890]}\n'
    )

    assert isinstance(request, Request)
    assert request.params == [None, 1.5, 1e300, 12345678901234567890]
    assert peer.reply(request, None) == b'{"jsonrpc":"2.0","id":null,"result":null}\n'


def test_find_tells_a_text_id_from_a_number() -> None:
    peer = Peer()
    received(peer, b'{"id":"1","method":"a"}\n{"id":1,"method":"b"}\n')

    text, number = peer.find("1"), peer.find(1)

    assert text is not None
    assert number is not None
    assert (text.method, number.method) == ("a", "b")
    assert peer.find(2) is None
    assert peer.find(True) is None, "which Python holds to be 1"


@pytest.mark.parametrize("call_id", ["false", "null", "[]", "{}", "0.5", '"0.5"', "1e999"])
def test_a_response_whose_id_is_no_number_answers_none_of_our_calls(call_id: str) -> None:
    peer = Peer()
    call, _ = peer.call("m", {})
    assert call.id == 0

    (message,) = received(peer, f'{{"id":{call_id},"result":{{}}}}\n'.encode())

    assert isinstance(message, StrayLine)
    assert list(peer.calls) == [0]


TOO_LONG = '"text":"' + "x" * 200_000 + '"'


@pytest.mark.parametrize(
    "line",
    [
        '{"jsonrpc":"2.0","id":0,"result":{TOO}}',
        '{ "id" : "0" , "result" : {TOO} }',
        '{"jsonrpc":"2.0","result":{TOO},"id":0}',
        '{"result":{TOO},"id":0,"jsonrpc":"2.0"}',
        '{"result":{TOO, "id":5}, "id": 0 }',
        '{"id":0,"error":{"code":1,"message":"m","data":{TOO}}}',
    ],
)
def test_a_response_over_the_limit_names_the_call_that_waits_for_it(line: str) -> None:
    peer = Peer(line_limit=100_000)
    call, _ = peer.call("session/prompt", {})

    (dropped,) = received(peer, line.replace("TOO", TOO_LONG).encode() + b"\n", 4096)

    assert isinstance(dropped, Dropped)
    assert (dropped.call, dropped.request) == (call, None)
    assert peer.calls == {}


@pytest.mark.parametrize(
    ("line", "method", "request_id"),
    [
        (
            '{"jsonrpc":"2.0","id":"w","method":"fs/write_text_file","params":{TOO}}',
            "fs/write_text_file",
            "w",
        ),
        ('{"method":"m","params":{TOO},"id":9}', "m", 9),
        ('{"params":{TOO},"id":9,"method":"m"}', "m", 9),
        ('{"method":"session/update","params":{TOO}}', "session/update", None),
        ('{"params":{"method":"x","id":1,TOO},"method":"m"}', "m", None),
    ],
)
def test_a_request_over_the_limit_can_be_failed(line: str, method: str, request_id: object) -> None:
    peer = Peer(line_limit=100_000)
    peer.call("session/prompt", {})

    (dropped,) = received(peer, line.replace("TOO", TOO_LONG).encode() + b"\n", 4096)

    assert isinstance(dropped, Dropped)
    assert (dropped.method, dropped.call) == (method, None)
    assert (dropped.request.id if dropped.request is not None else None) == request_id
    assert "200," in dropped.reason
    assert len(peer.calls) == 1


@pytest.mark.parametrize("line", ['{"result":{"id":0,TOO}}', "{TOO}", '{"id":99,"result":{TOO}}'])
def test_what_is_over_the_limit_and_tells_nothing_leaves_the_calls_alone(line: str) -> None:
    peer = Peer(line_limit=100_000)
    peer.call("session/prompt", {})

    (dropped,) = received(peer, line.replace("TOO", TOO_LONG).encode() + b"\n", 4096)

    assert isinstance(dropped, Dropped)
    assert (dropped.call, dropped.request, dropped.method) == (None, None, "")
    assert len(peer.calls) == 1


def test_an_echo_of_what_we_said_is_no_request() -> None:
    peer = Peer()
    _, line = peer.call("initialize", {"protocolVersion": 1})

    (echo,) = received(peer, line)

    assert isinstance(echo, StrayLine)


@pytest.mark.parametrize(
    "line",
    [
        '{"level":"info","id":0}',
        '{"level":"info","id":0,"result":"ok"}',
        '{"level":"error","error":"x","id":0}',
        '{"time":1,"method":"GET","path":"/"}',
    ],
)
def test_a_log_line_in_json_is_no_message(line: str) -> None:
    peer = Peer()
    peer.call("initialize", {})

    (noise,) = received(peer, line.encode() + b"\n")

    assert isinstance(noise, StrayLine)
    assert len(peer.calls) == 1
