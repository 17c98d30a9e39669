"""Markdown as blocks of a transcript, parsed once and while it streams.

`MarkdownBlock` takes a growing text: what has ended is frozen, only the open end is parsed again.
The block is made from a text that may grow, and tells its rows for a width like every other one.
"""
