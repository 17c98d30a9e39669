"""Showing an address in the person's own browser."""

from __future__ import annotations

import os
import sys


def open_in_browser(url: str) -> bool:
    """Hand an address to a browser with a window, as one argument and without a shell; False: there is none.

    A browser that would draw in our terminal is not used. It may wait for the browser: call it in a thread.
    """
    import webbrowser  # looks for every browser there is when it is loaded

    has_windows = sys.platform == "darwin" or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "WSL_DISTRO_NAME")
    )
    return has_windows and webbrowser.open(url)
