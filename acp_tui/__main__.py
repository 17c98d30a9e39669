"""Entry point of `python -m acp_tui`."""

import sys

if not sys.flags.safe_path:
    # The first place for modules is the current folder, in which an agent may write some.
    del sys.path[0]

from acp_tui.cli import main

sys.exit(main())
