"""The screen of one conversation that all parts know: its widgets, its layout, what the parts share."""
