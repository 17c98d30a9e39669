"""The fields of a form and their values, without a screen."""

from __future__ import annotations

import time
from typing import Any

import pytest

from acp_tui.ui.screens.questions.form_fields import (
    MOST_CHOICES,
    MOST_FIELDS,
    Entry,
    FieldChoice,
    FormField,
    InvalidEntry,
    can_be_sent,
    fields_of,
    limits_of,
    matches,
    value_of,
)
from tests.tables import each


def field(about: Any, *, required: bool = False) -> FormField:
    schema = {"type": "object", "properties": {"x": about}, "required": ["x"] if required else []}
    return fields_of(schema)[0]


@each(
    ("about", "kind"),
    [
        ({"type": "string"}, "text"),
        ({"type": "string", "format": "date"}, "text"),
        ({"type": "string", "enum": ["a"]}, "choice"),
        ({"type": "string", "oneOf": [{"const": "a", "title": "A"}]}, "choice"),
        ({"type": "number"}, "number"),
        ({"type": "integer"}, "integer"),
        ({"type": "boolean"}, "boolean"),
        ({"type": "array", "items": {"type": "string", "enum": ["a"]}}, "choices"),
        ({"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}}, "choices"),
        ({"type": "array", "items": {"type": "string"}}, "unknown"),
        ({"type": "string", "enum": []}, "unknown"),
        ({"type": "object"}, "unknown"),
        ({"type": ["string", "null"]}, "unknown"),
        ({}, "unknown"),
        (None, "unknown"),
    ],
)
def test_every_kind_of_property_has_its_control(about: Any, kind: str) -> None:
    assert field(about).kind == kind


@pytest.mark.parametrize("schema", [None, {}, {"properties": None}, {"properties": [], "required": "x"}])
def test_a_schema_without_properties_is_an_empty_form(schema: Any) -> None:
    assert fields_of(schema) == []


def test_of_very_many_properties_the_first_are_shown_and_the_rest_is_counted() -> None:
    names = [f"f{number}" for number in range(5_000)]
    schema = {"properties": {name: {"type": "string"} for name in names}}

    found = fields_of(schema)

    assert [one.name for one in found[:-1]] == names[:MOST_FIELDS]
    assert (found[-1].kind, found[-1].title) == ("unknown", "4,900 more fields")
    assert can_be_sent(found)
    assert not can_be_sent(fields_of({**schema, "required": ["f4999"]}))
    assert len(fields_of({"required": names})) == MOST_FIELDS


def test_of_very_many_choices_and_very_long_texts_the_first_part_is_shown() -> None:
    many = field({"type": "string", "enum": [f"v{number}" for number in range(200_000)]})
    assert len(many.choices) == MOST_CHOICES
    assert "The first 1,000 of 200,000 choices are shown." in many.description

    text = "w" * 1_000_000
    long = field({"type": "string", "title": text, "description": text, "enum": [text]})
    assert long.choices[0].value == text
    assert max(map(len, (long.title, long.description, long.choices[0].title))) <= 5_000
    assert field({"type": "string", "default": text}).default == ""


def test_a_required_property_that_cannot_be_entered_forbids_to_send() -> None:
    odd = {"properties": {"x": {"type": "object"}}}

    assert can_be_sent(fields_of(odd))
    assert not can_be_sent(fields_of({**odd, "required": ["x"]}))
    assert not can_be_sent(fields_of({"properties": {}, "required": ["nowhere"]}))


def test_choices_have_titles_and_descriptions() -> None:
    about = {
        "type": "string",
        "oneOf": [{"const": "a", "title": "A", "description": "first"}, {"const": "b"}],
    }

    assert field(about).choices == (FieldChoice("a", "A", "first"), FieldChoice("b", "b"))


@pytest.mark.parametrize(
    ("about", "default"),
    [
        ({"type": "string", "default": "hi"}, "hi"),
        ({"type": "string", "default": 3}, ""),
        ({"type": "integer", "default": 3.0}, "3"),
        ({"type": "number", "default": 0.5}, "0.5"),
        ({"type": "number", "default": True}, ""),
        ({"type": "boolean", "default": False}, False),
        ({"type": "boolean", "default": "no"}, None),
        ({"type": "string", "enum": ["a", "b"], "default": "b"}, "b"),
        ({"type": "string", "enum": ["a", "b"], "default": "c"}, None),
        ({"type": "array", "items": {"enum": ["a", "b"]}, "default": ["b", "z"]}, ("b",)),
    ],
)
def test_defaults_are_filled_in_where_they_fit(about: Any, default: Entry) -> None:
    assert field(about).default == default


@each(
    ("about", "entry", "value"),
    [
        ({"type": "string"}, " hi ", " hi "),
        ({"type": "integer"}, " 3 ", 3),
        ({"type": "integer", "minimum": 1, "maximum": 3}, "3", 3),
        ({"type": "number"}, "3", 3),
        ({"type": "number"}, "-2.5e-1", -0.25),
        ({"type": "boolean"}, False, False),
        ({"type": "string", "enum": ["a"]}, "a", "a"),
        ({"type": "string", "enum": ["a", ""]}, "", ""),
        ({"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 1}, ("a", "b"), ["a", "b"]),
        ({"type": "string", "format": "email"}, "a@b.example", "a@b.example"),
        ({"type": "string", "format": "uri"}, "mailto:a", "mailto:a"),
        ({"type": "string", "format": "date"}, "2024-02-29", "2024-02-29"),
        ({"type": "string", "format": "date-time"}, "2024-02-29T10:00:00Z", "2024-02-29T10:00:00Z"),
        ({"type": "string", "format": "zip"}, "anything", "anything"),
        ({"type": "string", "minLength": "3", "maxLength": None}, "a", "a"),
    ],
)
def test_what_is_entered_becomes_the_value_to_send(about: Any, entry: Entry, value: object) -> None:
    found = value_of(field(about), entry)

    assert found == value
    assert type(found) is type(value)


@each(
    ("about", "entry"),
    [
        ({"type": "integer"}, "3.0"),
        ({"type": "integer"}, "9" * 5000),
        ({"type": "integer", "minimum": 1}, "0"),
        ({"type": "number", "maximum": 1}, "1.5"),
        ({"type": "number"}, "nan"),
        ({"type": "number"}, "1e999"),
        ({"type": "number"}, "1_000"),
        ({"type": "number"}, "three"),
        ({"type": "string", "minLength": 3}, "ab"),
        ({"type": "string", "maxLength": 1}, "ab"),
        ({"type": "string", "format": "email"}, "a@b"),
        ({"type": "string", "format": "uri"}, "nothing"),
        ({"type": "string", "format": "uri"}, "http://[x"),
        ({"type": "string", "format": "date"}, "2023-02-29"),
        ({"type": "string", "format": "date-time"}, "2023-02-28"),
        ({"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 2}, ("a",)),
        ({"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 1}, ("a", "b")),
    ],
)
def test_what_breaks_a_limit_is_refused_with_words(about: Any, entry: Entry) -> None:
    with pytest.raises(InvalidEntry, match=r".+\."):
        value_of(field(about), entry)


@pytest.mark.parametrize("kind", ["string", "integer", "boolean", "array"])
def test_an_optional_field_left_empty_is_left_out_and_a_required_one_refused(kind: str) -> None:
    about: dict[str, Any] = {"type": kind, "items": {"enum": ["a"]}, "minItems": 1, "minLength": 1}
    empty: Entry = None if kind == "boolean" else () if kind == "array" else ""

    assert value_of(field(about), empty) is None
    with pytest.raises(InvalidEntry):
        value_of(field(about, required=True), empty)


def test_a_required_list_that_may_be_empty_is_sent_empty() -> None:
    assert value_of(field({"type": "array", "items": {"enum": ["a"]}}, required=True), ()) == []


@pytest.mark.parametrize(
    "title",
    [
        *("API key", "Your password", "access_token", "PIN", "Passwort", "Geheimnis", "contraseña", "clave"),
        *("mot de passe", "senha", "parola", "şifre", "hasło", "lösenord", "mật khẩu", "Ваш ПАРОЛЬ"),
        *("κωδικός", "סיסמה", "كلمة المرور", "पासवर्ड", "รหัสผ่าน", "密码", "密碼", "パスワード", "비밀번호"),
        *("ｐａｓｓｗｏｒｄ", "p\u0430ssword", "pass\u200bword"),
    ],
)
def test_a_field_that_asks_for_a_secret_is_noticed(title: str) -> None:
    assert field({"type": "string", "title": title}).asks_for_secret


@pytest.mark.parametrize("title", ["Passage", "Keyboard", "Spinning", "Имя", "名前", "Größe", "이름"])
def test_ordinary_words_are_no_secrets(title: str) -> None:
    assert not field({"type": "string", "title": title}).asks_for_secret


def test_what_cannot_be_written_asks_for_no_secret() -> None:
    assert not field({"type": "boolean", "title": "Save the password?"}).asks_for_secret
    assert field({"type": "string", "format": "password"}).asks_for_secret


@pytest.mark.parametrize(
    ("value", "title", "about"),
    [
        ("dark-blue", "Dark blue", ""),
        ("yes", "No, leave it", "sends yes"),
        ("a\u200bb", "ab", "sends a\N{REPLACEMENT CHARACTER}b"),
    ],
)
def test_a_choice_says_what_it_sends_if_its_title_does_not(value: str, title: str, about: str) -> None:
    assert FieldChoice(value, title).about == about


def test_limits_are_shown_before_they_are_broken() -> None:
    assert limits_of(field({"type": "integer", "minimum": 1, "maximum": 9})) == "a whole number, 1 to 9"
    assert limits_of(field({"type": "string", "maxLength": 1})) == "at most 1 character"
    assert limits_of(field({"type": "string"})) == ""
    assert limits_of(field({"type": "string", "format": "ipv4"})) == "ipv4", "a note, since nothing checks it"


def test_patterns_are_found_or_not() -> None:
    assert matches([("^a+$", "aaa"), ("^a+$", "b"), (r"\d", "no"), ("", "")], 20) == [
        True,
        False,
        False,
        True,
    ]


def test_a_pattern_that_is_none_cannot_be_told_and_spares_the_others() -> None:
    assert matches([("(", "x"), (r"\p{L}", "x"), ("x", "x")], 20) == [None, None, True]


@pytest.mark.slow
def test_c105_a_catastrophic_pattern_ends_in_time() -> None:
    began = time.monotonic()

    found = matches([("x", "x"), ("^(a+)+$", "a" * 60 + "b"), ("x", "x")], 2)

    assert found[1:] == [None, None]
    assert time.monotonic() - began < 30
