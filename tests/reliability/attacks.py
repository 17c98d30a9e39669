"""Tries to get out of the sandbox: what it promises to keep out stays out."""

# ruff: noqa: E501 - an attempt is a line

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from unittest.mock import patch

from acp_tui.sandbox.fence import Wanted
from acp_tui.sandbox.landlock import SCOPES_SINCE, version
from acp_tui.sandbox.machine import Means, try_fences
from acp_tui.sandbox.sandbox import Network, Sandbox
from acp_tui.workspace.guard import Guard
from acp_tui.workspace.terminals import Terminals
from tests.reliability.row import Result, Row

_KEY: Final = "the-key-of-the-user"
_WON: Final = "won-4711"
"""Printed by an attempt that got a right it should not have, where there is nothing else to see."""
_BEGUN: Final = "begun-4711"
"""Printed by each attempt first: one that does not begin shows nothing."""
_AUTHOR: Final = ("-c", "user.name=U", "-c", "user.email=u@example.org")
_PYTHON: Final = (
    "import ctypes, os, socket, struct, sys\ne = os.environ\nlibc = ctypes.CDLL(None, use_errno=True)\n"
    f"print('{_BEGUN}', flush=True)\n"
)


@dataclass(frozen=True)
class Attack:
    """One try."""

    name: str
    script: str
    """For `sh`, or for Python if it begins with `#py`."""
    remains: frozenset[str] = frozenset()
    """Fences in which it succeeds, as the documentation says: their kinds, or `network`."""


def _sh(name: str, script: str, *remains: str) -> Attack:
    return Attack(name, script, frozenset(remains))


def _py(name: str, script: str, *remains: str) -> Attack:
    return Attack(name, f"#py{script}", frozenset(remains))


