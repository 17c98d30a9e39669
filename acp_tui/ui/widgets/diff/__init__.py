"""Differences of two texts: compared, laid out beside or below each other, coloured and drawn.

`diff.compare` tells what differs, `DiffView` is the widget that shows them, with search, copying and marks.
"""
