"""Starting, listing, searching, naming and exporting sessions, and moving between them."""
