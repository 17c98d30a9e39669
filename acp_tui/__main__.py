"""Lets `python -m acp_tui` start the program."""

import sys

from acp_tui.cli import main

sys.exit(main())
