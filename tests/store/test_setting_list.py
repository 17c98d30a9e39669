"""The list of settings: values, sources and what is left out of them."""

from __future__ import annotations

from pathlib import Path

from acp_tui.store.setting_list import DEFAULT, ListedSetting, Override, listed
from acp_tui.store.settings import SETTINGS, Settings

TEXT = """\
theme = "acp-light"
journals = { max_size = "500 MB" }
ascii = true

[keys]
"session.stop" = "ctrl+k"

[options.claude]
mode = "plan"

[agents.mine]
command = ["my-agent", "--acp"]
env = { TOKEN = "secret" }

[mcpServers.notes]
command = "notes-server"
args = ["--token", "secret"]
"""


def rows(file: Path, **overrides: Override) -> dict[str, ListedSetting]:
    found, _ = listed(file, Settings(), overrides)
    return {one.name: one for one in found}


def test_every_setting_has_a_row_and_every_row_a_setting() -> None:
    assert set(SETTINGS) == set(Settings._fields)
    assert all(setting.about and setting.values for setting in SETTINGS.values())


def test_each_entry_of_a_table_has_its_own_meaning() -> None:
    found = rows(Path("none.toml"))

    for name in ("journals", "sandbox"):
        entries = [one for one in found.values() if one.name.startswith(f"{name}.")]
        assert {one.name for one in entries} == {f"{name}.{part}" for part in SETTINGS[name].parts}
        assert len({one.about for one in entries}) == len(entries) > 1


def test_a_setting_that_is_in_no_file_has_its_default(tmp_path: Path) -> None:
    found = rows(tmp_path / "none.toml")

    assert {one.source for one in found.values()} == {DEFAULT}
    assert found["theme"].value == '"acp-dark"'
    assert found["enter_sends"].value == "true"
    assert found["layout"].value == '["plan", "tool-calls", "changes"]'
    assert found["journals.max_size"].value == '"2 GB"'
    assert found["journals.max_age"].value == "no limit"
    assert found["keys"].value == "none"


def test_a_setting_of_the_file_has_its_line(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(TEXT)

    found = rows(file)

    named = {one.name: (one.value, one.source, one.line) for one in found.values() if one.line is not None}
    assert named == {
        "theme": ('"acp-light"', "settings.toml:1", 1),
        "journals.max_size": ('"500 MB"', "settings.toml:2", 2),
        "journals.max_age": ("no limit", "settings.toml:2", 2),
        "ascii": ("true", "settings.toml:3", 3),
        'keys."session.stop"': ('"ctrl+k"', "settings.toml:6", 6),
        "options.claude.mode": ('"plan"', "settings.toml:9", 9),
        "agents.mine": ('["my-agent", "--acp"]', "settings.toml:11", 11),
        "mcp_servers.notes": ("stdio, notes-server", "settings.toml:15", 15),
    }
    assert {one.name for one in found.values() if one.is_pending} == {
        "ascii",
        "journals.max_size",
        "journals.max_age",
        "mcp_servers.notes",
    }
    assert "secret" not in str(found)


def test_what_was_chosen_elsewhere_goes_before_the_file(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(TEXT)

    found = rows(file, theme=Override('"nord"', "--theme"))

    assert found["theme"][1:4] == ('"nord"', "--theme", 1)


def test_a_mistake_is_told_and_the_other_settings_are_listed(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('theme = "acp-light"\nenter_sends = "no"\n')

    found, problems = listed(file, Settings(), {})

    assert [problem.line for problem in problems] == [2]
    assert next(one for one in found if one.name == "theme").value == '"acp-light"'
