"""Widgets that know nothing of agents and sessions."""
