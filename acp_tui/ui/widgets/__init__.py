"""Widgets that know nothing of agents and sessions.

- Text: `text`, `styles`, `contrast`, `code`, `links`, `painter`.
- Fields: `prompt_box`, `text_area`, `input_line`.
- `controls` choose, `key_names` are keys as shown, `delay` calls later, `textual_internals` are Textual's
  private parts.
"""
