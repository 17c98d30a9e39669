"""Real agents as their authors publish them: installed once into a cache, with a scripted model only."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from platformdirs import user_cache_path

from acp_tui.store.agents import ProtocolChoice
from tests.real.dialects.answer import Use

FOLDER_VARIABLE: Final = "ACP_TUI_AGENTS"
"""Environment variable that names the folder in which agents stay installed between runs."""

_OLDEST_NODE: Final = 20
_NODE: Final = "node@22"
"""Installed beside an agent where the machine's own is too old for it."""
_SECONDS: Final = 600


class NotInstalled(Exception):
    """An agent cannot be had on this machine; the text says why."""


@dataclass(frozen=True)
class RealAgent:
    """One table of agents.toml, which says what the fields mean."""

    name: str
    command: list[str]
    tools: dict[str, dict[str, Any]]
    own: list[str] = field(default_factory=list)
    own_files: dict[str, str] = field(default_factory=dict)
    packages: list[str] = field(default_factory=list)
    python: list[str] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    setup: list[list[str]] = field(default_factory=list)
    mode: str | None = None
    unasked: list[str] = field(default_factory=list)
    reads: bool = False
    later_minute: bool = False
    cannot: dict[str, str] = field(default_factory=dict)
    protocol: ProtocolChoice = 1
    """The version of the protocol that acp-tui asks it for."""

    @property
    def version(self) -> str:
        """The version of the package that speaks ACP."""
        return (self.packages or self.python)[0].rpartition("@" if self.packages else "==")[2]

    def install(self) -> Path:
        """Return the folder of its programs, installing it first if it is not in the cache.

        Raises:
            NotInstalled: that is not possible.
        """
        package = (self.packages or self.python)[0]
        folder = cache() / package.rpartition("/")[2]
        programs = folder / ("node_modules/.bin" if self.packages else "bin")
        if not (folder / "complete").exists():
            folder.mkdir(parents=True, exist_ok=True)
            for command in _npm(folder, self.packages) if self.packages else _pip(folder, self.python):
                _run_installer(command, package)
            (folder / "complete").touch()
        return programs

    def prepare(self, programs: Path, home: Path, model_url: str, *, own: bool = False) -> dict[str, str]:
        """Lay out a home for it; return an environment in which it knows no model but the one at this URL.

        `own`: for its own program.
        """
        values = {"url": model_url, "home": str(home), "workspace": str(home.parent / "workspace")}
        for path, text in {**self.files, **(self.own_files if own else {})}.items():
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            (home / path).write_text(_filled(text, values), "utf-8")
        if self.protocol != 1:
            settings = home / ".config/acp-tui/settings.toml"
            settings.parent.mkdir(parents=True)
            settings.write_text(f"[agents.{self.name}]\nprotocol = {json.dumps(self.protocol)}\n", "utf-8")
        path = os.pathsep.join((str(programs), os.environ["PATH"]))
        env = {"HOME": str(home), "PATH": path, **_filled(self.env, values)}
        for command in _filled(self.setup, values):
            subprocess.run(command, env=env, cwd=home, check=True, capture_output=True, timeout=60)
        return env

    def use(self, what: str, **values: object) -> Use:
        """Return the wish of its model to `read`, `edit` or `run` something, or to start a `subagent`."""
        arguments = _filled(self.tools[what], {name: str(value) for name, value in values.items()})
        return Use(arguments.pop("tool"), arguments)


def known() -> dict[str, RealAgent]:
    """Return all agents of agents.toml, by name."""
    tables = tomllib.loads(Path(__file__).with_name("agents.toml").read_text("utf-8"))
    return {name: RealAgent(name, **table) for name, table in tables.items()}


def cache() -> Path:
    """Return the folder in which agents stay installed."""
    return Path(os.environ.get(FOLDER_VARIABLE) or user_cache_path("acp-tui") / "agents")


def _npm(folder: Path, packages: list[str]) -> list[list[str]]:
    npm = shutil.which("npm")
    if npm is None:
        raise NotInstalled("npm is missing")
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout
    number = version.lstrip("v").partition(".")[0]
    is_new = number.isdigit() and int(number) >= _OLDEST_NODE
    wanted = packages if is_new or _NODE in packages else [*packages, _NODE]
    return [[npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), *wanted]]


def _pip(folder: Path, packages: list[str]) -> list[list[str]]:
    python = str(folder / "bin" / "python")
    return [[sys.executable, "-m", "venv", str(folder)], [python, "-m", "pip", "install", "-q", *packages]]


def _run_installer(command: list[str], package: str) -> None:
    try:
        subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=True)
    except subprocess.CalledProcessError as error:
        raise NotInstalled(f"{package} cannot be installed: {error.stderr[-2000:]}") from error
    except subprocess.TimeoutExpired as error:
        raise NotInstalled(f"{package} was not installed in {_SECONDS} s") from error


def _filled(value: Any, values: dict[str, str]) -> Any:
    """Return a value with `{name}` replaced by its value in all its texts."""
    match value:
        case str():
            for name, text in values.items():
                value = value.replace(f"{{{name}}}", text)
            return value
        case list():
            return [_filled(item, values) for item in value]
        case dict():
            return {key: _filled(item, values) for key, item in value.items()}
        case _:
            return value
