"""Panes of the session screen, one file each."""
