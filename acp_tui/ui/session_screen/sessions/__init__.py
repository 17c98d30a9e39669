"""Start, list, search, name and export of sessions, and the way from one to another."""
