"""Menus about the agent of a session, its rules and its sandbox, and the prompt of its workspace."""
