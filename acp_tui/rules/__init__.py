"""Rules and policies: model, files, command lines and protected files.

- `model` decides, with `command_rules` and `path_rules`; `rule_book` and `rule_files` hold the rules;
  `trusted_files` are those of a workspace that the user has seen.
- Command lines: `shell` parses, `harmless_options` and `read_only_commands` know programs,
  `command_explanation` tells the user.
- `protected_files` and `protected_writes` are about files that run later.
"""
