"""A running agent: its process, its connection, its sessions and its permissions."""