_BOTH: Final = ("bubblewrap", "landlock")
ATTACKS: Final = (
    # reading a key
    _sh("read it by its path", "cat $K"),
    _sh("read it by a link", "ln -s $K l; cat l"),
    _sh("read it by a hard link", "ln $K h; cat h"),
    _sh("rename its folder", "mv $HOME/.ssh ssh; cat ssh/id"),
    _sh("the root of the first process", "cat /proc/1/root$K"),
    _sh("the root of a process outside", "cat /proc/$VICTIM/root$K"),
    _sh("the folder of a process outside", "cat /proc/$VICTIM/cwd/id"),
    _sh("the environment of a process outside", "tr '\\0' '\\n' < /proc/$VICTIM/environ", "landlock as root"),
    _sh("a file open outside", "cat /proc/$VICTIM/fd/0"),
    _py("the memory of a process outside", "open(f'/proc/{e[\"VICTIM\"]}/mem', 'rb').close(); print(e['WON'])"),
    _py("ptrace", "libc.ptrace(16, int(e['VICTIM']), 0, 0) == 0 and print(e['WON'])"),
    _py("a descriptor by pidfd", "p = os.pidfd_open(int(e['VICTIM'])); print(os.read(libc.syscall(438, p, 0, 0), 99))"),
    _py("a file handle", "h = ctypes.create_string_buffer(struct.pack('I', 128), 136); m = ctypes.c_int();\n"
        "libc.name_to_handle_at(-100, e['K'].encode(), h, ctypes.byref(m), 0);\n"
        "print(os.read(libc.open_by_handle_at(os.open('.', 0), h, 0), 99))"),
    _py("openat2", "how = struct.pack('QQQ', 0, 0, 0); fd = libc.syscall(437, -100, e['K'].encode(), how, 24);\n"
        "print(os.read(fd, 99))"),
    _py("a folder that we were started with", "for n in range(3, 400):\n try:\n"
        "  print(os.read(os.open('id', 0, dir_fd=n), 99))\n except OSError: pass"),
    _py("io of a process outside", "b = ctypes.create_string_buffer(8); v = struct.pack('NN', ctypes.addressof(b), 8);\n"
        "libc.process_vm_readv(int(e['VICTIM']), v, 1, v, 1, 0) > 0 and print(e['WON'])"),
    _sh("shared memory", "cat /dev/shm/$SHM"),
    _sh("what another agent keeps", "cat $HOME/.other-agent/token"),
    _sh("records of other sessions", "cat $OURS/journals/one"),
    _sh("a way to the ssh agent", 'test -n "$SSH_AUTH_SOCK" && echo $WON'),
    # taking the fence down
    _sh("unmount what hides it", "umount $HOME/.ssh || umount -l $HOME/.ssh; cat $K"),
    _sh("unmount it in a namespace of its own", "unshare -Urm sh -c 'umount -l $HOME/.ssh; cat $K'"),
    _sh("mount the root elsewhere", "mkdir m; mount --bind / m; cat m$K"),
    _sh("mount the root elsewhere in a namespace", "mkdir n; unshare -Urm sh -c 'mount --rbind / n; umount -l n$HOME/.ssh; cat n$K'"),
    _sh("mount it again for writing", "mount -o remount,rw,bind /; echo x >> $HOME/.bashrc"),
    _sh("the same in a namespace", "unshare -Urm sh -c 'mount -o remount,rw,bind /; echo x >> $HOME/.bashrc'"),
    _sh("move a mount away", "mkdir v; unshare -Urm sh -c 'mount --move $HOME/.ssh v; cat $K'"),
    _sh("a sandbox in the sandbox", "bwrap --bind / / --proc /proc cat $K; bwrap --bind / / sh -c 'echo x >> $HOME/.bashrc'"),
    _sh("the namespaces of a process outside", "nsenter -t $VICTIM -m cat $K; nsenter -t $VICTIM -U -m cat $K"),
    _sh("change the root", "chroot /proc/1/root cat $K"),
    _sh("a device", "mknod d b 254 0 && head -c 1 d > /dev/null && echo $WON"),
    _sh("another user", "sudo -n cat $K; su -c 'cat $K' < /dev/null"),
    _py("a program that the kernel starts", "t = open('/proc/sys/kernel/core_pattern').read();\n"
        "open('/proc/sys/kernel/core_pattern', 'w').write(t); print(e['WON'])"),
    # changing what is outside
    _sh("a file of the shell", "echo x >> $HOME/.bashrc"),
    _sh("a new file of the shell", "echo x > $HOME/.bash_login"),
    _sh("a unit of the system", "mkdir -p $HOME/.config/systemd/user; echo x > $HOME/.config/systemd/user/x.service"),
    _sh("a clock of the system", "echo '* * * * * id' | crontab -; echo x > /etc/cron.d/acp-tui-attack && echo $WON"),
    _sh("another project", "echo x >> $HOME/other/file"),
    _sh("remove another project", "rm -rf $HOME/other"),
    _sh("rename another project", "mv $HOME/other $HOME/elsewhere"),
    _sh("rename the workspace", "cd ..; mv work w; mkdir work"),
    _sh("rights and times outside", "chmod 600 $HOME/other/file; touch -d 2001-01-01 $HOME/other/file", "landlock"),
    _sh("our settings", "echo x >> $OURS/settings.toml"),
    _sh("trusted rules", "echo x >> .acp-tui/rules.toml", "landlock"),
    # what runs later
    _sh("a hook", "echo id > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit", "landlock"),
    _sh("a setting of git", "git config core.fsmonitor id; echo x >> .git/config", "landlock"),
    _sh("another .git in its place", "mv .git g && mkdir -p .git/hooks && echo id > .git/hooks/pre-commit", "landlock"),
    _sh("other hooks in their place", "mv .git/hooks h && mkdir .git/hooks && echo id > .git/hooks/pre-commit", "landlock"),
    _sh("settings of a worktree", "git config --worktree core.fsmonitor id; echo x > .git/config.worktree", "landlock"),
    _sh("hooks elsewhere for git", "mkdir -p o/hooks; cp .git/config o; echo \"$PWD/o\" > .git/commondir", *_BOTH),
    _sh("hooks elsewhere for a linked worktree", "mkdir -p o/hooks; cp .git/config o; echo \"$PWD/o\" > $REPOSITORY/.git/worktrees/tree/commondir", "landlock"),
    _sh("another repository for a linked worktree", "cp -r .git $TREE/g; mv $TREE/.git $TREE/h; echo gitdir: $TREE/g > $TREE/.git; rm -rf $TREE/g", "landlock"),
    _sh("a hook of a linked worktree", "echo id > $REPOSITORY/.git/hooks/pre-commit", "landlock"),
    _sh("settings of another linked worktree", "echo x > $REPOSITORY/.git/worktrees/second/config.worktree", "landlock"),
    _sh("hooks in a folder that the settings name", "echo id > .githooks/pre-commit; mv .githooks g; mkdir .githooks", "landlock"),
    _sh("hooks of a repository behind a link", "cd $LINKED; echo id > g/hooks/pre-commit; echo x >> g/config; mv g h", "landlock"),
    _sh("what a link for an editor leads to", "cd $LINKED; echo id > settings/tasks.json; mv settings s", "landlock"),
    _sh("what direnv runs", "echo id >> .envrc; mv .envrc e; echo id > .envrc", "landlock"),
    _sh("what an editor runs", "echo id > .vscode/tasks.json; mv .vscode v; mkdir .vscode; echo id > .vscode/tasks.json", "landlock"),
    _sh("a Makefile", "echo id > Makefile", *_BOTH),
    _sh("a repository in the workspace", "git init -q sub; echo id > sub/.git/hooks/pre-commit", *_BOTH),
    # who is outside
    _sh("a signal", "kill -9 $VICTIM"),
    _py("a service by its socket", "s = socket.socket(socket.AF_UNIX); s.connect(e['SERVICE']); s.send(b'run')", "landlock"),
    _py("a service by a socket in the home", "s = socket.socket(socket.AF_UNIX); s.connect(e['AT_HOME']); s.send(b'run')", "landlock"),
    _py("a service by a socket without a path", "s = socket.socket(socket.AF_UNIX); s.connect('\\0' + e['ABSTRACT']); s.send(b'run')", "old Landlock"),
    _py("a service by TCP", "s = socket.create_connection(('127.0.0.1', int(e['TCP']))); s.send(b'run')", "network"),
    _py("a service by UDP", "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b'run', ('127.0.0.1', int(e['UDP'])))",
        "network", "landlock"),
    _py("the user's terminal", "os.write(os.open(e['USER_TERMINAL'], 1 | 256), b'run')", "landlock"),
    _py("outlive the session", "import resource, signal\nif os.fork() == 0:\n os.setsid()\n if os.fork() == 0:\n"
        "  resource.setrlimit(resource.RLIMIT_RTTIME, (10**9, resource.getrlimit(resource.RLIMIT_RTTIME)[1]))\n"
        "  [os.close(n) for n in range(3)]\n  os.execve('/bin/sleep', ['sleep', e['STAMP']], {})\n"
        " os._exit(0)\nos.wait()", "landlock", "no ids of its own"),
)  # fmt: skip
"""All attempts, each run as a command of the agent."""


