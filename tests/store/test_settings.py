from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.store.settings import Settings, load
from acp_tui.store.toml_check import Problem


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


def complaints(file: Path, text: str) -> list[tuple[int | None, str]]:
    file.write_text(text)
    return [(problem.line, problem.message) for problem in load(file)[1]]


def test_without_a_file_all_is_default(file: Path) -> None:
    assert load(file) == (Settings(), [])


def test_every_field_can_be_set_in_the_file(file: Path) -> None:
    for name in Settings._fields:
        (complaint,) = complaints(file, f"{name} = 1979-05-27\n")  # a date is right for none
        assert "unknown" not in complaint[1]


def test_what_is_set_is_read(file: Path) -> None:
    file.write_text(
        """
theme = "nord"
layout = ["changes"]
enter_sends = false
initialize_timeout_s = 5
[keys]
"session.cancel-turn" = "ctrl+c"
"""
    )

    settings, problems = load(file)

    assert problems == []
    assert settings.theme == "nord"
    assert settings.layout == ("changes",)
    assert settings.enter_sends is False
    assert settings.initialize_timeout_s == 5.0
    assert settings.keys == {"session.cancel-turn": "ctrl+c"}


def test_an_unknown_key_is_named_with_its_line_and_its_neighbour(file: Path) -> None:
    assert complaints(file, '\n# mine\nthme = "nord"\n') == [
        (3, "unknown setting 'thme'; did you mean 'theme'?")
    ]


def test_a_bad_value_is_named_and_only_it_has_its_default(file: Path) -> None:
    file.write_text('theme = "nord"\nline_limit_mb = "big"\n')

    settings, problems = load(file)

    assert settings == Settings(theme="nord")
    assert problems == [Problem(file, 2, "'line_limit_mb' must be a whole number from 1 to 4096, not 'big'")]


@pytest.mark.parametrize(
    "text",
    [
        "ascii = 1",
        "theme = true",
        "line_limit_mb = true",
        "line_limit_mb = 0",
        "initialize_timeout_s = nan",
        'thoughts = "sometimes"',
        'layout = ["kitchen"]',
        'layout = ["terminals"]',
        'layout = "plan"',
        "keys = { a = 1 }",
        "agents = 3",
        "rules = []",
        "mcp_servers = []",
    ],
)
def test_values_of_another_kind_are_refused(file: Path, text: str) -> None:
    file.write_text(text)

    settings, problems = load(file)

    assert settings == Settings()
    assert len(problems) == 1
    assert problems[0].line == 1


def test_a_file_that_is_no_toml_is_reported_with_its_line_and_left_alone(file: Path) -> None:
    text = 'theme = "nord"\nkeys = {\n'
    file.write_text(text)

    settings, [problem] = load(file)

    assert settings == Settings()
    assert problem.line is not None
    assert problem.message.startswith("not valid TOML")
    assert file.read_text() == text


def test_a_file_that_is_no_text_is_reported(file: Path) -> None:
    file.write_bytes(b"theme = '\xff'")

    assert "UTF-8" in load(file)[1][0].message


def test_a_folder_in_the_place_of_the_file_is_reported(tmp_path: Path) -> None:
    assert "cannot be read" in load(tmp_path)[1][0].message


def test_a_byte_order_mark_is_no_mistake(file: Path) -> None:
    file.write_bytes(b'\xef\xbb\xbftheme = "nord"')

    assert load(file) == (Settings(theme="nord"), [])


def test_rules_are_sent_to_their_own_file(file: Path) -> None:
    assert complaints(file, 'ascii = true\n[[rules]]\ndecision = "allow"\n') == [
        (2, f"rules have no effect here; move them to {file.with_name('rules.toml')}")
    ]


def test_agents_of_the_user_have_their_own_tables(file: Path) -> None:
    file.write_text('[agents.mine]\ncommand = ["my-agent", "--acp"]\nenv = { A = "1" }\n')

    settings, problems = load(file)

    assert problems == []
    assert settings.agents["mine"].command == ("my-agent", "--acp")
    assert settings.agents["mine"].env == {"A": "1"}


def test_a_mistake_in_an_agent_is_found_inside_its_table(file: Path) -> None:
    text = '[agents."my agent"]\ncommand = ["x"]\nquirks = { missing_file_reads_emty = true }\n'

    [(line, message)] = complaints(file, text)

    assert line == 3
    assert "missing_file_reads_empty" in message


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mcpServers", "mcp_servers"])
def test_d36_mcp_servers_are_read_in_the_common_shape(file: Path, name: str) -> None:
    file.write_text(
        f"""
[{name}.docs]
command = "docs-server"
[{name}.old]
transport = "stdio"
command = "old"
args = ["--x"]
env = {{ A = "1" }}
[{name}.web]
url = "https://example.com/mcp"
headers = {{ Authorization = "Bearer x" }}
[{name}.events]
type = "sse"
url = "https://example.com/sse"
[{name}.broken]
args = []
"""
    )

    settings, problems = load(file)

    assert [server.transport for server in settings.mcp_servers] == ["stdio", "stdio", "http", "sse"]
    assert [problem.line for problem in problems] == [15]


@pytest.mark.parametrize(
    ("written", "means"),
    [('"always"', "always"), ('"never"', "never"), ('"auto"', "auto"), ("true", "auto"), ("false", "never")],
)
def test_when_to_call_the_user_has_three_words_and_the_two_it_once_had(
    file: Path, written: str, means: str
) -> None:
    file.write_text(f"notifications = {written}")

    settings, problems = load(file)

    assert (settings.notifications, problems) == (means, [])


@pytest.mark.parametrize(
    ("written", "size", "days"),
    [
        ('{ max_size = "500 MB", max_age = "90d" }', 500 << 20, 90),
        ('{ max_size = "1.5GiB" }', 3 << 29, 0),
        ("{ max_size = 0, max_age = 0 }", 0, 0),
        ("{}", 2 << 30, 0),
    ],
)
def test_how_much_recordings_may_take_is_a_size_and_an_age(
    file: Path, written: str, size: int, days: float
) -> None:
    file.write_text(f"journals = {written}")

    settings, problems = load(file)

    assert (settings.journals, problems) == ((size, days), [])


@pytest.mark.parametrize(
    "written", ['max_size = "much"', "max_size = true", "max_size = -5", 'max_age = "1y"']
)
def test_a_size_or_an_age_that_cannot_be_read_is_told(file: Path, written: str) -> None:
    file.write_text(f"[journals]\n{written}")

    settings, problems = load(file)

    assert settings == Settings()
    assert [problem.line for problem in problems] == [2]
