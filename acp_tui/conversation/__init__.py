"""The life of one conversation, whoever shows it: an agent and a session, what is said, how it ends."""
