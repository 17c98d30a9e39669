"""Begin a session, wait, enter a folder, and become another program.

Run as a program of its own, by path: it imports nothing of acp-tui.

    launcher.py GATE FOLDER ERRORS PWD LC_CTYPE COMMAND [ARGUMENT …]

GATE, FOLDER and ERRORS are descriptors, or -1: a line on GATE lets it go on, FOLDER is entered, and the
number of what went wrong is written to ERRORS. PWD is the name of the folder for the environment. LC_CTYPE is
the variable's value after "=", or "" for none: Python alters it where the language is C.
"""

import errno
import fcntl
import os
import signal
import sys
import termios

SHELL = "/bin/sh"


def main() -> None:
    """Become the program."""
    gate, folder, errors = (int(word) for word in sys.argv[1:4])
    name, character_type, command, *arguments = sys.argv[4:]
    try:
        os.setsid()
    except PermissionError:  # it leads a group already
        pass
    try:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    except OSError:  # no terminal, or another session's
        pass
    environment = dict(os.environ)
    if character_type:
        environment["LC_CTYPE"] = character_type[1:]
    else:
        environment.pop("LC_CTYPE", None)
    if gate >= 0:
        os.read(gate, 1)
        os.close(gate)
    if folder >= 0:
        os.fchdir(folder)
        os.close(folder)
        environment["PWD"] = name
    if errors >= 0:
        os.set_inheritable(errors, False)  # its end tells that the program runs
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execve(command, [command, *arguments], environment)
    except OSError as error:
        if errors >= 0:
            os.write(errors, str(error.errno).encode())
        elif error.errno == errno.ENOEXEC:  # as a shell would
            os.execve(SHELL, [SHELL, command, *arguments], environment)
        else:
            os.write(2, f"{command}: {error.strerror}\n".encode(errors="surrogateescape"))
        os._exit(127 if error.errno == errno.ENOENT else 126)


if __name__ == "__main__":
    main()
