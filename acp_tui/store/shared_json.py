"""Small JSON files that several programs of ours read and change."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from acp_tui.store.folders import private_folder


class SharedJson:
    """One file. Each change reads it anew: another acp-tui may have written, too."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> Any:
        """Return what is in the file; None if there is no file.

        Raises:
            OSError: it cannot be read, or is not JSON.
        """
        import json  # after the first frame

        try:
            return json.loads(self.path.read_bytes())
        except FileNotFoundError:
            return None
        except (ValueError, RecursionError) as error:
            text = f"{self.path} is not JSON: put it right, or move it away ({error})"
            raise OSError(errno.EINVAL, text) from error

    def change(self, change: Callable[[Any], Any]) -> None:
        """Put what `change` makes of the contents in their place; one program at a time.

        Raises:
            OSError: it cannot be read or written; the file is what it was.
        """
        import json

        from acp_tui.store.locking import alone

        private_folder(self.path.parent)
        with alone(self.path):
            data = json.dumps(change(self.read()), indent=1).encode()
            write_whole(self.path, data, durable=False)


def write_whole(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Put new contents in the place of a file, all or nothing; a link stays one, and a mode is kept.

    Not `durable`: comes back sooner, and a loss of power may take what was written.

    Raises:
        OSError: it cannot be written; the file is what it was.
    """
    import tempfile  # after the first frame

    path = Path(os.path.realpath(path))
    private_folder(path.parent)
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(file.fileno(), mode)
            if durable:
                os.fsync(file.fileno())
        os.replace(name, path)  # noqa: PTH105
    except BaseException:
        with suppress(OSError):
            os.unlink(name)  # noqa: PTH108
        raise
