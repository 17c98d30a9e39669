"""A running agent: its process, its connection, its sessions and its permissions.

- `agent` is the whole.
- `process` and `connection` carry the messages; `agent_methods` are our requests, `client_methods` those
  that we serve, `capabilities` what each side can do.
- `session_events` makes events of messages and `sessions` applies them; `replay` does it with a journal.
- `open_questions` are those that wait for an answer.
"""
