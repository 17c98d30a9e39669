from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.store.agents import BadCommandLine, KnownAgent, NoSuchAgent, Quirks, known_agents, resolve
from acp_tui.store.settings import load


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with the programs of a test only."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def install(folder: Path, name: str) -> str:
    program = folder / name
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return str(program)


def test_the_built_in_agents_can_be_started_and_installed() -> None:
    known = known_agents()

    assert {"gemini", "claude", "codex", "opencode", "qwen", "copilot"} <= set(known)
    assert all(agent.command and agent.title and agent.install for agent in known.values())
    assert all(agent.name == name for name, agent in known.items())


def test_a_known_agent_brings_its_usual_arguments(programs: Path) -> None:
    program = install(programs, "gemini")

    launch = resolve("gemini", [], known_agents())

    assert launch.argv == (program, "--experimental-acp")
    assert (launch.name, launch.title) == ("gemini", "Gemini CLI")


def test_a_known_agent_takes_the_users_arguments_instead(programs: Path) -> None:
    program = install(programs, "gemini")

    assert resolve("gemini", ["--acp", "-m", "x"], known_agents()).argv == (program, "--acp", "-m", "x")


def test_a_string_is_split_as_a_shell_would_but_run_without_one(programs: Path) -> None:
    program = install(programs, "npx")

    launch = resolve("npx some-agent --flag 'two words' $HOME", ["more"], known_agents())

    assert launch.argv == (program, "some-agent", "--flag", "two words", "$HOME", "more")
    assert launch.name == "npx"


def test_a_path_with_spaces_is_a_path(programs: Path) -> None:
    program = install(programs, "my agent")

    assert resolve(program, [], {}).argv == (program,)


def test_a_relative_path_becomes_absolute(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = install(programs, "agent")
    monkeypatch.chdir(programs.parent)

    assert resolve("./bin/agent", [], {}).argv == (program,)
    assert resolve("bin/agent", [], {}).argv == (program,)


def test_the_home_folder_may_be_written_as_a_tilde(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = install(programs, "agent")
    monkeypatch.setenv("HOME", str(programs))

    assert resolve("~/agent --acp", [], {}).argv == (program, "--acp")


@pytest.mark.parametrize(
    "text",
    ["/opt/x/gemini", "npx @google/gemini-cli", "npx -y @google/gemini-cli@0.61.0 --acp", "node /x/gemini"],
)
def test_quirks_apply_however_the_agent_is_started(programs: Path, text: str) -> None:
    for name in ("npx", "node"):
        install(programs, name)
    text = text.replace("/opt/x/gemini", install(programs, "gemini"))

    assert resolve(text, [], known_agents()).quirks == Quirks(
        missing_file_reads_empty=True,
        title_is_command=True,
        unsaid=("[MODE_UPDATE] *", "[Function Call: *]"),
    )


@pytest.mark.parametrize("text", ["cat gemini", "npx other-agent", "npx @gemini/other"])
def test_quirks_of_others_do_not_apply(programs: Path, text: str) -> None:
    for name in ("npx", "cat"):
        install(programs, name)

    assert resolve(text, [], known_agents()).quirks == Quirks()


def test_an_agent_that_is_not_installed_says_how_to_get_it(programs: Path) -> None:
    with pytest.raises(NoSuchAgent) as error:
        resolve("gemini", [], known_agents())

    assert "Gemini CLI is not installed" in error.value.title
    assert "npm install -g @google/gemini-cli" in error.value.advice


@pytest.mark.parametrize("name", ["claude", "codex", "pi"])
def test_an_agent_that_lacks_only_its_adapter_is_told_so(programs: Path, name: str) -> None:
    known = known_agents()
    assert not known[name].lacks_adapter()
    install(programs, known[name].adapts)

    assert known[name].lacks_adapter()
    with pytest.raises(NoSuchAgent) as error:
        resolve(name, [], known)
    adapter = known[name].command[0]
    assert error.value.title == f"{known[name].title} is installed, but not its ACP adapter '{adapter}'"
    assert "npm install -g" in error.value.advice

    install(programs, adapter)
    assert not known[name].lacks_adapter()


def test_a_misspelt_agent_is_met_with_the_nearest_name(programs: Path) -> None:
    with pytest.raises(NoSuchAgent) as error:
        resolve("gemnii", [], known_agents())

    assert error.value.advice.startswith("Did you mean 'gemini'?")


def test_a_file_that_may_not_be_run_is_told_from_one_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "agent").write_text("")

    with pytest.raises(NoSuchAgent, match="is not a program"):
        resolve(str(tmp_path / "agent"), [], {})
    with pytest.raises(NoSuchAgent, match="does not exist"):
        resolve(str(tmp_path / "other"), [], {})


@pytest.mark.parametrize("text", ["", "   ", "npx 'open", "'' x"])
def test_a_command_line_that_names_nothing_is_refused(programs: Path, text: str) -> None:
    with pytest.raises(BadCommandLine):
        resolve(text, [], known_agents())


def test_the_users_own_agent_wins_and_inherits_what_it_leaves_out(programs: Path) -> None:
    program = install(programs, "gemini")
    own = {"gemini": KnownAgent(env={"GEMINI_API_KEY": "k"}), "mine": KnownAgent(command=("gemini", "--x"))}

    known = known_agents(own)

    assert resolve("gemini", [], known).argv == (program, "--experimental-acp")
    assert resolve("gemini", [], known).env == {"GEMINI_API_KEY": "k"}
    assert resolve("mine", [], known).argv == (program, "--x")
    assert resolve("mine", [], known).title == "mine"


def test_an_agent_of_the_users_without_a_command_says_what_is_missing() -> None:
    with pytest.raises(NoSuchAgent, match="has no command"):
        resolve("mine", [], known_agents({"mine": KnownAgent(env={"A": "1"})}))


def test_an_agent_is_looked_up_on_its_own_path(programs: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    program = install(elsewhere, "agent")
    known = known_agents({"mine": KnownAgent(command=("agent",), env={"PATH": str(elsewhere)})})

    assert resolve("mine", [], known).argv == (program,)
    assert known["mine"].installed()


@pytest.mark.parametrize(("told", "read"), [("1", 1), ("2", 2), ('"2"', 2), ('"newest"', "newest")])
def test_v1_the_version_of_the_protocol_is_a_setting_of_an_agent(
    told: str, read: object, programs: Path, tmp_path: Path
) -> None:
    install(programs, "gemini")
    file = tmp_path / "settings.toml"
    file.write_text(f"[agents.gemini]\nprotocol = {told}\n")
    settings, problems = load(file)

    assert problems == []
    assert resolve("gemini", [], known_agents(settings.agents)).protocol == read
    assert resolve("gemini", [], known_agents()).protocol == 1


@pytest.mark.parametrize("told", ["3", "true", '"latest"', "1.0"])
def test_another_version_of_the_protocol_is_a_mistake(told: str, tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(f"[agents.gemini]\nprotocol = {told}\n")
    settings, (problem,) = load(file)

    assert '1, 2 or "newest"' in problem.message
    assert settings.agents["gemini"].protocol is None


def test_the_demo_agent_has_a_name_unless_a_program_has_it(programs: Path) -> None:
    assert resolve("demo", (), {}).title == "Demo agent"

    (programs / "demo").write_text("#!/bin/sh\n")
    (programs / "demo").chmod(0o755)

    assert resolve("demo", (), {}).argv == (str(programs / "demo"),)
