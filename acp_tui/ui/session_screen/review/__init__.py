"""The ways from a session to its changes, its details and its earlier prompts."""
