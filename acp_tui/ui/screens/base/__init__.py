"""Bases of dialogs, menus and full screens.

- `dialog` and `answer_dialog` ask, `menu` lets choose, `full_screens` and `text_screens` show,
  `unasked_screen` opens by itself.
- `editor` gives the terminal to the user's editor.
"""
