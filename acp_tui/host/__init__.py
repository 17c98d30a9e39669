"""What we lend the agent: files, terminals, rules."""
