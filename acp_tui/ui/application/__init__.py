"""The application below its screens: first frame, themes, the table of commands, keys, and the terminal.

- `app` is the whole, `first_frame` what is drawn first.
- `command_table` has the commands and their keys, `key_settings` the user's keys, `key_guard` keeps keys
  from dialogs that open by themselves.
- `theme_files` are read, `app_theme` is the chosen one.
- `terminal`, `terminal_input`, `clipboard` and `attention` are about the terminal around us.
"""
