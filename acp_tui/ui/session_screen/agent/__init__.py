"""Menus about the agent of a session, its rules, its sandbox and the prompt of its workspace."""
