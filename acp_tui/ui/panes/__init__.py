"""The parts of the session screen, one file a pane."""
