"""Everything on disk: settings, journals, recorded sessions, decisions, drafts, preferences."""
