"""Permissions: what an agent may do, and who decides it.

- `access` has the folders of each session, its policy, the terminals, the rules and the sandbox.
- `tool_input` reads the command and the paths of a tool call; `authorization` asks rules, policy and mode.
- `grants` keeps what the user allowed, `client_questions` asks about requests without a question.
- `stale_writes` asks about files that have changed since the agent read them; `old_texts` reads what a write
  would replace, `amendments` are the user's own texts.
- `decision_records` writes the log.

Nothing here knows the agent's sessions.
"""
