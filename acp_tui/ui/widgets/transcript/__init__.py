"""A long list of blocks, drawn line by line: only what is on the screen is laid out and painted.

Give a `Transcript` blocks (`blocks.Block`: its rows for a width); tell it which block changed. It scrolls,
searches, selects and copies. `BlockView` is the part below it without the marks of entries.
"""
