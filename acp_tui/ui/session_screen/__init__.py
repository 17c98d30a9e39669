"""The screen of one session, and its parts."""
