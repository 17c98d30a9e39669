"""One conversation: what was said and done so far. Pure."""
