"""Screens for the work of an agent: changes, tool calls, plan steps, and notes on their lines."""
