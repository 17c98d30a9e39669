"""The other side, running."""
