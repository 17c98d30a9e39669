"""A long list of blocks; only those in view are laid out and painted.

Append blocks (`blocks.Block`) to a `Transcript` and tell it which block has changed. `BlockView` scrolls and
draws; `Transcript` adds keys, search and selection.
"""
