"""Protected files: a change in one runs code or takes effect later, so each write is a question."""

from __future__ import annotations

import os
import posixpath
import re
import stat
import unicodedata
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Final, NamedTuple

from platformdirs import PlatformDirs

from acp_tui.formatting import expand_home
from acp_tui.rules.effort import spend
from acp_tui.session.questions import Destination
from acp_tui.workspace.real_paths import real_path, resolved

_SHELL: Final = "a shell reads it when it starts"
_GIT: Final = "git reads settings and starts programs from it"
_FOLDER: Final = "entering the folder runs it"
_EDITOR: Final = "an editor reads it when it opens the folder"
_AGENT: Final = "it tells an agent what to run and what it may do"
_BUILDER: Final = "a build server runs it after a push"
_PACKAGES: Final = "a package manager takes its settings and keys from it"
_KEYS: Final = "it holds keys and who may log in"
_START: Final = "the system starts programs from it by itself"
_PYTHON: Final = "Python runs it whenever it starts"
_PROGRAMS: Final = "programs in it are found by their name alone"
_TOOL: Final = "a program runs it when it starts"
_DEEP: Final = "it lies too deep for its folders to be searched for links"
_OURS: Final = "acp-tui keeps its settings, rules and records there"


class ProtectedPlaces(NamedTuple):
    """Protected files and folders of one kind."""

    why: str
    patterns: tuple[str, ...]
    """Parts of a path in lower case, with everything below; a leading `/` or `~/` means only that place."""


