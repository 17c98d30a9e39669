"""Permissions: what an agent may do, and who decides it.

`tool_input` reads the input of a tool call, `authorization` asks rules, policy and mode, `grants` keeps what
was allowed, `open_questions` and `client_questions` ask the user, `decision_records` is about the log.
"""
