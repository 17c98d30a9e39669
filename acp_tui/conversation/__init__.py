"""Conversations without an interface: agent, session, prompt queue and choices.

- `conversation` is the whole, `state` its state and listener.
- Start: `start_options`, `session_start`, `login`, `failure`, `running_agent`, `system_prompt`.
- Prompts: `prompt_queue`, `attachments`, `mentions`, `clipboard_images`, `file_search`, `typed_paths`,
  `line_notes`, `rejections`.
- `choices` and `approval` are about modes and policies, `edit_places` about edits in a question.
"""
