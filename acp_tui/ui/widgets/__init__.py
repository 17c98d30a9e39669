"""Parts with no idea of ACP."""
