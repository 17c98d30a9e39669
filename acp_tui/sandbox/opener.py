"""Open a place inside a running bubblewrap.

It is run as a separate program, by path: it imports nothing of acp-tui and has no threads, which the system
forbids here.

    opener.py PID write|read PATH

The mounts of a sandbox belong to a user namespace of the user, so no privileges are needed. No process inside
can do the same: its own namespace is below that one.
"""

import ctypes
import fcntl
import os
import sys

NS_GET_USERNS = 0xB701
CLONE_NEWUSER, CLONE_NEWNS = 0x10000000, 0x20000
MS_BIND, MS_REC, MS_REMOUNT, MS_NODEV, MS_NOSUID, MNT_DETACH = 0x1000, 0x4000, 0x20, 0x4, 0x2, 2


def main() -> None:
    """Enter the mount namespace of a process and open the place."""
    pid, access, path = sys.argv[1:4]
    libc = ctypes.CDLL(None, use_errno=True)
    name = os.fsencode(path)

    def check(result: int) -> None:
        if result < 0:
            number = ctypes.get_errno()
            sys.exit(os.strerror(number))

    mounts = os.open(f"/proc/{pid}/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
    owner = fcntl.ioctl(mounts, NS_GET_USERNS)
    check(libc.setns(owner, CLONE_NEWUSER))
    check(libc.setns(mounts, CLONE_NEWNS))
    if os.path.realpath(path) != path:
        sys.exit("a link leads elsewhere")
    if access == "write":
        check(libc.mount(name, name, None, MS_BIND | MS_REC, None))  # hidden places below it stay hidden
        check(libc.mount(None, name, None, MS_BIND | MS_REMOUNT | MS_NODEV | MS_NOSUID, None))
    else:
        check(libc.umount2(name, MNT_DETACH))


if __name__ == "__main__":
    main()
