"""Entry point of `python -m acp_tui`."""

import sys

from acp_tui.cli import main

sys.exit(main())
