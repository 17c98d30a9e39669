"""The fence: the places that are writable, read-only or hidden inside a sandbox."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, NamedTuple

from acp_tui.sandbox.git_settings import GitSettings, files_of_user, settings_in
from acp_tui.sandbox.places import (
    COULD_BE_MADE,
    DOCKER,
    DOCKER_SOCKETS,
    MOVED,
    PROTECTED,
    SECRETS,
    SSH_AGENT,
    TEMPORARY,
)
from acp_tui.store.plain_files import open_plain, plain_bytes
from acp_tui.workspace.real_paths import followed

Access = Literal["write", "read", "hide"]
"""A rule about a place: writable, read-only or hidden."""


def upwards(path: str) -> Iterator[str]:
    """Yield an absolute path and the folders above it, the root last."""
    while path.rstrip("/"):
        yield path
        path = path[: path.rindex("/")]
    yield "/"


class NoFence(Exception):
    """The requested fence is not possible: `title` says why, `advice` what to try."""

    def __init__(self, title: str, advice: str) -> None:
        super().__init__(f"{title} {advice}")
        self.title = title
        self.advice = advice


class Wanted(NamedTuple):
    """The places of one fence, as written in the settings: absolute, or below the home with `~/`."""

    write: Sequence[str] = ()
    read: Sequence[str] = ()
    """Places that would be hidden otherwise, to be read-only."""
    hide: Sequence[str] = ()
    sockets: Sequence[str] = ()
    """Sockets of programs outside that may be used inside."""
    protect: Sequence[str] = ()
    """Additional names below a workspace that stay read-only."""


@dataclass
class Fence:
    """The rules about places; the rule of the deeper path applies."""

    rules: dict[str, Access]
    """The rules by absolute path, links followed."""
    home: str
    temp: str
    """The folder used as /tmp and /var/tmp inside."""
    empty: str
    """An empty file, shown in place of a hidden file."""
    sockets: tuple[str, ...] = ()
    """Sockets that may be used inside."""
    ours: tuple[str, ...] = ()
    """acp-tui's own folders: never opened."""
    unprotected: dict[str, str | None] = field(default_factory=dict)
    """Paths that a program outside would run but that could not be protected, with what the links lead to.

    None: it did not exist.
    """
    opened: dict[str, Access] = field(default_factory=dict)
    """The rules that the user has added for this session."""

    def access(self, path: str) -> Access:
        """Return the rule for an absolute path outside, with links followed."""
        place = self.place(path)
        return self.opened[place] if place in self.opened else self.rules.get(place, "read")

    @property
    def hides_home(self) -> bool:
        """True if the home is hidden except for places with a rule."""
        return self.rules.get(self.home) == "hide"

    def place(self, path: str) -> str:
        """Return the place whose rule applies to a path."""
        return next((each for each in upwards(path) if each in self.opened or each in self.rules), "/")

    def outside(self, path: str) -> str:
        """Translate a path inside to the path outside."""
        above = self._temporary(path)
        return self.temp + path[len(above) :] if above else path

    def inside(self, path: str) -> str:
        """Translate a path outside to the path inside."""
        if path == self.temp or path.startswith(f"{self.temp}/"):
            return TEMPORARY[0] + path[len(self.temp) :]
        return path

    def is_private(self, path: str) -> bool:
        """Return whether a path inside is in the private folder."""
        return bool(self._temporary(path))

    def _temporary(self, path: str) -> str:
        above = next((each for each in TEMPORARY if path == each or path.startswith(f"{each}/")), "")
        if not above:
            return ""
        return above if self.place(path) == "/" else ""


_GIT: Final = ".git/"
_REPOSITORY_PARTS: Final = tuple(name.removeprefix(_GIT) for name in PROTECTED if name.startswith(_GIT))
"""Parts of a repository by which git runs programs."""
_WORKTREE_PARTS: Final = ("commondir", "gitdir", "config.worktree")
"""Parts of a linked worktree's own folder that tell git where to find those."""


