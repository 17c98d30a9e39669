"""The state of a session: entries, plan, options, questions, changed files. No I/O and no clock."""
