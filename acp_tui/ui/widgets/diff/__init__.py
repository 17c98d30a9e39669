"""Differences of two texts: comparison, layout in one or two columns, and painting.

`diff.compute` compares two texts, `DiffView` is the widget that shows files of differences.
"""
