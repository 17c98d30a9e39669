"""Conversations without an interface: agent, session, prompt queue and choices."""
