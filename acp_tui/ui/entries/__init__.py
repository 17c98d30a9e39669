"""Blocks for each kind of entry of a session."""
