"""The screen of one session, and its parts.

- `screen` composes the widgets, `view` draws changes of the conversation with the frames of
  `frame_pacer`, `parts` holds the parts.
- `command_functions` are what commands do, `slash_commands` what is typed.
- `questions` opens dialogs, `unfinished_work` asks before an end.
"""