PLACES: Final = (
    ProtectedPlaces("acp-tui reads rules from it", (".acp-tui",)),
    ProtectedPlaces(
        _GIT,
        (
            *(".git", "*.git/hooks", "*.git/config", ".gitconfig", ".config/git", ".githooks", ".git-hooks"),
            *(".husky", "lefthook.y*ml", ".lefthook.y*ml", ".pre-commit-config.y*ml", ".gitmodules"),
        ),
    ),
    ProtectedPlaces(
        _SHELL,
        (
            *(".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile"),
            *(".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".mkshrc", ".shrc"),
            *(".cshrc", ".tcshrc", ".login", ".logout", ".xonshrc", ".inputrc", ".config/fish"),
            *(".config/bash", ".config/zsh", ".config/nushell", ".config/xonsh", ".config/powershell"),
            *(".oh-my-zsh", ".config/starship.toml", "/etc/profile", "/etc/profile.d", "/etc/bash.bashrc"),
            *("/etc/bashrc", "/etc/zsh", "/etc/zshrc", "/etc/zshenv", "/etc/fish", "/etc/environment"),
        ),
    ),
    ProtectedPlaces(
        _FOLDER, (".envrc", ".direnvrc", ".config/direnv", ".mise.toml", "mise.toml", ".config/mise")
    ),
    ProtectedPlaces(
        _EDITOR,
        (
            *(".vscode/tasks.json", ".vscode/settings.json", ".vscode/launch.json", "*.code-workspace"),
            *(".devcontainer", ".devcontainer.json", ".idea/runconfigurations", ".idea/workspace.xml"),
            *(".idea/watchertasks.xml", ".run", ".fleet", ".zed", ".vimrc", ".gvimrc", ".exrc", ".nvimrc"),
            *(".nvim.lua", ".vim", ".config/nvim", ".emacs", ".emacs.d", ".config/emacs", ".dir-locals.el"),
            *(".config/code", ".config/zed", ".config/helix", ".helix", ".sublime-project"),
        ),
    ),
    ProtectedPlaces(
        _AGENT,
        (
            *(".mcp.json", "mcp.json", "mcp_config.json", ".claude.json", ".claude/settings*.json"),
            *(".claude/hooks", ".claude/commands", ".claude/agents", ".claude/plugins", ".claude/skills"),
            *(".gemini/settings.json", ".gemini/extensions", ".gemini/commands", ".gemini/.env"),
            *(".codex/config.toml", ".codex/hooks.json", ".codex/rules", ".codex/auth.json", ".qwen"),
            *("opencode.json*", ".opencode", ".config/opencode", ".cursor/mcp.json", ".cursor/hooks.json"),
            *(".cursor/cli.json", ".cursor/hooks", ".continue", ".aider.conf.yml", ".config/goose"),
            *(".goose", ".kiro", ".amp", ".config/amp", ".factory", ".roo", ".windsurf", ".copilot"),
            *(".junie", ".augment", ".config/crush", ".crush.json", "crush.json", ".vibe", ".kimi"),
        ),
    ),
    ProtectedPlaces(
        _BUILDER,
        (
            *(".github/workflows", ".github/actions", ".gitea/workflows", ".forgejo/workflows"),
            *(".gitlab-ci.yml", ".circleci", ".travis.yml", "azure-pipelines.yml", ".woodpecker"),
            *(".woodpecker.y*ml", ".drone.yml", "bitbucket-pipelines.yml", "jenkinsfile", ".buildkite"),
        ),
    ),
    ProtectedPlaces(
        _PACKAGES,
        (
            *(".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", "bunfig.toml", ".pypirc", ".pip"),
            *("pip.conf", "pip.ini", "uv.toml", ".cargo/config", ".cargo/config.toml", ".gemrc"),
            *(".cargo/credentials*", ".m2/settings.xml", ".gradle/init.gradle*", ".gradle/init.d"),
            *(".bundle/config", ".condarc", ".config/pip", ".config/uv", ".config/pypoetry"),
        ),
    ),
    ProtectedPlaces(
        _KEYS,
        (
            *(".ssh", ".gnupg", ".netrc", "_netrc", ".git-credentials", ".aws", ".azure", ".kube/config"),
            *(
                ".docker/config.json",
                ".config/gcloud",
                ".config/gh",
                ".password-store",
                ".local/share/keyrings",
            ),
            *("/etc/passwd", "/etc/shadow", "/etc/group", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssh"),
            *("/etc/pam.d",),
        ),
    ),
    ProtectedPlaces(
        _START,
        (
            *(".config/autostart", ".config/systemd", ".local/share/systemd", ".local/share/applications"),
            *(".local/share/dbus-1", ".config/environment.d", ".xinitrc", ".xprofile", ".xsession*"),
            *(".xsessionrc", ".pam_environment", ".config/plasma-workspace", ".config/hypr", ".config/sway"),
            *(".config/i3", "library/launchagents", "library/launchdaemons", ".forward", ".crontab"),
            *("/var/spool/cron", "/etc/cron*", "/etc/anacrontab", "/etc/systemd", "/etc/init.d"),
            *("/etc/rc.local", "/etc/xdg", "/etc/ld.so.preload", "/etc/ld.so.conf*", "/etc/udev"),
            *("/usr/lib/systemd", "/lib/systemd", "/boot"),
        ),
    ),
    ProtectedPlaces(_PYTHON, ("sitecustomize.py", "usercustomize.py", "site-packages/*.pth", ".pythonrc*")),
    ProtectedPlaces(
        _PROGRAMS,
        (
            *(".local/bin", "~/bin", "~/go/bin", ".cargo/bin", ".bun/bin", ".deno/bin", ".npm-global"),
            *(".volta/bin", ".asdf/shims", ".pyenv/shims", ".rbenv/shims", "/bin", "/sbin", "/usr/bin"),
            *("/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin"),
        ),
    ),
    ProtectedPlaces(
        _TOOL,
        (
            *(".tmux.conf", ".config/tmux", ".screenrc", ".gdbinit", ".lldbinit", ".irbrc", ".pryrc"),
            *(".rprofile", ".psqlrc", ".sqliterc", ".wgetrc", ".curlrc", ".lesskey", ".mailcap"),
            *(".config/kitty", ".config/alacritty", ".config/wezterm", ".wezterm.lua", ".config/ghostty"),
            *(".ipython", ".jupyter", ".config/containers", ".terraformrc"),
        ),
    ),
)
"""The protected files and folders.

Files that run only when the user asks for it (a Makefile, the scripts of a package) are not protected: agents
are used to write them.
"""

_MAX_FOLDERS: Final = 100
"""Most folders of one path: each is searched for links, which blocks the loop."""
_MAX_DEPTH: Final = 4
"""Levels of a protected workspace folder that are searched for links: `.git/modules/x/hooks` has four."""
_MAX_DEPTH_AT_HOME: Final = 2
_MAX_DEPTH_OF_CONFIG: Final = 1
MAX_ENTRIES: Final = 1_000
"""Most names below one protected name that are searched for links."""
MAX_NAMES: Final = 10_000
"""Most names of one folder that are compared with the patterns."""
_WITHOUT_LINKS: Final = frozenset({"objects", "refs", "logs", "lfs", "worktrees"})
"""Large folders of `.git` from which nothing runs."""

_INVISIBLE: Final = "Cf"
"""The Unicode category of letters that some file systems ignore in names."""


class _Pattern(NamedTuple):
    parts: tuple[str, ...]
    anchor: str
    """The folder in which the pattern starts; empty: any."""
    why: str


class Protection(NamedTuple):
    """The reason why a file is protected."""

    why: str
    names: tuple[frozenset[str], ...]
    """Lower-case spellings of each part of the name: a rule that allows it has one of each."""


def why_protected(path: str, roots: Iterable[str | Path]) -> str | None:
    """Return the reason why a file is protected, for display, or None.

    Args:
        path: a path, absolute or below the first root.
        roots: the folders of the session. A root in a protected folder, such as a worktree below `.git`,
            does not make its files protected.
    """
    found = protection(path, roots)
    return found.why if found is not None else None


def protection(path: str, roots: Iterable[str | Path]) -> Protection | None:
    """Return the protection of a file by its written path, its real path or a link to it."""
    folders = [str(root) for root in roots]
    real = resolved(_absolute(path, folders)) if path.count("/") <= _MAX_FOLDERS else path
    if real.count("/") > _MAX_FOLDERS:
        return Protection(_DEEP, (frozenset(),))
    found = protection_by_name(path, folders)
    return found if found is not None else _by_link(real, [*map(resolved, folders)])


def protection_by_name(path: str, roots: Sequence[str]) -> Protection | None:
    """Return the protection of a file by its written path or its real path."""
    if path.count("/") > _MAX_FOLDERS:
        return Protection(_DEEP, (frozenset(),))
    spend(30 + 8 * path.count("/") + (0 if path.isascii() else 6 * len(path)))
    written = _absolute(path, roots)
    real = resolved(written)
    return (
        _ours(real)
        or _by_name(posixpath.normpath(written), roots)
        or _by_name(real, [resolved(root) for root in roots])
    )


def protections_named(path: str, roots: Sequence[str]) -> list[Protection]:
    """Return the protection of a path by its name, or as a folder of protected files, such as `.github`."""
    found = protection_by_name(path, roots)
    if found is not None:
        return [found]
    place = posixpath.normpath(path)
    holds = posixpath.basename(place).startswith(".") or place == "/etc"
    return list(protections_below(place)) if holds else []


def protections_below(folder: str) -> Iterator[Protection]:
    """Yield the protections of places in a folder of this name."""
    parts = [_folded(part) for part in posixpath.normpath(folder).split("/") if part]
    for pattern in _patterns(_home()):
        for size in range(not pattern.anchor, len(pattern.parts)):
            start = len(parts) - size
            if start < 0 or (pattern.anchor and "/" + "/".join(parts[:start]) != _folded(pattern.anchor)):
                continue
            if all(map(fnmatchcase, parts[start:], pattern.parts[:size])):
                yield Protection(pattern.why, tuple(frozenset({part}) for part in pattern.parts))


def _absolute(path: str, roots: Sequence[str]) -> str:
    written = expand_home(path)
    return written if written.startswith("/") else posixpath.join(roots[0] if roots else "/", written)


def _by_name(path: str, roots: Sequence[str]) -> Protection | None:
    parts, home = [_folded(part) for part in path.split("/") if part], _home()
    inside = [root for root in roots if f"{path}/".startswith(f"{root.rstrip('/')}/")]
    free = max((len([part for part in root.split("/") if part]) for root in inside), default=0)
    for start, part in enumerate(parts):
        for pattern in (*_by_first_part(home).get(part, ()), *_with_wild_start(home)):
            end = start + len(pattern.parts)
            if end <= free or (pattern.anchor and "/" + "/".join(parts[:start]) != _folded(pattern.anchor)):
                continue
            if end <= len(parts) and all(map(fnmatchcase, parts[start:end], pattern.parts)):
                spellings = zip(pattern.parts, parts[start:end], strict=True)
                return Protection(pattern.why, tuple(map(frozenset, spellings)))
    return None


def _by_link(real: str, roots: Sequence[str]) -> Protection | None:
    """Return the protection of a file that a protected name links to, symbolically or hard.

    These names are searched in the roots, the folders between a root and the file, the user's home, and
    acp-tui's own folders. A link in the last two to a whole root protects nothing in that root.
    """
    try:
        state = os.stat(real)  # noqa: PTH116 - text, and a hundred of them
    except (OSError, ValueError):
        state = None
    home = _home()
    around = [root for root in roots if _is_in(real, root)]
    names = (
        *(_leading(folder, real, state, _MAX_DEPTH) for folder in _folders_above(real, roots)),
        _leading(home, real, state, _MAX_DEPTH_AT_HOME, around),
    )
    found = next(filter(None, (_by_name(name, roots) for name in chain.from_iterable(names))), None)
    config, *others = own_folders()
    depths = {config: _MAX_DEPTH_OF_CONFIG, **dict.fromkeys(others, 0)}
    own = (_leading(folder, real, state, deepest, around, is_ours=True) for folder, deepest in depths.items())
    return found or next(filter(None, map(_ours, chain.from_iterable(own))), None)


def _folders_above(path: str, roots: Sequence[str]) -> tuple[str, ...]:
    """Return the roots, and the folders between a root and the path."""
    found = dict.fromkeys(roots)
    for root in roots:
        folder = posixpath.dirname(path)
        while folder != root and _is_in(folder, root):
            found[folder] = None
            folder = posixpath.dirname(folder)
    return tuple(found)


# A write to `notes` changes `.git/hooks/pre-commit` if one is a link to the other. Following the links of
# `notes` is not enough: the link may be the protected name itself. So every protected name in the roots, the
# folders above the file and the home is examined, within bounds for depth and number; hard links are found
# by device and inode.
def _leading(
    folder: str,
    real: str,
    state: os.stat_result | None,
    deepest: int,
    around: Sequence[str] = (),
    *,
    is_ours: bool = False,
) -> Iterator[str]:
    """Yield the protected names in a folder that link to a file.

    Args:
        folder: the folder to search.
        real: the file, links followed.
        state: the status of the file; None: it does not exist yet.
        deepest: levels to search in a protected folder.
        around: folders of the file; a link to one of them or above does not count.
        is_ours: every name in the folder is protected.
    """
    is_linked = state is not None and state.st_nlink > 1 and not stat.S_ISDIR(state.st_mode)
    seen = set[str]()
    waiting: deque[tuple[str, _NamePatterns | None, int, Iterator[int]]] = deque()
    waiting.append((folder, None if is_ours else _places_in(folder, _home()), 0, iter(())))
    while waiting:
        spend(20)
        where, places, depth, left = waiting.popleft()
        for name, below in _names_in(where, places):
            if where != folder and next(left, None) is None:
                break
            path = posixpath.join(where, name)
            try:
                found = os.lstat(path)
                if stat.S_ISLNK(found.st_mode):
                    target = resolved(path)
                    if any(_is_in(one, target) for one in around):
                        continue
                    if _is_in(real, target):
                        yield path + real[len(target.rstrip("/")) :]
                    if below is None and target in seen:
                        continue
                    seen.update([target] if below is None else ())
                    found = os.stat(path)  # noqa: PTH116
            except (OSError, ValueError):
                continue
            if (
                is_linked
                and state is not None
                and (found.st_dev, found.st_ino) == (state.st_dev, state.st_ino)
            ):
                yield path
            inside = depth + 1 if below is None else 0
            if inside <= deepest and stat.S_ISDIR(found.st_mode) and name not in _WITHOUT_LINKS:
                left_below = iter(range(MAX_ENTRIES)) if where == folder else left
                waiting.append((path, below, inside, left_below))


def _names_in(folder: str, places: _NamePatterns | None) -> Iterator[tuple[str, _NamePatterns | None]]:
    """Yield the names in a folder that patterns match, each with its remaining patterns."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in islice(entries, MAX_NAMES)]
    except (OSError, ValueError):
        return
    if places is None:
        yield from ((name, None) for name in names)
        return
    if len(names) == MAX_NAMES:  # too many to search: names without wildcards count
        names = [*dict.fromkeys((*places.spelled, *names))]
    for name in names:
        found = places.named(_folded(name))
        if found:
            is_whole = any(not rest for rest in found)
            yield name, None if is_whole else _NamePatterns(found)


class _NamePatterns:
    """The patterns of names in a folder, each with its remaining parts."""

    def __init__(self, patterns: Iterable[tuple[str, ...]]) -> None:
        self.spelled: dict[str, list[tuple[str, ...]]] = {}
        self._wild: list[tuple[str, ...]] = []
        for first, *rest in patterns:
            if set("*?[") & set(first):
                self._wild.append((first, *rest))
            else:
                self.spelled.setdefault(first, []).append(tuple(rest))

    def named(self, name: str) -> list[tuple[str, ...]]:
        """Return the remaining parts of the patterns that match a name."""
        wild = [tuple(rest) for first, *rest in self._wild if fnmatchcase(name, first)]
        return [*self.spelled.get(name, ()), *wild]


@lru_cache(maxsize=64)
def _places_in(folder: str, home: str) -> _NamePatterns:
    here = ("", _folded(folder))
    return _NamePatterns(one.parts for one in _patterns(home) if _folded(one.anchor) in here)


def _is_in(path: str, folder: str) -> bool:
    return f"{path}/".startswith(f"{folder.rstrip('/')}/")


def _ours(real: str) -> Protection | None:
    parts = [_folded(part) for part in real.split("/") if part]
    for folder in own_folders():
        ours = [_folded(part) for part in folder.split("/") if part]
        if parts[: len(ours)] == ours:
            return Protection(_OURS, (frozenset({_folded(posixpath.basename(folder))}),))
    return None


def own_folders() -> tuple[str, ...]:
    """Return the real folders of acp-tui's own settings, records and state."""
    names = ("ACP_TUI_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "HOME")
    return _own_folders(tuple(os.environ.get(name, "") for name in names))


@lru_cache(maxsize=8)
def _own_folders(environment: tuple[str, ...]) -> tuple[str, ...]:
    if environment[0]:
        home = os.path.abspath(environment[0])  # noqa: PTH100
        return tuple(resolved(posixpath.join(home, kind)) for kind in ("config", "data", "state"))

    places = PlatformDirs("acp-tui", appauthor=False)
    found = (places.user_config_dir, places.user_data_dir, places.user_state_dir, places.user_cache_dir)
    return tuple(dict.fromkeys(map(resolved, found)))


def _folded(text: str) -> str:
    """Return a name as the most lenient file system compares it."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        text = "".join(letter for letter in text if unicodedata.category(letter) != _INVISIBLE)
    return re.sub(r"[. ]+$", "", text).casefold() or text


def _home() -> str:
    return expand_home("~")


@lru_cache(maxsize=1)
def _patterns(home: str) -> tuple[_Pattern, ...]:
    found = []
    for place in PLACES:
        for text in place.patterns:
            *folder, name = [part for part in text.split("/") if part]
            if text.startswith("~/"):
                found.append(_Pattern((*folder[1:], name), home, place.why))
            else:
                found.append(_Pattern((*folder, name), "/" if text.startswith("/") else "", place.why))
    return tuple(found)


@lru_cache(maxsize=1)
def _by_first_part(home: str) -> dict[str, list[_Pattern]]:
    found: dict[str, list[_Pattern]] = {}
    for pattern in _patterns(home):
        if not set("*?[") & set(pattern.parts[0]):
            found.setdefault(pattern.parts[0], []).append(pattern)
    return found


@lru_cache(maxsize=1)
def _with_wild_start(home: str) -> tuple[_Pattern, ...]:
    return tuple(pattern for pattern in _patterns(home) if set("*?[") & set(pattern.parts[0]))


def destination(path: str, cwd: str) -> Destination:
    """Return the file behind a path in a session's folder, with links followed."""
    written = posixpath.join(cwd, expand_home(path))
    try:
        real, base = real_path(written), real_path(cwd)
        why = why_protected(written, (cwd,)) or ""
    except (OSError, ValueError):  # no valid path on this machine
        return Destination()
    plain = posixpath.normpath(written)
    prefix, real_prefix = f"{cwd.rstrip('/')}/", f"{base.rstrip('/')}/"
    if plain.startswith(prefix):  # a link to the workspace itself is not worth showing
        plain = real_prefix + plain.removeprefix(prefix)
    leads = real != plain and not (real == base and plain in (cwd, base))
    names, linked = _names(real)
    return Destination(real.removeprefix(real_prefix) if leads else "", why, names, real, linked)


def _names(real: str) -> tuple[int, tuple[int, int] | None]:
    """Return the number of a file's hard links, and its device and inode if there are several."""
    try:
        state = os.stat(real)  # noqa: PTH116 - text, and a hundred of them
    except (OSError, ValueError):
        return 1, None
    names = state.st_nlink if stat.S_ISREG(state.st_mode) else 1
    return names, (state.st_dev, state.st_ino) if names > 1 else None
