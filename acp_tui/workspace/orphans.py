"""Signal the processes that a run of acp-tui has left behind: what its guard runs without `/proc`.

It is run as a separate program, by path, and imports nothing of acp-tui.

    orphans.py SIGNAL MARK [GROUP …]
"""

import os
import signal
import sys

import psutil


def main() -> None:
    """Signal the processes with the mark in their environment, those of the sessions, and their offspring."""
    number, mark = signal.Signals[f"SIG{sys.argv[1]}"], sys.argv[2]
    sessions = {int(word) for word in sys.argv[3:]}
    for process in psutil.process_iter():
        try:
            if os.getsid(process.pid) not in sessions and not _is_marked(process, mark):
                continue
            for each in (process, *process.children(recursive=True)):
                each.send_signal(number)
        except (psutil.Error, OSError):  # gone, or of another user
            continue


def _is_marked(process: psutil.Process, mark: str) -> bool:
    return any(value.startswith(f"{mark}-") for value in process.environ().values())


if __name__ == "__main__":
    main()