def fence_for(
    roots: Sequence[str],
    *,
    wanted: Wanted,
    state: Sequence[str],
    others: Sequence[str],
    ours: Sequence[str],
    folder: str,
    home: str,
    environment: Mapping[str, str],
    strict: bool = False,
    programs: Sequence[str] = (),
) -> Fence:
    """Return the fence of a session.

    Args:
        roots: the workspace, and the folders that the user has added.
        wanted: the places named by the user.
        state: the agent's own files; a missing folder is created, since it cannot be created inside.
        others: the files of other agents, including their keys.
        ours: acp-tui's own folders: journals of other sessions, settings, rules.
        folder: a private folder of the session.
        home: the user's home.
        environment: the user's environment.
        strict: hide the home except for the places named here.
        programs: places below the home with programs, which are readable if the home is hidden.

    Raises:
        NoFence: with these roots it would protect nothing.
    """
    base = followed(home)
    hidden = [*SECRETS, *others]
    hidden += [moved for name in hidden if (moved := _moved(name, environment)) != name]
    secrets = [_real(name, base) for name in (*hidden, *wanted.hide)]
    # the home has a rule of its own, so that one in /tmp exists inside, too
    rules: dict[str, Access] = {"/": "read", base: "hide" if strict else "read"}
    if strict:
        rules.update((followed(path), "read") for path in programs)
    rules.update(dict.fromkeys(secrets, "hide"))
    own = [followed(path) for path in ours]
    rules.update((path, "hide") for path in own)
    rules.update((path, "read") for name in wanted.read if not _is_below((path := _real(name, base)), own))
    for name in state:
        rules[_state(_moved(name, environment), base)] = "write"
    unprotected: dict[str, str | None] = {}
    of_user = settings_in(files_of_user(home, environment), home)
    for root in map(followed, roots):
        _need_place(root, rules, base)
        linked = repository_of(root)
        links = {path: link_of(path) for path in _kept(root, wanted.protect, linked, of_user, home)}
        rules.update(_root(root, linked, [path for path, link in links.items() if link is not None], rules))
        links.update((path, link_of(path)) for path in (f"{root}/{name}" for name in COULD_BE_MADE))
        unprotected.update((path, link) for path, link in links.items() if link != "")
    for name in wanted.write:
        path = _real(name, base)
        _need_place(path, rules, base)
        rules[path] = "write"
    fence = Fence(
        rules,
        base,
        *_create_layout(folder),
        tuple(_sockets(wanted.sockets, environment, base)),
        (*own, followed(folder)),
        unprotected,
    )
    # An agent could put a link in the place of the folder, which the next command would follow.
    if fence.access(fence.temp) == "write":
        raise NoFence(
            f"A sandbox around {fence.place(fence.temp)} would keep nothing out: its own folder is in it.",
            "Start in the folder of a project, or set TMPDIR to another folder.",
        )
    return fence


def _create_layout(folder: str) -> tuple[str, str]:
    """Create (the folder for temporary files, an empty file) in a private folder; return both."""
    real = Path(followed(folder))
    (real / "tmp").mkdir(mode=0o700, exist_ok=True)
    os.close(os.open(real / "empty", os.O_CREAT | os.O_CLOEXEC, 0o400))
    return str(real / "tmp"), str(real / "empty")


def _moved(name: str, environment: Mapping[str, str]) -> str:
    """Return where a place below the home is if a variable has moved the folder above it."""
    name = name.removeprefix("~/")
    for above, variable in MOVED.items():
        folder = environment.get(variable, "")
        if name.startswith(above) and folder.startswith("/"):
            return f"{folder}/{name.removeprefix(above)}"
    return name


def _is_below(path: str, places: Sequence[str]) -> bool:
    return any(path == place or path.startswith(f"{place}/") for place in places)


def _real(name: str, home: str) -> str:
    """Return the absolute path of a place, which may begin with `~/`."""
    path = os.path.normpath(f"{home}/{name.removeprefix('~/')}") if not name.startswith("/") else name
    return followed(path) if os.path.lexists(path) else path


def _state(name: str, home: str) -> str:
    """Return the path of an agent's own place; create it if it is a missing folder."""
    path = Path(home, name.removeprefix("~/"))
    if not path.exists() and not _is_file_name(path.name):
        path.mkdir(mode=0o700, parents=True)
    return followed(path)


def _is_file_name(name: str) -> bool:
    return "." in name.removeprefix(".")


def _need_place(path: str, rules: Mapping[str, Access], home: str) -> None:
    """Raise if a fence with this place would protect nothing.

    Raises:
        NoFence.
    """
    if home == path or home.startswith(f"{path.rstrip('/')}/"):
        raise NoFence(
            f"A sandbox around {path} would keep nothing out: it contains your home folder.",
            "Start in the folder of a project, or without the sandbox.",
        )
    for place in upwards(path):
        if rules.get(place) == "hide" and place != home:
            raise NoFence(
                f"{path} is in {place}, which the sandbox hides.",
                "Choose another folder, or add it to `read` in [sandbox] of your settings.",
            )
        if place in rules and place != "/":
            return


