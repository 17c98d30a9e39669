"""Snapshots of a workspace: take, compare, restore, undo."""
