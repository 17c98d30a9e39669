"""Commands of the command line that need no interface."""