def _root(
    root: str, linked: LinkedRepository | None, kept: Sequence[str], rules: Mapping[str, Access]
) -> Iterator[tuple[str, Access]]:
    """Yield the rules of one root: it is writable, except for files that run later.

    `rules` has each of them as soon as it is yielded.
    """
    yield root, "write"
    for folder in linked or ():
        yield folder, "write"
    for path in map(followed, kept):
        above = next((rules[each] for each in upwards(path) if each in rules), "read")
        if above == "write" and path != root and os.path.lexists(path):
            yield path, "read"


def _kept(
    root: str, protect: Sequence[str], linked: LinkedRepository | None, of_user: GitSettings, home: str
) -> Iterator[str]:
    """Yield the paths that a program outside reads or runs, whether they exist or not."""
    yield from (f"{root}/{name}" for name in (*PROTECTED, *protect) if not name.startswith(_GIT))
    if os.path.isfile(f"{root}/.git"):  # noqa: PTH113 - text
        yield f"{root}/.git"  # it tells git where hooks and settings are
    for folder in [linked.common] if linked is not None else _repositories(root):
        with suppress(OSError):  # if we cannot, the agent cannot
            Path(folder, "hooks").mkdir()  # git runs files in it, so it must not be created inside
        own = linked.own if linked is not None else folder
        found = settings_in((f"{folder}/config", f"{own}/config.worktree"), home)
        if found.is_per_worktree:
            _make_settings(own)
        yield from (os.path.join(root, path) for path in (*found.hooks, *of_user.hooks))  # noqa: PTH118
        yield from (*found.files, *of_user.files)
        yield from (f"{folder}/{name}" for name in _REPOSITORY_PARTS)
    if linked is not None:
        yield from (f"{linked.own}/{name}" for name in _WORKTREE_PARTS)


def _repositories(root: str) -> Iterator[str]:
    """Yield the git folders in a root that git uses there: `.git`, what it leads to, or the root itself."""
    if os.path.isdir(f"{root}/.git"):  # noqa: PTH112 - text
        found = [followed(f"{root}/.git")]
    else:
        found = [each for each in (followed(Path(root, _gitdir(root))), root) if _is_repository(str(each))]
    yield from (str(each) for each in found if f"{each}/".startswith(f"{root}/"))


def link_of(path: str) -> str | None:
    """Return what a link leads to; "" for another file, None for none."""
    try:
        return os.readlink(path)  # noqa: PTH115 - text
    except OSError as error:
        return "" if error.errno == errno.EINVAL else None


def _make_settings(worktree: str) -> None:
    """Create the settings file of a worktree that git would read, so that it cannot be created inside."""
    with suppress(OSError):  # if we cannot, the agent cannot, or there is a link, which is looked at later
        os.close(open_plain(Path(worktree, "config.worktree"), os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW))


class LinkedRepository(NamedTuple):
    """The repository of a linked worktree."""

    common: str
    """The git folder shared by all its worktrees."""
    own: str
    """The git folder of this worktree."""


def repository_of(root: str) -> LinkedRepository | None:
    """Return the repository of a linked worktree, if it also names this worktree.

    The `.git` file is part of the workspace and could name any folder, and so could the files of a workspace
    that is itself in a folder `worktrees`: what they name must be a repository, or all of it were writable.
    """
    try:
        folder = Path(followed(Path(root, _gitdir(root))))
        back = Path(followed(Path(folder, _named_in(folder / "gitdir"))))
        common = Path(followed(Path(folder, _named_in(folder / "commondir"))))
    except (OSError, ValueError):
        return None
    is_agreed = back == Path(root, ".git") and folder.parent == common / "worktrees"
    return LinkedRepository(str(common), str(folder)) if is_agreed and _is_repository(str(common)) else None


def _is_repository(folder: str) -> bool:
    return os.path.isfile(f"{folder}/HEAD") and os.path.isdir(f"{folder}/objects")  # noqa: PTH112, PTH113


def _gitdir(root: str) -> str:
    """Return the path that a `.git` file names, "" without one."""
    try:
        return _named_in(f"{root}/.git").removeprefix("gitdir:").strip().partition("\0")[0]
    except OSError:
        return ""


def _named_in(file: str | Path) -> str:
    """Return the path in a file of git, which is untrusted and may be a pipe.

    Raises:
        OSError: it cannot be read.
    """
    return os.fsdecode(plain_bytes(Path(file))).strip()


def _sockets(names: Sequence[str], environment: Mapping[str, str], home: str) -> Iterator[str]:
    """Yield the paths of the sockets that the user allows."""
    for name in names:
        if name == SSH_AGENT:
            yield from filter(None, (environment.get("SSH_AUTH_SOCK"),))
        elif name == DOCKER:
            yield from DOCKER_SOCKETS
        else:
            yield _real(name, home)
