"""The subcommands of acp-tui: doctor, log, rules, sessions."""
