"""Rules and policies: model, files, command lines and protected files.

- `model` decides, with `command_rules` and `path_rules`; `rule_book` and `rule_files` hold the rules.
- Command lines: `shell` parses, `harmless_options` and `read_only_commands` know programs,
  `command_explanation` tells the user.
- `protected_files` and `protected_writes` are about files that run later.
"""
