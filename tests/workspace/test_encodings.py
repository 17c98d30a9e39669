"""Tests of `workspace/encodings.py`."""

from __future__ import annotations

import codecs
import gzip
import random
import struct

import pytest

from acp_tui.workspace.encodings import BINARY, BROKEN, decode, decode_pair, have_lines
from tests.tables import each

_GERMAN = "Grüße aus München, schöne Straße\n" * 3
_JAPANESE = "日本語のテキストです。これはテスト\n" * 2


@each(
    ("text", "codec", "name"),
    [
        ("plain\n", "ascii", ""),
        ("", "ascii", ""),
        (_JAPANESE, "utf-8", ""),
        ("\ufeffwith a mark\n", "utf-8", ""),
        ("\ufeffa\nb\n", "utf-16-le", "UTF-16 LE"),
        ("\ufeffa\nb\n", "utf-16-be", "UTF-16 BE"),
        ("\ufeff日本\n", "utf-32-le", "UTF-32 LE"),
        ("\ufeff日本\n", "utf-32-be", "UTF-32 BE"),
        ("no mark, but many plain letters\n", "utf-16-le", "UTF-16 LE"),
        ("no mark, but many plain letters\n", "utf-16-be", "UTF-16 BE"),
        ("café\n", "latin-1", "Windows-1252"),
        ("é", "latin-1", "Windows-1252"),
        (_GERMAN, "cp1252", "Windows-1252"),
        ("def f():\n    return 'naïve'  # déjà vu\n", "latin-1", "Windows-1252"),
        ("“quoted” – dash, 5 €\n", "cp1252", "Windows-1252"),
        (_JAPANESE, "cp932", "Shift-JIS"),
        (_JAPANESE, "euc_jp", "EUC-JP"),
        ("Привет, мир! Это просто текст на русском языке\n" * 2, "cp1251", "Windows-1251"),
        ("中文测试文件，这是一个例子\n" * 2, "gb18030", "GB18030"),
    ],
)
def test_a_text_is_read_as_it_was_written(text: str, codec: str, name: str) -> None:
    assert decode(text.encode(codec)) == (text, name)


@pytest.mark.parametrize("content", [b"\0", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", bytes(range(256)) * 2])
def test_data_is_no_text_and_two_of_them_are_never_the_same(content: bytes) -> None:
    found = decode(content)

    assert found.encoding == BINARY
    assert found.text != decode(content[:-1] + b"\xfe").text


def test_broken_bytes_in_utf_8_are_shown() -> None:
    assert decode("Grüße, schöne".encode() + b" \xe9\n") == ("Grüße, schöne \\xe9\n", BROKEN)


def test_a_byte_that_no_character_of_a_mark_is_made_of_is_shown() -> None:
    assert decode(codecs.BOM_UTF16_LE + b"a\0\x00\xd8")[0] == "\ufeffa\\x00\\xd8"


def test_the_first_other_character_may_stand_far_from_the_beginning() -> None:
    assert decode(b"plain line\n" * 100_000 + _GERMAN.encode("cp1252")).text.endswith(_GERMAN)


@pytest.mark.slow
def test_any_bytes_have_a_text_and_different_bytes_of_a_file_different_ones() -> None:
    for old in range(0x80, 0x100):
        for new in (0x80, 0xEB, 0xFF):
            before, after = decode_pair(b"caf%c\n" % old, b"caf%c\n" % new)
            assert before is not None
            assert after is not None
            assert (before == after) == (old == new)


def test_both_states_of_a_file_are_read_alike() -> None:
    before, after = decode_pair(_GERMAN.encode("cp1252"), _GERMAN.encode("cp1252") + b"\xeb")

    assert before == (_GERMAN, "Windows-1252")
    assert after == (_GERMAN + "ë", "Windows-1252")


@pytest.mark.parametrize(
    ("old", "new", "result"),
    [
        ("utf-8", "utf-8", True),
        ("cp932", "cp932", True),
        ("utf-8", "cp932", True),
        ("utf-16", "utf-16", True),
        ("utf-16", "utf-16-le", True),
        ("utf-32", "utf-32", True),
        ("utf-16", "utf-16-be", False),
        ("utf-16", "utf-8", False),
        ("utf-8", "utf-16-le", False),
    ],
)
def test_lines_of_a_text_can_stand_in_another_in_the_same_encoding(old: str, new: str, result: bool) -> None:
    assert have_lines(f"{_JAPANESE}a".encode(old), f"b{_JAPANESE}".encode(new)) is result


@pytest.mark.parametrize(
    "broken", [b"\xff\xfea\0\n\0b", b"\0\1\2", b"\x7fELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0\x3e\0"]
)
def test_what_would_not_come_back_the_same_has_no_lines(broken: bytes) -> None:
    assert not have_lines(broken, broken + b"\0")


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "text",
    ["日本語のテキストです。\n", "Привет, мир!\n", "Ελληνικά, ναι\r\n", "Āā Ēē Īī Ōō Ūū\n", "a 😀 b 😀 c\n"],
)
def test_wide_texts_without_a_mark_are_told_from_data(text: str, codec: str) -> None:
    found = decode((text * 1_000).encode(codec))

    assert (found.text, found.encoding) == (
        text * 1_000,
        codec.upper().replace("-L", " L").replace("-B", " B"),
    )


def test_a_short_state_of_a_file_is_read_as_its_other_one() -> None:
    before, after = decode_pair("a\n".encode("utf-16-le"), "a longer text\n".encode("utf-16-le"))

    assert before == ("a\n", "UTF-16 LE")
    assert after == ("a longer text\n", "UTF-16 LE")


@pytest.mark.parametrize(
    "data",
    [
        struct.pack("<500H", *range(500)),
        struct.pack("<200I", *range(200)),
        struct.pack("<100d", *(number / 3 for number in range(100))),
        gzip.compress(bytes(range(256)) * 20, mtime=0) + b"\0",
        random.Random(1).randbytes(4_000),
    ],
    ids=["16 bits", "32 bits", "floats", "gzip", "random"],
)
def test_data_of_many_kinds_is_no_text(data: bytes) -> None:
    assert decode(data).encoding == BINARY
    assert not have_lines(data, data)
