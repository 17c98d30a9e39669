"""Permissions: what an agent may do, and who decides it.

`host` has what a connection is granted, `tool_input` reads the input of a tool call, `authorization` asks
rules, policy and mode, `grants` keeps what was allowed, `client_questions` asks the user about requests
without a question, `stale_writes` about files that have changed since, `old_texts` reads what a write would
replace, `amendments` are the user's own texts, `decision_records` is about the log. Nothing here knows the
agent's sessions.
"""
