"""The application below its screens: first frame, themes, the table of commands, keys, and the terminal."""
