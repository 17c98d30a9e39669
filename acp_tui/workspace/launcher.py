"""Start a process session, wait, enter a folder, and exec another program.

It is run as a separate program, by path, and imports nothing of acp-tui.

    launcher.py GATE FOLDER ERRORS PWD LC_CTYPE COMMAND [ARGUMENT …]

GATE, FOLDER and ERRORS are descriptors, or -1: it waits for a line on GATE, enters FOLDER, and writes
the number of an error to ERRORS. PWD is the name of the folder for the environment. LC_CTYPE is
the variable's value after "=", or "" for none: Python changes it if the language is C.
"""

import errno
import fcntl
import os
import signal
import sys
import termios

SHELL = "/bin/sh"


def main() -> None:
    """Exec the program."""
    gate, folder, errors = (int(word) for word in sys.argv[1:4])
    name, character_type, command, *arguments = sys.argv[4:]
    try:
        os.setsid()
    except PermissionError:  # it already leads a group
        pass
    try:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    except OSError:  # no terminal, or that of another session
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
        os.set_inheritable(errors, False)  # its end of file shows that the program runs
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores these signals
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execve(command, [command, *arguments], environment)
    except OSError as error:
        if errors >= 0:
            os.write(errors, str(error.errno).encode())
        elif error.errno == errno.ENOEXEC:  # as a shell does
            os.execve(SHELL, [SHELL, command, *arguments], environment)
        else:
            os.write(2, f"{command}: {error.strerror}\n".encode(errors="surrogateescape"))
        os._exit(127 if error.errno == errno.ENOENT else 126)


if __name__ == "__main__":
    main()
