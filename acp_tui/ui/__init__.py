"""The user interface."""