class _Victim:
    """A machine of a user with a key, services, and a workspace."""

    def __init__(self, base: Path) -> None:
        self.home, self.ours = base / "home", base / "home" / "ours"
        self.work = self.home / "work"
        self.heard: list[str] = []
        self._servers: list[socket.socket] = []
        self._base = base
        for path, text in self._files().items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        subprocess.run(["git", "init", "-q", str(self.work)], check=True, env=_without_settings())
        (self.work / ".git" / "hooks").mkdir(exist_ok=True)
        self._make_forged()
        self._make_links()
        self.repository, self.tree = self.home / "repository", self.home / "tree"
        self._make_linked_worktrees()
        self._key = os.open(self.home / ".ssh" / "id", os.O_RDONLY)
        self.process = self._process()
        self.folder = os.open(self.home / ".ssh", os.O_RDONLY | os.O_DIRECTORY)
        os.set_inheritable(self.folder, True)
        self.ours_of_terminal, self._terminal = os.openpty()
        os.set_blocking(self.ours_of_terminal, False)
        self.shm = Path("/dev/shm", f"acp-tui-attack-{os.getpid()}")
        with suppress(OSError):
            self.shm.write_text(_KEY)
        self._listen()

    def _make_forged(self) -> None:
        """Make a workspace that says that the home is its repository."""
        self.forged = self.home / "worktrees" / "forged"
        self.forged.mkdir(parents=True)
        for name, text in ((".git", "gitdir: ."), ("gitdir", ".git"), ("commondir", "../..")):
            (self.forged / name).write_text(text)

    def _make_links(self) -> None:
        """Make a workspace with links in place of what stays read-only."""
        self.linked = self.home / "linked"
        (self.linked / "settings").mkdir(parents=True)
        (self.linked / ".vscode").symlink_to("settings")
        subprocess.run(["git", "init", "-q", str(self.linked)], check=True, env=_without_settings())
        (self.linked / ".git").rename(self.linked / "g")
        (self.linked / ".git").symlink_to(self.linked / "g")
        (self.linked / "g" / "hooks").mkdir(exist_ok=True)
        (self.work / ".githooks").mkdir()
        settings = ["git", "-C", str(self.work), "config", "core.hooksPath", ".githooks"]
        subprocess.run(settings, check=True, env=_without_settings())

    def _make_linked_worktrees(self) -> None:
        commands = (
            ("-C", str(self.work), "config", "extensions.worktreeConfig", "true"),
            ("init", "-q", str(self.repository)),
            ("-C", str(self.repository), *_AUTHOR, "commit", "-qm", "One", "--allow-empty"),
            ("-C", str(self.repository), "config", "extensions.worktreeConfig", "true"),
            ("-C", str(self.repository), "worktree", "add", "-q", str(self.tree)),
            ("-C", str(self.repository), "worktree", "add", "-q", str(self.home / "second")),
        )
        for words in commands:
            subprocess.run(["git", *words], check=True, env=_without_settings(), stderr=subprocess.DEVNULL)
        (self.repository / ".git" / "worktrees" / "tree" / "config.worktree").touch()
        (self.repository / ".git" / "hooks").mkdir(exist_ok=True)

    def _files(self) -> dict[Path, str]:
        return {
            self.home / ".ssh" / "id": _KEY,
            self.home / ".bashrc": "# mine\n",
            self.home / ".other-agent" / "token": _KEY,
            self.home / "other" / "file": "mine\n",
            self.ours / "settings.toml": "# mine\n",
            self.ours / "journals" / "one": _KEY,
            self.work / ".envrc": "# mine\n",
            self.work / ".vscode" / "tasks.json": "{}\n",
            self.work / ".acp-tui" / "rules.toml": "# mine\n",
            self.work / "README": "hello\n",
        }

    def _process(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            ["sleep", "600"],
            cwd=self.home / ".ssh",
            env={"SECRET": _KEY, "PATH": os.environ["PATH"]},
            stdin=self._key,
        )

    def _listen(self) -> None:
        by_path, abstract = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
        at_home = socket.socket(socket.AF_UNIX)
        tcp, udp = socket.socket(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.service = str(self._base / "service")
        self.abstract = f"acp-tui-attack-{os.getpid()}"
        self.at_home = str(self.home / "other" / "service")
        by_path.bind(self.service)
        at_home.bind(self.at_home)
        abstract.bind(f"\0{self.abstract}")
        tcp.bind(("127.0.0.1", 0))
        udp.bind(("127.0.0.1", 0))
        self.tcp, self.udp = tcp.getsockname()[1], udp.getsockname()[1]
        for name, server in (("path", by_path), ("home", at_home), ("abstract", abstract), ("tcp", tcp)):
            server.listen()
            threading.Thread(target=self._hear, args=(name, server), daemon=True).start()
        threading.Thread(target=self._hear_datagrams, args=(udp,), daemon=True).start()
        self._servers = [by_path, at_home, abstract, tcp, udp]

    def _hear(self, name: str, server: socket.socket) -> None:
        with suppress(OSError):
            while True:
                talk, _ = server.accept()
                self.heard.append(name)
                talk.close()

    def _hear_datagrams(self, server: socket.socket) -> None:
        with suppress(OSError):
            while True:
                server.recvfrom(99)
                self.heard.append("udp")

    def environment(self, stamp: str) -> dict[str, str]:
        """Return what an attempt is told."""
        return {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "GIT_CONFIG_GLOBAL": os.devnull,
            "K": str(self.home / ".ssh" / "id"),
            "OURS": str(self.ours),
            "REPOSITORY": str(self.repository),
            "TREE": str(self.tree),
            "LINKED": str(self.linked),
            "VICTIM": str(self.process.pid),
            "WON": _WON,
            "SHM": self.shm.name,
            "SERVICE": self.service,
            "AT_HOME": self.at_home,
            "ABSTRACT": self.abstract,
            "TCP": str(self.tcp),
            "UDP": str(self.udp),
            "USER_TERMINAL": os.ttyname(self._terminal),
            "SSH_AUTH_SOCK": self.service,
            "STAMP": stamp,
        }

    def state(self) -> dict[str, object]:
        """Return all that has to stay as it is."""
        outside = [
            path for path in self.home.rglob("*") if self.work not in path.parents and path != self.work
        ]
        later = [
            self.work / name
            for name in (
                ".git/hooks",
                ".git/config",
                ".git/config.worktree",
                ".git/commondir",
                ".githooks",
                ".envrc",
                ".vscode",
                ".acp-tui",
                "Makefile",
                "sub",
            )
        ]
        inside = [each for path in later for each in (path, *path.rglob("*"))]
        return {str(path): _print_of(path) for path in (*outside, self.work.parent, *inside) if path.exists()}

    def was_harmed(self) -> bool:
        """Return whether somebody outside was reached."""
        with suppress(OSError):
            if os.read(self.ours_of_terminal, 99):
                return True
        return bool(self.heard) or self.process.poll() is not None

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for server in self._servers:
            with suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)
            server.close()
        for descriptor in (self._key, self.folder, self.ours_of_terminal, self._terminal):
            os.close(descriptor)
        self.shm.unlink(missing_ok=True)


