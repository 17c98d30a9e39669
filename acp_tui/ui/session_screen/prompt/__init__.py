"""The prompt area, its completions, its queue, and shell commands typed in it."""
