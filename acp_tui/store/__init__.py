"""What stays on disk: folders, settings, known agents, the journal of a session."""