def _print_of(path: Path) -> object:
    status = path.lstat()
    if path.is_dir():
        return sorted(each.name for each in path.iterdir())
    return status.st_mode, status.st_mtime_ns, path.read_bytes() if path.is_file() else b""


def _without_settings() -> dict[str, str]:
    return {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}


@contextmanager
def _victim() -> Iterator[_Victim]:
    with tempfile.TemporaryDirectory() as name:
        victim = _Victim(Path(name).resolve())
        try:
            yield victim
        finally:
            victim.close()


def _sandbox(victim: _Victim, means: Means, network: Network) -> Sandbox:
    with patch.dict(os.environ, {"HOME": str(victim.home)}):
        return Sandbox.make(
            [str(victim.work), str(victim.tree), str(victim.linked), str(victim.forged)],
            means=means,
            wanted=Wanted(),
            network=network,
            state=[],
            others=[".other-agent"],
            ours=[str(victim.ours)],
            environment=os.environ,
        )


async def won(attack: Attack, means: Means | None, network: Network, number: int = 0) -> bool:
    """Return whether an attempt succeeds, on a machine of its own; without means there is no fence."""
    stamp = f"{300 + number}.{os.getpid()}"
    with _victim() as victim:
        sandbox = _sandbox(victim, means, network) if means is not None else None
        guard = Guard()
        guard.start()
        terminals = Terminals({}, guard, sandbox.commands if sandbox is not None else None)
        before = victim.state()
        is_python = attack.script.startswith("#py")
        argv = (
            [sys.executable, "-c", _PYTHON + attack.script.removeprefix("#py")]
            if is_python
            else ["sh", "-c", f"echo {_BEGUN}\n{attack.script}"]
        )
        try:
            terminal = await terminals.create(
                "s", argv[0], argv[1:], env=victim.environment(stamp), cwd=str(victim.work)
            )
            await asyncio.wait_for(terminal.wait(), 30)
            said = terminal.output()[0]
        finally:
            await terminals.close()
            guard.close()
            if sandbox is not None:
                sandbox.close()
        if _BEGUN not in said:
            raise AssertionError(f"“{attack.name}” did not begin: {said}")
        is_alive = _is_alive(stamp)
        return _KEY in said or _WON in said or victim.was_harmed() or victim.state() != before or is_alive


def _is_alive(stamp: str) -> bool:
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if words[:2] == [b"sleep", stamp.encode()]:
                os.kill(int(folder.name), 9)
                return True
    return False


def remains(attack: Attack, means: Means, network: Network) -> bool:
    """Return whether the documentation says that an attempt succeeds."""
    here: set[str] = {means.kind}
    if network == "on":
        here.add("network")
        if version() < SCOPES_SINCE:
            here.add("old Landlock")
    if os.geteuid() == 0:
        here.add(f"{means.kind} as root")
    if not means.has_proc:
        here.add("no ids of its own")
    return bool(here & attack.remains)


def run(count: int, seed: int) -> Result:
    """Try so many, with each fence of this machine, and with and without a network."""
    result = Result(unit="attempts")
    best = try_fences()
    if best.means is None:
        result.tried = 1
        result.notes.append(f"there is no fence here: {best.why}")
        return result
    kinds = [best.means] if best.means.kind != "landlock" else []
    if version() >= SCOPES_SINCE:  # an older one keeps less, and nobody has tried how much
        kinds.append(Means("landlock"))
    if not kinds:
        result.tried = 1
        result.notes.append(f"the only fence here is an old Landlock: {best.why}")
        return result
    cases = [(attack, means, network) for means in kinds for network in _NETWORKS for attack in ATTACKS]
    held = dict.fromkeys((f"{means.kind}, network {network}" for means in kinds for network in _NETWORKS), 0)
    for number in range(count):
        attack, means, network = cases[number % len(cases)]
        has_won = asyncio.run(won(attack, means, network, number))
        result.tried += 1
        held[f"{means.kind}, network {network}"] += not has_won
        if has_won and not remains(attack, means, network):
            result.wrong.append(f"{attack.name} ({means.kind}, network {network})")
    if count % len(cases) == 0:
        result.notes += [f"{name}: {number} of {len(ATTACKS)} held" for name, number in held.items()]
    return result


_NETWORKS: Final[tuple[Network, ...]] = ("on", "off")

ROW: Final = Row(
    "attacks",
    "what the sandbox promises to keep out stays out",
    2 * len(ATTACKS),
    20 * len(ATTACKS),
    run,
)
