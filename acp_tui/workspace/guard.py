"""The guard: a process that ends the program's children even if the program is killed.

It finds them by two marks. One is an environment variable. The other is a resource limit that children
inherit: Linux limits the run time of real-time processes (`RLIMIT_RTTIME`), which affects no others. A
value of thousands of years forbids nothing, survives a cleared environment and a new session, and can be
read in `/proc`.
"""

from __future__ import annotations

import os
import sys
import time
import weakref
from pathlib import Path
from typing import Final

from acp_tui.platform import ProcProcesses, process_table
from acp_tui.trusted_programs import own_path

RUN: Final = os.urandom(8).hex()
"""Prefix of the environment marks of this run."""
LIMIT_PREFIX: Final = str(4 * 10**11 + int.from_bytes(os.urandom(4), "big"))
"""Prefix of the limits of this run, in decimal digits, so that the guard can `grep` for it."""
_LIMIT_DIGITS: Final = 7
_LIMIT_COUNT: Final = 10**_LIMIT_DIGITS
GOING: Final = 2.0
"""Seconds for a dismissed watcher to exit."""

# The watcher is a shell that reads a pipe whose other end only this program holds. The kernel closes that
# end however the program dies, SIGKILL included; end of file without a goodbye starts the sweep: TERM,
# CONT, then KILL. It reaches the watched process groups, and every process in /proc with a mark: the
# variable, kept by daemons that leave their session, or the limit, kept even by those that clear the
# environment. Without /proc, `orphans.py` searches for the variable. After `linger` the groups get two
# seconds to end by themselves, and two more after TERM, as they would from this program.
_WATCHER: Final = r"""
trap '' HUP INT QUIT TERM TSTP TTIN TTOU USR1 USR2 PIPE
cd /
groups=' '
patience=0
while read -r verb group; do
    case $verb in
    watch) groups="$groups$group " ;;
    forget)
        kept=' '
        for each in $groups; do [ "$each" = "$group" ] || kept="$kept$each "; done
        groups=$kept ;;
    linger) patience=20 ;;
    goodbye) exit 0 ;;
    esac
done
sweep() {
    for group in $groups; do kill -s "$1" -- "-$group"; done
    if [ "$python" ]; then
        "$python" -I "$orphans" "$1" "$mark" $groups
        return
    fi
    for file in $(grep -lsF -- "=$mark-" /proc/[0-9]*/environ); do
        process=${file#/proc/}
        kill -s "$1" "${process%/environ}"
    done
    for file in $(grep -ls -- "Max realtime timeout *$limit" /proc/[0-9]*/limits); do
        process=${file#/proc/}
        kill -s "$1" "${process%/limits}"
    done
}
mark=$1
limit=$2
python=$3
orphans=$4
lives() {
    for group in $groups; do kill -s 0 -- "-$group" && return; done
    return 1
}
let_end() {
    left=$patience
    while [ "$left" -gt 0 ] && lives; do
        sleep 0.1
        left=$((left - 1))
    done
}
let_end
sweep TERM
sweep CONT
let_end
sleep 0.5
sweep KILL
sleep 0.1
sweep KILL
"""
"""The watcher's script; it reads commands from stdin."""


def limit_of(number: int) -> int:
    """Return the limit that marks a child and its descendants."""
    return int(LIMIT_PREFIX) * _LIMIT_COUNT + number % _LIMIT_COUNT


def our_limit(number: int | None) -> int | None:
    """Return the limit of a process if it is a mark of this run."""
    return number if number is not None and number // _LIMIT_COUNT == int(LIMIT_PREFIX) else None


def _portable_sweep() -> tuple[str, str]:
    """Return the program and the script that sweep where `/proc` cannot be read, or "" and ""."""
    if isinstance(process_table(), ProcProcesses):
        return "", ""
    return sys.executable, str(Path(__file__).with_name("orphans.py"))


class Guard:
    """Ends the watched process groups, and all marked processes, after the program's death."""

    def __init__(self) -> None:
        self._pid: int | None = None
        self._pipe: int | None = None
        self._watched: set[int] = set()
        self.lingers = False
        """True once slow processes are left to the watcher."""
        _GUARDS.add(self)

    def start(self) -> None:
        """Start the watcher process."""
        if self._pid is None:
            self._spawn()

    def watch(self, pgid: int) -> None:
        """Watch a process group."""
        self._watched.add(pgid)
        self._tell(f"watch {pgid}")

    def forget(self, pgid: int) -> None:
        """Stop watching a process group, whose number may be reused."""
        if pgid in self._watched:
            self._watched.discard(pgid)
            self._tell(f"forget {pgid}")

    def linger(self) -> None:
        """Leave slow processes to the watcher, so that the user does not wait for them on exit."""
        self.lingers = True

    def close(self) -> None:
        """Dismiss the watcher; groups still watched are ended."""
        pid, pipe = self._pid, self._pipe
        if pid is None or pipe is None:
            return
        if not self._watched:
            self._tell("goodbye")
        elif self.lingers:
            self._tell("linger")
        self._pid = self._pipe = None
        os.close(pipe)
        if self._watched and self.lingers:
            return
        deadline = time.monotonic() + GOING
        while _runs(pid) and time.monotonic() < deadline:
            time.sleep(0.005)

    def _tell(self, line: str) -> None:
        if self._pipe is None:
            self._spawn()
            return
        try:
            os.write(self._pipe, f"{line}\n".encode())
        except BrokenPipeError:  # the watcher was killed
            if self._pid is not None:
                _runs(self._pid)
            os.close(self._pipe)
            self._spawn()

    def _spawn(self) -> None:
        """Start a watcher for all watched groups."""
        theirs, ours = os.pipe()
        try:
            self._pid = os.posix_spawn(
                "/bin/sh",
                ["/bin/sh", "-c", _WATCHER, "acp-tui-guard", RUN, LIMIT_PREFIX, *_portable_sweep()],
                # No mark of this or an outer acp-tui: a sweep must not find the watcher.
                {"PATH": f"{os.defpath}:{own_path()}"},
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, theirs, 0),
                    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                    (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
                ],
                setpgroup=0,
                setsigmask=[],
            )
        finally:
            os.close(theirs)
        self._pipe = ours
        for pgid in self._watched:
            os.write(ours, f"watch {pgid}\n".encode())

    def _let_go(self) -> None:
        if self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None


_GUARDS: Final[weakref.WeakSet[Guard]] = weakref.WeakSet()


def _let_go_in_fork() -> None:
    for guard in list(_GUARDS):
        guard._let_go()


# A forked worker must not keep the pipe open after the program's death (exec closes it).
os.register_at_fork(after_in_child=_let_go_in_fork)


def _runs(pid: int) -> bool:
    """Return whether the child runs; reap it if not."""
    try:
        return os.waitpid(pid, os.WNOHANG) == (0, 0)
    except ChildProcessError:
        return False
