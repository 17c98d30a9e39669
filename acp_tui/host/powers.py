"""What well-known programs can do beyond what they are known for: run other programs, write files."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from typing import Final, NamedTuple


class Power(NamedTuple):
    """What an allow rule for a program gives away."""

    does: str
    """In the words of the rule dialog: "it can …"."""
    options: str = ""
    """A pattern of the words that make it do so; with one of these, an allow rule asks unless it names it."""


_RUNS_ALL: Final = Power("run any program")
_CODE: Final = Power(
    "run any program and write any file", r"-[a-zA-Z0-9]*[ceEprRBiS].*|--eval.*|--print.*|--exec.*"
)
_SHELL: Final = Power("run any program and write any file")
_SCRIPTS: Final = Power(
    "run whatever scripts its settings name", r"exec|x|dlx|--script-shell.*|--prefix.*|-c|--call.*"
)
_COPIES: Final = Power("write over any file")

POWERS: Final[dict[str, Power]] = {
    **dict.fromkeys(
        (
            "env",
            "xargs",
            "nohup",
            "setsid",
            "nice",
            "time",
            "timeout",
            "sudo",
            "doas",
            "watch",
            "parallel",
            "ssh",
            "exec",
            "command",
            "builtin",
            "eval",
            "busybox",
            "toybox",
            "strace",
            "script",
            "flock",
            "stdbuf",
            "npx",
            "bunx",
            "uvx",
            "docker",
            "podman",
            "kubectl",
            "entr",
            "chroot",
            "unshare",
            "systemd-run",
        ),
        _RUNS_ALL,
    ),
    **dict.fromkeys(("sh", "bash", "dash", "zsh", "ksh", "fish", "source", "."), _SHELL),
    **dict.fromkeys(
        (
            "python",
            "python3",
            "node",
            "perl",
            "ruby",
            "php",
            "lua",
            "deno",
            "bun",
            "osascript",
            "Rscript",
            "julia",
        ),
        _CODE,
    ),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bundle", "composer"), _SCRIPTS),
    **dict.fromkeys(
        ("poetry", "uv", "pipenv", "pdm", "hatch", "conda", "mise", "direnv"),
        Power("run any program", r"run|exec|x|--"),
    ),
    **dict.fromkeys(
        ("make", "gmake", "just", "ninja", "cmake", "gradle", "mvn", "rake", "ant", "task"),
        Power(
            "run whatever its files say",
            r"--eval.*|-f.*|--file.*|--makefile.*|-C.*|--directory.*|-E.*|SHELL=.*",
        ),
    ),
    **dict.fromkeys(
        ("cargo", "go", "zig", "dotnet", "swift"),
        Power("run the code that it builds", r"--config.*|-exec.*|-toolexec.*|-o|--out.*"),
    ),
    "find": Power("run programs and delete files", r"-(?:exec|execdir|ok|okdir|delete|fprint0?|fprintf|fls)"),
    **dict.fromkeys(("fd", "fdfind"), Power("run programs", r"-[a-zA-Z]*[xX].*|--exec.*")),
    **dict.fromkeys(
        ("awk", "gawk", "mawk", "nawk"),
        Power(
            "run programs and write files",
            r"(?s:.*(?:system|getline|[|>@]).*)|-[fiEl].*|--(?:file|include|exec|load|inplace).*",
        ),
    ),
    **dict.fromkeys(
        ("sed", "gsed"),
        Power(
            "run programs and write files",
            r"-[a-zA-Z]*[if].*|--in-place.*|--file.*|(?s:(?:.*[;{}\n/\d$]|)\s*[ewWrR](?:\s.*|$))|"
            r"(?s:[\d$,]*[ewWrR]\b.*)|(?s:.*s(.).*\1.*\1[gpiI\d]*[ew].*)",
        ),
    ),
    "git": Power(
        "run programs and write files",
        r"-c|--config-env.*|--exec-path.*|--output.*|-o|--ext-diff|--textconv|--exec.*|-x|--upload-pack.*|"
        r"--receive-pack.*|--open-files-in-pager.*|-O.*|bisect|filter-branch|foreach|difftool|mergetool|config|hook|"
        r"--template.*|-C|--git-dir.*|--work-tree.*|--no-index",
    ),
    **dict.fromkeys(
        ("tar", "bsdtar", "gtar"),
        Power(
            "run programs and write over files",
            r"--(?:to-command|checkpoint-action|use-compress-program|info-script|new-volume-script|rsh-command|"
            r"rmt-command|overwrite|absolute-names|directory|one-top-level|transform).*|-[a-zA-Z]*[IFCP].*|"
            r"-?[a-zA-Z]*[xcru][a-zA-Z]*|--extract|--create|--get",
        ),
    ),
    **dict.fromkeys(
        ("zip", "unzip"), Power("run programs and write files", r"-[a-zA-Z]*[TdoO].*|--unzip-command.*")
    ),
    "sort": Power(
        "run a program and write a file", r"-[a-zA-Z]*o.*|--output.*|--compress-program.*|-[a-zA-Z]*T.*"
    ),
    "uniq": Power("write its second file"),
    "tee": _COPIES,
    **dict.fromkeys(("cp", "mv", "install", "ln", "dd", "truncate"), _COPIES),
    "rsync": Power(
        "run programs and write over files", r"-[a-zA-Z]*[eM].*|--rsh.*|--rsync-path.*|--daemon|--config.*"
    ),
    **dict.fromkeys(
        ("scp", "sftp"), Power("run programs and write over files", r"-[oSDF].*|-[a-zA-Z]*[oSDF]")
    ),
    "curl": Power(
        "write files and send any file away",
        r"-[a-zA-Z]*[oOJKTFcD].*|--(?:output|remote|config|upload|form|data|cookie-jar|dump|trace|libcurl|url-query|"
        r"stderr|etag-save|hsts|alt-svc|json).*|-[a-zA-Z]*d.*",
    ),
    "wget": Power(
        "write files and run a program",
        r"--(?:use-askpass|post-file|body-file|output|config|execute|directory).*|-[a-zA-Z]*[OoPei].*",
    ),
    **dict.fromkeys(("vi", "vim", "nvim", "ex", "ed", "emacs", "nano", "view"), _SHELL),
    **dict.fromkeys(
        ("less", "more", "man"),
        Power("run programs and write a file", r"-[a-zA-Z]*[oOkP].*|--log-file.*|\+.*"),
    ),
    **dict.fromkeys(
        ("rg", "ripgrep"), Power("run programs", r"--(?:pre|hostname-bin|search-zip).*|-[a-zA-Z]*z.*")
    ),
    "ag": Power("run programs", r"--pager.*"),
    "tree": Power("write a file", r"-o.*"),
    "gdb": _SHELL,
    "sqlite3": _SHELL,
    "psql": Power("run programs and write files", r"-[a-zA-Z]*[cfo].*|--command.*|--file.*|--output.*"),
    "jq": Power("read any file", r"-[a-zA-Z]*[fL].*|--(?:from-file|rawfile|slurpfile).*"),
    "yq": Power("write files", r"-[a-zA-Z]*i.*|--inplace.*|-s.*|--split-exp.*"),
    **dict.fromkeys(
        ("pytest", "tox", "nox", "jest", "mocha"),
        Power(
            "run the code of the workspace",
            r"-p|-p.+|-c.*|--rootdir.*|--confcutdir.*|--basetemp.*|--junit.*|-o.*",
        ),
    ),
    **dict.fromkeys(
        ("pip", "pip3", "gem"),
        Power("run the code of what it installs", r"install|download|wheel|config|--.*script.*"),
    ),
}
"""By the name of a program."""


def power_of(words: Sequence[str]) -> Power | None:
    """Return what an allow rule that begins with some words gives away, if that is more than they say."""
    return POWERS.get(posixpath.basename(words[0])) if words else None


def uses(words: Sequence[str | None], named: Sequence[str]) -> bool:
    """Return whether a command uses such a power by an option that a rule does not name.

    Args:
        words: of the command.
        named: the first words of it, which the rule names.
    """
    power = power_of([word or "" for word in words[:1]])
    if power is None or not power.options:
        return False
    return any(word is not None and re.fullmatch(power.options, word) for word in words[len(named) :])
