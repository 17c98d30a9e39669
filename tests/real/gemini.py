"""The Gemini CLI as its authors publish it: installed once into a cache, talking to a scripted model only."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest
from platformdirs import user_cache_path

PACKAGE: Final = "@google/gemini-cli@0.61.0"
FOLDER_VARIABLE: Final = "ACP_TUI_AGENTS"
"""Environment variable that names the folder in which agents stay installed between runs."""

_OLDEST_NODE: Final = 20
_NODE: Final = "node@22"
"""Installed beside the agent where the machine's own is too old for it."""
_SECONDS: Final = 600

_SETTINGS: Final = {
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
}


def installed() -> Path:
    """Return the folder of its programs, installing it first if it is not in the cache.

    Skips the test, saying why, if npm is missing or cannot install.
    """
    cache = Path(os.environ.get(FOLDER_VARIABLE) or user_cache_path("acp-tui") / "agents")
    folder = cache / PACKAGE.rpartition("/")[2]
    programs = folder / "node_modules" / ".bin"
    if (folder / "complete").exists():
        return programs
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(f"NO REAL AGENT WAS TESTED: npm is missing, so {PACKAGE} cannot be installed")
    folder.mkdir(parents=True, exist_ok=True)
    command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), *_packages()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, cwd=folder, check=False)
    if done.returncode != 0:
        pytest.skip(f"NO REAL AGENT WAS TESTED: npm cannot install {PACKAGE}: {done.stderr[-2000:]}")
    (folder / "complete").touch()
    return programs


def _packages() -> list[str]:
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout
    number = version.lstrip("v").partition(".")[0]
    return [PACKAGE] if number.isdigit() and int(number) >= _OLDEST_NODE else [PACKAGE, _NODE]


def environment(programs: Path, home: Path, model_url: str) -> dict[str, str]:
    """Prepare a home for it and return the environment in which it knows no model but the one at this URL."""
    settings = home / ".gemini" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps(_SETTINGS), "utf-8")
    return {
        "HOME": str(home),
        "PATH": os.pathsep.join((str(programs), os.environ["PATH"])),
        "GOOGLE_GEMINI_BASE_URL": model_url,
        "GEMINI_API_KEY": "not-a-key",
        "GEMINI_MODEL": "gemini-2.5-flash",  # named, so that it does not ask the model which one to take
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }
