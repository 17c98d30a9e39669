"""The user's rules: their model, their files, and how command lines are read for them."""
