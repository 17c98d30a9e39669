"""The screen of one session, and the parts that hold it."""
