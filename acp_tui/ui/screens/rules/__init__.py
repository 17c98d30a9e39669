"""Screens for what is decided without a question: rules, trust, and the decisions so far."""
